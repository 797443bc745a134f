package p4

import (
	"pintlab/int/csig"
	"pintlab/int/fridge"
	"pintlab/netsim/unit"
	"pintlab/p4/fixedpoint"
	"pintlab/pint/approx"
	"pintlab/pint/coding"
	"pintlab/pint/loops"
)

// The parameters of the programs.
const (
	Seed      = 1 // seed of the global hash functions
	hops      = 5 // typical path length, d
	PathBits  = 8
	tableBits = 8 // q of appendix B, and of the first set bit of a delay

	HPCCShift = 4 // in the combined program, a share of 2^-4 of the packets carries HPCC

	Carry = 16 // one of this many packets carries a sketchlet

	Rate    = 100 * unit.Gbps // rate of ports that the control plane does not configure
	Horizon = 13 * unit.Microsecond

	// Drain is the longest time between arrivals, in ticks, that counts in PowerTCP's power while a queue drains. It
	// is an eighth of Horizon.
	Drain = uint32(Horizon/8) / uint32(fixedpoint.Tick)
	// productBias is added to the sum of logarithms of a product. Sums beyond the table of powers then saturate at
	// the end of the table, 2^31.
	productBias = 1<<11 - 31
)

// SeedOf returns the seed of query i of a plan, or of the choice of the query set if i is -1.
func SeedOf(i int) uint32 { return Seed + uint32(i+1)*0x9e3779b9 }

// Scheme returns the coding scheme of path tracing.
func Scheme() coding.Scheme { return coding.Hybrid(hops) }

// Latency returns the code of hop latencies. The latencies are in nanoseconds, 1 ns to 60 µs, and the code has
// 8 bits.
func Latency() (*fixedpoint.Encoder, error) {
	c, err := approx.Cover(1, 60_000, 8)
	if err != nil {
		return nil, err
	}
	return fixedpoint.NewEncoder(fixedpoint.EncoderConfig{Min: 1, Base: c.Base, Codes: c.Codes, TableBits: 6})
}

// Loop returns the settings of loop detection.
func Loop() loops.Config { return loops.Twice() }

// Utilization returns the arithmetic of U, or of Γ.
func Utilization(form fixedpoint.Form) (*fixedpoint.Shared, error) {
	return fixedpoint.NewShared(fixedpoint.ConfigOf(form, form.TableBits()))
}

// The parameters of CSIG: a window for which bandwidth is measured, and the granule in which free bytes are counted.
const (
	CSIGWindow  = fixedpoint.Tick << 13
	CSIGGranule = 128 * unit.Byte
)

// CSIG returns the buckets of a tag, compact or wide.
func CSIG(tag string) (csig.Buckets, error) {
	p := csig.Params{Tag: tag, RateStep: 8 * unit.Mbps, TimeStep: fixedpoint.Tick << 7}
	if tag == "compact" {
		p.RateStep, p.TimeStep = 12_800*unit.Mbps, fixedpoint.Tick<<11
	}
	return p.Buckets()
}

// Fridge returns the configuration of the fridge. It has M and p of the example in the fridges paper (§6.2).
func Fridge() fridge.FactorsConfig {
	return fridge.FactorsConfig{Entries: 1 << 16, Probability: 0.5, Limit: 1 << 19}
}
