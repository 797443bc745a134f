// Package fig10 is Figure 10 of PINT (§6.3): how many packets it takes until the path of
// a flow is known.
//
// The PINT paper reports averages and 99th percentiles over 10 000 runs per path length on
// Kentucky Datalink, US Carrier and a K = 8 fat tree. It prints numbers for one point
// alone: 59 switches, 2×(b=8), 42 packets on average and 94 at the 99th percentile, and
// factors against the peers.
//
// We draw all of its curves with every switch of the network as a candidate, and
// labelled variants beside them: the easier task, where the candidates are the
// switches of the true path, and what a linear hash and a decoder that knows the network
// make of the same bits. A table has what the printed numbers can come from: the same curves, and
// those of the program that the authors published, at 59 switches and averaged over path lengths.
// The comparison has each of these readings as a row of its own, with either set of candidates.
//
// The two maps cannot be shipped. By default networks of the same number of nodes, links
// and diameter stand in (package topo, ISP), under names that say so; --set kdl=FILE and --set uscarrier=FILE take
// the real ones, as GML or GraphML.
//
// docs/claims.md has what the paper scale gives, made from paper.csv beside this file,
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
	"pintlab/experiments/measure/pint"
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

const oneBitWhy = "59 switches out of 754 are 564 bits, so no decoder that does not know the network gets by with " +
	"fewer packets of one bit, where the PINT paper's factor of 7–10 would leave 100–215; AMS2's decoder knows the " +
	"routers. The program that PINT's authors published gets by with fewer because most of the switches that it " +
	"gives are wrong: its XOR packets carry the numbers of switches, cut to the digest's bits, " +
	"and a hop that is the only unknown one of such a packet counts as known. With the switches of the true path as " +
	"candidates, averaged over path lengths, that gives the printed factor. A decoder of PINT that knows the network " +
	"needs less than the factor leaves, and errs nowhere."

// printed is why the numbers that the PINT paper prints for 59 switches are not ours.
var printed = figure.Known(knownText, "readings", printedWhy)

const printedWhy = "At 59 switches no 99th percentile of ours is more than 1.6 times its average, " +
	"where the printed ones are 2.2 times (42 and 94) and 3.3 times (1–1.5K and 3.3–5K). So we also read the printed " +
	"averages as averages over path lengths, and we ran the decoder and the AMS2 of the program that PINT's authors " +
	"published. No reading gives all numbers to their last digit. The program's candidates are the switches of the " +
	"true path. With these, AMS2 needs 7 and 10 times as many packets as one bit, as printed, " +
	"but 2×(b=8) needs fewer packets than printed. With every switch as a candidate, the packets and the gains of " +
	"2×(b=8) come near the printed numbers, but 22.8 of the 59 switches that it gives are wrong, " +
	"and one bit gains less than printed. The reason for wrong switches: the program's XOR packets carry the numbers " +
	"of switches, cut to the digest's bits, and a hop that is the only unknown one of such a packet counts as known. " +
	"Its AMS2 draws one of seven functions, not eight, and reads only the marks of packets that PINT takes for " +
	"Baseline ones, which are half. Its PPM has 8 fragments at as many positions as the path has switches, " +
	"100 runs and at most 5000 packets: counted again, 1518 packets on average over 2 to 59 switches and a 99th " +
	"percentile of 4743 at 59, as printed. The program has one digest of a packet, not two. " +
	"It skips XOR packets whose numbers give 0, which we leave out because one bit then takes more packets than " +
	"printed. We do not know which program gave the printed numbers."

var why = []string{
	oneBitWhy,
	printedWhy,
	"The PINT paper does not print τ and p. The curves have the artifact's, τ = 1/2 and p = 1/d, " +
		"unless their name says otherwise. They need the fewest packets of long paths; on the fat tree those of " +
		"Algorithm 1 (appendix A) and of Hybrid (§4.2: τ = 3/4, p = 1/ln d) need fewer, and are curves of their own.",
	"The two maps of internet providers cannot be shipped. --set kdl=FILE and --set uscarrier=FILE take them; " +
		"otherwise generated networks of the same number of nodes, links and diameter stand in, " +
		"under names of their own.",
}

// isPeer reports whether PINT is compared with a curve.
func isPeer(curve string) bool {
	return strings.HasPrefix(curve, "PPM") || strings.HasPrefix(curve, "AMS2")
}

// drawn reports whether a row is a point of a curve of ours.
func (r *Row) drawn() bool { return r.Source == "ours" && r.Group != robust && r.Group != reading }

// table finds rows.
type table []Row

// ours returns the rows of ours of a network, as published or with other candidates and decoders.
func (t table) ours(topology string) table {
	return figure.Pick(t, func(r *Row) bool { return r.drawn() && r.Topology == topology })
}

// at returns the row of a curve of ours at a path length; nil if there is none.
func (t table) at(topology, curve string, hops int) *Row {
	return figure.Find(t.ours(topology), func(r *Row) bool { return r.Curve == curve && r.Hops == hops })
}

// topologies returns the networks in their order.
func (t table) topologies() []string {
	var list []string
	for _, r := range t {
		if r.drawn() && !slices.Contains(list, r.Topology) {
			list = append(list, r.Topology)
		}
	}
	return list
}

// longest returns the longest path of a network.
func (t table) longest(topology string) int {
	most := 0
	for _, r := range t.ours(topology) {
		most = max(most, r.Hops)
	}
	return most
}

// least returns the peer with the smallest average.
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

// beatsPeers checks a curve against the best peer at every length.
func (t table) beatsPeers(curve string) figure.Finding {
	confirmed, contradicted := true, false
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, r := range t {
		if r.Curve != curve || !r.drawn() {
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
	return figure.Judge(curve+" needs fewer packets than PPM and AMS2 on every network and at every path length",
		confirmed && hi > 0, contradicted,
		"the best peer needs %.1f to %.1f times as many", lo, hi)
}

// bestEncoding checks the default τ and p against those that need the fewest packets of a short
// path: the PINT paper prints neither, so that its curves of the fat tree may be of any of
// these.
func (t table) bestEncoding(topology string) figure.Finding {
	hops := t.longest(topology)
	usual, hybrid, layers := t.at(topology, bestPINT, hops), t.at(topology, bestPINT+", Hybrid", hops),
		t.at(topology, bestPINT+", Algorithm 1", hops)
	statement := topology + ": Algorithm 1 and Hybrid need fewer packets than τ = 1/2, p = 1/d"
	if usual == nil || hybrid == nil || layers == nil {
		return figure.Judge(statement, false, false, "no rows")
	}
	most := max(hybrid.Mean+hybrid.Half, layers.Mean+layers.Half)
	least := min(hybrid.Mean-hybrid.Half, layers.Mean-layers.Half)
	return figure.Judge(fmt.Sprintf("%s, %d switches", statement, hops), most < usual.Mean-usual.Half,
		least > usual.Mean+usual.Half,
		"Algorithm 1 (%s) %.2f ± %.2f, Hybrid (%s) %.2f ± %.2f, %s %.2f ± %.2f packets",
		layers.Scheme, layers.Mean, layers.Half, hybrid.Scheme, hybrid.Mean, hybrid.Half, usual.Scheme, usual.Mean,
		usual.Half)
}

// nearLinear compares the packets per switch of the longest path and of the path whose length is nearest to half.
func (t table) nearLinear(topology string) figure.Finding {
	long := t.at(topology, bestPINT, t.longest(topology))
	var half *Row
	for _, r := range t.ours(topology) {
		if r.Group != document || r.Curve != bestPINT || long == nil {
			continue
		}
		if half == nil || math.Abs(float64(2*r.Hops-long.Hops)) < math.Abs(float64(2*half.Hops-long.Hops)) {
			half = &r
		}
	}
	if long == nil || half == nil {
		return figure.Judge(topology+": the number of packets grows near-linearly with the path", false, false,
			"no rows")
	}
	growth := long.Mean / float64(long.Hops) / (half.Mean / float64(half.Hops))
	return figure.Judge(fmt.Sprintf("%s: the packets per switch grow by less than a half from %d to %d switches (%s)",
		topology, half.Hops, long.Hops, bestPINT),
		growth < 1.5, growth >= 1.5, "by a factor of %.2f", growth)
}

// within checks a curve against limits of our own. The 99th percentile of few runs is not judged.
func (t table) within(topology, curve string, mean, p99 float64) figure.Finding {
	r := t.at(topology, curve, t.longest(topology))
	if r == nil {
		return figure.Judge(fmt.Sprintf("%s: %s takes at most %g packets on average", topology, curve, mean), false,
			false, "no rows")
	}
	what := fmt.Sprintf("our own bar, not the PINT paper's: %s, %d switches: %s takes at most %g packets on average",
		topology, r.Hops, curve, mean)
	ok, bad := r.Mean+r.Half <= mean && r.Failed == 0, r.Mean-r.Half > mean || r.Failed > 0
	if !math.IsNaN(p99) {
		what += fmt.Sprintf(" and %g at the 99th percentile", p99)
		ok, bad = ok && r.P99 <= p99 && r.Runs >= 300, bad || r.P99 > p99 && r.Runs >= 300
	}
	return figure.Judge(what, ok, bad, "%.2f ± %.2f, p99 %.0f, over %d runs", r.Mean, r.Half, r.P99, r.Runs).Own()
}

// measured is a number of ours with its 95 % interval.
type measured struct {
	value, lo, hi float64
	runs          int
}

// mean, tail and overall return the average and the 99th percentile of the packets of a row, and the average over path
// lengths.
func (r *Row) mean() measured { return measured{r.Mean, r.Mean - r.Half, r.Mean + r.Half, r.Runs} }
func (r *Row) tail() measured { return measured{r.P99, r.P99Lo, r.P99Hi, r.Runs} }
func (r *Row) overall() measured {
	return measured{r.All, r.All - r.AllHalf, r.All + r.AllHalf, r.Runs}
}

// over returns a ratio, whose interval takes both numbers at their worst.
func (m measured) over(o measured) measured {
	return measured{m.value / o.value, m.lo / o.hi, m.hi / o.lo, m.runs}
}

// peers are the schemes that PINT is compared with; budgets are PINT's, of which the PINT paper prints how many times
// fewer packets they need.
var (
	peers   = []string{"PPM", "AMS2 m=5", "AMS2 m=6"}
	budgets = []string{bestPINT, "PINT b=1"}
)

// ends are those of the printed ranges, which span the peers: of the one that needs the fewest packets, and of the one
// that needs the most.
var ends = []struct {
	name      string
	sign      float64 // of the order of the peers
	published string  // the peer of this end in the published code
	mean, p99 float64
	fewer     [2]float64 // than of each budget
}{
	{"the best peer", 1, "AMS2 m=5", 1000, 3300, [2]float64{25, 7}},
	{"the worst peer", -1, "AMS2 m=6", 1500, 5000, [2]float64{36, 10}},
}

// candidates are the sets of switches that a decoder of the readings can choose from, the program's own first.
var candidates = []struct{ name, suffix string }{
	{"candidates: the true path's switches", ", true path's switches only"}, {"candidates: every switch", ""},
}

// compared compares what the PINT paper prints of paths of 59 switches with our rows of such paths. Other readings of
// the same numbers follow. None is chosen for a row: what is read of a scheme is read of all, with both sets of
// candidates.
func compared(rows []Row) []report.Compared {
	t := table(rows)
	names := t.topologies()
	if len(names) == 0 {
		return nil
	}
	kdl := names[0]
	hops := t.longest(kdl)
	note := printed.String()
	if kdl != realKDL {
		note += ". The PINT paper's numbers are of " + realKDL + ", ours of a network of its size, " + kdl
	}
	note += fmt.Sprintf(". Averages over path lengths are of 2 to %d switches", hops)
	var list []report.Compared
	add := func(what, reading string, published float64, m measured, within figure.Tolerance) {
		list = append(list, figure.Beside(report.Compared{
			Quantity: what, Reading: reading, Published: published, Ours: m.value, Lo: m.lo, Hi: m.hi,
			Over:   figure.Count(m.runs, "run"),
			Source: "PINT §6.3, Fig. 10 (a), (d)", Note: note,
		}, within))
	}
	at := fmt.Sprintf(", %d switches", hops)
	row := func(group, curve string) *Row {
		r := t.at(kdl, curve, hops)
		if group == reading {
			r = figure.Find(t, func(r *Row) bool { return r.Group == reading && r.Curve == curve })
		}
		if r == nil {
			blank := columns.Blank[Row]()
			return &blank
		}
		return r
	}
	average := func(curve string) string { return curve + ": packets on average" }
	tail := func(curve string) string { return curve + ": packets at the 99th percentile" + at }
	fewer := func(peer, curve string) string { return "packets of " + peer + " over those of " + curve }

	// As the PINT paper says.
	best := row(document, bestPINT)
	add(average(bestPINT)+at, "", 42, best.mean(), figure.OpenSetting)
	add(tail(bestPINT), "", 94, best.tail(), figure.OpenSetting)
	// end returns the row of the peer at an end of the ranges, and what to call it.
	end := func(sign float64) (*Row, string) {
		peer := slices.MinFunc(peers,
			func(a, b string) int { return cmp.Compare(sign*row(document, a).Mean, sign*row(document, b).Mean) })
		return row(document, peer), peer
	}
	for _, e := range ends {
		r, peer := end(e.sign)
		peer = e.name + " (" + peer + ")"
		add(average(peer)+at, "", e.mean, r.mean(), figure.OpenSetting)
		add(tail(peer), "", e.p99, r.tail(), figure.OpenSetting)
		for i, b := range budgets {
			add(fewer(peer, b)+at, "", e.fewer[i], r.mean().over(row(document, b).mean()), figure.OpenSetting)
		}
	}

	// The program that the PINT paper describes, with other candidates and averaged over path lengths.
	easy := row(easier, bestPINT+candidates[0].suffix)
	add(average(bestPINT)+at, candidates[0].name, 42, easy.mean(), figure.OpenSetting)
	add(tail(bestPINT), candidates[0].name, 94, easy.tail(), figure.OpenSetting)
	const lengths = "over path lengths"
	for _, c := range candidates {
		add(average(bestPINT), lengths+", "+c.name, 42, row(reading, bestPINT+c.suffix).overall(), figure.OpenSetting)
	}
	for _, e := range ends {
		_, peer := end(e.sign)
		add(average(e.name+" ("+peer+")"), lengths, e.mean, row(reading, peer).overall(), figure.OpenSetting)
	}

	// The decoder and the AMS2 of the program that its authors published.
	const code, suffix = "the published code", ", published code"
	for _, c := range candidates {
		r := row(reading, bestPINT+c.suffix+suffix)
		add(average(bestPINT), code+" "+lengths+", "+c.name, 42, r.overall(), figure.Digits(1))
		add(tail(bestPINT), code+", "+c.name, 94, r.tail(), figure.Digits(1))
	}
	for _, e := range ends {
		r := row(reading, e.published+suffix)
		add(average(e.published), code+" "+lengths, e.mean, r.overall(), figure.Digits(100))
		add(tail(e.published), code, e.p99, r.tail(), figure.Digits(100))
		for i, b := range budgets {
			for _, c := range candidates {
				pint := row(reading, b+c.suffix+suffix)
				add(fewer(e.published, b), code+" "+lengths+", "+c.name, e.fewer[i], r.overall().over(pint.overall()),
					figure.Digits(1))
			}
		}
	}
	return list
}

// Row is a line of rows.csv: a curve at a path length.
type Row struct {
	Source string `col:"source"` // ours or published
	// published, easier, ours: whose curve it is; reading: what the printed numbers can come from; robust: what loss,
	// repeated identifiers and reordering do
	Group    string  `col:"group"`
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
	// of a reading: Mean, averaged over path lengths from 2 switches to the longest
	All     float64 `col:"all_mean" unit:"packets"`
	AllHalf float64 `col:"all_half_width" unit:"packets"`
	Wrong   float64 `col:"wrong" unit:"switches"` // hops of a path that are wrong in the end, on average
	Runs    int     `col:"runs"`
	Failed  int     `col:"failed"` // runs that gave up
	Switch  string  `col:"switch"` // whether a switch can compute it
}

// The groups of curves.
const (
	document = "published"
	easier   = "easier"
	beyond   = "ours"
	reading  = "reading"
	robust   = "robust"
)

// limit is the number of packets after which a run gives up.
const limit = 100_000

// study is one call of pint.PathStudy.
type study struct {
	pint.PathStudy
	group   map[string]string // by curve
	average bool              // over the lengths: a row for each curve, of the longest paths
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
			r := rowOf(&got[i], &s)
			if s.average {
				if r.Hops < s.Lengths[len(s.Lengths)-1] {
					continue
				}
				r.average(got[i+1-len(s.Lengths) : i+1])
			}
			rows = append(rows, r)
		}
	}
	j.Footnote("%d runs for each point; a random shortest path in each; bars: 95 %% intervals of the mean", z.runs)
	j.Setting("candidates", "", "every switch of the network, unless the curve says otherwise; "+
		"the path length is known from the TTL")
	j.Setting("peers", "PINT §6.3", "16 bits on each packet, with reservoir sampling")
	return append(rows, published()...), nil
}

// studies lists the measurements on a network: all curves at all lengths, and on the first
// network loss, identifiers of few bits and reordering.
func (n *network) studies(z scale, j *figure.Job) ([]study, error) {
	m, err := trace.NewMap(n.graph, nil)
	if err != nil {
		return nil, fmt.Errorf("%s (%s): %w", n.name, n.source, err)
	}
	ends := trace.HostSwitches(n.graph)
	at := lengths(m, ends, z.steps)
	j.Setting(n.name, "PINT §6.3", "%s: %d switches, %d links, paths of up to %d switches; d = %d", n.source, m.Len(),
		m.Links(), at[len(at)-1], n.d)
	s := study{
		PathStudy: pint.PathStudy{
			Topology: n.name, Map: m, Ends: ends, Lengths: at,
			Trials: pint.Trials{Seed: j.Seed, Runs: z.runs, Workers: j.Campaign.Workers, Limit: limit},
		},
		group: map[string]string{},
	}
	for _, c := range pint.PublishedCurves(n.d) {
		s.Curves = append(s.Curves, c)
		s.group[c.Label] = document
		if c.Method == pint.TruePath {
			s.group[c.Label] = easier
		}
	}
	// The decoder that knows the network on the PINT paper's encoding: at the end alone, for
	// it is the slowest of all.
	last := s
	last.Lengths, last.Curves, last.group = at[len(at)-1:], nil, map[string]string{}
	for _, c := range pint.OurCurves(m, n.d, at[len(at)-1]) {
		to := &s
		if c.Method == pint.TopologyAware && strings.HasSuffix(c.Label, "published encoding") {
			to = &last
		}
		to.Curves = append(to.Curves, c)
		to.group[c.Label] = beyond
	}
	list := []study{s, last}
	if n.key != "kdl" {
		return list, nil
	}
	r := study{PathStudy: s.PathStudy, group: map[string]string{}, average: true}
	r.Lengths = nil
	for l := at[len(at)-1]; l >= 2; l -= z.stride {
		r.Lengths = append([]int{l}, r.Lengths...)
	}
	r.Trials.Runs = min(r.Trials.Runs, readingRuns)
	r.Curves = pint.Readings(n.d)
	for _, c := range r.Curves {
		r.group[c.Label] = reading
	}
	list = append(list, r)
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

// sturdy lists the curves that are measured under loss, repeated identifiers and reordering.
var sturdy = []string{bestPINT, bestLinear, bestTopology}

// The curves of 2×(b=8).
const (
	bestPINT     = "PINT 2×(b=8)"
	bestLinear   = "linear 2×(b=8)"
	bestTopology = "topology 2×(b=8)"
)

func rowOf(r *pint.PathRow, s *study) Row {
	lo, hi := r.Packets.QuantileInterval(0.99)
	return Row{
		Source: "ours", Group: s.group[r.Curve], Topology: r.Topology, Curve: r.Curve, Method: r.Method,
		Scheme: r.Scheme,
		Tau:    r.Tau, P: r.P, Bits: r.Bits, Hops: r.Hops, Loss: s.Loss, IDBits: s.IDBits, Reorder: s.Reorder,
		Mean: r.Mean, Half: r.HalfWidth, P50: count(r.P50), P99: count(r.P99), P99Lo: count(lo), P99Hi: count(hi),
		Max: count(r.Max),
		All: math.NaN(), AllHalf: math.NaN(), Wrong: r.Wrong, Runs: r.Runs, Failed: r.Failed, Switch: r.Switch,
	}
}

// average sets All of a row from the points of its curve.
func (r *Row) average(points []pint.PathRow) {
	r.All, r.AllHalf = 0, 0
	for _, p := range points {
		r.All += p.Mean / float64(len(points))
		r.AllHalf = math.Hypot(r.AllHalf, p.HalfWidth/float64(len(points)))
	}
}

// count returns a number of packets; NaN if too many runs gave up to know it.
func count(n int) float64 {
	if n < 0 {
		return math.NaN()
	}
	return float64(n)
}

// published returns the numbers that the PINT paper prints (§6.3). They are of the real map.
func published() []Row {
	r := columns.Blank[Row]()
	r.Source, r.Group, r.Topology, r.Curve, r.Bits, r.Hops, r.Mean, r.P99, r.Runs = "published", document, realKDL,
		bestPINT, 16, 59, 42, 94, 10_000
	r.Loss = 0
	return []Row{r}
}

func tables(rows []Row) []figure.Table {
	t := table(rows)
	var list []figure.Table
	for _, n := range t.topologies() {
		hops := t.longest(n)
		list = append(list, figure.Show(fmt.Sprintf("%s, paths of %d switches", n, hops),
			figure.Pick(t.ours(n), func(r *Row) bool { return r.Hops == hops }),
			"curve", "scheme", "bits", "mean", "±:=half_width", "p99", "max", "failed",
			"can a switch compute it?=switch"))
	}
	list = append(list, figure.Show("What the printed numbers can come from: longest paths, "+
		"and the average over path lengths from 2 switches on",
		figure.Pick(t, func(r *Row) bool { return r.Group == reading }), "curve", "scheme", "mean", "±:=half_width",
		"p99",
		"over lengths=all_mean", "± over lengths=all_half_width", "wrong hops=wrong"))
	return append(list, figure.Show("Packets that are lost, repeat an identifier or arrive late, longest paths of "+
		t.topologies()[0]+
		"; packets are counted at the source when the path is known",
		figure.Pick(t, func(r *Row) bool { return r.Group == robust }),
		"curve", figure.Text("lost", func(r Row) string { return fmt.Sprintf("%g %%", 100*r.Loss) }),
		figure.Text("identifiers", func(r Row) string {
			if r.IDBits > 0 {
				return fmt.Sprintf("%d bits, at random", r.IDBits)
			}
			return "never repeat"
		}), "overtaken by up to:packets=reorder", "mean", "±:=half_width", "p99", "failed"))
}

func draw(rows []Row) ([]figure.Drawing, error) {
	t := table(rows)
	var list []figure.Drawing
	for _, d := range []struct {
		name, title, caption string
		keep                 func(*Row) bool
	}{
		{"fig10", "Fig. 10: packets until the path is known",
			"Average (a)–(c) and 99th percentile (d)–(f) of the packets until a path is known, by its length; " +
				"every switch of the network is a candidate.",
			func(r *Row) bool { return r.Group == document }},
		{"easier", "What the candidates are",
			"PINT's curves with every switch of the network as a candidate, and with the switches of the true path " +
				"alone, which no collector knows.",
			func(r *Row) bool { return (r.Group == document || r.Group == easier) && !isPeer(r.Curve) }},
		{"beyond", "A linear hash and a decoder that knows the network",
			"The same bits on each packet with a linear hash, and with a decoder that knows which switches are " +
				"neighbours, beside PINT's own.",
			func(r *Row) bool {
				return r.Group == beyond && !strings.HasSuffix(r.Curve, "published encoding") || r.Curve == bestPINT &&
					r.Group == document
			}},
	} {
		list = append(list, figure.Drawing{Name: d.name, Title: d.title, Caption: d.caption, Plot: t.panels(d.keep)})
	}
	return list, nil
}

// panels draws the averages above the 99th percentiles.
func (t table) panels(keep func(*Row) bool) plots.Figure {
	var points []plots.Point
	letter := 'a'
	for _, p99 := range []bool{false, true} {
		for _, n := range t.topologies() {
			name := fmt.Sprintf("(%c) %s, %s", letter, n, map[bool]string{false: "average", true: "p99"}[p99])
			letter++
			for _, r := range figure.Pick(t, func(r *Row) bool { return r.Topology == n && keep(r) }) {
				p := plots.Point{
					Panel: name, Series: r.Curve, Published: r.Source == "published",
					X: float64(r.Hops), Y: r.Mean, Lo: columns.Round(r.Mean - r.Half),
					Hi: columns.Round(r.Mean + r.Half),
				}
				if p99 {
					p.Y, p.Lo, p.Hi = r.P99, r.P99, r.P99
				}
				points = append(points, p)
			}
		}
	}
	return plots.Figure{Panels: plots.Panels(points, plots.Line,
		plots.Axis{Label: "Path length (hops)", Scale: plots.Linear, Whole: true},
		plots.Axis{Label: "Packets to decode", Scale: plots.Log, Min: plots.At(1)})}
}

// scale holds what the figure runs at one scale.
type scale struct {
	runs  int
	steps int // path lengths on the networks of internet providers, the longest one included
	rough []rough

	stride int // between the path lengths of readings
}

// rough describes the faults of delivery. A share of the packets is lost. Identifiers are drawn at random from this
// many bits; with 0 bits none repeats. A packet may arrive after up to this many packets that were sent later.
type rough struct {
	loss    float64
	idBits  int
	reorder int
}

var scales = map[figure.Scale]scale{
	figure.Smoke:  {10, 2, []rough{{0.1, 8, 4}}, 19},
	figure.Laptop: {1000, 5, []rough{{loss: 0.01}, {loss: 0.1}, {idBits: 16}, {idBits: 8}, {reorder: 8}}, 3},
	figure.Paper:  {10_000, 5, []rough{{loss: 0.01}, {loss: 0.1}, {idBits: 16}, {idBits: 8}, {reorder: 8}}, 3},
}

// readingRuns is the most runs of a reading at a path length.
const readingRuns = 1000

// roughRuns is the largest number of runs with faults of delivery.
const roughRuns = 2000

func (z scale) String() string {
	return fmt.Sprintf("%d runs for each curve and path length, %d lengths on the two large networks, "+
		"all on the fat tree", z.runs, z.steps)
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

// networks returns the networks of the PINT paper. Maps that the job names replace the generated ones.
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
			return nil, fmt.Errorf("--set %s: has no effect on this figure (accepted: kdl=FILE, "+
				"uscarrier=FILE with a map in GML or GraphML)", s)
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
	for i, c := range []interface{ Build() (*topo.Graph, error) }{topo.DefaultISP(), topo.USCarrierISP(),
		topo.Default[topo.KAry]()} {
		if list[i].graph != nil {
			continue
		}
		var err error
		if list[i].graph, err = c.Build(); err != nil {
			return nil, err
		}
		if list[i].source = "generated"; list[i].key != "" {
			// Results of a generated map are not results of the published one.
			list[i].name = fmt.Sprintf("generated, %d switches", len(list[i].graph.Nodes))
		}
	}
	return list, nil
}

// lengths returns path lengths of a network: all if there are at most eight, else steps of them, evenly spaced up to
// the longest.
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
