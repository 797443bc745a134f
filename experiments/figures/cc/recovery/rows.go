package recovery

import (
	"context"
	"fmt"
	"math"

	"pintlab/experiments/figures/cc/contest"
	"pintlab/experiments/figures/figure"
	"pintlab/netsim/unit"
)

// Row is a line of rows.csv. X is the share of packets that a link loses, in %.
type Row = contest.Row

// rdma is the case of RDMA; those of TCP are named after their control.
const rdma = "RDMA"

// scheme is a way of recovering.
type scheme struct {
	of, name string
	set      []string
	against  []string
	most     float64 // loss rate up to which it is run, in %
}

// The schemes.
var (
	goBackN      = newRDMA("go-back-N, PFC", "gobackn", true)
	goBackNDrops = newRDMA("go-back-N, no PFC", "gobackn", false, goBackN.name)
	irn          = newRDMA("IRN, PFC", "irn", true, goBackN.name)
	irnDrops     = newRDMA("IRN, no PFC", "irn", false, goBackN.name, irn.name)

	reno     = newTCP("Reno", "NewReno", "reno", "newreno", false)
	renoSACK = newTCP("Reno", "SACK", "reno", "sack", false, reno.name)
	renoRACK = newTCP("Reno", "RACK-TLP", "reno", "rack", false, renoSACK.name)
	renoECN  = newTCP("Reno", "SACK, ECN", "reno", "sack", true, renoSACK.name)

	cubic     = newTCP("CUBIC", "NewReno", "cubic", "newreno", false)
	cubicSACK = newTCP("CUBIC", "SACK", "cubic", "sack", false, cubic.name)
	cubicRACK = newTCP("CUBIC", "RACK-TLP", "cubic", "rack", false, cubicSACK.name)
	cubicECN  = newTCP("CUBIC", "SACK, ECN", "cubic", "sack", true, cubicSACK.name)

	schemes = []scheme{goBackN, goBackNDrops, irn, irnDrops, reno, renoSACK, renoRACK, renoECN, cubic, cubicSACK, cubicRACK, cubicECN}
)

func newRDMA(name, kind string, pfc bool, against ...string) scheme {
	s := scheme{of: rdma, name: name, against: against, most: 1, set: []string{
		"cc.kind=fixed", "transport.kind=" + kind, fmt.Sprintf("network.pfc.enabled=%t", pfc),
	}}
	if kind == "gobackn" && !pfc {
		s.most = 0.01 // with more, it sends everything a hundred times
	}
	return s
}

func newTCP(of, name, control, recovery string, ecn bool, against ...string) scheme {
	s := scheme{of: of, name: name, against: against, most: 1, set: []string{
		"cc.kind=" + control, "transport.kind=" + recovery, "network.pfc.enabled=false",
	}}
	if ecn {
		s.set = append(s.set, "cc.ecn=true", "network.ecn={enabled: true, kmin: 100KB, kmax: 100KB, pmax: 1, at_rate: 40Gbps}")
	}
	return s
}

// losses are the shares of packets that a link loses, in %.
var losses = []float64{0, 0.01, 0.1, 1}

const load = 0.6

// The quantities.
const (
	mean     = "mean slowdown"
	p99      = "p99 slowdown"
	short99  = "p99 slowdown of flows up to 100 KB"
	again    = "share of packets sent again"
	timeouts = "timeouts for 1000 flows"
)

var quantities = []contest.Quantity{
	contest.MeanSlowdown(mean),
	contest.Slowdown(p99, 0.99, 0, math.MaxInt64),
	contest.Slowdown(short99, 0.99, 0, 100*unit.KB),
	contest.Number(again, false, func(t *contest.Trial) (float64, int, error) {
		sent, resent := t.Packets()
		return resent / sent, t.Flows.Len(), nil
	}),
	contest.Number(timeouts, false, func(t *contest.Trial) (float64, int, error) {
		n := 0.0
		for f := range t.Flows.All() {
			n += float64(f.Timeouts)
		}
		return 1000 * n / float64(t.Flows.Len()), t.Flows.Len(), nil
	}),
}

// Scale is what is run at a scale.
type Scale struct {
	Seeds   int
	Arrival unit.Time
}

// String says what is run.
func (z Scale) String() string {
	return fmt.Sprintf("%s, %s, %d loss rates, arrivals for %v", figure.Count(z.Seeds, "seed"), figure.Count(len(schemes), "scheme"), len(losses), z.Arrival)
}

var scales = map[figure.Scale]Scale{
	figure.Smoke:  {Seeds: 1, Arrival: 100 * unit.Microsecond},
	figure.Laptop: {Seeds: 5, Arrival: 1500 * unit.Microsecond},
	figure.Paper:  {Seeds: 10, Arrival: 100 * unit.Millisecond},
}

func measure(ctx context.Context, j *figure.Job, z Scale) ([]Row, error) {
	var entries []contest.Entry
	for _, loss := range losses {
		for _, s := range schemes {
			if loss > s.most {
				continue
			}
			entries = append(entries, contest.Entry{
				Case: s.of, Scheme: s.name, X: loss, Against: s.against, Base: "fat320-hadoop",
				Set: append([]string{
					"name=recovery", "topology={kind: fattree, k: 4, host_rate: 40Gbps, fabric_rate: 40Gbps, link_delay: 2us}",
					fmt.Sprintf("workload=[{kind: poisson, sizes: hadoop, load: %v, duration: %v}]", load, z.Arrival),
					"telemetry.kind=none", "network.buffer=960KB", fmt.Sprintf("network.link_error_rate=%v", loss/100),
				}, s.set...),
			})
		}
	}
	seeds := j.SeedList(z.Seeds)
	j.Setting("network", "IRN §4.1, smaller", "fat tree of 16 hosts, 40 Gb/s and 2 us per link, 960 KB of memory in a switch of four ports")
	j.Setting("traffic", "", "Facebook's Hadoop, Poisson arrivals at %.0f %% of the host links", 100*load)
	j.Setting("IRN", "IRN §4.1", "RTO_low = 100 us, RTO_high = 320 us, BDP-FC, a NACK for each packet out of order")
	j.Setting("TCP", "", "smallest timeout 1 ms; ECN marks above 100 KB of queue")
	j.Footnote("16-host fat tree at 40 Gb/s, Hadoop, load %.0f %%, %s, arrivals for %v, then until all flows have finished; bars: 95 %% intervals over the seeds",
		100*load, figure.Count(len(seeds), "seed"), z.Arrival)
	return contest.Measure(ctx, j, entries, seeds, quantities)
}
