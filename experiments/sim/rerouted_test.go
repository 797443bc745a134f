package sim

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// twoSpines has eight flows from leaf 16 over the spines 18 and 19 to leaf 17. By their ports, only flow 2 has its data
// and its ACKs on spine 19, and only flow 6 on spine 18; the other flows use both.
const twoSpines = `
topology: {kind: leafspine, leaves: 2, spines: 2, hosts_per_leaf: 8, host_rate: 25Gbps, fabric_rate: 100Gbps}
workload: [{kind: list, flows: [{src: 0, dst: 8, size: 1MB, start: 100us}, {src: 1, dst: 9, size: 1MB, start: 100us},
  {src: 2, dst: 10, size: 1MB, start: 100us}, {src: 3, dst: 11, size: 1MB, start: 100us},
  {src: 4, dst: 12, size: 1MB, start: 100us}, {src: 5, dst: 13, size: 1MB, start: 100us},
  {src: 6, dst: 14, size: 1MB, start: 100us}, {src: 7, dst: 15, size: 1MB, start: 100us}]}]
`

// faultRows returns the rows of faults.csv of a fault, by flow.
func faultRows(r *Result, fault int) map[string][]string {
	list := map[string][]string{}
	if r.Faults == nil {
		return list
	}
	for _, row := range r.Faults.Rows {
		if row[0] == fmt.Sprint(fault) {
			list[row[3]] = row
		}
	}
	return list
}

// outcomeOf returns the line on a fault.
func outcomeOf(r *Result, fault int) string {
	i := slices.IndexFunc(r.Outcomes, func(s string) bool {
		return strings.HasPrefix(s, fmt.Sprintf("faults.%d ", fault))
	})
	if i < 0 {
		return ""
	}
	return r.Outcomes[i]
}

// A failed link leads flows to a lossy link. The lossy link meets all eight flows: those on it already, and flow 6 when
// it is moved, or at its start. The order of the faults changes neither this nor the numbers of resent packets.
func TestFaultMeetsReroutedFlows(t *testing.T) {
	for _, c := range []struct {
		down, drop string
		moved      string // when flow 6 meets the lossy link
		text       string
	}{
		{"20us", "50us", "100000000", "0 of 0 flows under way were on its path, and 8 that began later; 8 sent "},
		{"50us", "50us", "100000000", "0 of 0 flows under way were on its path, and 8 that began later; 8 sent "},
		{"50us", "20us", "100000000", "0 of 0 flows under way were on its path, and 8 that began later; 8 sent "},
		{"200us", "50us", "200000000", "0 of 0 flows under way were on its path, and 7 that began later; " +
			"1 moved to its path later (flow 6); "},
		{"200us", "200us", "200000000", "8 of 8 flows under way were on its path; "},
		{"200us", "150us", "200000000", "7 of 8 flows under way were on its path; " +
			"1 moved to its path later (flow 6); "},
	} {
		r, _ := runText(t, twoSpines+"faults: [{kind: link-down, a: 16, b: 18, at: "+c.down+", until: 10ms}, "+
			"{kind: drop, a: 16, b: 19, probability: 0.005, at: "+c.drop+", until: 10ms}]\n")
		rows, resent := faultRows(r, 1), 0
		for f := range r.Flows.All() {
			row := rows[fmt.Sprint(f.ID)]
			if row == nil || row[6] != "false" {
				t.Errorf("%+v: flow %d has the row %q", c, f.ID, row)
				continue
			}
			if c.moved == "100000000" && row[8] != fmt.Sprint(f.Retransmitted) {
				t.Errorf("%+v: flow %d sent %d packets again: %q", c, f.ID, f.Retransmitted, row)
			}
			resent += int(f.Retransmitted)
		}
		if row := rows["6"]; row != nil && row[12] != c.moved {
			t.Errorf("%+v: flow 6 met the fault at %s", c, row[12])
		}
		text := outcomeOf(r, 1)
		if !strings.Contains(text, c.text) {
			t.Errorf("%+v: %s", c, text)
		}
		if want := fmt.Sprintf("8 sent %d packets again (", resent); c.moved == "100000000" &&
			!strings.Contains(text, want) {
			t.Errorf("%+v: no %q in %s", c, want, text)
		}
		// The link that fails at 200us was on the path of all flows but flow 2.
		broken := faultRows(r, 0)
		if c.down == "200us" && (len(broken) != 7 || broken["2"] != nil) || c.down != "200us" && len(broken) != 0 {
			t.Errorf("%+v: the failed link met %v", c, broken)
		}
	}
}

// Flows that begin while a link is down move to it at its repair, except flow 2. Packets of a moved flow may overtake
// older ones, which the receiver then rejects: no other reason exists to send packets again.
func TestRepairMovesFlows(t *testing.T) {
	r, _ := runText(t, twoSpines+"faults: [{kind: link-down, a: 16, b: 18, at: 50us, until: 300us}]\n")
	rows, resent := faultRows(r, 0), 0
	for f := range r.Flows.All() {
		row := rows[fmt.Sprint(f.ID)]
		switch {
		case (row == nil) != (f.ID == 2):
			t.Errorf("flow %d has the row %q", f.ID, row)
		case row == nil:
			if f.Retransmitted > 0 {
				t.Errorf("flow %d sent %d packets again", f.ID, f.Retransmitted)
			}
		case row[6] != "true" || row[7] == "0" || row[8] != fmt.Sprint(f.Retransmitted) || row[12] != "300000000":
			t.Errorf("flow %d sent %d packets again: %q", f.ID, f.Retransmitted, row)
		}
		resent += int(f.Retransmitted)
	}
	text := outcomeOf(r, 0)
	const want = "0 of 0 flows under way were on its path; 7 began later and moved to its path at its end (flows 0, "
	again := fmt.Sprintf(" sent %d packets", resent)
	if !strings.Contains(text, want) || strings.Contains(text, again) != (resent > 0) {
		t.Errorf("%d packets sent again: %s", resent, text)
	}
}

// A flow whose only path breaks keeps this path. So it takes no other one.
func TestNoOtherPath(t *testing.T) {
	const text = `
topology: {kind: leafspine, leaves: 2, spines: %d, hosts_per_leaf: 2, host_rate: 25Gbps, fabric_rate: 100Gbps}
workload: [{kind: list, flows: [{src: 0, dst: 2, size: 1MB}]}]
faults: [%s]
`
	for _, c := range []struct {
		spines int
		faults string
	}{
		{1, "{kind: link-down, a: 4, b: 6, at: 10us, until: 3ms}"},
		{1, "{kind: link-down, a: 0, b: 4, at: 10us, until: 3ms}"},
		{1, "{kind: link-down, a: 4, b: 6, at: 10us}"},
		{1, "{kind: switch-failure, switch: 6, at: 10us, until: 3ms}"},
		{2, "{kind: link-down, a: 4, b: 6, at: 10us, until: 3ms}, {kind: link-down, a: 4, b: 7, at: 10us, until: 3ms}"},
	} {
		r, _ := runText(t, fmt.Sprintf(text, c.spines, c.faults))
		if r.Faults == nil {
			t.Errorf("%s: no rows", c.faults)
			continue
		}
		for _, row := range r.Faults.Rows {
			if row[6] != "false" {
				t.Errorf("%s: %q", c.faults, row)
			}
		}
		words := strings.Join(r.Outcomes, "\n")
		if strings.Contains(words, "another path") || !strings.Contains(words, "; 1 had no other path (flow 0)") {
			t.Errorf("%s:\n%s", c.faults, words)
		}
	}
}
