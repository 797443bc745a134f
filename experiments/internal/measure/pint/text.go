package pint

import (
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
	t.Printf("%s: %d flows, %d bits on a packet; lo to hi is the 95 %% interval of the share\n",
		a.Scenario, a.Flows, a.Bits)
	leftOut(&t, a.NotStarted, "flow", notStarted)
	leftOut(&t, int64(a.Rerouted), "flow", rerouted+", or a loop")
	t.Rows(a.Rows)
	return t.Done()
}

// Text prints the changes of paths, and the flows with several paths that a checksum with the given number of bits
// keeps separate.
func (a *RouteAnswer) Text(checksum int) (string, error) {
	var t columns.Text
	t.Printf("%s: %d flows, %d packets, %d false alarms\n", a.Scenario, a.Flows, a.Packets, a.FalseAlarms)
	leftOut(&t, a.NotStarted, "flow", notStarted)
	leftOut(&t, int64(a.Long), "packet", "over more than 64 switches")
	t.Printf("\nChanges of path, and packets until they are noticed\n")
	t.Rows(a.Changes)
	t.Printf("\nFlows that used several paths, separated by a checksum of %d bits\n", checksum)
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
	t.Printf("No loop: %d packets over %d switches. Loop of %d switches after %d others, TTL %d:\n",
		a.Packets, a.Hops, a.Ring, a.Prefix, a.TTL)
	t.Rows(a.Rows)
	return t.Done()
}

// Text prints the true latencies and the estimates that answer a question.
func (a *QuantilesAnswer) Text(q *Quantiles) (string, error) {
	var t columns.Text
	t.Printf("%s: %d flows of %d packets or more\n", a.Scenario, a.Flows, q.Packets[0])
	leftOut(&t, a.NotStarted, "flow", notStarted)
	leftOut(&t, int64(a.Rerouted), "flow", rerouted)
	t.Printf("\nTrue latencies\n")
	t.Rows(a.Hops)
	t.Printf("\nEstimates from digests; the rank error stays below its bound (Theorem 1) plus the width of a code, " +
		"except at one hop in ten\n")
	t.Rows(a.Rows)
	t.Printf("\nCodes of a share of %g or more, of flows of %d packets or more; the bound is from Theorem 2\n",
		q.Theta, slices.Max(q.Packets))
	t.Rows(a.Frequent)
	return t.Done()
}

// Text prints the packets that each method needs for flows with the given number of paths.
func (a *Answer) Text(paths int) (string, error) {
	var t columns.Text
	t.Printf("%s: %d switches, %d links, paths of up to %d switches\n\n", a.Map, a.Switches, a.Links, a.Longest)
	t.Rows(a.Rows)
	if len(a.Flowlets) > 0 {
		t.Printf("\n")
		t.Rows(a.Flowlets)
	}
	found := paths * lists.Sum(a.Rows, func(r Path) int { return r.Runs - r.Failed })
	if len(a.Wrong) > 0 {
		t.Printf("\n%d of %d paths found are wrong\n", lists.Sum(a.Wrong, func(w Wrong) int { return w.Wrong }), found)
		t.Rows(a.Wrong)
	} else {
		t.Printf("\nAll %d paths found are the true ones", found)
	}
	// The rule of three: (1 − 3/n)^n is at most e^-3 < 0.05.
	if found >= 30 && len(a.Wrong) == 0 {
		t.Printf(": with 95 %% confidence fewer than 1 in %d is wrong", found/3)
	}
	t.Printf("\nrows, drawing  %s\n", a.Dir)
	return t.Done()
}

// Text prints the published and the best encoding.
func (a *TunedAnswer) Text() (string, error) {
	var t columns.Text
	t.Printf("%s: paths of %s switches, %d bits on a packet; %d encodings measured\n",
		a.Map, strings.Join(lists.Map(a.Hops, strconv.Itoa), " and "), a.Bits, a.Evaluations)
	t.Rows(a.Rows)
	return t.Done()
}
