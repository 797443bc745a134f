package sim

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pintlab/experiments/scenario"
	"pintlab/internal/errtest"
	"pintlab/netsim/unit"
)

// If a setting ends a run, the run reports how many flows are unfinished and what blocks them. It warns if more time
// would not help.
func TestCutOffIsTold(t *testing.T) {
	const star = "topology: {kind: star, hosts: 4}\n" +
		"workload: [{kind: list, flows: [{src: 0, dst: 1, size: 1KB}, {src: 2, dst: 1, size: 1MB}, " +
		"{src: 3, dst: 0, size: 1MB, start: 5us}, {src: 3, dst: 0, size: 1KB, start: 1s}]}]\n"
	for _, tt := range []struct{ name, rest, note, complaint string }{
		{"limit alone", "run: {until: 30us}",
			"run.until = 30us ended the run with 3 of 4 flows unfinished: 2 under way, 1 not started", ""},
		{"host down for good", "run: {until: 30us}\nfaults: [{kind: host-failure, host: 2, at: 2us}]",
			"warning: run.until = 30us ended the run with 3 of 4 flows unfinished: " +
				"1 from or to a host that is down for good (faults.0), 1 under way, 1 not started",
			"1 of 3 flows can never finish: it is from or to a host that is down for good (faults.0)"},
		{"host down for good at first", "run: {until: 30us}\nfaults: [{kind: host-pause, host: 3, at: 0s}]",
			"warning: run.until = 30us ended the run with 3 of 4 flows unfinished: " +
				"1 from or to a host that is down for good (faults.0), 1 under way, 1 not started; 1 of the " +
				"unfinished flows had started but sent nothing",
			"1 of 3 flows can never finish: it is from or to a host that is down for good (faults.0)"},
		{"host down for a time", "run: {until: 30us}\nfaults: [{kind: host-failure, host: 2, at: 2us, until: 1ms}]",
			"run.until = 30us ended the run with 3 of 4 flows unfinished: 1 from or to a host that was down then " +
				"(faults.0), 1 under way, 1 not started", ""},
		{"link down", "run: {until: 30us}\nfaults: [{kind: link-down, a: 2, b: 4, at: 2us}]",
			"run.until = 30us ended the run with 3 of 4 flows unfinished: 1 under way, 1 without a path, because " +
				"links are down, 1 not started", ""},
		{"fault on the path", "run: {until: 30us}\nfaults: [{kind: blackhole, a: 2, b: 4, at: 2us}]",
			"run.until = 30us ended the run with 3 of 4 flows unfinished: 1 under way, " +
				"1 with faults.0 (blackhole) on the path, 1 not started", ""},
		{"no drain", "run: {drain: false, until: 2s}",
			"run.drain = false ended the run with 1 of 4 flows unfinished: 1 under way", ""},
		{"nothing finished", "run: {until: 1us}",
			"warning: run.until = 1us ended the run with 4 of 4 flows unfinished: 2 under way, 2 not started",
			"run.until = 1us ended the run before any of 4 flows had finished: 2 under way, 2 not started; " +
				"alone in the network, the first of them could have finished at "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, workers := range []int{1, 2} {
				sc, err := scenario.Parse([]byte(star+tt.rest+"\n"), "test")
				if err != nil {
					t.Fatal(err)
				}
				sc.Run.Workers = workers
				r, err := Run(context.Background(), sc, Options{})
				if err != nil {
					t.Fatal(err)
				}
				var notes []string
				for _, n := range r.Notes {
					if strings.Contains(n, "ended the run") || strings.Contains(n, "left out") {
						notes = append(notes, n)
					}
				}
				if got := strings.Join(notes, "\n"); got != tt.note {
					t.Errorf("%d workers: %q, want %q", workers, got, tt.note)
				}
				got := ""
				if err := r.Complaint(false); err != nil {
					got = err.Error()
				}
				if (got == "") != (tt.complaint == "") || !strings.HasPrefix(got, tt.complaint) {
					t.Errorf("%d workers: complaint %q, want %q", workers, got, tt.complaint)
				}
				if err := r.Complaint(true); err != nil {
					t.Errorf("with accepted losses: %v", err)
				}
			}
		})
	}
}

// If run.keep_load cuts flows off, the note names this setting.
func TestCutOffNamesTheSetting(t *testing.T) {
	sc, err := scenario.Parse(
		[]byte("topology: {kind: star, hosts: 4}\nworkload: [{kind: poisson, sizes: fixed, size: 1MB, load: 0.5, "+
			"duration: 200us}]\nrun: {keep_load: 10us}\n"), "test")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(context.Background(), sc, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if all := strings.Join(r.Notes, "\n"); r.Summary.Unfinished == 0 ||
		!strings.Contains(all, "run.keep_load = 10us ended the run with ") {
		t.Errorf("%d unfinished; the notes are %q", r.Summary.Unfinished, r.Notes)
	}
}

// If run.until ends a run, the run lasts until then, even if its last event is much earlier. Shares of the capacity of
// a link refer to this whole time.
func TestCutOffIsTheEnd(t *testing.T) {
	const text = "topology: {kind: star, hosts: 3, host_rate: 10Gbps}\n" +
		"workload: [{kind: list, flows: [{src: 0, dst: 1, size: 100KB}, " +
		"{src: 0, dst: 2, size: 1KB, after: [0], start: 10ms}]}]\n" +
		"cc: {kind: dctcp}\nrun: {until: 5ms}\n"
	for _, workers := range []int{1, 2} {
		sc, err := scenario.Parse([]byte(text), "test")
		if err != nil {
			t.Fatal(err)
		}
		sc.Run.Workers = workers
		r, err := Run(t.Context(), sc, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if use := r.LinkRows[0].Use; r.Ended != 5*unit.Millisecond || use < 0.0168 || use > 0.0170 { // 105400 B
			t.Errorf("%d workers: ended at %v with the first link %.4f in use, want 5ms and 0.0169", workers, r.Ended,
				use)
		}
	}
}

// If a workload ends before its first flow, or a file has no flow, the error suggests keys of this workload and does
// not name a limit.
func TestNoFlowsIsTold(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "flow.txt")
	if err := os.WriteFile(empty, []byte("0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for workload, want := range map[string]string{
		"{kind: poisson, load: 0.5, duration: 1ps}": "set a longer workload.N.duration or a higher workload.N.load",
		"{kind: file, path: " + empty + "}":         "want flows in workload.0.path = " + empty,
	} {
		sc, err := scenario.Parse([]byte("topology: {kind: star, hosts: 4}\nworkload: ["+workload+"]\n"), "test")
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(context.Background(), sc, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Complaint(false); !errtest.Says(err, "the workload has no flows: "+want) {
			t.Errorf("%s: %v", workload, err)
		}
	}
}

// A flow that starts while no path exists fails at once, although the link is repaired later. The fault has a row for
// it, and the run complains.
func TestFlowWithoutPath(t *testing.T) {
	r, _ := runText(t, `
topology: {kind: leafspine, leaves: 2, spines: 1, hosts_per_leaf: 2, host_rate: 25Gbps, fabric_rate: 100Gbps}
workload: [{kind: list, flows: [{src: 0, dst: 2, size: 1MB, start: 10us}, {src: 0, dst: 1, size: 1MB, start: 20us},
  {src: 2, dst: 0, size: 1MB, start: 3ms}]}]
faults: [{kind: link-down, a: 4, b: 6, at: 5us, until: 4ms}]
`)
	rows := faultRows(r, 0)
	if len(rows) != 2 {
		t.Fatalf("rows %v, want those of the flows 0 and 2", rows)
	}
	for flow, met := range map[string]string{"0": "10000000", "2": "3000000000"} {
		if row := rows[flow]; row == nil || row[6] != "false" || row[10] != "unreachable" || row[12] != met {
			t.Errorf("flow %s: %q", flow, row)
		}
	}
	if text := outcomeOf(r, 0); !strings.HasSuffix(text,
		"0 of 0 flows under way were on its path; 2 began later without a path (flows 0, 2); 2 failed (flows 0, 2)") {
		t.Error(text)
	}
	if err := r.Complaint(false); !errtest.Says(err, "2 of 3 flows had no path when they started…") {
		t.Error(err)
	}
	if err := r.Complaint(true); err != nil {
		t.Errorf("with accepted losses: %v", err)
	}
}
