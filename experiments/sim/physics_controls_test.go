// The tests in physics_*_test.go compare whole runs of the default profile with theory: queues, processor
// sharing, and max-min fairness. Each names the source of its expectation and the probability of a false alarm.
//
//	theory                                   test
//	M/D/1 waiting time of one-packet flows   TestFlowsWaitAsInMD1
//	processor sharing, any size distribution TestEqualWindowsShareLikeMG1PS
//	no flow is faster than alone             TestNothingIsFasterThanAlone
//	max-min fair rates of long HPCC flows    TestHPCCRatesAreMaxMinFair
//	full links, equal flows, every control   TestEveryControlOnEveryNetwork
//
// Tests of single parts are in their packages: the wait of packets in a queue, the marking threshold of
// DCTCP and the losslessness of PFC in netsim, completion times at line rate on each path length and the
// traces of RFC 5681 in transport.

package sim_test

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pintlab/experiments/protocols"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/netsim/schema"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

var long = flag.Bool("long", false,
	"test every congestion control on every network, also with 15 and 20 MB in a round trip: minutes")

// place is a chain of switches. All senders are at one end.
type place struct {
	rate     unit.Rate
	delay    unit.Time // delay of each link
	switches int
}

func (p place) String() string {
	return fmt.Sprintf("%v, %v, %d switches", p.rate, p.delay, p.switches)
}

// duration returns how long flows run.
func (p place) duration(b bound) unit.Time {
	hops := unit.Time(p.switches + 1)
	return max(unit.Time(b.trips)*hops*(2*p.delay+p.rate.TxTime(1000)), b.least, p.rate.TxTime(b.bytes))
}

const us = unit.Microsecond

// places have bandwidth-delay products from 2 to 750 packets of 1000 B.
var places = []place{
	{1 * unit.Gbps, us / 10, 1}, {1 * unit.Gbps, 10 * us, 5}, {1 * unit.Gbps, 100 * us, 2},
	{10 * unit.Gbps, us, 3}, {10 * unit.Gbps, 10 * us, 4}, {10 * unit.Gbps, 100 * us, 1},
	{25 * unit.Gbps, us, 5}, {40 * unit.Gbps, 10 * us, 2},
	{100 * unit.Gbps, us / 10, 1}, {100 * unit.Gbps, 10 * us, 2},
	{400 * unit.Gbps, us / 10, 5}, {400 * unit.Gbps, us, 3},
}

// farPlaces have bandwidth-delay products of 15 and 20 MB.
var farPlaces = []place{{100 * unit.Gbps, 100 * us, 5}, {400 * unit.Gbps, 100 * us, 1}}

// needs lists the settings that a congestion control requires. All other settings have their defaults.
func needs(kind schema.Kind) []string {
	params := kind.New()
	schema.Defaults(params)
	n := params.(transport.Control).Needs()
	set := []string{"cc.kind=" + kind.Name}
	if n.Loss == transport.TCPLoss {
		set = append(set, "transport.kind=newreno", "transport.segment=payload")
	}
	if r, ok := params.(transport.Receiving); ok {
		set = append(set, "transport.kind="+kind.Name)
		if r.Receivers().Trimming {
			set = append(set, "network.trimming.enabled=true", "network.pfc.enabled=false",
				"network.scheduling.kind=strict")
		}
		set = append(set, r.Receivers().Brings...)
	}
	if n.Marking {
		set = append(set, "network.ecn.enabled=true")
	}
	feedback := "none"
	for _, k := range protocols.Standard().Telemetry.Kinds {
		system := k.New().(telemetry.System)
		schema.Defaults(system)
		for _, q := range system.Gives() {
			for _, want := range n.Feedback {
				if q == want && feedback == "none" {
					feedback = k.Name
				}
			}
		}
	}
	return append(set, "telemetry.kind="+feedback)
}

// together runs the given number of equal flows over the chain. It returns the share of the link that each flow used in
// the second half of the time.
func together(t *testing.T, p place, flows int, set []string, b bound) (shares []float64) {
	t.Helper()
	var list []string
	for i := range flows {
		list = append(list, fmt.Sprintf("{src: %d, dst: %d, size: 100GB, start: %dns}", i, flows, i))
	}
	if p.rate.In(p.delay) > unit.MB { // the headroom after a pause exceeds the default buffer
		set = append(set, "network.buffer=1GB")
	}
	sc, err := scenario.Default().With(append(set,
		fmt.Sprintf("topology={kind: chain, switches: %d, hosts_per_switch: %d, host_rate: %v, fabric_rate: %v, "+
			"link_delay: %v}", p.switches, flows, p.rate, p.rate, p.delay),
		"workload=[{kind: list, flows: ["+strings.Join(list, ", ")+"]}]")...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := sim.Build(sc, sim.Options{}, func(*transport.Record) {})
	if err != nil {
		t.Fatal(err)
	}
	end := p.duration(b)
	acked := func() []float64 {
		list := make([]float64, flows)
		s.Stack.(*transport.Stack).Inspect(func(f transport.FlowState) { list[f.Number] = float64(f.Acked) })
		return list
	}
	s.Engine.RunSome(end/2, math.MaxInt64)
	before := acked()
	s.Engine.RunSome(end, math.MaxInt64)
	for i, x := range acked() {
		room := float64(p.rate.In(end-end/2)) / sc.WireShare()
		shares = append(shares, (x-before[i])/room)
	}
	return shares
}

func jain(shares []float64) float64 {
	sum, squares := 0.0, 0.0
	for _, x := range shares {
		sum += x
		squares += x * x
	}
	return sum * sum / (squares * float64(len(shares)))
}

// bound is the worst result that passes: the share of the link that equal flows use together, and their Jain index.
type bound struct {
	alone      float64 // smallest share of the link for one flow, if it is not 0.9
	full, fair float64
	trips      int        // time that the flows have, in base round trips
	least      unit.Time  // shortest time that the flows have
	bytes      unit.Bytes // the time also suffices for the link to carry this many bytes
}

// usual is the bound of all controls that are not in limits.
var usual = bound{full: 0.9, fair: 0.95, trips: 100, least: 500 * us}

// limits contains the bounds of controls whose published algorithm cannot meet the usual bound.
var limits = map[string]bound{
	// W_AI is chosen for a hundred flows, so that four flows need BDP/(4 W_AI), some 500 round trips, to become equal.
	// If a window is one or two packets, each packet changes U by a third, and one flow of four keeps three times the
	// window of the others (Jain's index 0.747 with 7 packets in a round trip).
	"hpcc": {full: 0.9, fair: 0.74, trips: 100, least: 500 * us},
	// A window grows by one packet per round trip. After the first marks have ended slow start, a link with a
	// bandwidth-delay product of 750 packets needs hundreds of round trips to be full.
	"dctcp": {full: 0.9, fair: 0.95, trips: 400, least: 500 * us},
	// Rates fall at most once in 50 us and rise every 55 us, on any link, so that flows need milliseconds.
	"dcqcn": {full: 0.9, fair: 0.95, trips: 400, least: 20 * unit.Millisecond},
	// An ACK covers 16 KB. A smaller window is acknowledged only by its last two packets, so that the link is idle for
	// a round trip. The fair increase makes windows equal slowly: at 400 Gb/s over 3 switches four flows have Jain's
	// index 0.82 after 100 round trips, 0.90 after 200, and 0.97 after 400.
	"uet": {alone: 0.63, full: 0.9, fair: 0.85, trips: 200, least: 500 * us},
	// Flows begin at line rate (the NIC of the TIMELY paper divides the line rate among flows), fall to the smallest
	// rate together, and rise by a thousandth of the link for each segment of at least 16 KB. Then their rates
	// oscillate, because TIMELY has no fixed point (CoNEXT 2016, section 4), and leave up to a fifth of the link
	// unused.
	"timely": {full: 0.75, fair: 0.95, trips: 3000, bytes: 100 * unit.MB},
}

// farLimits are the bounds on the far places. Windows of 10,000 packets that grow by one packet per round trip, and
// rates that grow by a thousandth of the link in milliseconds, do not fill the link within the test.
var farLimits = map[string]float64{"dctcp": 0.4, "dcqcn": 0.89}

// budget is the number of bytes that a run may send in the short form of the test.
const budget = 200 * unit.MB

// The test runs every control on 12 networks of 1 to 400 Gb/s, with links of 0.1 to 100 us and 1 to 5 switches, and
// only with the settings that the control requires. A long flow alone must get at least 90 % of the link after headers
// (HPCC aims at 95 %), and four flows that begin together must share it within the bounds. The controls come from the
// list of all controls, so that the usual bound applies to a new control. Runs are deterministic.
func TestEveryControlOnEveryNetwork(t *testing.T) {
	list := places
	if *long {
		list = append(slices.Clone(list), farPlaces...)
	}
	for _, k := range protocols.Standard().Controls.Kinds {
		b, ok := limits[k.Name]
		if !ok {
			b = usual
		}
		for _, p := range list {
			set := needs(k)
			alone := together(t, p, 1, set, bound{trips: 40, least: usual.least})[0]
			if least := cmp.Or(b.alone, 0.9); alone < least {
				t.Errorf("%s alone on %v: %.3f of the link, want %.2f", k.Name, p, alone, least)
			}
			if !*long && p.rate.In(p.duration(b)) > budget {
				continue
			}
			four, sum := together(t, p, 4, set, b), 0.0
			for _, x := range four {
				sum += x
			}
			t.Logf("%-9s %-30v alone %.3f, four %.3f, Jain %.3f %.3f", k.Name, p, alone, sum, jain(four), four)
			full := b.full
			if far, ok := farLimits[k.Name]; ok && slices.Contains(farPlaces, p) {
				full = far
			}
			if sum < full || jain(four) < b.fair {
				t.Errorf("%s on %v: four flows get %.3f of the link, Jain's index %.3f; want %.2f and %.2f", k.Name, p,
					four, jain(four), full, b.fair)
			}
		}
	}
}
