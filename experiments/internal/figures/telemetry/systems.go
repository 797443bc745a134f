package telemetry

import (
	"fmt"
	"strings"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/guard"
	"pintlab/netsim/unit"
)

// control is a congestion control, with the settings of switches that it needs. Its feedback costs no bytes, unless the
// compared system provides it.
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

// The testbed of LightGuardian's and SketchINT's papers has eight hosts. Its times and the sizes of the sketches are
// divided by 100.
const (
	testbedAgents  = 8
	testbedRate    = 40 * unit.Gbps
	testbedBuckets = 328    // 2^15 buckets divided by 100
	testbedSketch  = 50_000 // bytes of SketchINT at a host, 3 MB divided by 100; 32 KB of them are for latencies
)

// system is a telemetry system with its settings. Settings that it does not name have their defaults. Words that begin
// with $ stand for values of the setting (setting.fill).
type system struct {
	key, name string
	program   string  // P4 program in package p4/src; "" for none
	cost      float64 // bytes per data packet; with a share: if all packets are watched, or carry something
	// for systems that are not monitors: the key of telemetry that feeds HPCC, or adds its bytes with other controls
	feeds   string
	monitor string // "" for none
	knob    knob   // by default
	// A switch has this many registers of `each` bytes; "" stands for the registers of the program.
	registers string
	each      unit.Bytes
	faults    []seer // none if it has no evidence of faults
	ofHPCC    bool   // only HPCC can read it, so it is not measured with other controls
}

// seer is a way for a system to locate faults.
type seer struct {
	name    string // "" stands for the name of the system
	view    guard.View
	monitor string // "" if no monitor is read
}

// Further ways for LightGuardian to locate faults: with the comparison of flows that all other systems have; without
// the collection by packets; and without sketches.
const (
	withVotes = "LightGuardian + host votes"
	readWhole = "LightGuardian, sketches read whole"
	exactly   = "LightGuardian, exact counters"
)

// knob is the setting by which a system keeps a budget. Each system has one number for bytes and one for memory.
type knob struct {
	share  float64    // share of packets
	memory unit.Bytes // memory of a switch; 0: the default
}

// Numbers of the papers, adapted to short windows.
const (
	// packetsWatched is the share of packets that INT with a collector watches. At the highest load, the link of one
	// collector can carry their postcards.
	packetsWatched = 1.0 / 128
	// memoryFor is the interval for which the budgets of switch memory are meant. A sketch of a shorter interval has
	// less to count, so its memory is reduced in proportion.
	memoryFor = 5 * unit.Millisecond
	carried   = 1.0 / 16 // λ_c of LightGuardian (§8.2: 4/64)
	entries   = 4096     // entries of a fridge
	agents    = 320      // agents of SketchINT, at the hosts
	edges     = 20       // switches with hosts
)

// systems lists the systems in the order of the tables; the first is no telemetry.
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

// fill replaces words of a text by values. LightGuardian has two intervals in the window. A fifth of each is quiet, as
// in the LightGuardian paper (§8.2).
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

// sketchINT returns settings with two periods in the window.
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

// sketchSite describes the place where SketchINT is set up.
type sketchSite struct {
	period unit.Time
	rate   unit.Rate // rate of the analyzer's link
	agents int
	heavy  int // packets that make a flow heavy in a period
}

// at returns the setting with agents at the given place. Each agent may send `bytes` in a period, but all agents
// together send at most half of what the analyzer's link carries.
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

// Bytes of SketchINT on the wire: the headers of a frame, and an entry of both tables for paths of 5 switches.
const (
	sketchFrameHeader = 58
	sketchEntry       = 13 + 4 + 1 + 2*5 + 13 + 2 + 4
)

// lightGuardianBucket is the memory of a bucket in both delay arrays and in the interval part, for both sketches: 2 ×
// (2 × 16 + 4 × 8) B.
const lightGuardianBucket = 128

// buckets returns the number of buckets in an array of LightGuardian. By default, there is one for each 1.5 µs of the
// interval. With this, a switch with hosts has some carried packets for each sketchlet, as in the LightGuardian paper.
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

// fridgeEntry is the size of an entry with a clock of 32 bits.
const fridgeEntry = 12

func fridgeEntries(k knob) int {
	if k.memory > 0 {
		return int(k.memory / fridgeEntry)
	}
	return entries
}

// set returns the changes of a system to the scenario of a control.
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
