package fig10

import (
	"cmp"
	_ "embed" // for known.csv
	"fmt"
	"math"
	"slices"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/results/columns"
	"pintlab/plots/report"
)

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
