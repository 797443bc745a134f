package ioam

import (
	"fmt"

	inband "pintlab/int"
	"pintlab/netsim"
	"pintlab/netsim/schema"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// Params are the keys of IOAM in a scenario.
type Params struct {
	inband.Echoing
	// Option: a trace that grows with each record (incremental), or a trace in which the source makes room for all
	// records.
	Trace string `yaml:"trace" default:"incremental" oneof:"incremental|preallocated"`
	// Records for which there is room, out of the 244 B of an option.
	Hops int `yaml:"hops" default:"5" range:">=1 <=12" draw:"8"`
	// Fraction of a second: nanoseconds (ptp) or microseconds (posix). Both wrap after a second.
	Timestamp string `yaml:"timestamp" default:"ptp" oneof:"ptp|posix" draw:"ptp"`
	// Unit of the queue depth, which has 32 bits. RFC 9197 leaves it to the operator.
	QueueUnit unit.Bytes `yaml:"queue_unit" default:"1B" range:">=1B <=64KB" draw:"1B"`
	// Bit of the trace type that stands for the bytes sent. RFC 9197 defines no such bit.
	TxBit int `yaml:"tx_bit" default:"12" range:">=12 <=21"`
	// RemainingLen of an incremental trace in captures: the free space (RFC 9197), or 0, because Wireshark
	// misses records otherwise.
	Remaining string `yaml:"remaining" when:"trace=incremental" default:"zero" oneof:"zero|room"`
	// Whether each record also contains the rate of the link, which takes 4 B more.
	Speed bool `yaml:"speed" default:"false"`
}

// Default returns the parameters with the defaults of their tags.
func Default() Params { return schema.Default[Params]() }

// fixed is the size of the header without records: next header and length 2, padding 2, the option's type and length
// 2, reserved and IOAM type 2, the trace option's header 8.
const fixed = 16

// record returns the size of a record.
func (p *Params) record() int {
	if p.Speed {
		return 24
	}
	return 20
}

// size returns the size of the hop-by-hop header with some records, or with room for them.
func (p *Params) size(records int) unit.Bytes { return unit.Bytes(fixed+records*p.record()+7) &^ 7 }

// Overhead returns the size of the header at the source.
func (p *Params) Overhead() unit.Bytes {
	if p.Trace == "preallocated" {
		return p.size(p.Hops)
	}
	return p.size(0)
}

// Growth implements telemetry.Growing.
func (p *Params) Growth(hops int) unit.Bytes {
	return p.size(max(hops, p.room())) - p.Overhead()
}

// room returns the number of records whose bytes the source adds in advance.
func (p *Params) room() int {
	if p.Trace == "preallocated" {
		return p.Hops
	}
	return 0
}

// Stack returns room for the hops of the longest path. If links may break, Stack returns room for at least the hops of
// the option.
func (p *Params) Stack(maxHops int, detours bool) int { return inband.Room(p.Hops, maxHops, detours) }

// Check reports records that do not fit into an option.
func (p *Params) Check(c *schema.Checker) {
	const most = 240
	c.FailForIf(p.Hops*p.record() > most, "telemetry.speed", "telemetry.hops",
		fmt.Sprintf("want at most %d, because an option has room for %d B", most/p.record(), most))
}

// clock returns the form of the time stamps.
func (p *Params) clock() inband.FieldSpec {
	step := unit.Nanosecond
	if p.Timestamp == "posix" {
		step = unit.Microsecond
	}
	return inband.FieldSpec{Bits: 32, Unit: int64(step), Steps: int64(unit.Second / step)}
}

// Attach stamps data packets at every switch.
func (p *Params) Attach(s *telemetry.Site) (*telemetry.Parts, error) {
	e := inband.Encoding{
		Spec: inband.Spec{
			Time: p.clock(), Tx: inband.FieldSpec{Bits: 32, Unit: 1},
			Queue: inband.FieldSpec{Bits: 32, Unit: int64(p.QueueUnit)}, MaxHops: p.Hops,
		},
		Keys: fmt.Sprintf("telemetry.hops = %d, timestamp = %s, queue_unit = %v", p.Hops, p.Timestamp, p.QueueUnit),
	}
	if p.Trace == "incremental" {
		e.Size = p.size
	}
	return e.Attach(s, &shower{s.Net, p})
}

// shower writes the traces into captures, and answers questions with the records that hosts read.
type shower struct {
	net *netsim.Network
	*Params
}
