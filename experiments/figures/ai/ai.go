// Package ai compares congestion controls and load balancers under the traffic of training jobs, on a rail-optimised
// network of 400 Gb/s: HPCC fed by INT, by a byte of PINT and by a tag of CSIG, DCQCN, Swift, and NSCC and RCCC of Ultra
// Ethernet, each with ECMP, flowlets, sprayed packets and REPS, on a healthy network and with one link at a quarter of
// its rate.
//
// Nobody has published this comparison. What stands in the way of a fair one is set alike:
//
//   - All packets have 4096 B of payload. Those of HPCC, DCQCN and Swift have IRN's selective repeat, for which 64
//     packets that overtake are a loss, because go-back-N cannot be sprayed. IRN's limit of a bandwidth-delay product in
//     flight holds for all of them.
//   - REPS lives on marks, which HPCC and Swift do not ask for. With them, switches mark where they do for Ultra
//     Ethernet; the control does not read the marks.
//   - A flowlet begins after 5 us without a packet, about a base RTT; LetFlow's default is for slower networks.
//   - Switches pause for HPCC, DCQCN and Swift, and trim for NSCC and RCCC.
//
// Each message begins anew, with the window of a new flow, and with no memory of paths.
package ai

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/flows"
	"pintlab/experiments/scenario"
	"pintlab/experiments/study"
	"pintlab/internal/input"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

// control is a congestion control with its telemetry.
type control struct {
	name string
	set  []string
	uet  bool
}

// balancer is a way of spreading traffic over the spines.
type balancer struct{ name, set string }

// rdma makes a control with IRN as its loss recovery.
func rdma(name, kind, telemetry string) control {
	return control{name: name, set: []string{"cc.kind=" + kind, "telemetry.kind=" + telemetry, "transport.kind=irn", "transport.dup_acks=64"}}
}

// uet makes a control of Ultra Ethernet.
func uet(name, kind string) control {
	return control{name: name, set: []string{"cc.kind=uet", "cc.control=" + kind}, uet: true}
}

// What is combined.
var (
	hpccINT  = rdma("HPCC, INT", "hpcc", "int")
	hpccPINT = rdma("HPCC, PINT", "hpcc", "pint")
	hpccCSIG = rdma("HPCC, CSIG", "hpcc", "csig")
	dcqcn    = rdma("DCQCN", "dcqcn", "none")
	swift    = rdma("Swift", "swift", "none")
	nscc     = uet("NSCC", "nscc")
	rccc     = uet("RCCC", "rccc")

	ecmp     = balancer{"ECMP", "{kind: ecmp}"}
	flowlets = balancer{"flowlets", "{kind: letflow, gap: 5us}"}
	spraying = balancer{"spraying", "{kind: spray}"}
	reps     = balancer{"REPS", "{kind: reps}"}

	controls  = []control{hpccINT, hpccPINT, hpccCSIG, dcqcn, swift, nscc, rccc}
	balancers = []balancer{ecmp, flowlets, spraying, reps}
)

// with returns the name of a control with a balancer, which is a scheme.
func (c control) with(b balancer) string { return c.name + ", " + b.name }

// settings returns the scenario keys that the control sets with a balancer, as key=value.
func (c control) settings(b balancer) []string {
	set := append([]string{"transport.payload=4096B", "network.balancing=" + b.set}, c.set...)
	if b == reps && !c.uet && c.name != dcqcn.name {
		set = append(set, "network.ecn={enabled: true, kmin: 11440B, kmax: 44720B, pmax: 1, at_rate: 100Gbps}")
	}
	return set
}

// The networks. Each is a case of the comparison.
const (
	healthy  = "healthy"
	degraded = "a link at a quarter"
)

var networks = []string{healthy, degraded}

// base is the preset that the scenarios start from.
const base = "training"

// rails is the number of hosts of a server.
const rails = 8

// The quantities. Shares are of the data packets that senders send.
const (
	completion = "completion time"
	messages99 = "p99 slowdown of messages"
	bus        = "bus bandwidth"
	exposed    = "exposed communication"
	telemetry  = "telemetry bytes per payload byte"
	again      = "share of packets sent again"
	trimmed    = "share of packets trimmed"
	dropped    = "share of packets dropped"
	refused    = "refused: " // and why
)

// group is a line of jobs.csv.
type group struct{ name, begin, end, exposed, bus string }

func readJobs(t *study.Trial) (list []group, err error) {
	const name = "jobs.csv"
	if err := t.Run.Manifest.Check(t.Run.Dir, name); err != nil {
		return nil, err
	}
	f, err := input.Open(filepath.Join(t.Run.Dir, name), input.Flows)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	at := map[string]int{}
	for i, column := range lines[0] {
		at[column] = i
	}
	for _, l := range lines[1:] {
		list = append(list, group{l[at["group"]], l[at["begin_ps"]], l[at["end_ps"]], l[at["exposed_ps"]], l[at["bus_bps"]]})
	}
	return list, nil
}

// number returns a number of jobs.csv, NaN if there is none because the run ended before.
func number(text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return x
}

// ofJobs makes a quantity of those lines of jobs.csv that have a number.
func ofJobs(name, unit string, paired bool, of func(group) (x float64, is bool), join func(list []float64) float64) study.Measure {
	q := study.PerTrial(name, func(t *study.Trial) (float64, int, error) {
		jobs, err := study.Once(t, "jobs", readJobs)
		var list []float64
		for _, g := range jobs {
			if x, is := of(g); is {
				list = append(list, x)
			}
		}
		if err != nil || len(list) == 0 {
			return 0, 0, err
		}
		return join(list), len(list), nil
	})
	q.Unit, q.Paired = unit, paired
	return q
}

func most(list []float64) float64 {
	m := list[0]
	for _, x := range list {
		m = math.Max(m, x)
	}
	return m
}

func mean(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	return sum / float64(len(list))
}

// share makes a quantity of a count of a run over the packets that it sent.
func share(name string, of func(t *study.Trial, packets, payload float64) float64) study.Measure {
	return study.PerTrial(name, func(t *study.Trial) (float64, int, error) {
		packets, payload, n := 0.0, 0.0, 0
		for f := range t.Flows.All() {
			packets, payload, n = packets+float64(f.Packets), payload+float64(f.Size), n+1
		}
		return of(t, packets, payload), n, nil
	})
}

// told returns how many bytes of telemetry a data packet and its ACK carry.
func told(s *scenario.Scenario) float64 {
	n, t := s.Telemetry.Overhead(), &s.Transport
	return float64(n + max(t.AckHeader+n, t.AckMin) - max(t.AckHeader, t.AckMin))
}

var quantities = []study.Measure{
	ofJobs(completion, plots.InSeconds, true, func(g group) (float64, bool) { return number(g.end) / 1e12, g.name == "job" }, most),
	flows.Slowdown(messages99, 0.99, 0, math.MaxInt64),
	share(telemetry, func(t *study.Trial, packets, payload float64) float64 {
		return told(&t.Run.Scenario) * packets / payload
	}),
	flows.SentAgain(again),
	share(trimmed, func(t *study.Trial, packets, _ float64) float64 {
		return float64(t.Run.Manifest.Summary.Trims) / packets
	}),
	share(dropped, func(t *study.Trial, packets, _ float64) float64 {
		return float64(t.Run.Manifest.Summary.Drops) / packets
	}),
}

// busBandwidth is the mean over the collectives, where they are alike.
var busBandwidth = ofJobs(bus, plots.InBitsPerSecond, false, func(g group) (float64, bool) { return number(g.bus), g.bus != "" }, mean)

// exposure is the mean over the jobs.
var exposure = ofJobs(exposed, plots.InSeconds, false, func(g group) (float64, bool) { return number(g.exposed) / 1e12, g.name == "job" }, mean)

// scale is what a figure runs at a scale.
type scale struct {
	seeds, servers int
	size           unit.Bytes // of a collective, or by which the messages of jobs scale
	exchange       *exchange
}

func (z scale) hosts() int { return z.servers * rails }

// String returns what is run.
func (z scale) String() string {
	return fmt.Sprintf("%d hosts, %s, %s", z.hosts(), z.exchange.traffic(z), figure.Count(z.seeds, "seed"))
}

// exchange is one of the figures.
type exchange struct {
	name, title, claim string
	traffic            func(scale) string   // in words
	workload           func(scale) []string // entries
	check              func([]study.Row) []figure.Finding
	more               []study.Measure
}

func (s *exchange) figure(scales map[figure.Scale]scale) figure.Figure {
	for k, z := range scales {
		z.exchange = s
		scales[k] = z
	}
	return figure.Of[scale, study.Row]{
		Name: "ai/" + s.name, Title: s.title, Source: "not published; a question of this project", Claim: s.claim,
		Columns: figure.ByCase, Scales: scales, Measure: measure, Check: s.check, Tables: tables, Draw: draw,
		Why: []string{
			"Packets have 4096 B of payload, links 500 ns; as many spines as servers, so that leaves are not oversubscribed. Hosts have no faster links inside their server.",
			"Each message begins with a new window and knows nothing of paths. Connections that remember both would gain with sprayed packets most.",
		},
	}.Figure()
}

func measure(ctx context.Context, j *figure.Job, z scale) ([]study.Row, error) {
	p := study.Study{Seeds: j.SeedList(z.seeds), Measures: append(slices.Clip(quantities), z.exchange.more...)}
	var refusals []study.Row
	for _, network := range networks {
		broken := 0
		if network == degraded {
			broken = 1
		}
		for i, b := range balancers {
			var run []string // controls that the balancer can have
			for _, c := range controls {
				set := append([]string{
					"name=ai-" + z.exchange.name, "workload=[" + strings.Join(z.exchange.workload(z), ", ") + "]",
					fmt.Sprintf("topology={kind: rail, servers: %d, rails: %d, spines: %d, host_rate: 400Gbps, fabric_rate: 400Gbps, link_delay: 500ns, degraded: %d}", z.servers, rails, z.servers, broken),
				}, c.settings(b)...)
				e := study.Cell{Case: network, Scheme: c.with(b), X: math.NaN(), Base: base, Set: set, Against: slices.Clone(run)}
				if why := refusal(e); why != "" {
					r := study.None()
					r.Case, r.Scheme, r.Quantity = network, e.Scheme, refused+why
					refusals = append(refusals, r)
					continue
				}
				for _, other := range balancers[:i] {
					if other != flowlets {
						e.Against = append(e.Against, c.with(other))
					}
				}
				if len(run) < 2 { // those to compare the others with
					run = append(run, e.Scheme)
				}
				p.Cells = append(p.Cells, e)
			}
		}
	}
	for _, c := range controls {
		j.Setting(c.name, "", "%s", strings.Join(c.set, " "))
	}
	for _, b := range balancers {
		j.Setting(b.name, "", "%s", b.set)
	}
	j.Footnote("%v; rail-optimised network at 400 Gb/s, 500 ns per link; bars: 95 %% intervals over the seeds", z)
	rows, err := p.Measure(ctx, j, study.All("", ""))
	return append(rows, refusals...), err
}

// refusal returns why the program does not run an entry; empty if it does.
func refusal(e study.Cell) string {
	_, err := scenario.Open(e.Base, e.Set...)
	var list scenario.Problems
	if err == nil {
		return ""
	}
	if errors.As(err, &list) {
		return list[0].Rule
	}
	return err.Error()
}
