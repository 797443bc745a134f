package fig10

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/decode"
	"pintlab/experiments/measure/pathtrace"
	"pintlab/internal/progress"
	"pintlab/pint/trace"
)

// Row is a line of rows.csv: a curve at a path length.
type Row struct {
	Source   string  `col:"source"` // ours or published
	Group    string  `col:"group"`  // published, easier, ours: whose curve it is; robust: what loss, repeated identifiers and reordering do
	Topology string  `col:"topology"`
	Curve    string  `col:"curve"`
	Method   string  `col:"candidates"` // what the decoder chooses from
	Scheme   string  `col:"scheme"`
	Tau      float64 `col:"tau"` // of the last instance
	P        float64 `col:"p"`   // of its first XOR layer
	Bits     int     `col:"bits" unit:"b"`
	Hops     int     `col:"hops"`
	Loss     float64 `col:"loss"`                // share of the packets that get lost
	IDBits   int     `col:"id_bits" unit:"b"`    // of packet identifiers drawn at random; 0: they never repeat
	Reorder  int     `col:"reorder"`             // a packet arrives after up to so many that were sent after it
	Mean     float64 `col:"mean" unit:"packets"` // sent until the path is known
	Half     float64 `col:"half_width" unit:"packets"`
	P50      float64 `col:"p50" unit:"packets"`
	P99      float64 `col:"p99" unit:"packets"`
	Max      float64 `col:"max" unit:"packets"`
	Runs     int     `col:"runs"`
	Failed   int     `col:"failed"` // runs that gave up
	Switch   string  `col:"switch"` // whether a switch can compute it
}

// The groups of curves.
const (
	document = "published"
	easier   = "easier"
	beyond   = "ours"
	robust   = "robust"
)

// limit is after how many packets a run gives up.
const limit = 100_000

// study is one call of pathtrace.Study.
type study struct {
	pathtrace.Study
	group map[string]string // by curve
}

func measure(ctx context.Context, j *figure.Job, z scale) ([]Row, error) {
	if j.Seeds > 0 {
		return nil, fmt.Errorf("--seeds %d has no effect on this figure: each of its runs is drawn anew", j.Seeds)
	}
	nets, err := networks(j.Set)
	if err != nil {
		return nil, err
	}
	var studies []study
	for _, n := range nets {
		list, err := n.studies(z, j)
		if err != nil {
			return nil, err
		}
		studies = append(studies, list...)
	}
	show := progress.New(j.Campaign.Messages, progress.Options{Quiet: j.Campaign.Quiet, Tasks: len(studies)})
	defer show.Close()
	var rows []Row
	for _, s := range studies {
		task := show.Begin(s.Topology)
		s.Progress = func(done, total int) {
			task.Update(float64(done)/float64(total), fmt.Sprintf("%d of %d paths traced", done, total))
		}
		got, err := s.Run(ctx)
		task.End()
		if err != nil {
			return nil, err
		}
		for i := range got {
			rows = append(rows, rowOf(&got[i], &s))
		}
	}
	j.Footnote("%d runs for each point; a random shortest path in each; bars: 95 %% intervals of the mean", z.runs)
	j.Setting("candidates", "", "every switch of the network, unless the curve says otherwise; the path length is known from the TTL")
	j.Setting("peers", "PINT §6.3", "16 bits on each packet, with reservoir sampling")
	return append(rows, published...), nil
}

// studies are what is measured on a network: all curves at all lengths, and on the first
// network loss, identifiers of few bits and reordering.
func (n *network) studies(z scale, j *figure.Job) ([]study, error) {
	m, err := trace.NewMap(n.graph, nil)
	if err != nil {
		return nil, fmt.Errorf("%s (%s): %w", n.name, n.source, err)
	}
	ends := trace.HostSwitches(n.graph)
	at := lengths(m, ends, z.steps)
	j.Setting(n.name, "PINT §6.3", "%s: %d switches, %d links, paths of up to %d switches; d = %d", n.source, m.Len(), m.Links(), at[len(at)-1], n.d)
	s := study{
		Study: pathtrace.Study{
			Topology: n.name, Map: m, Ends: ends, Lengths: at,
			Trials: decode.Trials{Seed: j.Seed, Runs: z.runs, Workers: j.Campaign.Workers, Limit: limit},
		},
		group: map[string]string{},
	}
	for _, c := range pathtrace.PublishedCurves(n.d) {
		s.Curves = append(s.Curves, c)
		s.group[c.Label] = document
		if c.Method == pathtrace.TruePath {
			s.group[c.Label] = easier
		}
	}
	// The decoder that knows the network on the PINT paper's encoding: at the end alone, for
	// it is the slowest of all.
	last := s
	last.Lengths, last.Curves, last.group = at[len(at)-1:], nil, map[string]string{}
	for _, c := range pathtrace.OurCurves(m, n.d, at[len(at)-1]) {
		to := &s
		if c.Method == pathtrace.TopologyAware && strings.HasSuffix(c.Label, "published encoding") {
			to = &last
		}
		to.Curves = append(to.Curves, c)
		to.group[c.Label] = beyond
	}
	list := []study{s, last}
	if n.key != "kdl" {
		return list, nil
	}
	for _, w := range z.rough {
		r := s
		r.Loss, r.IDBits, r.Reorder = w.loss, w.idBits, w.reorder
		r.Lengths, r.Curves, r.group = at[len(at)-1:], nil, map[string]string{}
		r.Trials.Runs = min(r.Trials.Runs, roughRuns)
		for _, c := range s.Curves {
			if slices.Contains(sturdy, c.Label) {
				r.Curves = append(r.Curves, c)
				r.group[c.Label] = robust
			}
		}
		list = append(list, r)
	}
	return list, nil
}

// sturdy are the curves that are held against loss, repeated identifiers and reordering.
var sturdy = []string{bestPINT, bestLinear, bestTopology}

// The curves of 2×(b=8).
const (
	bestPINT     = "PINT 2×(b=8)"
	bestLinear   = "linear 2×(b=8)"
	bestTopology = "topology 2×(b=8)"
)

func rowOf(r *pathtrace.Row, s *study) Row {
	return Row{
		Source: "ours", Group: s.group[r.Curve], Topology: r.Topology, Curve: r.Curve, Method: r.Method, Scheme: r.Scheme,
		Tau: r.Tau, P: r.P, Bits: r.Bits, Hops: r.Hops, Loss: s.Loss, IDBits: s.IDBits, Reorder: s.Reorder,
		Mean: r.Mean, Half: r.HalfWidth, P50: count(r.P50), P99: count(r.P99), Max: count(r.Max),
		Runs: r.Runs, Failed: r.Failed, Switch: r.Switch,
	}
}

// count is a number of packets; NaN if too many runs gave up to know it.
func count(n int) float64 {
	if n < 0 {
		return math.NaN()
	}
	return float64(n)
}

// published are the numbers that the PINT paper prints (§6.3). They are of the real map.
var published = []Row{{
	Source: "published", Group: document, Topology: realKDL, Curve: bestPINT, Bits: 16, Hops: 59, Tau: math.NaN(), P: math.NaN(),
	Mean: 42, P99: 94, Half: math.NaN(), P50: math.NaN(), Max: math.NaN(), Runs: 10_000,
}}
