package netsim

import (
	"fmt"
	"strconv"
	"strings"

	"pintlab/netsim/buffer"
	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
)

// Params are the parameters of switches and links. The tags are keys of a scenario's section network
// (package netsim/schema). Default has their defaults.
type Params struct {
	// Memory of a switch, shared by its ports.
	Buffer unit.Bytes `yaml:"buffer" default:"32MB" range:">0B <=2GB"`
	// Most bytes that wait at one egress port (drop-tail), or "none".
	PortLimit unit.Limit `yaml:"port_limit" default:"none" range:">0B"`
	// Time from the arrival of a packet's last bit at a switch until the packet joins the queue.
	ProcessingDelay unit.Time `yaml:"processing_delay" default:"0s" range:">=0s <=1s"`
	// Whether telemetry bits cost serialisation cycles at both interfaces of a hop (PINT §2).
	TelemetryCycles bool `yaml:"telemetry_cycles" default:"false"`
	// Probability that a link loses a packet, for links whose error rate is not in the topology.
	LinkErrorRate float64 `yaml:"link_error_rate" default:"0" range:">=0 <1"`
	// Transmission time of a packet: exact, or truncated to nanoseconds as in the published simulator.
	Serialisation string `yaml:"serialisation" default:"exact" oneof:"exact|floor-ns"`
	// Order in which a port serves the traffic classes.
	Scheduling Scheduling `yaml:"scheduling"`
	// Marking.
	ECN ECN `yaml:"ecn"`
	// Priority flow control.
	PFC PFC `yaml:"pfc"`
	// Trimming, in place of drops.
	Trimming Trimming `yaml:"trimming" omit:"default"`
}

// Rules of Scheduling.
const (
	Turns    = "turns"  // packet by packet
	Strict   = "strict" // the highest class that has a packet (IEEE 802.1Q, strict priority)
	Deficit  = "drr"    // deficit round robin (Shreedhar and Varghese, SIGCOMM 1995)
	Weighted = "wrr"    // round robin by packets of any size
)

// Scheduling is the order in which a port serves the waiting traffic classes. Pause frames precede all
// classes. Within a class, packets leave in the order of their arrival. A host serves its flows in turn, except with
// strict: weights have no effect there.
//
//	turns   the classes take turns, packet by packet
//	strict  the highest class first, at switches and hosts
//	drr     deficit round robin: the classes share the link by their weights
//	wrr     weighted round robin: each class sends up to its weight in packets in a row, of any size
type Scheduling struct {
	// Rule.
	Kind string `yaml:"kind" default:"turns" oneof:"turns|strict|drr|wrr"`
	// Weights of classes: 5=4 gives class 5 four times as many bytes, or packets, as a class of weight 1.
	// Other classes have weight 1.
	Weights []string `yaml:"weights" when:"kind=drr|wrr" omit:"empty"`
}

// ClassWeights returns the weights of the classes; classes without one have weight 1.
func (s *Scheduling) ClassWeights() (weights [buffer.Classes]int, err error) {
	for c := range weights {
		weights[c] = 1
	}
	named := [buffer.Classes]bool{}
	for _, word := range s.Weights {
		class, weight, ok := strings.Cut(word, "=")
		c, err1 := strconv.Atoi(class)
		w, err2 := strconv.Atoi(weight)
		if !ok || err1 != nil || err2 != nil || c < 1 || c > 7 || w < 1 || w > 1000 || named[c] {
			return weights, fmt.Errorf("%q: want CLASS=WEIGHT, each class from 1 to 7 once, weights from 1 to 1000",
				word)
		}
		weights[c], named[c] = w, true
	}
	return weights, nil
}

// ECN marks at dequeue, with a probability that rises from 0 at kmin to pmax at
// kmax; above kmax every packet is marked.
type ECN struct {
	// Whether switches mark.
	Enabled bool `yaml:"enabled" default:"false"`
	// Threshold at a port of the rate at_rate; the thresholds of other ports are proportional to their rates. auto: the
	// value that the congestion control requests, a share of the bandwidth-delay product or a time at the port's rate.
	// If only kmax is given, kmin equals kmax for a control that marks at a step, and is a share of kmax for other
	// controls.
	KMin unit.Bytes `yaml:"kmin" when:"enabled=true" default:"auto" range:">=0B"`
	// Threshold at a port of the rate at_rate; the thresholds of other ports are proportional to their rates. auto: as
	// kmin. If only kmin is given, kmax equals kmin or is a multiple of it.
	KMax unit.Bytes `yaml:"kmax" when:"enabled=true" default:"auto" range:">=0B"`
	// Probability at kmax; auto: as kmin.
	PMax float64 `yaml:"pmax" when:"enabled=true" default:"auto" range:">=0 <=1"`
	// Rate of the port to which kmin and kmax apply.
	AtRate unit.Rate `yaml:"at_rate" when:"enabled=true" default:"100Gbps" range:">0bps"`
	// Whether switches also mark at their ports to hosts.
	AtHosts bool `yaml:"at_hosts" when:"enabled=true" default:"true"`
}

// PFC pauses the upstream port before the buffer is full, so that no packet is dropped.
type PFC struct {
	// Whether switches send pause frames.
	Enabled bool `yaml:"enabled" default:"true"`
	// When to pause: at a share of the free buffer, or at a fixed fill level.
	Threshold string `yaml:"threshold" when:"enabled=true" default:"dynamic" oneof:"dynamic|static"`
	// Divides the free shared buffer by 2^shift to obtain the threshold.
	Shift int `yaml:"shift" when:"threshold=dynamic" default:"3" range:">=0 <=30"`
	// Whether the shift decreases by one for each doubling of the port's rate, starting from the rate of the slowest
	// host.
	ShiftByRate bool `yaml:"shift_by_rate" when:"threshold=dynamic" default:"true"`
	// Fill level at which one class of an ingress port is paused.
	XOff unit.Bytes `yaml:"xoff" when:"threshold=static" default:"512KB" range:">0B"`
	// Distance below the threshold at which a paused port resumes.
	Hysteresis unit.Bytes `yaml:"hysteresis" when:"enabled=true" default:"3072B" range:">=0B"`
	// Space for packets that arrive after a pause: what the link can still deliver, or three link delays as
	// in the published simulator.
	Headroom string `yaml:"headroom" when:"enabled=true" default:"lossless" oneof:"lossless|3-delays"`
	// Space reserved for each ingress port.
	Reserve unit.Bytes `yaml:"reserve" when:"enabled=true" default:"4096B" range:">=0B"`
	// Size of a pause frame.
	Frame unit.Bytes `yaml:"frame" when:"enabled=true" default:"64B" range:">=1B <=1500B"`
}

// Trimming removes the payload of data packets that find no room at a port, and forwards their headers to
// the receiver in the class of ACKs (transport.ack_class). Each class has its own queue at each port.
type Trimming struct {
	// Whether switches trim.
	Enabled bool `yaml:"enabled" default:"false" omit:"default"`
	// What happens to packets without room in the queue: their payload is cut off, or they are dropped.
	Action string `yaml:"action" when:"enabled=true" default:"trim" oneof:"trim|drop"`
	// Length of the data queue, in packets of the largest size. auto: the largest bandwidth-delay product
	// of the network at the rate of the slowest host, five times that with action drop (uet-htsim).
	Queue int `yaml:"queue" when:"enabled=true" default:"8; action=drop: auto" range:">=1 <=10000"`
	// Length of the queue for headers, ACKs and other control packets, in packets of the largest size;
	// auto: twice queue.
	HeaderQueue int `yaml:"header_queue" when:"enabled=true" default:"8; action=drop: auto" range:">=1 <=20000"`
	// Rate of the port to which queue and header_queue apply; slower ports have proportionally shorter
	// queues. 0: they apply to all ports.
	AtRate unit.Rate `yaml:"at_rate" when:"enabled=true" default:"0bps" range:">=0bps"`
	// Probability that the last waiting packet is trimmed instead of the arriving one.
	Tail float64 `yaml:"tail" when:"enabled=true" default:"0.5" range:">=0 <=1"`
	// Whether the packet in transmission counts towards the queue, as in uet-htsim.
	Sending bool `yaml:"count_sending" when:"enabled=true" default:"false" omit:"default"`
	// Whether headers without room in the queue return to their source.
	Return bool `yaml:"return_to_sender" when:"enabled=true & action=trim" default:"true"`
}

// Limits returns the longest queues of data and of headers, in bytes. A length that is auto counts as one packet.
func (t *Trimming) Limits(packet unit.Bytes) (data, headers unit.Bytes) {
	room := func(packets int) unit.Bytes {
		if schema.IsAuto(packets) {
			packets = 1
		}
		return unit.Bytes(packets) * packet
	}
	return room(t.Queue), room(t.HeaderQueue)
}

// MostQueued returns the most bytes that can wait at a port, and the key that limits them.
func (p *Params) MostQueued() (most unit.Bytes, key string) {
	if p.PortLimit != unit.NoLimit {
		return unit.Bytes(p.PortLimit), "port_limit"
	}
	return p.Buffer, "buffer"
}

// Check reports settings that contradict each other or have no effect, except the settings of trimming. at
// is the prefix of the keys, full the size of a full packet.
func (p *Params) Check(c *schema.Checker, at string, full unit.Bytes) {
	p.agree(c, at)
	c.FailIf(p.PortLimit != unit.NoLimit && unit.Bytes(p.PortLimit) > p.Buffer, at+"port_limit",
		fmt.Sprintf("has no effect: more than %sbuffer = %v", at, p.Buffer))
	c.FailIf(unit.Bytes(p.PortLimit) < full, at+"port_limit",
		fmt.Sprintf("no full packet could ever wait in the port: want at least %v, the size of a full packet", full))
}

// TrimmingNeeds returns the settings that CheckTrimming requires for trimming, as key=value, except the scheduling.
func (p *Params) TrimmingNeeds() []string {
	list := []string{"trimming.enabled=true"}
	if p.PFC.Enabled {
		list = append(list, "pfc.enabled=false")
	}
	if p.PortLimit != unit.NoLimit {
		list = append(list, "port_limit=none")
	}
	return list
}

// agree reports settings that would prevent switches from working.
func (p *Params) agree(c *schema.Checker, at string) {
	if _, err := p.Scheduling.ClassWeights(); err != nil {
		c.Fail(at+"scheduling.weights", err.Error())
	}
	e := &p.ECN
	c.FailIf(e.Enabled && e.KMin > e.KMax && !schema.IsAuto(e.KMax), at+"ecn.kmin",
		fmt.Sprintf("want at most kmax = %v", e.KMax))
}

// CheckTrimming reports settings that prevent switches from trimming, if trimming is enabled.
func (p *Params) CheckTrimming(c *schema.Checker, at string) {
	if !p.Trimming.Enabled {
		return
	}
	key, kind := at+"trimming.enabled", p.Scheduling.Kind
	with := " with " + key + " = true"
	c.FailForIf(p.PFC.Enabled, key, at+"pfc.enabled", "want false"+with+": with PFC, a port pauses its senders "+
		"before its queue is full, so nothing is trimmed")
	c.FailForIf(p.PortLimit != unit.NoLimit, key, at+"port_limit",
		"want none"+with+", which has its own limits (queue, header_queue)")
	c.FailForIf(kind != Weighted && kind != Strict, key, at+"scheduling.kind",
		"want wrr or strict"+with+": trimmed headers must overtake data")
}
