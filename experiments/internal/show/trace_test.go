package show

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/store"
	"pintlab/experiments/sim"
	"pintlab/internal/errtest"
	"pintlab/netsim/unit"
)

// broken is a leaf-spine network with a link that breaks, another link that loses packets, ECN marks, and a flow that
// the run cuts off.
const broken = `name: broken
topology: {kind: leafspine, leaves: 2, spines: 2, hosts_per_leaf: 3, host_rate: 10Gbps, fabric_rate: 10Gbps}
workload:
  - {kind: incast, senders: 3, receiver: 0, size: 100KB}
  - kind: list
    flows:
      - {src: 2, dst: 3, size: 5MB}
      - {src: 1, dst: 4, size: 50KB, start: 20us}
      - {src: 1, dst: 5, size: 50KB, start: 400us}
transport: {kind: irn}
cc: {kind: dcqcn}
telemetry: {kind: none}
network: {ecn: {enabled: true, kmin: 5KB, kmax: 50KB}, pfc: {enabled: false}}
faults:
  - {kind: link-down, a: 6, b: 8, at: 50us, until: 150us}
  - {kind: drop, a: 4, b: 7, probability: 0.05, at: 10us}
  - {kind: host-pause, host: 2, at: 700us, until: 2s}
run: {until: 900us, sampling: {enabled: true, period: 5us, nodes: [all]}}
`

// ran runs a scenario and returns its directory.
func ran(t *testing.T, text string, set ...string) string {
	t.Helper()
	base := filepath.Join(t.TempDir(), "run.yaml")
	if err := os.WriteFile(base, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	runs, err := campaign.Execute(t.Context(), []campaign.Spec{{Label: "run", Base: base, Set: set}}, campaign.Options{
		Dir: t.TempDir(), Workers: 1, Quiet: true, Messages: io.Discard,
		Line: func(words ...string) string { return strings.Join(words, " ") },
	})
	if err != nil {
		t.Fatal(err)
	}
	return runs[0].Dir
}

// traced is a trace as viewers decode it. Times are numbers, and all fields belong to the format.
type traced struct {
	Unit   string `json:"displayTimeUnit"`
	Events []struct {
		Phase    string                     `json:"ph"`
		Process  *int                       `json:"pid"`
		Thread   *int                       `json:"tid"`
		Name     string                     `json:"name"`
		Category string                     `json:"cat"`
		Time     *json.Number               `json:"ts"`
		Duration *json.Number               `json:"dur"`
		Scope    string                     `json:"s"`
		Args     map[string]json.RawMessage `json:"args"`
	} `json:"traceEvents"`
}

// ps converts a time of a trace, in microseconds.
func ps(t *testing.T, n *json.Number) unit.Time {
	t.Helper()
	var whole, part unit.Time
	if n == nil {
		t.Fatal("no time")
	}
	if _, err := fmt.Sscanf(n.String(), "%d.%06d", &whole, &part); err != nil ||
		len(n.String())-strings.Index(n.String(), ".") != 7 {
		t.Fatalf("time %v: %v", n, err)
	}
	return whole*unit.Microsecond + part
}

// trace writes and reads the trace of a run, and checks every event against the schema of its phase.
func trace(t *testing.T, dir string, o SeriesOptions) (*Trace, *traced) {
	t.Helper()
	var text bytes.Buffer
	done, err := WriteTrace(&text, dir, o)
	if err != nil {
		t.Fatal(err)
	}
	var x traced
	d := json.NewDecoder(&text)
	d.DisallowUnknownFields()
	if err := d.Decode(&x); err != nil {
		t.Fatal(err)
	}
	if x.Unit != "ns" {
		t.Errorf("unit %q", x.Unit)
	}
	for i, e := range x.Events {
		timed := e.Time != nil
		ok := e.Process != nil && e.Thread != nil && e.Name != ""
		switch e.Phase {
		case "M":
			_, name := e.Args["name"]
			_, index := e.Args["sort_index"]
			ok = ok && !timed && (name && e.Name != "process_sort_index" || index)
		case "X":
			ok = ok && timed && e.Duration != nil && *e.Thread > 0
		case "C":
			ok = ok && timed && len(e.Args) == 1
			for _, v := range e.Args {
				var number float64
				ok = ok && json.Unmarshal(v, &number) == nil
			}
		case "i":
			ok = ok && timed && e.Scope == "g"
		default:
			ok = false
		}
		if !ok {
			t.Fatalf("event %d: %+v", i, e)
		}
	}
	return done, &x
}

// A trace has a slice for each row of flows.csv, with the numbers of the row. It has counters with the same largest
// values as series.csv and flowseries.csv. It also has the faults. Slices of a track do not overlap.
func TestTrace(t *testing.T) {
	csv := []string{"run.sampling.formats=[csv]", "run.outputs=[flows.csv]", "run.sampling.rows=changed"}
	for _, set := range [][]string{nil, csv} {
		dir := ran(t, broken, set...)
		run, err := campaign.Open(nil, dir)
		if err != nil {
			t.Fatal(err)
		}
		flows, err := run.Flows()
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]float64{} // largest values
		raise := func(name string, v float64) {
			if v > 0 {
				want[name] = math.Max(want[name], v)
			}
		}
		if err := store.PortSeries.ReadDir(dir, run.Manifest, func(p *store.PortSample) error {
			at := fmt.Sprintf("to %d of %d", p.Peer, p.Node)
			raise("queue "+at, float64(p.Queue))
			raise("use "+at, p.Utilisation)
			raise("marks "+at, float64(p.Marks))
			raise("drops "+at, float64(p.Drops))
			raise("paused "+at, p.PausedTime.Seconds())
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if err := store.FlowSeries.ReadDir(dir, run.Manifest, func(r *store.FlowSample) error {
			raise(fmt.Sprintf("rate of flow %d of %d", r.Flow, r.Src), float64(r.Rate))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		done, x := trace(t, dir, SeriesOptions{})
		got, processes := map[string]float64{}, map[int]string{}
		type span struct{ from, to unit.Time }
		tracks := map[string][]span{}
		slicesOf, instants, samples := 0, []string{}, 0
		for _, e := range x.Events {
			switch e.Phase {
			case "M":
				if e.Name == "process_name" {
					processes[*e.Process] = string(e.Args["name"])
				}
			case "C":
				samples++
				for _, v := range e.Args {
					var n float64
					if err := json.Unmarshal(v, &n); err != nil {
						t.Fatal(err)
					}
					name := fmt.Sprintf("%s of %d", e.Name, *e.Process)
					got[name] = math.Max(got[name], n)
				}
			case "i":
				instants = append(instants, fmt.Sprintf("%s at %v", e.Name, ps(t, e.Time)))
			case "X":
				var id int64
				var dst int32
				if _, err := fmt.Sscanf(e.Name, "flow %d to %d", &id, &dst); err != nil {
					t.Fatal(err)
				}
				var r *store.FlowRecord
				for x := range flows.All() {
					if x.ID == id {
						r = x
					}
				}
				number := func(key string) (n int64) {
					if err := json.Unmarshal(e.Args[key], &n); err != nil {
						t.Fatalf("%s of %s: %v", key, e.Name, err)
					}
					return n
				}
				end := unit.Time(run.Manifest.Summary.SimulatedPS)
				if r.Outcome == store.Finished {
					end = r.Start + r.FCT
				}
				from := ps(t, e.Time)
				if slicesOf++; int32(*e.Process) != r.Src || dst != r.Dst || from != r.Start ||
					ps(t, e.Duration) != end-from ||
					number("size_bytes") != int64(r.Size) || number("packets") != int64(r.Packets) ||
					number("retransmitted") != int64(r.Retransmitted) ||
					number("timeouts") != int64(r.Timeouts) ||
					string(e.Args["outcome"]) != fmt.Sprintf("%q", r.Outcome) {
					t.Errorf("%+v is not %+v", e, r)
				}
				track := fmt.Sprint(*e.Process, *e.Thread)
				for _, s := range tracks[track] {
					if from < s.to && s.from < end {
						t.Errorf("%s overlaps another slice of its track", e.Name)
					}
				}
				tracks[track] = append(tracks[track], span{from, end})
			}
		}
		if slicesOf != flows.Len() || int64(slicesOf) != done.Slices || int64(samples) != done.Samples ||
			len(got) != done.Counters || int64(len(instants)) != done.Instants {
			t.Errorf("%d slices of %d flows, %d values of %d counters; said %+v", slicesOf, flows.Len(), samples,
				len(got), done)
		}
		if !maps.Equal(got, want) {
			t.Errorf("largest values\n got %v\nwant %v", got, want)
		}
		if want := []string{"link-down 6-8 at 50us", "end of link-down 6-8 at 150us", "drop 4-7 at 10us",
			"host-pause host 2 at 700us"}; !slices.Equal(instants, want) {
			t.Errorf("instants %v, want %v", instants, want)
		}
		if processes[2] != `"host 2"` || processes[6] != `"leaf 6"` || processes[8] != `"spine 8"` {
			t.Errorf("processes %v", processes)
		}
		if resent := run.Manifest.Summary; resent.Drops == 0 && resent.LinkLosses == 0 || resent.Marks == 0 {
			t.Error("nothing was lost or marked: the test shows little")
		}
	}
}

// The trace of a job has a slice for each computation, collective, step and job, with its times. It also contains the
// flows.
func TestTraceOfJobs(t *testing.T) {
	dir := ran(t, `name: job
topology: {kind: star, hosts: 8}
workload:
  - {kind: training, steps: 2, microbatches: 2, tensor_size: 20KB, pipeline_size: 20KB, data_size: 20KB, compute: 5us}
cc: {kind: hpcc}
run: {sampling: {enabled: true}}
`)
	run, err := campaign.Open(nil, dir)
	if err != nil {
		t.Fatal(err)
	}
	done, x := trace(t, dir, SeriesOptions{})
	want, flows := map[string]int{}, int64(0)
	line := func(job, what string, from, to float64) {
		want[fmt.Sprintf("%s %s %d %d", job, what, int64(from), int64(to-from))]++
	}
	if err := errors.Join(
		run.Lines(sim.TasksFile, func(l *columns.Line) {
			switch l.Text("kind") {
			case "computation":
				line("host "+l.Text("host"), "computation of "+l.Text("job"), l.Maybe("begin_ps"), l.Maybe("done_ps"))
			case "message":
				flows++
			}
		}),
		run.Lines(sim.JobsFile, func(l *columns.Line) {
			name := l.Text("group")
			if name == "step" {
				name += " " + l.Text("step")
			}
			line("job "+l.Text("job"), name, l.Maybe("begin_ps"), l.Maybe("end_ps"))
		})); err != nil {
		t.Fatal(err)
	}
	processes, got, slicesOf := map[int]string{}, map[string]int{}, int64(0)
	for _, e := range x.Events {
		if e.Name == "process_name" {
			processes[*e.Process] = strings.Trim(string(e.Args["name"]), `"`)
		}
	}
	for _, e := range x.Events {
		if e.Phase == "X" && e.Category != "flow" {
			got[fmt.Sprintf("%s %s %d %d", processes[*e.Process], e.Name, ps(t, e.Time), ps(t, e.Duration))]++
			slicesOf++
		}
	}
	if !maps.Equal(got, want) || flows == 0 || slicesOf+flows != done.Slices {
		t.Errorf("%d flows, %d slices of %d\n got %v\nwant %v", flows, slicesOf, done.Slices, got, want)
	}
}

// Filters select the parts of a trace. A filter without effect is an error.
func TestTraceOfSome(t *testing.T) {
	dir := ran(t, broken)
	done, _ := trace(t, dir, SeriesOptions{Flows: []string{"1-2"}, Ports: []string{"6-0"}})
	if done.Slices != 2 || done.Counters < 3 || done.Counters > 2+5 {
		t.Errorf("%+v, want two flows and the counters of one port", done)
	}
	for want, o := range map[string]SeriesOptions{
		"--flow 99 matches nothing": {Flows: []string{"99"}}, "--port 0-1 matches nothing": {Ports: []string{"0-1"}},
	} {
		if _, err := WriteTrace(io.Discard, dir, o); !errtest.Says(err, want+" …") {
			t.Errorf("%v, want %s", err, want)
		}
	}
	_, err := WriteTrace(io.Discard, ran(t, broken, "run.sampling.enabled=false"), SeriesOptions{})
	if !errtest.Says(err, "… no time series … run.sampling.enabled=true") {
		t.Error(err)
	}
}
