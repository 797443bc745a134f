package pint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pintlab/experiments/results/columns"
	"pintlab/internal/lists"
	"pintlab/internal/number"
)

// Reasons to exclude flows.
const (
	notStarted = "that start after the end of the run"
	rerouted   = "with a change of path (pintlab pint routechange follows them)"
)

// leftOut prints how many things an answer excludes, and why.
func leftOut(t *columns.Text, n int64, thing, why string) {
	if n > 0 {
		t.Printf("left out: %s %s\n", number.Count(int(n), thing), why)
	}
}

// Text prints the share of known paths.
func (a *FlowsAnswer) Text() (string, error) {
	var t columns.Text
	t.Printf("%s: %s, %s on a packet; lo to hi is the 95 %% interval of the share\n", a.Scenario,
		number.Count(a.Flows, "flow"), number.Count(a.Bits, "bit"))
	leftOut(&t, a.NotStarted, "flow", notStarted)
	leftOut(&t, int64(a.Rerouted), "flow", rerouted+", or a loop")
	t.Rows(a.Rows)
	return t.Done()
}

// Text prints the changes of paths, and the flows with several paths that a checksum with the given number of bits
// keeps separate.
func (a *RouteAnswer) Text(checksum int) (string, error) {
	var t columns.Text
	t.Printf("%s: %s, %s, %s\n", a.Scenario, number.Count(a.Flows, "flow"), number.Count(a.Packets, "packet"),
		number.Count(a.FalseAlarms, "false alarm"))
	leftOut(&t, a.NotStarted, "flow", notStarted)
	leftOut(&t, int64(a.Long), "packet", "over more than 64 switches")
	t.Printf("\nChanges of path, and packets until they are noticed\n")
	t.Rows(a.Changes)
	t.Printf("\nFlows that used several paths, separated by a checksum of %s\n", number.Count(checksum, "bit"))
	t.Rows(a.Several)
	if len(a.Systems) > 0 {
		t.Printf("\nPaths of flows by PINT and by the monitors\n")
		t.Rows(a.Systems)
		t.Printf("\nChanges of path: packets until a system notices a change (if it knew the old path), and until " +
			"it knows the new path\n")
		t.Rows(a.Reroutings)
	}
	return t.Done()
}

// Text prints a line for each detector.
func (a *LoopAnswer) Text() (string, error) {
	var t columns.Text
	t.Printf("No loop: %s over %s. Loop of %s after %s, TTL %d:\n", number.Count(a.Packets, "packet"),
		number.Count(a.Hops, "switch"), number.Count(a.Ring, "switch"), number.Count(a.Prefix, "other"), a.TTL)
	t.Rows(a.Rows)
	return t.Done()
}

// Text prints the true latencies and the estimates that answer a question.
func (a *QuantilesAnswer) Text(q *Quantiles) (string, error) {
	var t columns.Text
	t.Printf("%s: %s of %s or more\n", a.Scenario, number.Count(a.Flows, "flow"), number.Count(q.Packets[0], "packet"))
	leftOut(&t, a.NotStarted, "flow", notStarted)
	leftOut(&t, int64(a.Rerouted), "flow", rerouted)
	t.Printf("\nTrue latencies\n")
	t.Rows(a.Hops)
	t.Printf("\nEstimates from digests; the rank error stays below its bound (Theorem 1) plus the width of a code, " +
		"except at one hop in ten\n")
	t.Rows(a.Rows)
	t.Printf("\nCodes of a share of %g or more, of flows of %s or more; the bound is from Theorem 2\n", q.Theta,
		number.Count(slices.Max(q.Packets), "packet"))
	t.Rows(a.Frequent)
	return t.Done()
}

// Text prints the packets that each method needs for flows with the given number of paths.
func (a *Answer) Text(paths int) (string, error) {
	var t columns.Text
	t.Printf("%s: %s, %s, paths of up to %s\n\n", a.Map, number.Count(a.Switches, "switch"),
		number.Count(a.Links, "link"), number.Count(a.Longest, "switch"))
	t.Rows(a.Rows)
	if len(a.Flowlets) > 0 {
		t.Printf("\n")
		t.Rows(a.Flowlets)
	}
	found := paths * lists.Sum(a.Rows, func(r Path) int { return r.Runs - r.Failed })
	if len(a.Wrong) > 0 {
		wrong := lists.Sum(a.Wrong, func(w Wrong) int { return w.Wrong })
		t.Printf("\nof %s that were found, %d %s wrong\n", number.Count(found, "path"), wrong,
			number.Plural(wrong, "is", "are"))
		t.Rows(a.Wrong)
	} else {
		t.Printf("\n%s", number.Plural(found, "The only path found is the true one",
			fmt.Sprintf("All %d paths found are the true ones", found)))
	}
	// The rule of three: (1 − 3/n)^n is at most e^-3 < 0.05.
	if found >= 30 && len(a.Wrong) == 0 {
		t.Printf(": with 95 %% confidence fewer than 1 in %d is wrong", found/3)
	}
	t.Printf("\nrows, drawing  %s\n", a.Dir)
	return t.Done()
}

// Text prints the published and the best encoding, and how other commands and files state the best one.
func (a *TunedAnswer) Text() (string, error) {
	var t columns.Text
	t.Printf("%s: paths of %s switches, %s on a packet; %s measured\n", a.Map, strings.Join(lists.Map(a.Hops,
		strconv.Itoa), " and "), number.Count(a.Bits, "bit"), number.Count(a.Evaluations, "encoding"))
	t.Rows(a.Rows)
	best := a.Rows[len(a.Rows)-1]
	if len(a.tuned.XOR) == 1 {
		t.Printf("\nin pint trace    --methods %s --instances %d --bits %d --tau %.3g --p %.3g\n",
			a.Method, best.Instances, best.Bits, a.tuned.Tau, a.tuned.XOR[0])
	} else {
		t.Printf("\nin pint trace    not available: it has one XOR layer\n")
	}
	t.Printf("in a query file  bits: %d, hashes: %d; τ and p cannot be written: "+
		"a plan uses the values of the hybrid scheme\n", best.Instances*best.Bits, best.Instances)
	return t.Done()
}
