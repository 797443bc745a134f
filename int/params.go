package inband

import (
	"fmt"
	"math/bits"

	"pintlab/netsim/schema"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// Params are the keys of INT in a scenario.
type Params struct {
	Echoing
	// Layout: hpcc (2 B + 8 B per hop), standard (8 B + 4 B per value and hop), or free (no bytes, which shows what
	// the bytes cost).
	Format string `yaml:"format" default:"hpcc" oneof:"hpcc|standard|free" draw:"hpcc|standard"`
	// Values per hop; HPCC needs time, bytes sent and queue length.
	Values int `yaml:"values" when:"format=standard" default:"3" range:">=3 <=16" draw:"3..8"`
	// Hops for which there is room; every packet has the full size.
	Hops int `yaml:"hops" default:"5" range:">=1 <=64" draw:"8"`
	// What a record describes: the egress port, or the queue of the packet. A record of a queue contains the bytes that
	// the queue has sent, divided by the guaranteed share of the queue. It also contains the waiting time of the
	// packet, converted to bytes at the rate of the link. Then U = txRate/(w·B) + wait/T for a queue with the share w
	// of a link of rate B.
	Of string `yaml:"of" default:"port" oneof:"port|queue" omit:"default"`
	// Precision of the fields: the exact values of the switch, or values in the units and widths below, which
	// wrap around.
	Precision string `yaml:"precision" default:"exact" oneof:"exact|wire"`
	// Unit of the time stamp.
	TimeUnit unit.Time `yaml:"time_unit" when:"precision=wire" default:"1ns" range:">0s"`
	// Width of the time stamp.
	TimeBits int `yaml:"time_bits" when:"precision=wire" default:"24" range:">=8 <=63"`
	// Unit of the bytes sent.
	ByteUnit unit.Bytes `yaml:"byte_unit" when:"precision=wire" default:"512B" range:">=1B"`
	// Width of the bytes sent.
	ByteBits int `yaml:"byte_bits" when:"precision=wire" default:"20" range:">=8 <=63"`
	// Unit of the queue length.
	QueueUnit unit.Bytes `yaml:"queue_unit" when:"precision=wire" default:"320B" range:">=1B"`
	// Width of the queue length.
	QueueBits int `yaml:"queue_bits" when:"precision=wire" default:"17" range:">=8 <=63"`
}

// Default returns the parameters with the defaults of their tags.
func Default() Params { return schema.Default[Params]() }

// Overhead returns the size of the header with room for all hops. Format hpcc has 42 B for 5 hops, 4.2 % of 1000 B.
// Format standard (PINT §2) has 28 B for one value, 48 B for two, 68 B for three, 108 B for five.
func (p *Params) Overhead() unit.Bytes {
	switch p.Format {
	case "free":
		return 0
	case "hpcc":
		return 2 + 8*unit.Bytes(p.Hops)
	}
	return 8 + 4*unit.Bytes(p.Values)*unit.Bytes(p.Hops)
}

// Stack returns room for the hops of the longest path. If links may break, Stack returns room for at least the hops of
// the header.
func (p *Params) Stack(maxHops int, detours bool) int { return Room(p.Hops, maxHops, detours) }

// Check reports fields whose range exceeds the simulator's counters of 63 bits.
func (p *Params) Check(c *schema.Checker) {
	if p.Precision != "wire" {
		return
	}
	spec := p.spec()
	for _, f := range []struct {
		bits, unit, step string
		spec             FieldSpec
	}{
		{"telemetry.time_bits", "time_unit", p.TimeUnit.String(), spec.Time},
		{"telemetry.byte_bits", "byte_unit", p.ByteUnit.Short(), spec.Tx},
		{"telemetry.queue_bits", "queue_unit", p.QueueUnit.Short(), spec.Queue},
	} {
		if most := 63 - bits.Len64(uint64(f.spec.Unit-1)); f.spec.Bits > most {
			c.FailFor("telemetry."+f.unit, f.bits,
				fmt.Sprintf("want at most %d with telemetry.%s = %s, because the counters have 63 bits",
					most, f.unit, f.step))
		}
	}
}

// Attach stamps data packets at every switch.
func (p *Params) Attach(s *telemetry.Site) (*telemetry.Parts, error) {
	e := Encoding{Spec: Exact(), Keys: fmt.Sprintf("telemetry.hops = %d", p.Hops)}
	if p.Precision == "wire" {
		e.Spec = p.spec()
		e.Keys = fmt.Sprintf("telemetry.precision = wire (its fields do not suit the links or network.buffer: "+
			"time_bits = %d, "+
			"time_unit = %v, byte_bits = %d, byte_unit = %v, queue_bits = %d, queue_unit = %v)",
			p.TimeBits, p.TimeUnit, p.ByteBits, p.ByteUnit, p.QueueBits, p.QueueUnit)
	}
	e.Spec.MaxHops = p.Hops
	if p.Of == "queue" {
		q, err := newQueueing(s)
		if err != nil {
			return nil, err
		}
		e.Port = q.read
	}
	return e.Attach(s, echo{s.Net, p})
}

// spec returns the format on the wire.
func (p *Params) spec() Spec {
	s := Published()
	if p.Precision == "wire" {
		s.Time = FieldSpec{Bits: p.TimeBits, Unit: int64(p.TimeUnit)}
		s.Tx = FieldSpec{Bits: p.ByteBits, Unit: int64(p.ByteUnit)}
		s.Queue = FieldSpec{Bits: p.QueueBits, Unit: int64(p.QueueUnit)}
	}
	return s
}
