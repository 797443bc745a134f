// Package fig10 is Figure 10 of PINT (§6.3): how many packets it takes until the path of
// a flow is known.
//
// The PINT paper reports averages and 99th percentiles over 10 000 runs per path length on
// Kentucky Datalink, US Carrier and a K = 8 fat tree. It prints numbers for one point
// alone: 59 switches, 2×(b=8), 42 packets on average and 94 at the 99th percentile, and
// factors against the peers.
//
// We draw all of its curves with every switch of the network as a candidate, and
// labelled variants beside them: the artifact's easier task, where the candidates are the
// switches of the true path, and what a linear hash and a decoder that knows the network
// make of the same bits.
//
// The two maps cannot be shipped. By default networks of the same number of nodes, links
// and diameter stand in (package topo, ISP), under names that say so; --set kdl=FILE and --set uscarrier=FILE take
// the real ones, as GML or GraphML.
//
// docs/claims.md has what the laptop scale gives, made from laptop.csv beside this file,
// and docs/validation.md the numbers of 10 000 runs at the longest path.
package fig10

import (
	"cmp"
	"context"
	_ "embed" // for known.csv
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/decode"
	"pintlab/experiments/measure/pathtrace"
	"pintlab/experiments/results/columns"
	"pintlab/netsim/topo"
	"pintlab/pint/trace"
	"pintlab/plots"
	"pintlab/plots/report"
)

// Figure is Fig. 10.
var Figure = figure.Of[scale, Row]{
	Name:   "pint/fig10",
	Title:  "Packets until a path is known",
	Source: "PINT §6.3, Fig. 10",
	Claim: "PINT traces paths with fewer packets than PPM and AMS2, even with one bit; " +
		"the number of packets grows near-linearly with the path.",
	Scales:  scales,
	Measure: measure,
	Check:   check,
	Compare: compared,
	Tables:  tables,
	Draw:    draw,
	Why:     why,
}.Figure()

// oneBit is why one bit does not beat the peers everywhere.
var oneBit = figure.Known(knownText, "one bit", oneBitWhy)

//go:embed known.csv
var knownText string

const oneBitWhy = "59 switches out of 754 are 564 bits, so no decoder that does not know the network gets by with fewer packets of one bit, where the PINT paper's factor of 7–10 would leave 100–200; AMS2's decoder knows the routers. A decoder of PINT that knows the network, too, needs a small part of that."

// printed is why the numbers that the PINT paper prints for 59 switches are not ours.
var printed = figure.Known(knownText, "known switches", printedWhy)

const printedWhy = "The PINT paper prints neither τ nor p nor what the decoder chooses from. The printed 42 packets do not come from the decoder as described with every switch to choose from: 42 packets of the code tell 591 bits at most, and 59 of 754 switches are 564, so that hardly a bit could be wasted; the described decoder uses an XOR digest only when all of its hops but one are known. A decoder that knows the switches of the path beforehand, as the artifact's does, and that each is at one hop comes nearest. With one bit not even that decoder can: the order of 59 known switches is 266 bits, and the printed factors of 7–10 leave 100 to 215 packets of one bit. " +
	"The printed numbers of the peers, 1–1.5 K on average and 3.3–5 K at the 99th percentile, are ours if they are read as pairs: average and 99th percentile of AMS2 with m = 5, and of PPM."

var why = []string{
	oneBitWhy,
	printedWhy,
	"The PINT paper prints 42 packets for 59 switches with 2×(b=8). Its artifact gives the decoder only the switches of the true path to choose from; with all 754 switches of the network it takes about twice as many. Both are curves here.",
	"The PINT paper does not print τ and p. The curves have the artifact's, τ = 1/2 and p = 1/d, unless their name says otherwise. They need the fewest packets of long paths; on the fat tree those of Algorithm 1 (appendix A) and of Hybrid (§4.2: τ = 3/4, p = 1/ln d) need fewer, and are curves of their own.",
	"The two maps of internet providers cannot be shipped. --set kdl=FILE and --set uscarrier=FILE take them; otherwise generated networks of the same number of nodes, links and diameter stand in, under names of their own.",
	"The coupon collector's time for eight fragments of each of 59 hops, which PPM needs, is some 3 000 packets on average: more than the 1–1.5 K that the PINT paper's text gives for all peers.",
}

// peers are the curves that PINT is held against.
func isPeer(curve string) bool {
	return strings.HasPrefix(curve, "PPM") || strings.HasPrefix(curve, "AMS2")
}

// table finds rows.
type table []Row

// ours are the rows of ours of a network, as published or with other candidates and decoders.
func (t table) ours(topology string) table {
	return figure.Pick(t, func(r *Row) bool { return r.Source == "ours" && r.Group != robust && r.Topology == topology })
}

// at is the row of a curve of ours at a path length; nil if there is none.
func (t table) at(topology, curve string, hops int) *Row {
	return figure.Find(t.ours(topology), func(r *Row) bool { return r.Curve == curve && r.Hops == hops })
}

// topologies are the networks in their order.
func (t table) topologies() []string {
	var list []string
	for _, r := range t {
		if r.Source == "ours" && !slices.Contains(list, r.Topology) {
			list = append(list, r.Topology)
		}
	}
	return list
}

// longest is the longest path of a network.
func (t table) longest(topology string) int {
	most := 0
	for _, r := range t.ours(topology) {
		most = max(most, r.Hops)
	}
	return most
}

// least is the peer with the smallest average.
func (t table) least(topology string, hops int) *Row {
	peers := figure.Pick(t.ours(topology), func(r *Row) bool { return isPeer(r.Curve) && r.Hops == hops })
	if len(peers) == 0 {
		return nil
	}
	best := slices.MinFunc(peers, func(a, b Row) int { return cmp.Compare(a.Mean, b.Mean) })
	return &best
}

func check(rows []Row) []figure.Finding {
	t := table(rows)
	list := []figure.Finding{t.beatsPeers(bestPINT), t.beatsPeers("PINT b=4"), t.beatsPeers("PINT b=1").Expect(oneBit)}
	names := t.topologies()
	if len(names) == 0 {
		return list
	}
	for _, n := range names[:min(2, len(names))] {
		list = append(list, t.nearLinear(n))
	}
	kdl := names[0]
	list = append(list, t.bestEncoding(names[len(names)-1]))
	// Verdicts about the bars that we set ourselves come last.
	return append(list,
		t.within(kdl, bestLinear, 40, 45), t.within(kdl, bestTopology, 8, 18),
		t.within(kdl, "topology b=4", 28, math.NaN()), t.within(kdl, "topology b=1", 100, math.NaN()))
}

// beatsPeers holds a curve against the best peer at every length.
func (t table) beatsPeers(curve string) figure.Finding {
	confirmed, contradicted := true, false
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, r := range t {
		if r.Curve != curve || r.Source != "ours" || r.Group == robust {
			continue
		}
		peer := t.least(r.Topology, r.Hops)
		if peer == nil {
			return figure.Judge(curve+" needs fewer packets than PPM and AMS2", false, false, "no rows of PPM and AMS2")
		}
		lo, hi = math.Min(lo, peer.Mean/r.Mean), math.Max(hi, peer.Mean/r.Mean)
		confirmed = confirmed && r.Mean+r.Half < peer.Mean-peer.Half
		contradicted = contradicted || r.Mean-r.Half > peer.Mean+peer.Half
	}
	return figure.Judge(curve+" needs fewer packets than PPM and AMS2 on every network and at every path length", confirmed, contradicted,
		"the best peer needs %.1f to %.1f times as many", lo, hi)
}

// bestEncoding holds the default τ and p against those that need the fewest packets of a short
// path: the PINT paper prints neither, so that its curves of the fat tree may be of any of
// these.
func (t table) bestEncoding(topology string) figure.Finding {
	hops := t.longest(topology)
	usual, hybrid, layers := t.at(topology, bestPINT, hops), t.at(topology, bestPINT+", Hybrid", hops), t.at(topology, bestPINT+", Algorithm 1", hops)
	statement := topology + ": Algorithm 1 and Hybrid need fewer packets than τ = 1/2, p = 1/d"
	if usual == nil || hybrid == nil || layers == nil {
		return figure.Judge(statement, false, false, "no rows")
	}
	most := max(hybrid.Mean+hybrid.Half, layers.Mean+layers.Half)
	least := min(hybrid.Mean-hybrid.Half, layers.Mean-layers.Half)
	return figure.Judge(fmt.Sprintf("%s, %d switches", statement, hops), most < usual.Mean-usual.Half, least > usual.Mean+usual.Half,
		"Algorithm 1 (%s) %.2f ± %.2f, Hybrid (%s) %.2f ± %.2f, %s %.2f ± %.2f packets",
		layers.Scheme, layers.Mean, layers.Half, hybrid.Scheme, hybrid.Mean, hybrid.Half, usual.Scheme, usual.Mean, usual.Half)
}

// nearLinear compares the packets per switch of the longest path with those of the path
// that is nearest to half of it.
func (t table) nearLinear(topology string) figure.Finding {
	long := t.at(topology, bestPINT, t.longest(topology))
	var half *Row
	for _, r := range figure.Pick(t.ours(topology), func(r *Row) bool { return r.Group == document && r.Curve == bestPINT && long != nil }) {
		if half == nil || math.Abs(float64(2*r.Hops-long.Hops)) < math.Abs(float64(2*half.Hops-long.Hops)) {
			half = &r
		}
	}
	if long == nil || half == nil {
		return figure.Judge(topology+": the number of packets grows near-linearly with the path", false, false, "no rows")
	}
	growth := long.Mean / float64(long.Hops) / (half.Mean / float64(half.Hops))
	return figure.Judge(fmt.Sprintf("%s: the packets per switch grow by less than a half from %d to %d switches (%s)", topology, half.Hops, long.Hops, bestPINT),
		growth < 1.5, growth >= 1.5, "by a factor of %.2f", growth)
}

// within holds a curve of ours against the bar that we set ourselves; the 99th
// percentile of few runs decides nothing.
func (t table) within(topology, curve string, mean, p99 float64) figure.Finding {
	r := t.at(topology, curve, t.longest(topology))
	if r == nil {
		return figure.Judge(fmt.Sprintf("%s: %s takes at most %g packets on average", topology, curve, mean), false, false, "no rows")
	}
	what := fmt.Sprintf("our own bar, not the PINT paper's: %s, %d switches: %s takes at most %g packets on average", topology, r.Hops, curve, mean)
	ok, bad := r.Mean+r.Half <= mean && r.Failed == 0, r.Mean-r.Half > mean || r.Failed > 0
	if !math.IsNaN(p99) {
		what += fmt.Sprintf(" and %g at the 99th percentile", p99)
		ok, bad = ok && r.P99 <= p99 && r.Runs >= 300, bad || r.P99 > p99 && r.Runs >= 300
	}
	return figure.Judge(what, ok, bad, "%.2f ± %.2f, p99 %.0f, over %d runs", r.Mean, r.Half, r.P99, r.Runs).Own()
}

func compared(rows []Row) []report.Compared {
	t := table(rows)
	const source = "PINT §6.3, Fig. 10 (a), (d)"
	names := t.topologies()
	if len(names) == 0 {
		return nil
	}
	kdl := names[0]
	where := ""
	if kdl != realKDL {
		where = ". The PINT paper's numbers are of " + realKDL + ", ours of a network of its size, " + kdl
	}
	hops := t.longest(kdl)
	var list []report.Compared
	add := func(what string, published, ours, lo, hi float64, runs int, t figure.Tolerance) {
		list = append(list, figure.Beside(report.Compared{
			Quantity: fmt.Sprintf("%s, %d switches", what, hops), Published: published, Ours: ours, Lo: lo, Hi: hi, Over: figure.Count(runs, "run"),
			Source: source, Note: printed.String() + where,
		}, t))
	}
	for _, c := range []struct{ curve, what string }{
		{bestPINT, bestPINT + ", every switch a candidate"}, {bestPINT + ", true path's switches only", bestPINT + ", the true path's switches as candidates, as in the artifact"},
	} {
		r := columns.Blank[Row]()
		if x := t.at(kdl, c.curve, hops); x != nil {
			r = *x
		}
		add(c.what+": packets on average", 42, r.Mean, r.Mean-r.Half, r.Mean+r.Half, r.Runs, figure.OpenSetting)
		add(c.what+": packets at the 99th percentile", 94, r.P99, r.P99Lo, r.P99Hi, r.Runs, figure.OpenSetting)
	}
	peer := t.least(kdl, hops)
	for _, c := range []struct {
		curve       string
		value, half float64
	}{{bestPINT, 30.5, 5.5}, {"PINT b=1", 8.5, 1.5}} {
		if r := t.at(kdl, c.curve, hops); r != nil && peer != nil {
			add(fmt.Sprintf("packets of the best peer (%s) over those of %s", peer.Curve, c.curve), c.value,
				peer.Mean/r.Mean, (peer.Mean-peer.Half)/(r.Mean+r.Half), (peer.Mean+peer.Half)/(r.Mean-r.Half), r.Runs, figure.Range(c.half))
		}
	}
	if peer != nil {
		add("best peer ("+peer.Curve+"): packets on average", 1250, peer.Mean, peer.Mean-peer.Half, peer.Mean+peer.Half, peer.Runs, figure.Range(250))
		add("best peer ("+peer.Curve+"): packets at the 99th percentile", 4150, peer.P99, peer.P99Lo, peer.P99Hi, peer.Runs, figure.Range(850))
	}
	return list
}

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
	P99Lo    float64 `col:"p99_lo" unit:"packets"` // its 95 % interval; NaN where the runs are too few
	P99Hi    float64 `col:"p99_hi" unit:"packets"`
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
	show := j.Progress(len(studies))
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
	return append(rows, published()...), nil
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
	lo, hi := r.Packets.QuantileInterval(0.99)
	return Row{
		Source: "ours", Group: s.group[r.Curve], Topology: r.Topology, Curve: r.Curve, Method: r.Method, Scheme: r.Scheme,
		Tau: r.Tau, P: r.P, Bits: r.Bits, Hops: r.Hops, Loss: s.Loss, IDBits: s.IDBits, Reorder: s.Reorder,
		Mean: r.Mean, Half: r.HalfWidth, P50: count(r.P50), P99: count(r.P99), P99Lo: count(lo), P99Hi: count(hi), Max: count(r.Max),
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
func published() []Row {
	r := columns.Blank[Row]()
	r.Source, r.Group, r.Topology, r.Curve, r.Bits, r.Hops, r.Mean, r.P99, r.Runs = "published", document, realKDL, bestPINT, 16, 59, 42, 94, 10_000
	r.Loss = 0
	return []Row{r}
}

func tables(rows []Row) []figure.Table {
	t := table(rows)
	var list []figure.Table
	for _, n := range t.topologies() {
		hops := t.longest(n)
		list = append(list, figure.Show(fmt.Sprintf("%s, paths of %d switches", n, hops), figure.Pick(t.ours(n), func(r *Row) bool { return r.Hops == hops }),
			"curve", "scheme", "bits", "mean", "±:=half_width", "p99", "max", "failed", "can a switch compute it?=switch"))
	}
	return append(list, figure.Show("Packets that are lost, repeat an identifier or arrive late, longest paths of "+t.topologies()[0]+
		"; packets are counted at the source when the path is known", figure.Pick(t, func(r *Row) bool { return r.Group == robust }),
		"curve", figure.Text("lost", func(r Row) string { return fmt.Sprintf("%g %%", 100*r.Loss) }),
		figure.Text("identifiers", func(r Row) string {
			if r.IDBits > 0 {
				return fmt.Sprintf("%d bits, at random", r.IDBits)
			}
			return "never repeat"
		}), "overtaken by up to:packets=reorder", "mean", "±:=half_width", "p99", "failed"))
}

// point is a point of the drawings.
type point struct {
	Panel  string  `col:"panel"`
	Scheme string  `col:"scheme"`
	Source string  `col:"source"`
	Hops   int     `col:"hops"`
	Value  float64 `col:"packets" unit:"packets"`
	Lo     float64 `col:"lo" unit:"packets"`
	Hi     float64 `col:"hi" unit:"packets"`
}

func draw(rows []Row) ([]figure.Drawing, error) {
	t := table(rows)
	var list []figure.Drawing
	for _, d := range []struct {
		name, title, caption string
		keep                 func(*Row) bool
	}{
		{"fig10", "Fig. 10: packets until the path is known",
			"Average (a)–(c) and 99th percentile (d)–(f) of the packets until a path is known, by its length; every switch of the network is a candidate.",
			func(r *Row) bool { return r.Group == document }},
		{"easier", "What the candidates are",
			"PINT's curves with every switch of the network as a candidate, and with the switches of the true path alone, which no collector knows.",
			func(r *Row) bool { return (r.Group == document || r.Group == easier) && !isPeer(r.Curve) }},
		{"beyond", "A linear hash and a decoder that knows the network",
			"The same bits on each packet with a linear hash, and with a decoder that knows which switches are neighbours, beside PINT's own.",
			func(r *Row) bool {
				return r.Group == beyond && !strings.HasSuffix(r.Curve, "published encoding") || r.Curve == bestPINT && r.Group == document
			}},
	} {
		list = append(list, figure.Drawing{Name: d.name, Title: d.title, Caption: d.caption}.With(t.panels(d.keep)))
	}
	return list, nil
}

// panels draws the averages above the 99th percentiles.
func (t table) panels(keep func(*Row) bool) (plots.Figure, error) {
	var points []point
	letter := 'a'
	for _, p99 := range []bool{false, true} {
		for _, n := range t.topologies() {
			name := fmt.Sprintf("(%c) %s, %s", letter, n, map[bool]string{false: "average", true: "p99"}[p99])
			letter++
			for _, r := range figure.Pick(t, func(r *Row) bool { return r.Topology == n && keep(r) }) {
				p := point{name, r.Curve, r.Source, r.Hops, r.Mean, r.Mean - r.Half, r.Mean + r.Half}
				if p99 {
					p.Value, p.Lo, p.Hi = r.P99, r.P99, r.P99
				}
				points = append(points, p)
			}
		}
	}
	f, err := figure.Plot(plots.DecodeByPathLength, points, plots.Mapping{})
	for i := range f.Panels {
		f.Panels[i].Y.Scale, f.Panels[i].Y.Min = plots.Log, plots.At(1)
	}
	return f, err
}

// scale is what is run at a scale.
type scale struct {
	runs  int
	steps int // path lengths on the networks of internet providers, the longest one included
	rough []rough
}

// rough is what happens to packets: a share is lost, identifiers are of so many bits,
// drawn at random, or never repeat if that is 0, and a packet arrives after up to so many
// of those that were sent after it.
type rough struct {
	loss    float64
	idBits  int
	reorder int
}

var scales = map[figure.Scale]scale{
	figure.Smoke:  {10, 2, []rough{{0.1, 8, 4}}},
	figure.Laptop: {1000, 5, []rough{{loss: 0.01}, {loss: 0.1}, {idBits: 16}, {idBits: 8}, {reorder: 8}}},
	figure.Paper:  {10_000, 5, []rough{{loss: 0.01}, {loss: 0.1}, {idBits: 16}, {idBits: 8}, {reorder: 8}}},
}

// roughRuns is the most runs with rough packets.
const roughRuns = 2000

func (z scale) String() string {
	return fmt.Sprintf("%d runs for each curve and path length, %d lengths on the two large networks, all on the fat tree", z.runs, z.steps)
}

// realKDL is the name of the map of which the PINT paper prints numbers.
const realKDL = "Kentucky Datalink"

// network is one of the three networks.
type network struct {
	key      string // of --set; empty if it cannot be replaced
	name     string // in the PINT paper, if it is that network
	d        int    // typical path length that the switches are configured with
	switches int    // of the PINT paper's map
	graph    *topo.Graph
	source   string // where the graph comes from
}

// networks are those of the PINT paper, with the maps that the job names in place of the
// generated ones.
func networks(set []string) ([]network, error) {
	list := []network{
		{key: "kdl", name: realKDL, d: 10, switches: 754},
		{key: "uscarrier", name: "US Carrier", d: 10, switches: 158},
		{name: "Fat tree (K = 8)", d: 5},
	}
	for _, s := range set {
		key, path, _ := strings.Cut(s, "=")
		i := slices.IndexFunc(list, func(n network) bool { return n.key != "" && n.key == key })
		if i < 0 || path == "" {
			return nil, fmt.Errorf("--set %s: has no effect on this figure (accepted: kdl=FILE, uscarrier=FILE with a map in GML or GraphML)", s)
		}
		g, err := topo.ReadFile(path, topo.DefaultFill())
		if err != nil {
			return nil, fmt.Errorf("--set %s: %w", s, err)
		}
		list[i].graph, list[i].source = g, path
		if n := len(g.Switches()); n != list[i].switches {
			// Another map is not the one that the PINT paper prints numbers of.
			list[i].name = fmt.Sprintf("%s, %d switches", filepath.Base(path), n)
		}
	}
	for i, c := range []interface{ Build() (*topo.Graph, error) }{topo.DefaultISP(), topo.USCarrierISP(), topo.Default[topo.KAry]()} {
		if list[i].graph != nil {
			continue
		}
		var err error
		if list[i].graph, err = c.Build(); err != nil {
			return nil, err
		}
		if list[i].source = "generated"; list[i].key != "" {
			// What is measured on it is not of the map that it stands in for.
			list[i].name = fmt.Sprintf("generated, %d switches", len(list[i].graph.Nodes))
		}
	}
	return list, nil
}

// lengths are the path lengths of a network: all if there are few, else so many, evenly
// from short to the longest.
func lengths(m *trace.Map, ends []topo.NodeID, steps int) []int {
	all := trace.PathLengths(m, ends)
	if len(all) <= 8 {
		return all
	}
	var list []int
	for i := 1; i <= steps; i++ {
		list = append(list, all[i*len(all)/steps-1])
	}
	return slices.Compact(list)
}
