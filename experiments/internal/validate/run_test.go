package validate

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pintlab/experiments/results/store"
)

const (
	// recordedCases is the folder of the cases in the repository.
	recordedCases = "../../sim/testdata/ns3"
	// sharedCases is the folder of the larger cases, with traces.
	sharedCases = "../../../../shared/reference/hpcc-pint-ns3"
)

func needsShared(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(sharedCases); err != nil {
		t.Skipf("needs recorded runs of the published simulator next to the checkout, "+
			"as ../shared/reference/hpcc-pint-ns3/CASE/{topology.txt,flow.txt} and "+
			"CASE/SCHEME/{config.txt,fct.txt,acks.txt.gz} (docs/trust.md): %v", err)
	}
}

func compareAll(t *testing.T, dir string, o Options) []Result {
	t.Helper()
	cases, err := Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	o.Quiet, o.Messages, o.Workers = true, io.Discard, 2
	results, err := Run(context.Background(), cases, o)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// copyCase copies a recorded case with its schemes and returns the directory of cases and the
// case's directory.
func copyCase(t *testing.T, name string) (cases, dir string) {
	t.Helper()
	cases = t.TempDir()
	dir = filepath.Join(cases, name)
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(recordedCases, name))); err != nil {
		t.Fatal(err)
	}
	return cases, dir
}

// edit replaces text in a file. The text must occur in it.
func edit(t *testing.T, path, old, with string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		t.Fatalf("%s has no %q", path, old)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), old, with, 1)), 0o666); err != nil {
		t.Fatal(err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// Our runs contain every acknowledgement of the recorded traces, in the same order and with the same digits.
func TestEveryAckAgrees(t *testing.T) {
	_, dir := copyCase(t, "solo-star")
	for _, scheme := range []string{"hpcc", "pint1"} {
		copyFile(t, filepath.Join("testdata", "solo-star-"+scheme+".acks.txt.gz"),
			filepath.Join(dir, scheme, "acks.txt.gz"))
	}
	results := compareAll(t, dir, Options{})
	if len(results) != 2 {
		t.Fatalf("%d results", len(results))
	}
	for _, r := range results {
		if r.Outcome != Agrees || r.Acks == nil || r.Acks.Same != 1261 || r.Acks.Lines != 1261 || !r.Flows.Identical {
			t.Errorf("%s: %s, %+v, %+v", r.Name, r.Outcome, r.Flows, r.Acks)
		}
	}
}

// The traces cover DCQCN with its timers, and TIMELY and DCTCP with marks and NACKs.
func TestEveryStepAgrees(t *testing.T) {
	for _, r := range compareAll(t, filepath.Join("testdata", "incast-4"), Options{}) {
		want := map[string]int{"dcqcn": 801, "timely": 516, "dctcp": 514}[path.Base(r.Name)]
		if r.Outcome != Agrees || r.Acks == nil || r.Acks.Same != want || r.Acks.Lines != want || !r.Flows.Identical {
			t.Errorf("%s: %s, %s, %+v", r.Name, r.Outcome, r.Reason, r.Acks)
		}
	}
}

func TestEveryLineOfAllRecordedTracesAgrees(t *testing.T) {
	needsShared(t)
	want := map[string]int{
		"solo-star": 9, "two-flows-dumbbell": 7, "incast-16": 10, "dumbbell-err": 3, "leafspine-down": 4,
	}
	for name, traces := range want {
		found := 0
		for _, r := range compareAll(t, filepath.Join(sharedCases, name), Options{}) {
			if r.Outcome != Agrees {
				t.Errorf("%s: %s, %s, %+v", r.Name, r.Outcome, r.Reason, r.Acks)
			}
			if r.Acks != nil {
				found++
			}
		}
		if found != traces {
			t.Errorf("%s: %d traces, want %d", name, found, traces)
		}
	}
}

// The comparison detects a completion time that differs by a nanosecond, and a single acknowledgement that differs in
// one field.
func TestDifferencesAreFound(t *testing.T) {
	cases, dir := copyCase(t, "solo-star")
	edit(t, filepath.Join(dir, "hpcc", "fct.txt"), " 4188 ", " 4189 ")
	text := unpacked(t, filepath.Join("testdata", "solo-star-pint1.acks.txt.gz"))
	lines := strings.SplitAfter(string(text), "\n")
	lines[99] = strings.Replace(lines[99], " cur=", " cur=1", 1)
	err := os.WriteFile(filepath.Join(dir, "pint1", "acks.txt"), []byte(strings.Join(lines, "")), 0o666)
	if err != nil {
		t.Fatal(err)
	}
	results := compareAll(t, cases, Options{})
	if r := results[0]; r.Outcome != Differs || r.Flows.Differing != 1 || r.Flows.Exact != 10 || r.Flows.Identical ||
		r.Flows.MedianError != 0 {
		t.Errorf("%s: %s, %+v", r.Name, r.Outcome, r.Flows)
	} else if d := r.Flows.MaxError - 1.0/4189; d > 1e-15 || d < -1e-15 {
		t.Errorf("largest error %v, want 1/4189", r.Flows.MaxError)
	} else if got, want := r.Flows.First[0].String(), "0b000001:10002 to 0b000101:100, 1000 B: "+
		"completion time 4189 ns, ours 4188 ns (−0.0239 %)"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if r := results[1]; r.Outcome != Differs || r.Flows.Differing != 0 || r.Acks.Same != 99 ||
		r.Acks.First.Line != 100 || r.Acks.First.Field != "cur" {
		t.Errorf("%s: %s, %+v, %+v", r.Name, r.Outcome, r.Flows, r.Acks)
	}
	if Verdict(results) != Differs {
		t.Errorf("verdict %s", Verdict(results))
	}
}

// A case that cannot be compared reports the reason with file and line, and does not stop the others.
func TestCasesThatCannotBeCompared(t *testing.T) {
	const fct = "hpcc/fct.txt"
	tests := []struct {
		name string
		harm func(t *testing.T, dir string)
		want string // end of the reason
	}{
		{"no fct.txt", func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, fct)) }, "hpcc/fct.txt: missing"},
		{"no config.txt", func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "hpcc", "config.txt")) },
			"hpcc/config.txt: missing"},
		{"no flow.txt", func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "flow.txt")) },
			"hpcc/flow.txt: no such file or directory"},
		{"other congestion control", func(t *testing.T, dir string) {
			edit(t, filepath.Join(dir, "hpcc", "config.txt"), "CC_MODE 3", "CC_MODE 2")
		}, "config.txt:15: CC_MODE: 2: not supported (accepted: 1 for DCQCN, 3 for HPCC, 7 for TIMELY, 8 for DCTCP, " +
			"10 for HPCC-PINT)"},
		{"malformed", func(t *testing.T, dir string) { edit(t, filepath.Join(dir, fct), " 4188 ", " 4188ns ") },
			`hpcc/fct.txt:3: fct_ns = "4188ns", want a whole number between 0 and 9223372036854775`},
		{"empty", func(t *testing.T, dir string) { os.WriteFile(filepath.Join(dir, fct), nil, 0o666) },
			"hpcc/fct.txt: no flows"},
		{"unknown flow",
			func(t *testing.T, dir string) { edit(t, filepath.Join(dir, fct), " 10001 100 ", " 20001 100 ") },
			"hpcc/fct.txt:2: no flow from 0b000001 to 0b000101, ports 20001 and 100 in DIR/flow.txt"},
		{"other size", func(t *testing.T, dir string) { edit(t, filepath.Join(dir, fct), " 1001 ", " 1002 ") },
			"hpcc/fct.txt:4: the flow from 0b000001 to 0b000101, ports 10003 and 100 has 1002 bytes, " +
				"but 1001 in DIR/flow.txt"},
		{"other start",
			func(t *testing.T, dir string) { edit(t, filepath.Join(dir, fct), " 2000000000 ", " 2000000009 ") },
			"hpcc/fct.txt:1: the flow from 0b000001 to 0b000101, ports 10000 and 100 starts at 2000000009 ns, " +
				"but at 2s in DIR/flow.txt"},
		{"twice",
			func(t *testing.T, dir string) { edit(t, filepath.Join(dir, fct), " 10001 100 100 ", " 10000 100 100 ") },
			"hpcc/fct.txt:2: the flow from 0b000001 to 0b000101, ports 10000 and 100 is in line 1 already"},
		{"cut off", func(t *testing.T, dir string) {
			text, _ := os.ReadFile(filepath.Join(dir, fct))
			lines := strings.SplitAfter(string(text), "\n")
			os.WriteFile(filepath.Join(dir, fct), []byte(strings.Join(lines[:10], "")), 0o666)
		}, "hpcc/fct.txt: there is no line for flow 10 from 0b000001 to 0b000101, ports 10010 and 100, although the " +
			"flow ends at 2010095704 ns in our run"},
		{"another kind of trace", func(t *testing.T, dir string) {
			copyFile(t, filepath.Join("testdata", "solo-star-pint1.acks.txt.gz"),
				filepath.Join(dir, "hpcc", "acks.txt.gz"))
		}, `hpcc/acks.txt.gz:1: "power=63", want Umax=, as with HPCC and INT`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cases, dir := copyCase(t, "solo-star")
			tt.harm(t, dir)
			results := compareAll(t, cases, Options{})
			got := strings.ReplaceAll(results[0].Reason, dir, "DIR")
			if results[0].Outcome != Unusable || !strings.Contains(got, tt.want) {
				t.Errorf("%s: %s\nwant %s", results[0].Outcome, got, tt.want)
			}
			if tt.name != "no flow.txt" && results[1].Outcome != Agrees {
				t.Errorf("the other scheme %s: %s", results[1].Outcome, results[1].Reason)
			}
			if Verdict(results) != Unusable {
				t.Errorf("verdict %s", Verdict(results))
			}
		})
	}
}

func TestFind(t *testing.T) {
	names := func(dir string) []string {
		cases, err := Find(dir)
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, c := range cases {
			list = append(list, c.Name)
		}
		return list
	}
	all := []string{
		"incast-16/hpcc", "incast-16/pint1", "solo-star/hpcc", "solo-star/pint1", "two-flows-dumbbell/hpcc",
		"two-flows-dumbbell/pint1",
	}
	for dir, want := range map[string][]string{
		recordedCases: all,
		filepath.Join(recordedCases, "incast-16"):         all[:2],
		filepath.Join(recordedCases, "incast-16", "hpcc"): all[:1],
	} {
		if diff := cmp.Diff(want, names(dir)); diff != "" {
			t.Errorf("%s:\n%s", dir, diff)
		}
	}
	empty := t.TempDir()
	if err := os.Mkdir(filepath.Join(empty, "case"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Find(empty); err == nil || !strings.Contains(err.Error(), "no recorded runs: want CASE/topology.txt") {
		t.Errorf("error %v", err)
	}
	if err := os.WriteFile(filepath.Join(empty, "case", "flow.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Find(empty); err == nil ||
		!strings.HasSuffix(err.Error(),
			"case: the case has no scheme: want a directory in it with config.txt and fct.txt") {
		t.Errorf("error %v", err)
	}
	if _, err := Find(filepath.Join(empty, "gone")); err == nil {
		t.Error("no error for a directory that is not there")
	}
}

// A flow that finished only in the recorded run is a difference, not an error in the input.
func TestUnfinishedFlowsDiffer(t *testing.T) {
	cases, dir := copyCase(t, "solo-star")
	edit(t, filepath.Join(dir, "hpcc", "config.txt"), "SIMULATOR_STOP_TIME 4.00", "SIMULATOR_STOP_TIME 2.0100500")
	r := compareAll(t, cases, Options{})[0]
	if r.Outcome != Differs || r.Flows.Differing != 1 || r.Flows.MaxError != -1 ||
		!strings.HasSuffix(r.Flows.First[0].String(), "ours has not finished") {
		t.Errorf("%s: %+v, %s", r.Outcome, r.Flows, r.Reason)
	}
}

// A directory of results contains drawings, rows, results.json with the results, and a report that names each case.
func TestSave(t *testing.T) {
	cases, dir := copyCase(t, "incast-16")
	edit(t, filepath.Join(dir, "pint1", "config.txt"), "CC_MODE 10", "CC_MODE 6")
	results := compareAll(t, cases, Options{})
	out := t.TempDir()
	if err := Save(out, results, "pintlab validate cases"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"incast-16/hpcc/scatter.svg", "incast-16/hpcc/scatter.png", "incast-16/hpcc/flows.csv", ReportFile,
	} {
		if info, err := os.Stat(filepath.Join(out, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	page, err := os.ReadFile(filepath.Join(out, ReportFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"incast-16/hpcc: 16 of 16 flows agree to the nanosecond", "CC_MODE: 6: not supported", "pintlab validate cases",
	} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("the report does not say %q", want)
		}
	}
	data, err := os.ReadFile(filepath.Join(out, resultsFile))
	if err != nil {
		t.Fatal(err)
	}
	var d Document
	if err := json.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	if d.Verdict != Unusable || len(d.Cases) != 2 || d.Cases[0].Flows.Exact != 16 || d.Cases[1].Outcome != Unusable {
		t.Errorf("results.json: %+v", d)
	}
	var text strings.Builder
	if err := WriteText(&text, results); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"incast-16/hpcc: agrees\n  fct.txt is identical, byte by byte\n", "no table by size: 15 flows to port 100",
		"incast-16/pint1: unusable\n",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the text does not say %q:\n%s", want, text.String())
		}
	}
}

// The table covers the flows to the most frequent destination port, whichever port that is, and pairs the same
// buckets of both runs.
func TestBucketsOfTheCommonPort(t *testing.T) {
	var lines []store.FCT
	for i := range 42 {
		port := uint16(200)
		if i%21 == 0 {
			port = 100
		}
		lines = append(lines, store.FCT{DstPort: port, Size: 1000, FCT: 2000, Standalone: 1000})
	}
	got, reason := pairBuckets(lines, lines)
	if len(got) != 20 || reason != "" || got[3].P50 != 2 || got[3].P95Ours != 2 {
		t.Errorf("%d buckets, %q: %+v", len(got), reason, got)
	}
	if got, reason := pairBuckets(lines[:10], lines); got != nil || reason == "" {
		t.Errorf("buckets of too few flows: %v, %q", got, reason)
	}
}

func TestInterruptedComparison(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	cases, err := Find(recordedCases)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(ctx, cases, Options{Quiet: true, Messages: io.Discard}); err != context.Canceled {
		t.Errorf("error %v", err)
	}
}
