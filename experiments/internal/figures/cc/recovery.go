package cc

import (
	"context"
	"fmt"
	"math"
	"slices"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/study"
	"pintlab/internal/number"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

// Recovery compares ways to recover from loss, for RDMA and for TCP, on links with and without random loss.
//
// The network is a small version of the network in the IRN paper: a fat tree with links of 40 Gb/s and 2 us, and 240
// KB of memory for each port of a switch. Our network has 16 hosts instead of 54, and a load of 60 % instead of 70 %.
// RDMA has no congestion control, as in the first three figures of the IRN paper, but IRN limits each flow to a
// bandwidth-delay product (BDP-FC). Flow sizes are from Facebook's Hadoop.
var Recovery = figure.Spec[recoveryScale]{
	Name:    "cc/recovery",
	Files:   files,
	Columns: figure.ByCase,
	Scales:  recoveryScales,
	Measure: recoveryMeasure,
	Tables:  recoveryTables,
	Draw:    recoveryDraw,
}.Figure()

// rdma is the name of the case of RDMA. Each case of TCP has the name of its congestion control.
const rdma = "RDMA"

// scheme is a way to recover from loss.
type scheme struct {
	of, name string
	set      []string
	against  []string
	most     float64 // largest loss rate at which the scheme is run, in %
}

// The schemes.
var (
	goBackN      = newRDMA("go-back-N, PFC", "gobackn", true)
	goBackNDrops = newRDMA("go-back-N, no PFC", "gobackn", false, goBackN.name)
	recoveryIrn  = newRDMA("IRN, PFC", "irn", true, goBackN.name)
	irnDrops     = newRDMA("IRN, no PFC", "irn", false, goBackN.name, recoveryIrn.name)

	reno     = newTCP("Reno", "NewReno", "reno", "newreno", false)
	renoSACK = newTCP("Reno", "SACK", "reno", "sack", false, reno.name)
	renoRACK = newTCP("Reno", "RACK-TLP", "reno", "rack", false, renoSACK.name)
	renoECN  = newTCP("Reno", "SACK, ECN", "reno", "sack", true, renoSACK.name)

	cubic     = newTCP("CUBIC", "NewReno", "cubic", "newreno", false)
	cubicSACK = newTCP("CUBIC", "SACK", "cubic", "sack", false, cubic.name)
	cubicRACK = newTCP("CUBIC", "RACK-TLP", "cubic", "rack", false, cubicSACK.name)
	cubicECN  = newTCP("CUBIC", "SACK, ECN", "cubic", "sack", true, cubicSACK.name)

	recoverySchemes = []scheme{goBackN, goBackNDrops, recoveryIrn, irnDrops, reno, renoSACK, renoRACK, renoECN, cubic,
		cubicSACK, cubicRACK, cubicECN}
)

func newRDMA(name, kind string, pfc bool, against ...string) scheme {
	s := scheme{of: rdma, name: name, against: against, most: 1, set: []string{
		"cc.kind=fixed", "cc.rate=100Gbps", "transport.kind=" + kind, fmt.Sprintf("network.pfc.enabled=%t", pfc),
	}}
	if kind == "irn" {
		s.set = append(s.set, figure.IRN...)
	}
	if kind == "gobackn" && !pfc {
		s.most = 0.01 // with more loss, it would send each packet about a hundred times
	}
	return s
}

func newTCP(of, name, control, recovery string, ecn bool, against ...string) scheme {
	s := scheme{of: of, name: name, against: against, most: 1, set: []string{
		"cc.kind=" + control, "transport.kind=" + recovery, "network.pfc.enabled=false",
	}}
	if ecn {
		s.set = append(s.set, "cc.ecn=true",
			"network.ecn={enabled: true, kmin: 100KB, kmax: 100KB, pmax: 1, at_rate: 40Gbps}")
	}
	return s
}

// losses lists the shares of packets that a link loses, in %. They are the X of rows.
var losses = []float64{0, 0.01, 0.1, 1}

const recoveryLoad = 0.6

// The quantities, in addition to the quantities of balancing.
const (
	short99  = "p99 slowdown of flows up to 100 KB"
	timeouts = "timeouts for 1000 flows"
)

var recoveryQuantities = []study.Measure{
	study.MeanSlowdown(mean),
	study.Slowdown(p99, 0.99, 0, math.MaxInt64),
	study.Slowdown(short99, 0.99, 0, 100*unit.KB),
	study.SentAgain(again),
	study.Timeouts(timeouts, 1000),
}

// recoveryScale holds the settings of a scale.
type recoveryScale struct {
	Seeds   int
	Arrival unit.Time
}

func (z recoveryScale) String() string {
	return fmt.Sprintf("%s, %s, %d loss rates, arrivals for %v", figure.Count(z.Seeds, "seed"),
		figure.Count(len(recoverySchemes), "scheme"), len(losses), z.Arrival)
}

var recoveryScales = map[figure.Scale]recoveryScale{
	figure.Smoke:  {Seeds: 1, Arrival: 100 * unit.Microsecond},
	figure.Laptop: {Seeds: 5, Arrival: 1500 * unit.Microsecond},
	figure.Paper:  {Seeds: 10, Arrival: 100 * unit.Millisecond},
}

func recoveryMeasure(ctx context.Context, j *figure.Job, z recoveryScale) ([]study.Row, error) {
	var entries []study.Cell
	for _, loss := range losses {
		for _, s := range recoverySchemes {
			if loss > s.most {
				continue
			}
			entries = append(entries, study.Cell{
				Case: s.of, Scheme: s.name, X: loss, Against: s.against, Base: "fat320-hadoop",
				Set: append([]string{
					"name=recovery",
					"topology={kind: fattree, k: 4, host_rate: 40Gbps, fabric_rate: 40Gbps, link_delay: 2us}",
					fmt.Sprintf("workload=[{kind: poisson, sizes: hadoop, load: %v, duration: %v}]", recoveryLoad,
						z.Arrival),
					"telemetry.kind=none", "network.buffer=960KB", fmt.Sprintf("network.link_error_rate=%v", loss/100),
				}, s.set...),
			})
		}
	}
	p := study.Study{Cells: entries, Seeds: j.SeedList(z.Seeds), Measures: recoveryQuantities}
	j.Setting("network", "IRN §4.1, smaller",
		"fat tree of 16 hosts, 40 Gb/s and 2 µs per link, 960 KB of memory in a switch of four ports")
	j.Setting("traffic", "", "Facebook's Hadoop, Poisson arrivals at %s of the host links", number.Share(recoveryLoad))
	j.Setting("IRN", "IRN §4.1", "RTO_low = 100 µs, RTO_high = 320 µs, BDP-FC, a NACK for each packet out of order")
	j.Setting("TCP", "", "smallest timeout 1 ms; ECN marks above 100 KB of queue")
	j.Footnote(
		"16-host fat tree at 40 Gb/s, Hadoop, load %s, %s, arrivals for %v, then until all flows have finished; "+
			"bars: 95 %% intervals over the seeds",
		number.Share(recoveryLoad), figure.Count(len(p.Seeds), "seed"), z.Arrival)
	return p.Measure(ctx, j, study.All("", ""))
}

func recoveryTables(rows []study.Row) []figure.Table {
	var list []figure.Table
	for _, c := range []string{rdma, reno.of, cubic.of} {
		of := figure.Pick(rows, func(r *study.Row) bool { return r.Case == c })
		list = append(list, figure.Lines("losses", figure.BySchemes(of),
			figure.Place("loss of a link", "%"), figure.Scheme("scheme"), figure.Value("mean slowdown", "", mean),
			figure.Value("p99", "", p99),
			figure.Value("p99 up to 100 KB", "", short99), figure.Value("sent again", "%", again),
			figure.Value("timeouts for 1000 flows", "", timeouts),
			figure.Against("mean against", mean), figure.Change("change", mean)).With(c))
	}
	return list
}

func recoveryDraw(rows []study.Row) ([]figure.Drawing, error) {
	// Loss rates are categories, because a logarithmic axis cannot show 0.
	placed := slices.Clone(rows)
	x := figure.Linear("Packets that a link loses", "%")
	for i, loss := range losses {
		x.Ticks = append(x.Ticks, plots.Tick{At: float64(i), Label: fmt.Sprint(loss)})
	}
	for i := range placed {
		placed[i].X = float64(slices.Index(losses, placed[i].X))
	}
	of := func(quantity, label string) plots.Figure {
		return plots.Figure{
			Title: label, Columns: 3, Width: plots.PageWidth,
			Panels: figure.Panels(placed, quantity, x, figure.Log(label, "")),
		}
	}
	return []figure.Drawing{
		{Name: "mean", Plot: of(mean, "Mean slowdown")},
		{Name: "short", Plot: of(short99, "p99 slowdown up to 100 KB")},
	}, nil
}
