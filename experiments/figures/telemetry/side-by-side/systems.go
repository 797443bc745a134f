package sidebyside

import (
	"fmt"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/telemetry/faults"
	"pintlab/experiments/studies/guard"
	"pintlab/netsim/unit"
)

// control is a congestion control with what it needs of switches. Feedback costs no bytes, unless the system
// that is compared gives it.
type control struct {
	name string
	set  []string
}

var (
	hpcc  = control{"HPCC", []string{"telemetry.format=free"}}
	dctcp = control{"DCTCP", append([]string{
		"cc.kind=dctcp", "telemetry.kind=none",
		"network.ecn.enabled=true", "network.ecn.kmin=300KB", "network.ecn.kmax=300KB", "network.ecn.pmax=1",
	}, figure.PublishedDCTCP...)}
)

// setting is the part of a run that the settings of systems depend on.
type setting struct {
	control control
	window  unit.Time // of which systems are asked
	heavy   int       // packets of a heavy flow
}

// system is a telemetry system, with what it is set to in a setting. Settings that it does not
// name are its defaults.
type system struct {
	key, name string
	program   string // P4, of package p4/src; "" for none
	// telemetry are keys of the section telemetry, for systems that are no monitor.
	telemetry func(control) []string
	monitor   func(setting, knob) string // "" for none
	knob      knob                       // by default
	// memory is the registers of a switch in bytes; nil: those of the program.
	memory func(setting, knob) unit.Bytes
	faults []seer // none: nothing of it says anything about faults
}

// seer is a way in which a system locates faults.
type seer struct {
	name    string // "": that of the system
	view    guard.View
	monitor func(knob) string // nil: none is read
}

// seen is one with the name of the system.
func seen(view guard.View, monitor func(knob) string) []seer { return []seer{{"", view, monitor}} }

// sketches is the monitor of LightGuardian in the runs with faults.
func sketches(knob) string { return faults.Sketches }

// The ways in which LightGuardian locates faults, beside its own: with the comparison of flows that all other systems have, and
// without what collection by packets, or the sketches, cost it.
const (
	withVotes = "LightGuardian + host votes"
	readWhole = "LightGuardian, sketches read whole"
	exactly   = "LightGuardian, exact counters"
)

// knob is what the systems with a budget are set to. Each system has one number for bytes and one
// for memory.
type knob struct {
	share  float64    // of packets
	memory unit.Bytes // of a switch; 0: the default
}

// The numbers of the papers that are divided for short windows.
const (
	// packetsWatched by INT with a collector, of each: so many that the link of one collector takes the
	// postcards of the highest load.
	packetsWatched = 1.0 / 128
	// memoryFor is the interval that the budgets of switch memory are for: a sketch of a shorter one has as
	// much less to count.
	memoryFor = 5 * unit.Millisecond
	carried   = 1.0 / 16 // λ_c of LightGuardian (§8.2: 4/64)
	entries   = 4096     // of a fridge
	agents    = 320      // of SketchINT, at the hosts
	edges     = 20       // switches with hosts
)

// systems are the systems in the order of the tables; the first is that of none.
var systems = []system{
	{key: "none", name: "none", faults: seen(guard.Hosts, nil)},
	{key: "int", name: "INT, HPCC's", telemetry: func(c control) []string { return fed(c, "telemetry.format=hpcc", 42) }, faults: seen(guard.Telemetry, nil)},
	{key: "int-standard", name: "INT, standard", program: "int_md-transit", telemetry: func(c control) []string { return fed(c, "telemetry.format=standard", 68) }, faults: seen(guard.Telemetry, nil)},
	{key: "passport", name: "INT passport", program: "int_md-transit", knob: knob{share: packetsWatched}, monitor: func(_ setting, k knob) string { return passport(k) }, faults: seen("int", passport)},
	{key: "postcard", name: "INT postcard", knob: knob{share: packetsWatched}, monitor: func(_ setting, k knob) string { return postcard(k) }, faults: seen("int", postcard)},
	{key: "pint-8", name: "PINT, 8 bits", monitor: func(setting, knob) string { return "{kind: pint, plan: combined-8, horizon: 13us, flows: false}" }, faults: seen("pint", func(knob) string {
		return "{kind: pint, plan: combined-8, hops: 9, horizon: 13us, memory: 64MiB, flows: false}"
	})},
	{key: "pint-16", name: "PINT, 16 bits", program: "pint_combined", monitor: func(setting, knob) string { return "{kind: pint, horizon: 13us, flows: false}" }, faults: seen("pint", func(knob) string { return faults.Digests })},
	{key: "sketchint", name: "SketchINT", monitor: sketchINT, memory: func(_ setting, k knob) unit.Bytes { return k.memory }, faults: seen("sketchint", func(knob) string { return faultSketches.at("hosts", 0) })},
	{key: "lightguardian", name: "LightGuardian", program: "sumax", knob: knob{share: carried}, monitor: lightGuardian, memory: func(s setting, k knob) unit.Bytes {
		return lightGuardianBucket * unit.Bytes(buckets(s, k))
	}, faults: []seer{{"", guard.Sketches, sketches}, {withVotes, guard.Voting, sketches}, {readWhole, guard.Whole, sketches}, {exactly, guard.Exact, nil}}},
	{key: "fridge", name: "fridges", program: "fridge", monitor: func(_ setting, k knob) string {
		return fmt.Sprintf("{kind: rtt, entries: %d}", fridgeEntries(k))
	}, memory: func(_ setting, k knob) unit.Bytes { return fridgeEntry * unit.Bytes(fridgeEntries(k)) }},
}

// fed is INT that feeds the control, or whose bytes nobody reads.
func fed(c control, format string, bytes int) []string {
	if c.name == hpcc.name {
		return []string{format}
	}
	return []string{"telemetry.kind=bytes", fmt.Sprintf("telemetry.bytes=%dB", bytes)}
}

func passport(k knob) string { return fmt.Sprintf("{kind: int, mode: passport, share: %.4g}", k.share) }
func postcard(k knob) string { return fmt.Sprintf("{kind: int, mode: postcard, share: %.4g}", k.share) }

// sketchINT has two periods in the window.
func sketchINT(s setting, k knob) string {
	x := sketchSite{period: s.window / 2, rate: 100 * unit.Gbps, agents: agents, heavy: max(1, s.heavy/2)}
	if k.memory == 0 {
		return x.at("hosts", 0)
	}
	x.agents = edges
	return x.at("switches, insertion: cm", float64(k.memory)*x.period.Ratio(memoryFor)/2) // two groups take turns
}

// sketchSite is where SketchINT is set up.
type sketchSite struct {
	period unit.Time
	rate   unit.Rate // of the analyzer's link
	agents int
	heavy  int // packets of a heavy flow in a period
}

// at has agents at those places, with so many bytes for a period, or as many as half the analyzer's link carries in one.
func (x sketchSite) at(where string, bytes float64) string {
	size := 0.45*x.rate.BytesPerSecond()*x.period.Seconds()/float64(x.agents) - sketchFrameHeader
	if bytes > 0 {
		size = min(size, bytes)
	}
	frame := min(9000, int(size)+sketchFrameHeader)
	table := max(1, int(size/5)/sketchEntry)
	rest := int(size) - table*sketchEntry
	heavy := max(100, rest/5)
	return fmt.Sprintf("{kind: sketchint, agents: %s, period: %v, memory: %dB, latency_memory: %dB, table: %d, frame: %dB, hitter: %d, change: %d}",
		where, x.period, heavy, rest-heavy, table, frame, x.heavy, x.heavy)
}

// Of SketchINT on the wire: the headers of a frame, and an entry of both tables for paths of 5 switches.
const (
	sketchFrameHeader = 58
	sketchEntry       = 13 + 4 + 1 + 2*5 + 13 + 2 + 4
)

// lightGuardian has two intervals in the window, of which a fifth is quiet as in the paper.
func lightGuardian(s setting, k knob) string {
	interval := s.window / 2
	w := buckets(s, k)
	return fmt.Sprintf("{kind: lightguardian, interval: %v, quiet: %v, poll: %v, timeout: %v, delay_buckets: %d, interval_buckets: %d, carry: %.4g, keep: 1000}",
		interval, interval/5, interval/20, interval/20, w, w, k.share)
}

// lightGuardianBucket is a bucket of both delay arrays and of the interval part, in both sketches: 2 × (2 × 16 + 4 × 8) B.
const lightGuardianBucket = 128

// buckets of an array of LightGuardian: by default one for each µs and a half of the interval, so that a switch
// with hosts has some carried packets for each sketchlet, as in the paper.
func buckets(s setting, k knob) int {
	interval := s.window / 2
	if k.memory > 0 {
		return max(1, int(float64(k.memory)*interval.Ratio(memoryFor))/lightGuardianBucket)
	}
	return max(8, int(interval.Ratio(1500*unit.Nanosecond)))
}

// fridgeEntry is an entry with a clock of 32 bits.
const fridgeEntry = 12

func fridgeEntries(k knob) int {
	if k.memory > 0 {
		return int(k.memory / fridgeEntry)
	}
	return entries
}

// set is what a system changes in the scenario of a control.
func (x *system) set(s setting, k knob) []string {
	if x.telemetry != nil {
		return x.telemetry(s.control)
	}
	if x.monitor != nil {
		return []string{"monitors=[" + x.monitor(s, k) + "]"}
	}
	return nil
}
