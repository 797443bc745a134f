package scenario

import (
	"fmt"

	"pintlab/netsim/unit"
)

// The kinds of telemetry.
const (
	NoTelemetry    = "none"
	TelemetryBytes = "bytes"
	INT            = "int"
	PINT           = "pint"
)

// The plans of PINT.
const (
	PlanHPCC           = "hpcc"
	PlanCombined       = "combined"
	PlanCombinedByHand = "combined-by-hand"
	PlanFile           = "file"
)

// The INT formats.
const (
	FormatHPCC     = "hpcc"
	FormatStandard = "standard"
)

// Telemetry is what data packets carry about the network, and what it costs.
//
//	none   nothing
//	bytes  bytes without meaning: the overhead alone
//	int    a record per hop: time, bytes sent, queue length, rate
//	pint   one digest for the whole path: HPCC's utilisation, or what a plan of queries says
type Telemetry struct {
	// Which telemetry.
	Kind string `yaml:"kind" default:"int" oneof:"none|bytes|int|pint"`
	// Telemetry on every data packet.
	Bytes unit.Bytes `yaml:"bytes" when:"kind=bytes" default:"48B" range:">=1B <=1024B"`
	// Layout and so the size: hpcc is 2 B + 8 B per hop, standard 8 B + 4 B per value per hop.
	Format string `yaml:"format" when:"kind=int" default:"hpcc" oneof:"hpcc|standard"`
	// Values per hop; HPCC needs time, bytes sent and queue length.
	Values int `yaml:"values" when:"format=standard" default:"3" range:">=3 <=16"`
	// Hops that there is room for; every packet has the full size.
	Hops int `yaml:"hops" when:"kind=int" default:"5" range:">=1 <=64"`
	// Precision of the fields: as known to the switch, or in the units and widths below, wrapping around.
	Precision string `yaml:"precision" when:"kind=int" default:"exact" oneof:"exact|wire"`
	// Unit of the time stamp.
	TimeUnit unit.Time `yaml:"time_unit" when:"precision=wire" default:"1ns" range:">0s"`
	// Width of the time stamp.
	TimeBits int `yaml:"time_bits" when:"precision=wire" default:"24" range:">=8 <=64"`
	// Unit of the bytes sent.
	ByteUnit unit.Bytes `yaml:"byte_unit" when:"precision=wire" default:"512B" range:">=1B"`
	// Width of the bytes sent.
	ByteBits int `yaml:"byte_bits" when:"precision=wire" default:"20" range:">=8 <=64"`
	// Unit of the queue length.
	QueueUnit unit.Bytes `yaml:"queue_unit" when:"precision=wire" default:"320B" range:">=1B"`
	// Width of the queue length.
	QueueBits int `yaml:"queue_bits" when:"precision=wire" default:"17" range:">=8 <=64"`
	// What the digest holds: HPCC's utilisation alone, set by the keys below; the combined
	// queries of PINT §6.4, as our engine plans them or as the paper does; or a query file.
	Plan string `yaml:"plan" when:"kind=pint" default:"hpcc" oneof:"hpcc|combined|combined-by-hand|file"`
	// The query file.
	PlanPath string `yaml:"plan_path" when:"plan=file" file:"yes"`
	// Memory of each host for each query that is recorded per flow; the flow that has been
	// silent for longest is forgotten.
	Memory unit.Bytes `yaml:"memory" when:"plan=combined|combined-by-hand|file" default:"4MiB" range:">=1KiB <=16GiB"`
	// Size of the digest's field on every data packet, whatever the share p.
	WireBytes unit.Bytes `yaml:"wire_bytes" when:"kind=pint" default:"1B; plan=combined|combined-by-hand: 2B" range:">=1B <=64B"`
	// Width of the digest.
	Bits int `yaml:"bits" when:"plan=hpcc" default:"8" range:">=2 <=16"`
	// (1+ε)², ratio of two neighbouring codes; ε = 0.025.
	Base float64 `yaml:"base" when:"plan=hpcc" default:"1.050625" range:">1 <=4"`
	// What randomized rounding keeps unbiased: the logarithm (paper) or the value (published
	// simulator).
	Rounding string `yaml:"rounding" when:"plan=hpcc" default:"log" oneof:"log|value"`
	// Share of packets whose digest is used.
	P float64 `yaml:"p" when:"plan=hpcc" default:"1" range:">0 <=1"`
	// Who applies p: a global hash at the switches, or the sender for each ACK (published
	// simulator).
	SampleAt string `yaml:"sample_at" when:"plan=hpcc" default:"switch" oneof:"switch|sender"`
	// Packets that update U at a port; data: an ACK loses the interval that ends with it
	// (published simulator).
	EWMAOver string `yaml:"ewma_over" when:"plan=hpcc" default:"all" oneof:"all|data"`
	// Packet whose bytes enter U: the one being dequeued, or the one before (published
	// simulator).
	EWMASize string `yaml:"ewma_size" when:"plan=hpcc" default:"current" oneof:"current|previous"`
	// What the first digest of a flow does: set the window, or only start the clock of
	// lastUpdateSeq (published simulator).
	FirstFeedback string `yaml:"first_feedback" when:"kind=pint" default:"apply" oneof:"apply|skip"`
	// Arithmetic of U at the switch; fixed: integers and tables, as the P4 program has them; ns3-log: the
	// logarithm tables of the published simulator, which also round 512·U up to an integer before encoding.
	Arithmetic string `yaml:"arithmetic" when:"plan=hpcc" default:"float" oneof:"float|fixed|ns3-log"`
	// How the switch computes U: as a difference, U + S + (Q-U)·τ/T in bytes (hpcc_util); as appendix B
	// of the paper, U·(T-τ)/T + Q·τ/T + S, on all of which the tables' error acts; or with its first
	// term as U - U·τ/T.
	TableForm string `yaml:"table_form" when:"arithmetic=fixed" default:"difference" oneof:"difference|appendix-b|decrement"`
	// q: the tables of logarithms and powers have 2^q entries.
	TableBits int `yaml:"table_bits" when:"arithmetic=fixed" default:"6; table_form=appendix-b|decrement: 8" range:">=4 <=12"`
	// Seed of sampling and rounding, on top of the run's seed: varies PINT alone.
	Seed uint64 `yaml:"seed" when:"kind=pint" default:"0"`
}

// Overhead is the number of telemetry bytes on every data packet.
func (t Telemetry) Overhead() unit.Bytes {
	switch {
	case t.Kind == TelemetryBytes:
		return t.Bytes
	case t.Kind == PINT:
		return t.WireBytes
	case t.Kind == INT && t.Format == FormatHPCC:
		return 2 + 8*unit.Bytes(t.Hops)
	case t.Kind == INT:
		return 8 + 4*unit.Bytes(t.Values)*unit.Bytes(t.Hops)
	}
	return 0
}

func (t Telemetry) check(c *checker) {
	if t.Plan == PlanHPCC && 8*t.WireBytes < unit.Bytes(t.Bits) {
		c.failFor("telemetry.bits", "telemetry.wire_bytes", fmt.Sprintf("too few for telemetry.bits = %d", t.Bits))
	}
	if t.Arithmetic == "fixed" && t.Rounding != "log" {
		c.failFor("telemetry.arithmetic", "telemetry.rounding", "fixed arithmetic rounds the logarithm at random (accepted: log)")
	}
	if t.Seed != 0 && t.Arithmetic == "ns3-log" && (t.SampleAt == "sender" || t.P == 1) {
		c.failFor("telemetry.arithmetic", "telemetry.seed", "has no effect: telemetry.arithmetic = ns3-log rounds, and telemetry.sample_at = sender draws, by the random numbers of the published simulator, which have no seed (accepted: 0)")
	}
}
