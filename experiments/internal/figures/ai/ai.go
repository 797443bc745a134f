// Package ai compares congestion controls and load balancers under the traffic of training jobs, on a rail-optimised
// network of 400 Gb/s. The controls are HPCC (with INT, with one byte of PINT, or with a CSIG tag), DCQCN, Swift, and
// NSCC and RCCC of Ultra Ethernet. Each control runs with ECMP, flowlets, sprayed packets and REPS. Each pair runs on
// a healthy network, and on a network in which one link has a quarter of its rate.
//
// Nobody has published this comparison. To make it fair, these settings are the same for all:
//
//   - All packets have 4096 B of payload. HPCC, DCQCN and Swift have IRN's selective repeat, because go-back-N cannot
//     handle sprayed packets. A packet counts as lost when 64 later packets have overtaken it. IRN limits each flow
//     of these controls to a bandwidth-delay product in flight.
//   - REPS needs ECN marks, but HPCC and Swift do not use marks. When REPS runs with HPCC or Swift, switches mark at
//     the thresholds of Ultra Ethernet, and the control ignores the marks.
//   - A flowlet begins after 5 us without a packet, which is about a base RTT. LetFlow's default is for slower
//     networks.
//   - Switches pause for HPCC, DCQCN and Swift, and trim for NSCC and RCCC.
//
// Each message begins with the window of a new flow, and without knowledge of paths from earlier messages.
package ai

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/scenario"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

// control is a congestion control with its telemetry.
type control struct {
	name string
	set  []string
	uet  bool
}

// balancer is a way to spread traffic over the spines.
type balancer struct{ name, set string }

// rdma makes a control with IRN as its loss recovery.
func rdma(name, kind, telemetry string, more ...string) control {
	return control{name: name, set: append([]string{"cc.kind=" + kind, "telemetry.kind=" + telemetry,
		"transport.kind=irn", "transport.dup_acks=64"}, more...)}
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

// with returns the name of the scheme that combines the control with a balancer.
func (c control) with(b balancer) string { return c.name + ", " + b.name }

// settings returns the scenario keys of the control with a balancer, as key=value.
func (c control) settings(b balancer) []string {
	set := append([]string{"transport.payload=4096B", "network.balancing=" + b.set}, c.set...)
	if b == reps && !c.uet && c.name != dcqcn.name {
		set = append(set, "network.ecn={enabled: true, kmin: 11440B, kmax: 44720B, pmax: 1, at_rate: 100Gbps}")
	}
	return set
}

// The networks. Each is a case of the comparison. Its index in `networks` is the number of links at a quarter of
// their rate.
const (
	healthy  = "healthy"
	degraded = "a link at a quarter"
)

var networks = []string{healthy, degraded}

// base is the preset that the scenarios start from.
const base = "training"

// rails is the number of rails. A server has a host on each of them.
const rails = 8

// The quantities. Shares refer to the data packets that senders send.
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

// share returns a measure: a count in a run, divided by the number of packets that the run sent.
func share(name string, of func(t *study.Trial, packets, payload float64) float64) study.Measure {
	return study.PerTrial(name, func(t *study.Trial) (float64, int, error) {
		packets, payload, n := 0.0, 0.0, 0
		for f := range t.Flows.All() {
			packets, payload, n = packets+float64(f.Packets), payload+float64(f.Size), n+1
		}
		return of(t, packets, payload), n, nil
	})
}

// added returns the number of bytes that telemetry adds to a data packet and its ACK together.
func added(s *scenario.Scenario) float64 {
	n, t := s.Telemetry.Overhead(), &s.Transport
	return float64(n + max(t.AckHeader+n, t.AckMin) - max(t.AckHeader, t.AckMin))
}

var quantities = []study.Measure{
	study.LastJob(completion).In(plots.InSeconds),
	study.Slowdown(messages99, 0.99, 0, math.MaxInt64),
	share(telemetry, func(t *study.Trial, packets, payload float64) float64 {
		return added(&t.Run.Scenario) * packets / payload
	}),
	study.SentAgain(again),
	share(trimmed, func(t *study.Trial, packets, _ float64) float64 {
		return float64(t.Run.Manifest.Summary.Trims) / packets
	}),
	share(dropped, func(t *study.Trial, packets, _ float64) float64 {
		return float64(t.Run.Manifest.Summary.Drops) / packets
	}),
}

var (
	busBandwidth = study.MeanBusBandwidth(bus).In(plots.InBitsPerSecond)
	exposure     = study.MeanExposed(exposed).In(plots.InSeconds)
)

// scale describes the runs of a figure at a scale.
type scale struct {
	seeds, servers int
	size           unit.Bytes // size of a collective, or a factor for the sizes of a job's messages
	exchange       *exchange
}

func (z scale) hosts() int { return z.servers * rails }

// String describes the runs.
func (z scale) String() string {
	return fmt.Sprintf("%d hosts, %s, %s", z.hosts(), z.exchange.traffic(z), figure.Count(z.seeds, "seed"))
}

//go:embed shared.md */figure.md */claims.csv */known.csv
var files embed.FS

// exchange is one of the figures.
type exchange struct {
	name     string
	traffic  func(scale) string   // in words
	workload func(scale) []string // entries
	more     []study.Measure
}

func (s *exchange) figure(scales map[figure.Scale]scale) figure.Figure {
	for k, z := range scales {
		z.exchange = s
		scales[k] = z
	}
	return figure.Spec[scale]{
		Name: "ai/" + s.name, Files: files, Columns: figure.ByCase, Scales: scales, Measure: measure,
		Tables: tables, Draw: draw,
	}.Figure()
}

func measure(ctx context.Context, j *figure.Job, z scale) ([]study.Row, error) {
	p := study.Study{Seeds: j.SeedList(z.seeds), Measures: append(slices.Clip(quantities), z.exchange.more...)}
	var refusals []study.Row
	for broken, network := range networks {
		for i, b := range balancers {
			var run []string // controls that can be combined with the balancer
			for _, c := range controls {
				set := append([]string{
					"name=ai-" + z.exchange.name, "workload=[" + strings.Join(z.exchange.workload(z), ", ") + "]",
					railNetwork(z.servers, broken),
				}, c.settings(b)...)
				e := study.Cell{Case: network, Scheme: c.with(b), X: math.NaN(), Base: base, Set: set,
					Against: slices.Clone(run)}
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
				if len(run) < 2 { // the first two schemes, with which the later schemes are compared
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
	j.Footnote("%v; rail-optimised network at 400 Gb/s, 500 ns per link; HPCC over INT needs one path for each flow, "+
		"so it does not run with spraying and REPS; bars: 95 %% intervals over the seeds", z)
	rows, err := p.Measure(ctx, j, study.All("", ""))
	return append(rows, refusals...), err
}

// railNetwork returns the network as a setting, with some links at a quarter of their rate.
func railNetwork(servers, broken int) string {
	return fmt.Sprintf("topology={kind: rail, servers: %d, rails: %d, spines: %d, host_rate: 400Gbps, fabric_rate: "+
		"400Gbps, link_delay: 500ns, degraded: %d}", servers, rails, servers, broken)
}

// refusal returns the reason why the program refuses a scheme. It is empty if the program accepts it.
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
