package md

import (
	"fmt"

	inband "pintlab/int"
	"pintlab/netsim"
	"pintlab/netsim/schema"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// Params are the keys of INT-MD in a scenario.
type Params struct {
	inband.Echoing
	// What a record reports about the bytes sent: the utilisation of the link as a rate (as INT defines it), or the
	// number of bytes.
	Tx string `yaml:"tx" default:"utilisation" oneof:"utilisation|bytes"`
	// Least time over which a port measures this rate.
	Window unit.Time `yaml:"tx_window" when:"tx=utilisation" default:"1us" range:">=128ns <=1s" draw:"1us|8us"`
	// Step of this rate.
	Step unit.Rate `yaml:"tx_step" when:"tx=utilisation" default:"1Mbps" range:">=1bps <=1Gbps"`
	// Records for which there is room.
	Hops int `yaml:"hops" default:"5" range:">=1 <=42" draw:"8"`
	// Unit of the queue occupancy, which has 24 bits.
	QueueUnit unit.Bytes `yaml:"queue_unit" default:"64B" range:">=1B <=64KB" draw:"64B"`
}

// Default returns the parameters with the defaults of their tags.
func Default() Params { return schema.Default[Params]() }

const recordSize = 24

// Overhead returns the size of shim and header.
func (*Params) Overhead() unit.Bytes { return inband.ShimSize + inband.HeaderSize }

// Growth implements telemetry.Growing.
func (*Params) Growth(hops int) unit.Bytes { return recordSize * unit.Bytes(hops) }

// Stack returns room for the hops of the longest path. If links may break, Stack returns room for at least the hops of
// the header.
func (p *Params) Stack(maxHops int, detours bool) int { return inband.Room(p.Hops, maxHops, detours) }

// Gives returns a record per hop, with a counter of bytes or a rate.
func (p *Params) Gives() []telemetry.Quantity {
	if p.Tx == "bytes" {
		return []telemetry.Quantity{telemetry.PerHop}
	}
	return []telemetry.Quantity{telemetry.HopRates}
}

// Otherwise implements telemetry.Variable.
func (*Params) Otherwise(q telemetry.Quantity) (key, value string) {
	if q == telemetry.PerHop {
		return "tx", "bytes"
	}
	return "", ""
}

// Attach stamps data packets at every switch.
func (p *Params) Attach(s *telemetry.Site) (*telemetry.Parts, error) {
	e := inband.Encoding{
		Spec: inband.Spec{
			Time: inband.FieldSpec{Bits: 53, Unit: int64(unit.Nanosecond)}, Tx: inband.FieldSpec{Bits: 32, Unit: 1},
			Queue: inband.FieldSpec{Bits: 24, Unit: int64(p.QueueUnit)}, MaxHops: p.Hops,
		},
		Size: p.Growth,
		Keys: fmt.Sprintf("telemetry.hops = %d, queue_unit = %v", p.Hops, p.QueueUnit),
	}
	rates := p.Tx == "utilisation"
	if rates {
		e.Spec.Tx = inband.FieldSpec{Bits: 62, Unit: 1} // ports round it
		m := meter{Params: p, ports: make([]port, s.Net.Ports())}
		e.Port = m.read
	}
	parts, err := e.Attach(s, &shower{s.Net, p})
	if err == nil {
		parts.Feedback.Rates = rates
	}
	return parts, err
}

// meter measures the rates at which ports send.
type meter struct {
	*Params
	ports []port
}

// port is the state of a port: when it was last measured, the bytes sent until then, and the rate in bit/s.
type port struct {
	since unit.Time
	sent  unit.Bytes
	rate  unit.Bytes
}

// read returns the rate in bit/s, which a record contains in place of the bytes sent, and the queue.
func (m *meter) read(h *netsim.Hop) (rate, queue unit.Bytes) {
	p := &m.ports[h.Port]
	if t := h.Now - p.since; t >= m.Window {
		bits := 8 * float64(h.Sent-p.sent)
		p.rate = unit.Bytes(float64(bits*float64(unit.Second))/float64(t)) / unit.Bytes(m.Step) * unit.Bytes(m.Step)
		p.since, p.sent = h.Now, h.Sent
	}
	return p.rate, h.Queue
}

// shower writes INT 2.1 into captures, and answers questions with the records that hosts read.
type shower struct {
	net *netsim.Network
	*Params
}

// Show implements telemetry.Visible.
func (s *shower) Show(f *telemetry.Frame) error {
	if s.Tx == "bytes" {
		return inband.ShowEchoed(f, s.net, s.Hops, inband.FieldSpec{})
	}
	return inband.ShowEchoed(f, s.net, s.Hops, inband.FieldSpec{Unit: int64(s.Step)})
}
