package sim

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pintlab/experiments/scenario"
	"pintlab/netsim/unit"
)

// Four hosts of one leaf send to hosts of another over two spines, and a link to a spine breaks meanwhile. The table
// lists the flows that used this spine: they move and resend lost packets, as their records show. The notes have the
// same numbers, for any number of workers.
func TestAccountOfALinkFailure(t *testing.T) {
	const text = `topology: {kind: leafspine, leaves: 2, spines: 2, hosts_per_leaf: 4,
  host_rate: 100Gbps, fabric_rate: 100Gbps}
workload: [{kind: list, flows: [{src: 0, dst: 4, size: 5MB}, {src: 1, dst: 5, size: 5MB},
  {src: 2, dst: 6, size: 5MB}, {src: 3, dst: 7, size: 5MB}]}]
`
	sc, err := scenario.Parse([]byte(text+"faults: [{kind: link-down, a: 8, b: 10, at: 200us}]\n"), "test")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), sc, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Faults == nil || len(r.Faults.Rows) == 0 || len(r.Faults.Rows) == 4 {
		t.Fatalf("the link should be on the way of some flows and not of all: %+v", r.Faults)
	}
	resent, moved := map[string]string{}, 0
	for _, row := range r.Faults.Rows {
		resent[row[3]] = row[8]
		if row[6] == "true" {
			moved++
		}
	}
	again := 0
	for f := range r.Flows.All() {
		if n, ok := resent[fmt.Sprint(f.ID)]; ok && n != fmt.Sprint(f.Retransmitted) || !ok && f.Retransmitted > 0 {
			t.Errorf("flow %d sent %d packets again, the table has %s", f.ID, f.Retransmitted, n)
		}
		again += int(f.Retransmitted)
	}
	if again == 0 || moved != len(r.Faults.Rows) {
		t.Errorf("%d packets sent again, %d of %d flows moved", again, moved, len(r.Faults.Rows))
	}
	words := strings.Join(r.Outcomes, "\n")
	for _, want := range []string{
		fmt.Sprintf("faults.0 (link-down, leaf0 to spine0) at 200us: %d of 4 flows under way were on its path; "+
			"%d took another path", moved, moved),
		fmt.Sprintf("sent %d packets again", again), "µs later than at their pace before the fault",
		"lost on links that were down", "busiest ports (mean utilisation): ",
	} {
		if !strings.Contains(words, want) {
			t.Errorf("no %q in\n%s", want, words)
		}
	}
	sc.Run.Workers = 3
	if many, err := Run(t.Context(), sc, Options{}); err != nil || !slices.Equal(many.Outcomes, r.Outcomes) {
		t.Errorf("on 3 workers, %v:\n%s", err, strings.Join(many.Outcomes, "\n"))
	}
	// Before the first flow there is nothing to report; with spraying there is no path to compare.
	for change, want := range map[string]string{
		"faults.0.at=0s": "faults.0 (link-down, leaf0 to spine0) at 0s: 0 of 0 flows under way were on its path",
		"cc.kind=ndp":    "faults.0 (link-down, leaf0 to spine0) at 200us: 4 of 4 flows under way could meet it;",
	} {
		changed, err := sc.With(change)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := Run(t.Context(), changed, Options{}); err != nil || !strings.HasPrefix(r.Outcomes[0], want) ||
			strings.Contains(r.Outcomes[0], "took another path") {
			t.Errorf("%s, %v: %q, want %s", change, err, r.Outcomes, want)
		}
	}
}

// Ports count lost packets by cause. The sums over the ports equal the counters of the run.
func TestEveryLossHasAPlace(t *testing.T) {
	for _, lines := range []string{
		"network: {port_limit: 20KB, pfc: {enabled: false}}\ncc: {kind: reno}\ntelemetry: {kind: none}\n",
		"network: {link_error_rate: 0.01}\n",
		"faults: [{kind: link-down, a: 24, b: 33, at: 3us}, {kind: host-failure, host: 5, at: 3us, until: 9us}]\n",
		"faults: [{kind: switch-failure, switch: 17, at: 3us, until: 20us}]\n",
	} {
		sc, err := scenario.Parse(
			[]byte("topology: {kind: fattree, k: 4}\nworkload: [{kind: alltoall, size: 10KB}]\n"+lines), "test")
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(t.Context(), sc, Options{})
		if err != nil {
			t.Fatal(err)
		}
		total := int64(0)
		for _, line := range r.Outcomes {
			var n int64
			if _, err := fmt.Sscan(line, &n); err == nil {
				total += n
			}
			if strings.Contains(line, "monitors") {
				t.Errorf("%s: %s", lines, line)
			}
		}
		if all := r.Counters.Dropped + r.Counters.Lost; total != all || all == 0 {
			t.Errorf("%s: %d of %d packets have a place: %q", lines, total, all, r.Outcomes)
		}
	}
}

// The first three places are named, and the others are summed.
func TestLossesAtOtherPlaces(t *testing.T) {
	sums := map[string]int64{"a to b": 3, "b to c": 3, "c to d": 3, "d to e": 2, "e to f": 1}
	places := []string{"a to b", "b to c", "c to d", "d to e", "e to f"}
	for n, want := range map[int]string{
		3: "3 at a to b, 3 at b to c, 3 at c to d",
		4: "3 at a to b, 3 at b to c, 3 at c to d and 2 at another port",
		5: "3 at a to b, 3 at b to c, 3 at c to d and 3 at 2 other ports",
	} {
		if got := atPlaces(places[:n], sums, false); got != want {
			t.Errorf("%d places: %s, want %s", n, got, want)
		}
	}
	if got := atPlaces(places[:4], sums, true); !strings.HasSuffix(got, " and 2 at another node") {
		t.Error(got)
	}
}

// Progress is the largest of three shares: flows, their bytes, and the time if the run has an end.
func TestProgressMoves(t *testing.T) {
	for _, c := range []struct {
		p    Progress
		want float64
		says string
	}{
		{Progress{Flows: 4, Ended: 1, Bytes: 100, Acked: 10, Until: unit.Never}, 0.25, "1 of 4 flows, 0.00 ms"},
		{Progress{Flows: 4, Bytes: 100, Acked: 60, Until: 10 * unit.Second, Now: unit.Millisecond}, 0.6,
			"0 of 4 flows, 1.00 ms"},
		{Progress{Flows: 4, Bytes: 100, Acked: 10, Until: unit.Millisecond, Now: 800 * unit.Microsecond}, 0.8,
			"0 of 4 flows, 0.80 of 1.00 ms"},
		{Progress{Flows: 1, Bytes: 100, Acked: 120, Until: unit.Never}, 1, "0 of 1 flow"},
	} {
		if got := c.p.Share(); got != c.want || !strings.HasPrefix(c.p.String(), c.says) {
			t.Errorf("%+v: %v, %v; want %v, %s", c.p, got, c.p, c.want, c.says)
		}
	}
}
