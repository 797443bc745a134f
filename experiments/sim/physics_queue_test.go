package sim_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/internal/hash"
	"pintlab/netsim/schema"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/workloads"
)

// run runs the default profile with the given settings to the end.
func run(t *testing.T, settings ...string) *store.Flows {
	t.Helper()
	sc, err := scenario.Default().With(settings...)
	if err != nil {
		t.Fatal(err)
	}
	r, err := sim.Run(context.Background(), sc, sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Counters.Dropped != 0 {
		t.Fatalf("%d drops", r.Counters.Dropped)
	}
	return r.Flows
}

// poissonFlows returns flows that start at exponential intervals with the given mean, from a random host on the left of
// a dumbbell to a random host on the right. size draws their sizes.
func poissonFlows(r *rand.Rand, n, left, right int, mean float64, size func() unit.Bytes) []workloads.Flow {
	flows := make([]workloads.Flow, n)
	at := 0.0
	for i := range flows {
		at += r.ExpFloat64() * mean
		flows[i] = workloads.Flow{
			ID: int32(i), Src: topo.NodeID(r.IntN(left)), Dst: topo.NodeID(left + r.IntN(right)),
			DstPort: workloads.BackgroundPort, Priority: 3, Size: size(), Start: unit.Time(at),
		}
	}
	return flows
}

// batchMean returns the mean of the values, and its standard error from the means of 50 batches. It leaves out the
// first batch, in which the queue fills.
func batchMean(values []float64) (mean, err float64) {
	const batches = 50
	size := len(values) / (batches + 1)
	var means []float64
	for b := 1; b <= batches; b++ {
		sum := 0.0
		for _, v := range values[b*size : (b+1)*size] {
			sum += v
		}
		means = append(means, sum/float64(size))
	}
	for _, m := range means {
		mean += m / batches
	}
	variance := 0.0
	for _, m := range means {
		variance += (m - mean) * (m - mean) / (batches - 1)
	}
	return mean, math.Sqrt(variance / batches)
}

// unlimited contains settings for hosts that send all their data at once, and for switches with enough memory for the
// fast links of the hosts.
var unlimited = []string{"cc={kind: fixed, window: none, rate: 10Tbps}", "telemetry.kind=none", "network.buffer=2GB"}

// 200 hosts with links of 10 Tb/s send flows of one packet (1048 B) into a link of 10 Gb/s. This is an M/D/1 queue with
// service time S = 838.4 ns. The wait of a flow is its completion time minus the time that it takes alone. The mean
// wait is ρS/(2(1-ρ)) (Pollaczek and Khinchine), and a share 1-ρ of the flows does not wait at all (Poisson arrivals
// see time averages). With 50 batches |t| > 4.5 has probability 4e-5 for each of the four means.
func TestFlowsWaitAsInMD1(t *testing.T) {
	const service, hosts, n = 838.4, 200, 40_800 // ns
	g := dumbbell(t, hosts, 10*unit.Tbps, 10*unit.Gbps, unit.Microsecond)
	for _, rho := range []float64{0.5, 0.8} {
		r := hash.Stream(1, "physics/md1", math.Float64bits(rho))
		flows := poissonFlows(r, n, hosts, hosts, 1000*service/rho, func() unit.Bytes { return 1000 })
		waits, free := make([]float64, n), make([]float64, n)
		for f := range run(t, append(files(t, g, flows), unlimited...)...).All() {
			wait := float64(f.FCT-f.Ideal) / 1000
			waits[f.ID] = wait
			if wait < 1 { // a wait on the host's own link takes up to a nanosecond
				free[f.ID] = 1
			}
		}
		want := rho * service / (2 * (1 - rho))
		if mean, e := batchMean(waits); math.Abs(mean-want) > 4.5*e {
			t.Errorf("load %v: mean wait %.1f ns ± %.1f, want %.1f", rho, mean, e, want)
		}
		if share, e := batchMean(free); math.Abs(share-(1-rho)) > 4.5*e {
			t.Errorf("load %v: %.4f ± %.4f of the flows do not wait, want %.4f", rho, share, e, 1-rho)
		}
	}
}

// dumbbell returns a topology of hosts on both sides of a link.
func dumbbell(t *testing.T, hosts int, rate, bottleneck unit.Rate, delay unit.Time) *topo.Graph {
	t.Helper()
	c := schema.Default[topo.Dumbbell]()
	c.Left, c.Right, c.HostRate, c.BottleneckRate, c.Delay = hosts, hosts, rate, bottleneck, delay
	g, err := c.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Flows with a window of four packets each share one link of 100 Gb/s. The base round trip is shorter than the time of
// a window, so that the link is busy while there is any flow. Each of n flows has 1/n of its queue and so 1/n of its
// rate. This is processor sharing. An M/G/1 queue with processor sharing has E[T | size] = S(size)/(1-ρ) for any
// distribution of sizes (Kleinrock, Queueing Systems, volume 2, §4.4): the mean of T/S is 1/(1-ρ) = 2 at ρ = 0.5, both
// for equal sizes and for sizes with a squared coefficient of variation of 13.5. (First come, first served would give
// 1.5 for equal sizes, and far more for the variable sizes.)
//
// Two things differ from the fluid model. A flow alone takes longer than S, so the test subtracts its ideal time minus
// S. And flows share the link in whole packets: a flow begins behind the windows that are queued, and its last window
// leaves at once. The difference is at most a window of 4000 B for each active flow, 2 % of a flow of 200 kB and 8 % of
// the smallest flow. So the test allows 5 % in addition to 4.5 standard errors of 50 batches, which a mean exceeds with
// probability 4e-5.
func TestEqualWindowsShareLikeMG1PS(t *testing.T) {
	const rho, mean, hosts, n = 0.5, 200_000, 64, 5_100
	const perByte = 1.048 * 80 // ps on the link, headers included
	g := dumbbell(t, hosts, 400*unit.Gbps, 100*unit.Gbps, 10*unit.Nanosecond)
	r := hash.Stream(1, "physics/ps")
	for _, tt := range []struct {
		name string
		size func() unit.Bytes
	}{
		{"equal", func() unit.Bytes { return mean }},
		{"variable", func() unit.Bytes { // mean (24·50 + 3800)/25 kB = 200 kB
			if r.IntN(25) == 0 {
				return 3_800_000
			}
			return 50_000
		}},
	} {
		flows := poissonFlows(r, n, hosts, hosts, mean*perByte/rho, tt.size)
		slow := make([]float64, n)
		for f := range run(t,
			append(files(t, g, flows), "cc={kind: fixed, window: 4000B, rate: 400Gbps}",
				"telemetry.kind=none")...).All() {
			s := float64(f.Size) * perByte
			slow[f.ID] = (float64(f.FCT-f.Ideal) + s) / s
		}
		got, e := batchMean(slow)
		if want := 1 / (1 - rho); math.Abs(got-want) > 0.05*want+4.5*e {
			t.Errorf("%s sizes: mean slowdown %.3f ± %.3f, want %.3f", tt.name, got, e, want)
		}
	}
}

// With any congestion control, no flow is faster than alone in the network, and all flows together are not faster than
// the links of their receivers. Both bounds are exact.
func TestNothingIsFasterThanAlone(t *testing.T) {
	for _, settings := range [][]string{
		{},
		{"telemetry.kind=pint"},
		{"cc.kind=reno", "transport.kind=newreno", "telemetry.kind=none"},
		{"cc={kind: fixed, window: 100KB, rate: 100Gbps}", "telemetry.kind=none"},
	} {
		flows := run(t,
			append(settings, "topology={kind: fattree, k: 4}",
				"workload=[{kind: poisson, sizes: hadoop, load: 0.6, duration: 200us}]")...)
		received := map[int32]unit.Bytes{}
		var last unit.Time
		first := unit.Never
		for f := range flows.All() {
			if f.Outcome != store.Finished || f.FCT < f.Ideal {
				t.Errorf("%v: flow %d of %d B %v in %v, alone in %v", settings, f.ID, int64(f.Size), f.Outcome, f.FCT,
					f.Ideal)
			}
			received[f.Dst] += f.Size
			first, last = min(first, f.Start), max(last, f.Start+f.FCT)
		}
		if flows.Len() < 100 {
			t.Errorf("%v: only %d flows", settings, flows.Len())
		}
		for host, n := range received {
			if least := (100 * unit.Gbps).TxTime(n); last-first < least {
				t.Errorf("%v: host %d received %v in %v, at line rate it takes %v", settings, host, n, last-first,
					least)
			}
		}
	}
}
