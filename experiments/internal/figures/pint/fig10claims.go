package pint

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/internal/lists"
	"pintlab/plots/report"
)

// isPeer reports whether a curve belongs to a peer, a scheme with which the paper compares PINT.
func isPeer(curve string) bool {
	return strings.HasPrefix(curve, "PPM") || strings.HasPrefix(curve, "AMS2")
}

// drawn reports whether a row is a point of one of our curves.
func (r *pathRow) drawn() bool { return r.Source == "ours" && r.Group != robust && r.Group != reading }

// pathRows finds rows.
type pathRows []pathRow

// ours returns the rows of our curves on a network: the curves of the paper, and our variants with other candidates
// or decoders.
func (t pathRows) ours(topology string) pathRows {
	return figure.Pick(t, func(r *pathRow) bool { return r.drawn() && r.Topology == topology })
}

// at returns the row of one of our curves at a path length, or nil.
func (t pathRows) at(topology, curve string, hops int) *pathRow {
	return figure.Find(t.ours(topology), func(r *pathRow) bool { return r.Curve == curve && r.Hops == hops })
}

// topologies returns the networks in the order of the rows.
func (t pathRows) topologies() []string {
	return lists.Distinct(figure.Pick(t, (*pathRow).drawn), func(r pathRow) string { return r.Topology })
}

// longest returns the length of the longest path of a network.
func (t pathRows) longest(topology string) int {
	most := 0
	for _, r := range t.ours(topology) {
		most = max(most, r.Hops)
	}
	return most
}

// peer returns the row of the peer with the smallest average number of packets (sign 1) or with the largest (sign
// −1).
func (t pathRows) peer(topology string, hops int, sign float64) *pathRow {
	peers := figure.Pick(t.ours(topology), func(r *pathRow) bool { return isPeer(r.Curve) && r.Hops == hops })
	if len(peers) == 0 {
		return nil
	}
	best := slices.MinFunc(peers, func(a, b pathRow) int { return cmp.Compare(sign*a.Mean, sign*b.Mean) })
	return &best
}

func checkPaths(rows []pathRow) []figure.Finding {
	t := pathRows(rows)
	list := []figure.Finding{
		t.beatsPeers(bestPINT), t.beatsPeers("PINT b=4"),
		t.beatsPeers("PINT b=1").Because("one bit").By(report.NothingKnown),
	}
	names := t.topologies()
	if len(names) == 0 {
		return list
	}
	for _, n := range names[:min(2, len(names))] {
		list = append(list, t.nearLinear(n))
	}
	kdl := names[0]
	list = append(list, t.bestEncoding(names[len(names)-1]))
	// Verdicts about limits that we have set ourselves come last.
	return append(list,
		t.within(kdl, bestLinear, 40, 45), t.within(kdl, bestTopology, 8, 18),
		t.within(kdl, "topology b=4", 28, math.NaN()), t.within(kdl, "topology b=1", 100, math.NaN()))
}

// beatsPeers judges whether a curve is below the best peer on every network and at every length.
func (t pathRows) beatsPeers(curve string) figure.Finding {
	confirmed, contradicted := true, false
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, r := range t {
		if r.Curve != curve || !r.drawn() {
			continue
		}
		peer := t.peer(r.Topology, r.Hops, 1)
		if peer == nil {
			return figure.Judge(curve+" needs fewer packets than PPM and AMS2", false, false, "no rows of PPM and AMS2")
		}
		lo, hi = math.Min(lo, peer.Mean/r.Mean), math.Max(hi, peer.Mean/r.Mean)
		confirmed = confirmed && r.mean().Under(1, peer.mean())
		contradicted = contradicted || peer.mean().Under(1, r.mean())
	}
	return figure.Judge(curve+" needs fewer packets than PPM and AMS2 on every network and at every path length",
		confirmed && hi > 0, contradicted,
		"the best peer needs %.1f to %.1f times as many", lo, hi)
}

// bestEncoding compares the default τ and p with the values that need the fewest packets for a short path. The PINT
// paper does not print τ and p, so its curves for the fat tree may have any of these values.
func (t pathRows) bestEncoding(topology string) figure.Finding {
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

// nearLinear compares the packets per switch on the longest path and on the path whose length is nearest to half of
// the longest.
func (t pathRows) nearLinear(topology string) figure.Finding {
	long := t.at(topology, bestPINT, t.longest(topology))
	var half *pathRow
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

// within compares a curve with limits that we have set. It judges the 99th percentile only if there are at least 300
// runs.
func (t pathRows) within(topology, curve string, mean, p99 float64) figure.Finding {
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
		ok, bad = ok && r.P99.Value <= p99 && r.Runs >= 300, bad || r.P99.Value > p99 && r.Runs >= 300
	}
	return figure.Judge(what, ok, bad, "%.2f ± %.2f, p99 %.0f, over %d runs", r.Mean, r.Half, r.P99.Value, r.Runs).Own()
}

// Names of the ends of the printed ranges. A range extends from the peer that needs the fewest packets to the peer
// that needs the most.
const bestPeer, worstPeer = "the best peer", "the worst peer"

// read returns our row for a printed number. `curve` is the name of a curve in the group, or bestPeer or worstPeer.
func (t pathRows) read(topology, group, curve string) *pathRow {
	hops := t.longest(topology)
	var r *pathRow
	switch {
	case curve == bestPeer || curve == worstPeer:
		sign := map[string]float64{bestPeer: 1, worstPeer: -1}[curve]
		if r = t.peer(topology, hops, sign); r != nil && group == reading {
			return t.read(topology, group, r.Curve)
		}
	case group == reading:
		r = figure.Find(t, func(r *pathRow) bool { return r.Group == reading && r.Curve == curve })
	default:
		r = t.at(topology, curve, hops)
	}
	if r == nil {
		blank := columns.Blank[pathRow]()
		return &blank
	}
	return r
}

// oursOf returns a function that finds our number for a printed number. Panel of the printed number names the group
// of rows. If Against is set, our number is a ratio. If there are no rows, nothing is compared.
func oursOf(of func(*pathRow) stats.Number) figure.Ours[pathRow] {
	return func(rows []pathRow, p *figure.Published, c *report.Compared) stats.Number {
		t := pathRows(rows)
		names := t.topologies()
		if len(names) == 0 {
			c.Quantity = ""
			return stats.None()
		}
		if names[0] != realKDL {
			c.Note += ". The PINT paper's numbers are of " + realKDL + ", ours of a network of its size, " + names[0]
		}
		c.Note += fmt.Sprintf(". Averages over path lengths are of 2 to %d switches", t.longest(names[0]))
		r := t.read(names[0], p.Panel, p.Scheme)
		c.Over = figure.Count(r.Runs, "run")
		if p.Scheme == bestPeer || p.Scheme == worstPeer {
			c.Quantity = strings.Replace(c.Quantity, " peer", " peer ("+r.Curve+")", 1)
		}
		if p.Against == "" {
			return of(r)
		}
		return of(r).Ratio(of(t.read(names[0], p.Panel, p.Against)))
	}
}

// longestOf is like oursOf, for a number at the longest path. It adds the length of this path to the name of the
// quantity.
func longestOf(of func(*pathRow) stats.Number) figure.Ours[pathRow] {
	ours := oursOf(of)
	return func(rows []pathRow, p *figure.Published, c *report.Compared) stats.Number {
		n, t := ours(rows, p, c), pathRows(rows)
		if c.Quantity != "" {
			c.Quantity += fmt.Sprintf(", %d switches", t.longest(t.topologies()[0]))
		}
		return n
	}
}
