package sim

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pintlab/experiments/scenario"
	"pintlab/internal/errtest"
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

// jobScenario is a run of flows that wait for each other, from a file that is written for it.
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

// Flows of a connection matrix start at the very time at which those have finished that their trigger waits for.
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
	for flow, want := range map[int64]unit.Time{3: barrier, 4: barrier, 6: end[5], 7: end[6], 8: end[7], 9: end[8], 10: end[8], 11: end[8]} {
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
	if line := fmt.Sprintf(",3,message,1,1,0,3,30000,,%d,%d,%d,", barrier, barrier, end[3]); !strings.Contains(b.String(), line) {
		t.Errorf("no %q in\n%s", line, b.String())
	}
}

// Dependent flows have the same records on one engine and on several, whether their hosts wait for each other at
// once or not, with losses and with receivers that say when senders send.
func TestJobsDoNotDependOnWorkers(t *testing.T) {
	list := "workload: [{kind: list, flows: ["
	for i := range 40 {
		after := "[none]"
		if i >= 8 {
			after = fmt.Sprintf("[%d, %d]", i-8, (i-8)/8*8+i%4) // a host's own flows
		}
		list += fmt.Sprintf("{src: %d, dst: %d, size: %dKB, after: %s, start: %dus}, ", i%4, 4+(i*7)%12, 1+i%9*10, after, i%3*(i/8))
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

func TestJobErrors(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"workload: [{kind: list, flows: [{src: 0, dst: 1, size: 1KB, after: [1]}, {src: 1, dst: 0, size: 1KB, after: [0]}]}]\n", "workload.0.flows: message 0, … never begin … message 1"},
		{"profile: ns3-artifact\nworkload: [{kind: list, flows: [{src: 0, dst: 1, size: 1KB}, {src: 1, dst: 0, size: 1KB, after: [0]}]}]\n", "profile … published simulator"},
		{"workload: [{kind: list, flows: [{src: 0, dst: 1, size: 1KB}, {src: 1, dst: 0, size: 1KB, after: [0]}]}]\nrun: {ties: fifo}\n", "run.ties = fifo … seeded"},
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
