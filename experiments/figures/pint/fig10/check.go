package fig10

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"pintlab/experiments/figures/figure"
	"pintlab/plots/report"
)

// peers are the curves that PINT is held against.
func isPeer(curve string) bool {
	return strings.HasPrefix(curve, "PPM") || strings.HasPrefix(curve, "AMS2")
}

// table finds rows.
type table []Row

// at is the row of a curve of ours at a path length; nil if there is none.
func (t table) at(topology, curve string, hops int) *Row {
	for i := range t {
		if r := &t[i]; r.Source == "ours" && r.Group != robust && r.Topology == topology && r.Curve == curve && r.Hops == hops {
			return r
		}
	}
	return nil
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
	for _, r := range t {
		if r.Source == "ours" && r.Topology == topology {
			most = max(most, r.Hops)
		}
	}
	return most
}

// least is the peer with the smallest average.
func (t table) least(topology string, hops int) *Row {
	var best *Row
	for i := range t {
		r := &t[i]
		if r.Source == "ours" && isPeer(r.Curve) && r.Topology == topology && r.Hops == hops && (best == nil || r.Mean < best.Mean) {
			best = r
		}
	}
	return best
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
	for i := range t {
		r := &t[i]
		if long != nil && r.Source == "ours" && r.Group == document && r.Topology == topology && r.Curve == bestPINT &&
			(half == nil || math.Abs(float64(2*r.Hops-long.Hops)) < math.Abs(float64(2*half.Hops-long.Hops))) {
			half = r
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
	return figure.Judge(what, ok, bad, "%.2f ± %.2f, p99 %.0f, over %d runs", r.Mean, r.Half, r.P99, r.Runs)
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
		where = "; the PINT paper's are of " + realKDL + ", ours of a network of its size, " + kdl
	}
	hops := t.longest(kdl)
	var list []report.Compared
	add := func(what string, published, ours, half float64, note string) {
		list = append(list, figure.Beside(report.Compared{
			Quantity: fmt.Sprintf("%s, %d switches", what, hops), Published: published, Ours: ours, Lo: ours - half, Hi: ours + half, Source: source, Note: note + where,
		}))
	}
	for _, c := range []struct{ curve, note string }{
		{bestPINT, "candidates: every switch of the network"},
		{bestPINT + ", true path's switches only", "candidates: the switches of the true path, as in the artifact"},
		{bestTopology, "the decoder knows the network"},
	} {
		if r := t.at(kdl, c.curve, hops); r != nil {
			add(c.curve+": packets on average", 42, r.Mean, r.Half, c.note)
			add(c.curve+": packets at the 99th percentile", 94, r.P99, 0, c.note)
		}
	}
	// "25–36 times fewer packets", "7–10 times fewer": the middle of the range, with the
	// range in the note.
	peer := t.least(kdl, hops)
	for _, c := range []struct {
		curve string
		value float64
		note  string
	}{{bestPINT, 30.5, "published as 25–36 times"}, {"PINT b=1", 8.5, "published as 7–10 times"}} {
		if r := t.at(kdl, c.curve, hops); r != nil && peer != nil {
			add(fmt.Sprintf("packets of the best peer (%s) over those of %s", peer.Curve, c.curve), c.value, peer.Mean/r.Mean, 0, c.note)
		}
	}
	return list
}
