package telemetry

import (
	"fmt"
	"strings"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/guard"
	"pintlab/netsim/unit"
)

// control is a congestion control, with the settings of switches that it needs. The feedback of a control costs no
// bytes, unless the compared system provides this feedback.
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
	asPreset = control{"DCTCP", nil}
)

// setting is the part of a run on which the settings of systems depend.
type setting struct {
	control control
	window  unit.Time // window about which systems are asked
	heavy   int       // packets of a heavy flow
	testbed bool      // the testbed of LightGuardian's paper
}

// The testbed of the LightGuardian and SketchINT papers has eight hosts. Here, its times and the sizes of the
// sketches are divided by 100.
const (
	testbedAgents  = 8
	testbedRate    = 40 * unit.Gbps
	testbedBuckets = 328    // 2^15 buckets divided by 100
	testbedSketch  = 50_000 // bytes of SketchINT at a host, 3 MB divided by 100; 32 KB of them are for latencies
)

// system is a telemetry system with its settings. Other settings have their defaults. In a text, words that begin
// with $ stand for values (see setting.fill).
type system struct {
	key, name string
	program   string  // P4 program in package p4/src; "" for none
	cost      float64 // bytes per data packet; if the system has a share: with a share of 1
	// for systems that are not monitors: setting of the telemetry that HPCC reads; with other controls, only its
	// bytes are added
	feeds   string
	monitor string // "" for none
	knob    knob   // by default
	// Number of registers in a switch, of `each` bytes; "" stands for the registers of the P4 program.
	registers string
	each      unit.Bytes
	faults    []seer // none if the system has no evidence of faults
	ofHPCC    bool   // only HPCC can read this system, so it is not measured with other controls
}

// seer is a way in which a system locates faults.
type seer struct {
	name    string // "" stands for the name of the system
	view    guard.View
	monitor string // "" if the seer reads no monitor
}

// Names of further ways in which LightGuardian locates faults: with the comparison of flows that all other systems
// use; without the collection by packets; and without sketches.
const (
	withVotes = "LightGuardian + host votes"
	readWhole = "LightGuardian, sketches read whole"
	exactly   = "LightGuardian, exact counters"
)

// knob contains the settings with which a system keeps a budget: one for budgets of bytes, and one for budgets of
// memory.
type knob struct {
	share  float64    // share of packets
	memory unit.Bytes // memory of a switch; 0: the default
}

// Numbers of the papers, adapted to short windows.
const (
	// packetsWatched is the share of packets that INT with a collector observes. With this share, the link of one
	// collector can carry the postcards at the highest load.
	packetsWatched = 1.0 / 128
	// memoryFor is the interval to which the budgets of switch memory refer. In a shorter interval, a sketch counts
	// fewer packets, so its memory is reduced in proportion.
	memoryFor = 5 * unit.Millisecond
	carried   = 1.0 / 16 // λ_c of LightGuardian (§8.2: 4/64)
	entries   = 4096     // entries of a fridge
	agents    = 320      // agents of SketchINT, at the hosts
	edges     = 20       // switches with hosts
)

// systems lists the systems in the order of the tables. The first system is no telemetry.
var systems = []system{
	{key: "none", name: "none", faults: []seer{{view: guard.Hosts}}},
	{key: "int", name: "INT, HPCC's", cost: 42, feeds: "telemetry.format=hpcc",
		faults: []seer{{view: guard.Telemetry}}},
	{key: "int-standard", name: "INT, standard", program: "int_md-transit", cost: 68,
		feeds: "telemetry.format=standard", faults: []seer{{view: guard.Telemetry}}},
	{key: "csig", name: "CSIG", program: "csig", cost: 8, feeds: "telemetry={kind: csig, signal: alternate}",
		ofHPCC: true},
	{key: "passport", name: "INT passport", program: "int_md-transit", cost: passportBytes,
		knob: knob{share: packetsWatched}, monitor: passport, faults: []seer{{"", "int", passport}}},
	{key: "postcard", name: "INT postcard", cost: postcardBytes, knob: knob{share: packetsWatched}, monitor: postcard,
		faults: []seer{{"", "int", postcard}}},
	{key: "pint-8", name: "PINT, 8 bits", cost: 1, monitor: "{kind: pint, plan: combined-8, horizon: " +
		"13us, flows: false}",
		faults: []seer{{"", "pint", "{kind: pint, plan: combined-8, hops: 9, horizon: 13us, memory: " +
			"64MiB, flows: false}"}}},
	{key: "pint-16", name: "PINT, 16 bits", program: "pint_combined", cost: 2, monitor: "{kind: pint, horizon: " +
		"13us, flows: false}", faults: []seer{{"", "pint", digests}}},
	{key: "sketchint", name: "SketchINT", cost: sketchINTBytes, monitor: "$sketchint", registers: "$memory", each: 1,
		faults: []seer{{"", "sketchint", faultSketches.at("hosts", 0)}}},
	{key: "lightguardian", name: "LightGuardian", program: "sumax", cost: sketchletBytes, knob: knob{share: carried},
		monitor: "{kind: lightguardian, interval: $interval, quiet: $quiet, poll: $poll, timeout: $poll, " +
			"delay_buckets: $buckets, interval_buckets: $buckets, carry: $share, keep: 1000}",
		registers: "$buckets", each: lightGuardianBucket,
		faults: []seer{{"", guard.Sketches, sketches}, {withVotes, guard.Voting, sketches},
			{readWhole, guard.Whole, sketches}, {exactly, guard.Exact, ""}}},
	{key: "dlint", name: "DLINT", cost: dlintBytes, monitor: "{kind: dlint}", registers: "821", each: 1,
		faults: []seer{{"", "dlint", "{kind: dlint}"}}},
	{key: "plint", name: "PLINT", cost: 3 * dlintBytes, monitor: "{kind: plint}", registers: "0", each: 1,
		faults: []seer{{"", "plint", "{kind: plint}"}}},
	{key: "clint", name: "CLINT", cost: dlintBytes + 5*68, monitor: "{kind: clint, install: 10us}",
		registers: "11335", each: 1, faults: []seer{{"", "clint", "{kind: clint, install: 10us}"}}},
	{key: "chamelemon", name: "ChameleMon", monitor: "{kind: chamelemon, epoch: $interval}", registers: "991232",
		each: 1, faults: []seer{{"", "chamelemon", subtracted}}},
	{key: "rtt", name: "fridges", program: "fridge", monitor: "{kind: rtt, entries: $entries}", registers: "$entries",
		each: fridgeEntry},
}

const (
	passport = "{kind: int, mode: passport, share: $share}"
	postcard = "{kind: int, mode: postcard, share: $share}"
)

// fill replaces each word that begins with $ in a text by a value. The window has two intervals of LightGuardian. A
// fifth of each interval is quiet, as in the LightGuardian paper (§8.2).
func (s setting) fill(text string, k knob) string {
	interval := s.window / 2
	poll := interval / 20
	if s.testbed {
		poll = interval / 50
	}
	return strings.NewReplacer(
		"$share", fmt.Sprintf("%.4g", k.share), "$memory", fmt.Sprint(int64(k.memory)), "$entries",
		fmt.Sprint(fridgeEntries(k)),
		"$interval", interval.String(), "$quiet", (interval / 5).String(), "$poll", poll.String(), "$buckets",
		fmt.Sprint(buckets(s, k)),
		"$sketchint", sketchINT(s, k),
	).Replace(text)
}

// sketchINT returns the settings of SketchINT, with two periods in the window.
func sketchINT(s setting, k knob) string {
	x := sketchSite{period: s.window / 2, rate: 100 * unit.Gbps, agents: agents, heavy: max(1, s.heavy/2)}
	if s.testbed {
		x.rate, x.agents = testbedRate, testbedAgents
		return x.at("hosts", testbedSketch)
	}
	if k.memory == 0 {
		return x.at("hosts", 0)
	}
	x.agents = edges
	return x.at("switches, insertion: cm", float64(k.memory)*x.period.Ratio(memoryFor)/2) // two groups take turns
}

// sketchSite describes the network in which SketchINT runs.
type sketchSite struct {
	period unit.Time
	rate   unit.Rate // rate of the analyzer's link
	agents int
	heavy  int // packets that make a flow heavy in a period
}

// at returns the settings with agents at `where`. In a period, each agent may send `bytes` bytes, or any number if
// `bytes` is 0. But all agents together send at most half of the bytes that the analyzer's link can carry.
func (x sketchSite) at(where string, bytes float64) string {
	size := 0.45*x.rate.BytesPerSecond()*x.period.Seconds()/float64(x.agents) - sketchFrameHeader
	if bytes > 0 {
		size = min(size, bytes)
	}
	frame := min(9000, int(size)+sketchFrameHeader)
	table := max(1, int(size/5)/sketchEntry)
	rest := int(size) - table*sketchEntry
	heavy := max(100, rest/5)
	return fmt.Sprintf("{kind: sketchint, agents: %s, period: %v, memory: %dB, latency_memory: %dB, table: %d, "+
		"frame: %dB, hitter: %d, change: %d}",
		where, x.period, heavy, rest-heavy, table, frame, x.heavy, x.heavy)
}

// Bytes of SketchINT on the wire: the headers of a frame, and one entry in each of the two tables, for paths of 5
// switches.
const (
	sketchFrameHeader = 58
	sketchEntry       = 13 + 4 + 1 + 2*5 + 13 + 2 + 4
)

// lightGuardianBucket is the memory of a bucket in both delay arrays and in the interval part, in bytes. There are
// two sketches, so it is 2 × (2 × 16 + 4 × 8) B.
const lightGuardianBucket = 128

// buckets returns the number of buckets in an array of LightGuardian. By default, there is one bucket for each 1.5 µs
// of the interval. With this number, several packets carry each sketchlet of a switch with hosts, as in the
// LightGuardian paper.
func buckets(s setting, k knob) int {
	interval := s.window / 2
	if s.testbed {
		return testbedBuckets
	}
	if k.memory > 0 {
		return max(1, int(float64(k.memory)*interval.Ratio(memoryFor))/lightGuardianBucket)
	}
	return max(8, int(interval.Ratio(1500*unit.Nanosecond)))
}

// fridgeEntry is the size of a fridge's entry with a clock of 32 bits, in bytes.
const fridgeEntry = 12

func fridgeEntries(k knob) int {
	if k.memory > 0 {
		return int(k.memory / fridgeEntry)
	}
	return entries
}

// set returns the changes that a system makes to the scenario of a control.
func (x *system) set(s setting, k knob) []string {
	switch {
	case x.feeds != "" && s.control.name == hpcc.name:
		return []string{x.feeds}
	case x.feeds != "":
		return []string{"telemetry.kind=bytes", fmt.Sprintf("telemetry.bytes=%gB", x.cost)}
	case x.monitor != "":
		return []string{"monitors=[" + s.fill(x.monitor, k) + "]"}
	}
	return nil
}
