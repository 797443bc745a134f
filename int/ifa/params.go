package ifa

import (
	"fmt"

	inband "pintlab/int"
	"pintlab/netsim"
	"pintlab/netsim/schema"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// Params are the keys of IFA in a scenario.
type Params struct {
	inband.Echoing
	// Number of records for which there is room. The header can count up to 255 words.
	Hops int `yaml:"hops" default:"5" range:">=1 <=31" draw:"8"`
	// Unit of the queue, which has 16 bits. No source names it.
	QueueUnit unit.Bytes `yaml:"queue_unit" default:"512B" range:">=1B <=64KB"`
	// IP protocol number of IFA. No number has been assigned.
	Protocol int `yaml:"protocol" default:"253" range:">=1 <=255"`
	// Reserved bits of a record in captures: zero, or TTL, ECN and the number of the queue as in Broadcom's decoders.
	Reserved string `yaml:"reserved" default:"zero" oneof:"zero|ttl"`
}

// Default returns the parameters with the defaults of their tags.
func Default() Params { return schema.Default[Params]() }

const (
	headers    = 4 + 4 // around the transport header
	recordSize = 32
)

// Overhead returns the size of the headers.
func (*Params) Overhead() unit.Bytes { return headers }

// Growth implements telemetry.Growing.
func (*Params) Growth(hops int) unit.Bytes { return recordSize * unit.Bytes(hops) }

// Stack returns room for the hops of the longest path. If links may break, Stack returns room for at least the hops of
// the header.
func (p *Params) Stack(maxHops int, detours bool) int { return inband.Room(p.Hops, maxHops, detours) }

// speeds lists the rates of links for which a record has a code.
var speeds = []unit.Rate{10 * unit.Gbps, 25 * unit.Gbps, 40 * unit.Gbps, 50 * unit.Gbps, 100 * unit.Gbps,
	200 * unit.Gbps, 400 * unit.Gbps}

// second20 is the time after which the seconds of a record wrap around.
const second20 = 1 << 20 * int64(unit.Second/unit.Nanosecond)

// Attach stamps data packets at every switch.
func (p *Params) Attach(s *telemetry.Site) (*telemetry.Parts, error) {
	e := inband.Encoding{
		Spec: inband.Spec{
			Time:  inband.FieldSpec{Bits: 52, Unit: int64(unit.Nanosecond), Steps: second20},
			Tx:    inband.FieldSpec{Bits: 32, Unit: 1},
			Queue: inband.FieldSpec{Bits: 16, Unit: int64(p.QueueUnit)}, RateBits: 4, Rates: speeds, MaxHops: p.Hops,
		},
		Size: p.Growth,
		Keys: fmt.Sprintf("telemetry.kind = ifa: telemetry.hops = %d, queue_unit = %v", p.Hops, p.QueueUnit),
	}
	return e.Attach(s, &shower{s.Net, p})
}

// shower writes the records into captures, and answers questions with the records that hosts read.
type shower struct {
	net *netsim.Network
	*Params
}
