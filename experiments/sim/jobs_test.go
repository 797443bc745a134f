package sim

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"pintlab/experiments/protocols"
	"pintlab/experiments/scenario"
	"pintlab/internal/errtest"
	"pintlab/netsim/schema"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

const jobTree = "topology: {kind: fattree, k: 4}\n"

// triggered is a connection matrix for 16 hosts with each kind of trigger.
const triggered = `Nodes 16
Connections 12
Triggers 4
0->1 id 1 start 0 size 40000 send_done_trigger 1
2->9 id 2 start 5 size 80000 send_done_trigger 1
4->5 id 3 start 0 size 20000 send_done_trigger 1 recv_done_trigger 4
1->0 id 5 trigger 1 size 30000
3->12 id 6 trigger 1 size 30000
8->9 id 7 start 0 size 10000 send_done_trigger 2
10->3 id 8 trigger 2 size 25000 send_done_trigger 2
12->13 id 9 trigger 2 size 15000 send_done_trigger 2
14->15 id 10 trigger 2 size 35000 send_done_trigger 3
15->2 id 11 trigger 3 size 1000
7->2 id 12 trigger 3 size 1000
7->3 id 13 trigger 3 size 1000
trigger id 1 barrier count 3
trigger id 2 multishot
trigger id 3 oneshot
trigger id 4 oneshot
`

// jobScenario writes a file of flows that wait for each other and returns the scenario that uses it.
func jobScenario(t *testing.T, text, name, content string, workers int) scenario.Scenario {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	text = strings.ReplaceAll(text, "PATH", path)
	sc, err := scenario.Parse([]byte(text+fmt.Sprintf("run: {workers: %d}\n", workers)), "test")
	if err != nil {
		t.Fatal(err)
	}
	return sc
}

// If two packets reach a port at the same time, one packet waits for the other. The flow of the waiting packet reports
// where and how long it waited.
func TestJobsSayWhereTheyWaited(t *testing.T) {
	r := jobRun(t,
		slim+"workload: [{kind: list, flows: [{src: 1, dst: 0, size: 8000B}, {src: 2, dst: 0, size: 8000B}, "+
			"{src: 0, dst: 1, size: 1B, after: [0, 1]}]}]\n")
	var b bytes.Buffer
	if err := r.Jobs.writeTasks(&b); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(b.String(), ",sw0 to h0,640080\n"); got != 1 || strings.Count(b.String(), ",,\n") != 2 {
		t.Errorf("%d of the messages waited for one packet at the switch:\n%s", got, &b)
	}
	if row := whole(t, r, 0); row.Queue != "" || row.Flow != 2 {
		t.Errorf("%+v", row)
	}
	for _, l := range r.LinkRows {
		want := unit.Time(0)
		if l.From == "sw0" && l.To == "h0" {
			want = 640080
		}
		if l.Longest != want || l.Use < 0 || l.Use > 1 || (l.FromLayer == 0) != (l.From != "sw0") {
			t.Errorf("%+v", l)
		}
	}
}

// A job may consist only of computations: such a job has no flows and takes the time of its computations. Groups
// without tasks have no line.
func TestJobWithoutMessages(t *testing.T) {
	sc := jobScenario(t, slim+"workload: [{kind: goal, path: PATH}]\n", "one.goal",
		"num_ranks 1\nrank 0 {\nl1: calc 100\n}\n", 1)
	r, err := Run(context.Background(), sc, Options{})
	if err != nil || r.Complaint(false) != nil || whole(t, r, 0).took() != 100*unit.Nanosecond ||
		strings.Contains(strings.Join(r.Notes, "\n"), "NaN") {
		t.Errorf("%v, %v, %+v, %q", err, r.Complaint(false), r.JobRows, r.Notes)
	}
	r = jobRun(t, slim+"workload: [{kind: training, data: 2, tensor: 1, pipeline: 1, steps: 1}]\n")
	for _, row := range r.JobRows {
		if row.Group == "pipeline" || row.Begin == unit.Never {
			t.Errorf("%+v", row)
		}
	}
}

// Flows of a connection matrix start exactly when the flows of their trigger have finished.
func TestTriggers(t *testing.T) {
	sc := jobScenario(t, jobTree+"workload: [{kind: file, path: PATH, start_unit: us}]\n", "t.cm", triggered, 1)
	r, err := Run(context.Background(), sc, Options{})
	if err != nil {
		t.Fatal(err)
	}
	start, end := map[int64]unit.Time{}, map[int64]unit.Time{}
	for f := range r.Flows.All() {
		start[f.ID], end[f.ID] = f.Start, f.Start+f.FCT
	}
	if len(end) != 12 || start[1] != 5*unit.Microsecond {
		t.Fatalf("starts %v", start)
	}
	barrier := max(end[0], end[1], end[2])
	for flow, want := range map[int64]unit.Time{
		3: barrier, 4: barrier, 6: end[5], 7: end[6], 8: end[7], 9: end[8], 10: end[8], 11: end[8],
	} {
		if end[6] > end[7] {
			t.Fatal("the second shot ends after the third one: the case does not show their order")
		}
		if start[flow] != want {
			t.Errorf("flow %d starts at %v, want %v", flow, start[flow], want)
		}
	}
	var b bytes.Buffer
	if err := r.Jobs.writeTasks(&b); err != nil {
		t.Fatal(err)
	}
	line := fmt.Sprintf(",3,message,1,1,0,3,30000,,%d,%d,%d,", barrier, barrier, end[3])
	if !strings.Contains(b.String(), line) {
		t.Errorf("no %q in\n%s", line, b.String())
	}
}

// Dependent flows have the same records on one engine and on several, whether or not their hosts wait for each other at
// the same time, also with losses and with receiver-driven transports.
func TestJobsDoNotDependOnWorkers(t *testing.T) {
	list := "workload: [{kind: list, flows: ["
	for i := range 40 {
		after := "[none]"
		if i >= 8 {
			after = fmt.Sprintf("[%d, %d]", i-8, (i-8)/8*8+i%4) // a host's own flows
		}
		list += fmt.Sprintf("{src: %d, dst: %d, size: %dKB, after: %s, start: %dus}, ", i%4, 4+(i*7)%12, 1+i%9*10,
			after, i%3*(i/8))
	}
	list += "]}, {kind: poisson, load: 0.3, duration: 50us}]\n"
	for name, text := range map[string]string{
		"triggers": jobTree + "workload: [{kind: file, path: PATH}, {kind: poisson, load: 0.3, duration: 30us}]\n",
		"list":     jobTree + list,
		"losses":   jobTree + list + "cc: {kind: dcqcn}\ntelemetry: {kind: none}\nnetwork: {link_error_rate: 0.002}\n",
		"pulls":    jobTree + list + "cc: {kind: ndp}\ntelemetry: {kind: none}\n",
	} {
		t.Run(name, func(t *testing.T) {
			var want string
			for _, workers := range []int{1, 2, 3, 7} {
				got, _ := files(t, jobScenario(t, text, "t.cm", triggered, workers))
				if workers == 1 {
					want = got
				} else if got != want {
					t.Fatalf("%d workers give other records than 1", workers)
				}
			}
		})
	}
}

// A run whose flows wait for other hosts has one worker, and a note reports it if the scenario asks for more.
func TestJobsSayThatTheyRunAlone(t *testing.T) {
	for workers, want := range map[int]bool{1: false, 3: true} {
		r, err := Run(context.Background(),
			jobScenario(t, jobTree+"workload: [{kind: file, path: PATH, start_unit: us}]\n", "t.cm", triggered,
				workers), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(strings.Join(r.Notes, "\n"), "run.workers = 3 has no effect"); got != want {
			t.Errorf("%d workers: %q", workers, r.Notes)
		}
	}
}

func TestJobErrors(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"workload: [{kind: list, flows: [{src: 0, dst: 1, size: 1KB, after: [1]}, " +
			"{src: 1, dst: 0, size: 1KB, after: [0]}]}]\n",
			"workload.0.flows.0 can never begin: it waits for flows.1, …"},
		{"workload: [{kind: list, flows: [{src: 0, dst: 1, size: 1KB},\n{src: 0, dst: 1, size: 1KB, after: [1]}]}]\n",
			"test:3:… workload.0.flows.1.after: … flow 1 waits for itself"},
		{"profile: ns3-artifact\nworkload: [{kind: list, flows: [{src: 0, dst: 1, size: 1KB}, " +
			"{src: 1, dst: 0, size: 1KB, after: [0]}]}]\n", "profile … published simulator"},
		{"workload: [{kind: list, flows: [{src: 0, dst: 1, size: 1KB}, {src: 1, dst: 0, size: 1KB, after: [0]}]}]\n" +
			"run: {ties: fifo}\n", "run.ties = fifo … seeded"},
		{"workload: [{kind: collective, ranks: 2, start: 10us}]\nrun: {drain: false}\n",
			"run.drain = false: … want true"},
	} {
		sc, err := scenario.Parse([]byte(jobTree+tt.text), "test")
		if err == nil {
			_, err = Run(context.Background(), sc, Options{})
		}
		if !errtest.Says(err, tt.want) {
			t.Errorf("%s: error %v, want %s", tt.text, err, tt.want)
		}
	}
}

// slim is a network whose packets consist almost only of payload, so that laws of bytes and rates apply directly.
const slim = "topology: {kind: star, hosts: 9, host_rate: 100Gbps, link_delay: 1us}\n" +
	"transport: {payload: 8000B, header: 1B}\ncc: {kind: fixed}\ntelemetry: {kind: none}\n"

// jobRun runs a scenario.
func jobRun(t *testing.T, text string) *Result {
	t.Helper()
	sc, err := scenario.Parse([]byte(text), "test")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(context.Background(), sc, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// whole returns the row of the i-th job.
func whole(t *testing.T, r *Result, i int) *JobRow {
	t.Helper()
	for k := range r.JobRows {
		if row := &r.JobRows[k]; row.Group == "job" {
			if i--; i < 0 {
				return row
			}
		}
	}
	t.Fatalf("there is no job %d in %+v", i, r.JobRows)
	return nil
}

// A ring all-reduce of S bytes over N hosts takes at least 2(N-1)/N·S/rate, and hardly more without other traffic. The
// bus bandwidth is then nearly the bandwidth of the links.
func TestRingTakesItsTime(t *testing.T) {
	for _, ranks := range []int{2, 5, 8} {
		r := jobRun(t, slim+fmt.Sprintf("workload: [{kind: collective, ranks: %d, size: 64MB}]\n", ranks))
		row := whole(t, r, 0)
		least := 2 * float64(ranks-1) / float64(ranks) * 64e6 * 8 / 100e9
		if took := row.took().Seconds(); took < least || took > 1.02*least {
			t.Errorf("%d ranks: %.1f us, want %.1f us to 2 %% more", ranks, 1e6*took, 1e6*least)
		}
		if bus := float64(r.JobRows[1].BusBW); r.JobRows[1].Group != "allreduce" || bus < 98e9 || bus > 100e9 {
			t.Errorf("%d ranks: %+v", ranks, r.JobRows[1])
		}
		if row.Exposed != row.took() {
			t.Errorf("%d ranks: %v of %v is exposed communication, want all", ranks, row.Exposed, row.took())
		}
	}
}

// Jobs that share no link finish as each does alone, at the same picosecond.
func TestJobsApart(t *testing.T) {
	const first = "{kind: collective, ranks: 4, size: 1MB, operation: alltoall, compute: 5us, repeat: 2}"
	const second = "{kind: training, first: 4, data: 2, tensor: 2, pipeline: 1, tensor_size: 200KB, " +
		"data_size: 300KB, compute: 20us}"
	both := jobRun(t, slim+"workload: ["+first+", "+second+"]\n")
	for i, text := range []string{first, second} {
		alone := jobRun(t, slim+"workload: ["+text+"]\n")
		if a, b := whole(t, alone, 0), whole(t, both, i); a.Begin != b.Begin || a.End != b.End || a.End == unit.Never {
			t.Errorf("job %d ends at %v alone and at %v together with the other", i, a.End, b.End)
		}
	}
}

// Without other traffic, a rank that is late by D delays a job by at most D, plus the time of one packet, because data
// and ACKs may meet in another order.
func TestStragglerCostsItsDelay(t *testing.T) {
	for _, job := range []string{
		"operation: allreduce, ranks: 4", "operation: allreduce, algorithm: tree, ranks: 4",
		"operation: allgather, ranks: 5", "operation: broadcast, ranks: 6",
	} {
		var ends []unit.Time
		for _, d := range []string{"0s", "37us"} {
			source := "{kind: collective, " + job + ", size: 1MB, straggler: 1, compute: 1us, delay: " + d + "}"
			ends = append(ends, whole(t, jobRun(t, slim+"workload: ["+source+"]\n"), 0).End)
		}
		if ends[1] < ends[0] || ends[1] > ends[0]+37*unit.Microsecond+640*unit.Nanosecond {
			t.Errorf("%s: ends at %v, and at %v with a rank that is late by 37 us", job, ends[0], ends[1])
		}
	}
}

// Collectives, training steps, schedules and traces end under losses, with every kind of receiver, and their
// records are the same on one engine and on several.
func TestCollectivesDoNotDependOnWorkers(t *testing.T) {
	const rail = "topology: {kind: rail, servers: 4, rails: 4, spines: 2, host_rate: 100Gbps, fabric_rate: 100Gbps, " +
		"degraded: 1}\n"
	const work = "workload: [{kind: training, data: 2, tensor: 2, pipeline: 2, expert: 2, microbatches: 2, " +
		"compute: 3us, tensor_size: 30KB, expert_size: 20KB, pipeline_size: 40KB, data_size: 50KB, placement: " +
		"rail, rails: 4, straggler: 3, delay: 2us}, " +
		"{kind: collective, ranks: 8, first: 8, operation: allreduce, algorithm: halving-doubling, size: 100KB, " +
		"repeat: 2}, {kind: poisson, load: 0.2, duration: 30us}]\n"
	for name, text := range map[string]string{
		"hpcc":   rail + work,
		"losses": rail + work + "network: {link_error_rate: 0.001}\ncc: {kind: dcqcn}\ntelemetry: {kind: none}\n",
		"pulls":  rail + work + "network: {link_error_rate: 0.001}\ncc: {kind: ndp}\ntelemetry: {kind: none}\n",
		"servers": strings.Replace(rail, "spines", "server_rate: 400Gbps, spines", 1) +
			"workload: [{kind: goal, path: ../../workloads/job/testdata/dissemination_16.goal}, " +
			"{kind: chakra, path: ../../workloads/job/testdata/allreduce.0.et, placement: random}]\n",
	} {
		t.Run(name, func(t *testing.T) {
			var want string
			for _, workers := range []int{1, 2, 3, 7} {
				sc := jobScenario(t, text, "none", "", workers)
				got, _ := files(t, sc)
				if workers > 1 {
					if got != want {
						t.Fatalf("%d workers give other records than 1", workers)
					}
					continue
				}
				want = got
				r := jobRun(t, text)
				for i := range r.Jobs.runs {
					if whole(t, r, i).End == unit.Never {
						t.Errorf("job %d does not end", i)
					}
				}
			}
		})
	}
}

// A job ends under every congestion control when one packet in a thousand is lost.
func TestJobsEndUnderLosses(t *testing.T) {
	for _, k := range protocols.Standard().Controls.Kinds {
		if k.Name == "fixed" {
			continue // by default it sends at the rate of the link, which all-to-all overloads
		}
		sc, err := scenario.Parse(
			[]byte("topology: {kind: rail, servers: 2, rails: 4, spines: 2, host_rate: 100Gbps, "+
				"fabric_rate: 100Gbps}\n"+
				"workload: [{kind: training, data: 2, tensor: 2, pipeline: 2, expert: 2, microbatches: 2, "+
				"compute: 2us, tensor_size: 100KB, expert_size: 60KB, pipeline_size: 80KB, data_size: 200KB}]\n"+
				"cc: {kind: "+k.Name+"}\nnetwork: {link_error_rate: 0.001}\n"), "test")
		if err != nil {
			t.Fatalf("%s: %v", k.Name, err)
		}
		r, err := Run(context.Background(), sc, Options{})
		if err != nil {
			t.Fatalf("%s: %v", k.Name, err)
		}
		if row := whole(t, r, 0); row.End == unit.Never || r.Counters.Lost == 0 {
			t.Errorf("%s: %+v, %d packets lost", k.Name, row, r.Counters.Lost)
		}
	}
}

// Each line of a job contains means over collectives of the same size.
func TestJobLines(t *testing.T) {
	size := func(bytes unit.Bytes, bus float64) JobRow {
		return JobRow{
			Job: "workload.0", Group: "allreduce", Ranks: 4, Bytes: bytes, End: unit.Microsecond,
			BusBW: unit.Rate(bus * 1e9),
		}
	}
	r := &Result{JobRows: []JobRow{size(100*unit.KB, 10), size(unit.MB, 89.251), size(unit.KB, 0.00212),
		size(100*unit.KB, 30),
		{Job: "workload.0", Group: "job", Ranks: 4, End: unit.Microsecond, Flow: -1}}}
	got := strings.Join(r.JobLines(), "\n")
	for _, want := range []string{
		"2 of allreduce, 4 ranks, 100 KB, 1 µs on average, 1 µs at most, bus bandwidth 20 Gb/s",
		"1 of allreduce, 4 ranks, 1 MB, 1 µs on average, 1 µs at most, bus bandwidth 89.25 Gb/s",
		"1 of allreduce, 4 ranks, 1 KB, 1 µs on average, 1 µs at most, bus bandwidth 2.12 Mb/s",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	r.JobRows = append(r.JobRows, JobRow{Job: "workload.1", Group: "job", Ranks: 2, End: unit.Never})
	end, no := int64(unit.Microsecond), int64(0)
	mean := func(bytes int64, n int, bus float64) CollectiveSummary {
		return CollectiveSummary{"allreduce", 4, bytes, n, 1e6, 1e6, bus}
	}
	want := []JobSummary{
		{Job: "workload.0", Ranks: 4, Begin: &no, End: &end, Exposed: &no, Collectives: []CollectiveSummary{
			mean(100_000, 2, 20e9), mean(1_000_000, 1, 89.251e9), mean(1000, 1, 2.12e6)}},
		{Job: "workload.1", Ranks: 2, Begin: &no},
	}
	if diff := cmp.Diff(want, r.JobSummaries(), cmpopts.IgnoreUnexported(JobSummary{})); diff != "" {
		t.Errorf("summaries (-want +got):\n%s", diff)
	}
}

// A link of a host into the network is not slow because the links inside servers are faster.
func TestSlowLink(t *testing.T) {
	const text = "name: servers\ntopology: {kind: rail, servers: 4, rails: 2, spines: 2, server_rate: 1600Gbps}\n" +
		"workload: [{kind: collective, ranks: 4, size: 100KB, placement: rail}]\ncc: {kind: fixed}\n" +
		"telemetry: {kind: none}\n"
	r := jobRun(t, text)
	lines := strings.Join(r.JobLines(), "\n")
	if !strings.Contains(lines, "by way of h6 to leaf0") || strings.Contains(lines, "most such links") {
		t.Error(lines)
	}
}

// A placement by rails takes the number of rails from the network if the scenario does not set it, and a note reports
// this.
func TestRailsOfTheNetwork(t *testing.T) {
	for _, x := range []struct {
		topology string
		rails    int
		third    topo.NodeID // rank 2
	}{{"{kind: rail, servers: 2, rails: 4, spines: 2}", 4, 1}, {"{kind: star, hosts: 24}", 8, 16}} {
		s, err := Build(
			parse(t,
				"topology: "+x.topology+"\nworkload: [{kind: collective, placement: rail, ranks: 8, size: 8KB}]\n"),
			Options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		listed := slices.ContainsFunc(s.Choices, func(c schema.Settled) bool {
			return c.Key == "workload.0.rails" && c.Value == fmt.Sprint(x.rails)
		})
		if third := s.jobs.runs[0].Hosts[2]; third != x.third || !listed {
			t.Errorf("%s: rank 2 is on host %d, want %d; choices %v", x.topology, third, x.third, s.Choices)
		}
	}
}

// Each entry of the workload has a name. Entries whose flows wait for other flows are jobs, in the order of jobs.csv.
// Each flow belongs to the entry that generates it: an incast's flows have a different port.
func TestSources(t *testing.T) {
	sc, err := scenario.Parse([]byte(jobTree+`workload:
  - {kind: poisson, sizes: hadoop, load: 0.3, duration: 20us}
  - {kind: incast, senders: 4, size: 10KB, receiver: 3, repeat: interval, interval: 10us, duration: 20us}
  - {kind: list, flows: [{src: 0, dst: 1, size: 1KB}, {src: 1, dst: 2, size: 1KB, after: [0]}]}
  - {kind: collective, operation: allreduce, ranks: 4, size: 8KB}
  - {kind: poisson, sizes: hadoop, load: 0.1, duration: 20us}
`), "test")
	if err != nil {
		t.Fatal(err)
	}
	sources, err := Sources(sc)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"0 poisson 0 -1 []", "1 incast -1 []", "2 list 0 []", "3 collective 1 [allreduce, 4 ranks, 8KB]",
		"4 poisson 4 -1 []",
	}
	var got []string
	for _, s := range sources {
		got = append(got, fmt.Sprint(s.Index, " ", s.Name, " ", s.Job, " ", s.Kinds))
	}
	if !slices.Equal(got, want) {
		t.Errorf("sources %q, want %q", got, want)
	}
	of, err := FlowSources(sc)
	if err != nil {
		t.Fatal(err)
	}
	res, err := Run(context.Background(), sc, Options{})
	if err != nil {
		t.Fatal(err)
	}
	flows := map[uint16]int{}
	for f := range res.Flows.All() {
		flows[of[f.ID]]++
		if (f.Class == 1) != (of[f.ID] == 1) {
			t.Errorf("flow %d of class %d is of entry %d", f.ID, f.Class, of[f.ID])
		}
	}
	if flows[1] != 8 || flows[2] != 2 || flows[3] != 24 || flows[0] == 0 || flows[4] == 0 ||
		len(of) != res.Flows.Len() {
		t.Errorf("flows by entry: %v of %d", flows, len(of))
	}
}

// The busiest link is one that the last message has crossed, also if faults change its path.
func TestBusiestLinkOfJobsUnderFaults(t *testing.T) {
	for fault, want := range map[string]string{
		"":                                    "leaf0 to spine1 0.99",
		"kind: link-down, a: 4, b: 7, at: 0s": "leaf0 to spine0 0.99",
		"kind: link-down, a: 4, b: 6, at: 0s": "leaf0 to spine1 0.99",
		"kind: link-down, a: 4, b: 7, at: 0s, until: 600us": "leaf0 to spine0 0.71",
		"kind: link-down, a: 4, b: 7, at: 600us":            "leaf0 to spine1 0.6",
		"kind: switch-failure, switch: 7, at: 100us":        "leaf0 to spine0 0.80",
		"kind: loop, a: 4, b: 7, at: 0s, until: 200us":      "leaf0 to spine1 0.97",
	} {
		text := "topology: {kind: leafspine, leaves: 2, spines: 2, hosts_per_leaf: 2, host_rate: 100Gbps, " +
			"fabric_rate: 10Gbps}\n" +
			"workload: [{kind: collective, operation: sendrecv, ranks: 2, chunks: 1, size: 1MB, placement: list, " +
			"hosts: [0, 2]}]\ncc: {kind: dctcp}\n"
		if fault != "" {
			text += "faults: [{" + fault + "}]\n"
		}
		r := jobRun(t, text)
		row := whole(t, r, 0)
		i := slices.IndexFunc(r.LinkRows, func(l LinkRow) bool { return l.From+" to "+l.To == row.Link })
		if got := fmt.Sprintf("%s %.2f", row.Link, row.Use); !strings.HasPrefix(got, want) || i < 0 ||
			r.LinkRows[i].Use != row.Use {
			t.Errorf("%s: busiest link %s, want %s", fault, got, want)
		}
	}
}

// The line of a job names a slow link and its share of the usual rate, even if the last message of the job avoids this
// link.
func TestJobsNameASlowLink(t *testing.T) {
	sc, err := scenario.Open("training", "topology.degraded=1")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), sc, Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(r.JobLines(), "\n")
	for _, want := range []string{
		"exposed communication; the busiest link is spine0 to leaf0, 55.6 % in use, at 25 % of the rate of most " +
			"such links; flow 343 to rank 1 came last, by way of h5 to leaf1, 23.3 % in use",
		"by way of leaf0 to spine0, 48 % in use, at 25 % of the rate of most such links;",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
