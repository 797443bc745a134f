package csig

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"pintlab/internal/number"
	"pintlab/netsim"
	"pintlab/netsim/schema"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// Params are the keys of CSIG in a scenario.
type Params struct {
	// Layout: compact (4 B with 32 buckets and a locator of 7 bits) or wide (8 B with 2^20 buckets and a
	// locator of 16 bits).
	Tag string `yaml:"tag" default:"wide" oneof:"compact|wide"`
	// What packets carry: the least available share of a link (abw_share), the least available bandwidth (abw),
	// the longest time in a switch (delay), or the longest queue in time (queue). With alternate, packets of a
	// flow carry abw_share and delay in turn.
	Signal string `yaml:"signal" default:"abw_share" oneof:"abw_share|abw|delay|queue|alternate"`
	// Time over which a port counts bytes. The available bandwidth is measured over the last full window, which
	// ended at most this long ago.
	Window unit.Time `yaml:"window" when:"signal=$rates" default:"8us" range:">=128ns <=1024ms" draw:"1024ns|8us|256us"`
	// Width of a bucket of available bandwidth.
	RateStep unit.Rate `yaml:"rate_step" when:"signal=abw" default:"8Mbps; tag=compact: 12.8Gbps" range:">=1bps"`
	// Width of a bucket of delay or queue.
	TimeStep unit.Time `yaml:"time_step" when:"signal=$time" default:"128ns; tag=compact: 2us" range:">=1ns <=1ms" draw:"128ns|1us"`
	// Up to 31 thresholds between ranges of values, in place of buckets of one width. Thresholds are rates,
	// shares of a link such as 0.05, or times.
	Ranges []string `yaml:"ranges" when:"tag=compact & signal=abw_share|abw|delay|queue" omit:"empty"`
	// What the locator names: nothing, the layer and the direction of the link (up or down), the switch, or the port.
	Locator string `yaml:"locator" default:"switch" oneof:"none|layer|switch|port"`
	// Switches that do not know CSIG: there are none, they forward the tag unchanged, or they remove the tag.
	Legacy string `yaml:"legacy" default:"none" oneof:"none|pass|strip" draw:"none"`
	// Switches that do not know CSIG: names of layers, such as core or spine, or numbers of nodes.
	LegacyAt []string `yaml:"legacy_at" when:"legacy=pass|strip" default:"core" range:">=1"`
}

// Default returns the parameters with the defaults of their tags.
func Default() Params { return schema.Default[Params]() }

// Group returns the signals that the struct tags abbreviate as $rates or $time.
func (Params) Group(name string) []string {
	if name == "rates" {
		return []string{"abw_share", "abw", "alternate"}
	}
	return []string{"delay", "queue", "alternate"}
}

// format returns the layout of the tag.
func (p *Params) format() *Format {
	if p.Tag == "compact" {
		return &Compact
	}
	return &Wide
}

// Overhead returns the size of the tag.
func (p *Params) Overhead() unit.Bytes { return unit.Bytes(p.format().Size) }

// Stack returns 0, because packets carry only the tag.
func (*Params) Stack(int, bool) int { return 0 }

// signals returns the signals that the packets of a flow carry in turn.
func (p *Params) signals() [2]Signal {
	if p.Signal == "alternate" {
		return [2]Signal{ABWShare, Delay}
	}
	s := ABWShare
	if i := slices.Index(signalNames[:], p.Signal); i >= 0 {
		s = Signal(i)
	}
	return [2]Signal{s, s}
}

// quantities maps each signal to the quantity that senders learn from it.
var quantities = map[Signal]telemetry.Quantity{
	ABWShare: telemetry.Utilisation, Delay: telemetry.HopDelay, Queue: telemetry.HopDelay,
}

// Gives returns the utilisation of the busiest link, the delay of the worst hop, or both. It returns nothing for the
// available bandwidth, because no control knows the rate of that link.
func (p *Params) Gives() (list []telemetry.Quantity) {
	for _, s := range p.signals() {
		if q, ok := quantities[s]; ok && !slices.Contains(list, q) {
			list = append(list, q)
		}
	}
	return list
}

func (p *Params) Otherwise(q telemetry.Quantity) (key, value string) {
	switch q {
	case telemetry.Utilisation:
		return "signal", "abw_share"
	case telemetry.HopDelay:
		return "signal", "delay"
	}
	return "", ""
}

// Recorded returns false: only senders read CSIG.
func (*Params) Recorded() bool { return false }

// Default widths of the buckets of compact tags.
const (
	rateStep = 12_800 * unit.Mbps
	timeStep = 2 * unit.Microsecond
)

// Check reports invalid ranges. It also reports a width of buckets if ranges replace these buckets.
func (p *Params) Check(c *schema.Checker) {
	if _, err := p.Buckets(); err != nil {
		c.Fail("telemetry.ranges", err.Error())
	}
	const idle = "has no effect, because telemetry.ranges replaces the buckets of equal width"
	c.FailForIf(len(p.Ranges) > 0 && p.RateStep != 0 && p.RateStep != rateStep, "telemetry.ranges",
		"telemetry.rate_step", idle)
	c.FailForIf(len(p.Ranges) > 0 && p.TimeStep != 0 && p.TimeStep != timeStep, "telemetry.ranges",
		"telemetry.time_step", idle)
}

// Buckets returns the buckets of each signal.
func (p *Params) Buckets() (s Buckets, err error) {
	top := p.format().value.max()
	s[ABW], s[ABWShare] = scale{step: max(1, int64(p.RateStep)), top: top}, scale{step: whole / int64(top+1), top: top}
	s[Delay] = scale{step: max(1, int64(p.TimeStep)), top: top}
	s[Queue] = s[Delay]
	if len(p.Ranges) > 0 {
		own := p.signals()[0]
		s[own], err = ranges(p.Ranges, own, top)
	}
	return s, err
}

// Attach writes tags at every switch.
func (p *Params) Attach(s *telemetry.Site) (*telemetry.Parts, error) {
	t := &tap{format: p.format(), net: s.Net, ports: make([]port, s.Net.Ports()), window: p.Window}
	if p.Window == 0 {
		t.window = unit.Never // in this case, no signal counts bytes
	}
	var err error
	if t.buckets, err = p.Buckets(); err != nil {
		return nil, fmt.Errorf("telemetry.ranges: %w", err)
	}
	t.signals = p.signals()
	for i, signal := range t.signals {
		t.initial[i] = t.format.Initial(signal)
	}
	if err := p.locate(s, t); err != nil {
		return nil, fmt.Errorf("telemetry.locator = %s: %w", p.Locator, err)
	}
	if t.legacy, err = p.legacy(s.Graph); err != nil {
		return nil, fmt.Errorf("telemetry.legacy_at: %w", err)
	}
	t.strip = p.Legacy == "strip"
	for i := range t.ports {
		t.ports[i].start(s.Net.PortRate(netsim.PortID(i)), t)
	}
	return &telemetry.Parts{Tap: t, System: t, Notes: t.notes, Feedback: telemetry.Feedback{Digest: t.digest}}, nil
}

// locate sets the locator of every port of a switch.
func (p *Params) locate(s *telemetry.Site, t *tap) error {
	ids := s.SwitchIDs()
	for i := range t.ports {
		own, peer := s.Net.PortEnds(netsim.PortID(i))
		node := s.Graph.Nodes[own]
		l := uint64(t.format.None())
		switch p.Locator {
		case "layer":
			if l = uint64(2 * int(node.Layer)); node.Layer < 0 {
				return errors.New("the layers of some switches of this topology are unknown; want none, switch or port")
			}
			if s.Graph.Nodes[peer].Layer < node.Layer {
				l++
			}
		case "switch":
			l = ids[own]
		case "port":
			l = uint64(i)
		}
		if node.Kind == topo.Host {
			continue
		}
		if p.Locator != "none" && l >= uint64(t.format.None()) {
			return fmt.Errorf("%s %d is too large for the %d bits of the tag (all ones mean no locator); use a wide "+
				"tag, which has 16 bits, or layers, which need few bits",
				p.Locator, l, t.format.locator.bits)
		}
		t.ports[i].locator = uint32(l)
	}
	return nil
}

// legacy returns, for each node, whether it lacks CSIG. It returns nil if all nodes know CSIG.
func (p *Params) legacy(g *topo.Graph) ([]bool, error) {
	if p.Legacy == "none" {
		return nil, nil
	}
	list := make([]bool, len(g.Nodes))
	for _, word := range p.LegacyAt {
		found := false
		var layers []string
		for _, i := range g.Switches() {
			name := g.Nodes[i].LayerName()
			if name == word || strconv.Itoa(int(i)) == word {
				list[i], found = true, true
			}
			if name != "" && !slices.Contains(layers, name) {
				layers = append(layers, name)
			}
		}
		if !found {
			return nil, fmt.Errorf("%q is no switch; want the number of a switch, or a layer of this network (%s)",
				word, strings.Join(layers, ", "))
		}
	}
	return list, nil
}

// digest returns the position of a quantity in the tag.
func (t *tap) digest(q telemetry.Quantity) (*telemetry.Digest, error) {
	for _, s := range t.signals {
		if quantities[s] != q {
			continue
		}
		f := t.format
		d := &telemetry.Digest{
			Shift: uint(f.value.shift), Mask: uint64(f.value.max()),
			Tag: f.Encode(Tag{Signal: s}), TagMask: f.kind.mask() | f.signal.mask(),
		}
		if d.Code = (timeCode{&t.buckets[s]}); s == ABWShare {
			d.Code = loadCode{&t.buckets[s]}
		}
		return d, nil
	}
	return nil, fmt.Errorf("tags hold no %s", q)
}

// notes reports the actions of switches that do not know CSIG.
func (t *tap) notes() []string {
	switch n := atomic.LoadInt64(&t.ignored); {
	case n == 0:
		return nil
	case t.strip:
		return []string{fmt.Sprintf("CSIG: switches without CSIG removed %s, so the senders of these packets received "+
			"no information", number.Count(n, "tag"))}
	default:
		return []string{fmt.Sprintf("CSIG: %d times a tag passed a switch without CSIG, so the tag does not include "+
			"this hop", n)}
	}
}
