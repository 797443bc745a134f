package workloads

import (
	"bytes"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pintlab/internal/errtest"
	"pintlab/netsim/unit"
	"pintlab/workloads/tasks"
)

func TestConnectionMatrixRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// The nodes of hosts need not be numbered from 0: host i of the file is hosts[i].
		hosts := someHosts(9)
		for i := range hosts {
			hosts[i].Node = hosts[i].Node*3 + 5
		}
		flows := anyFlows(t, 8, 1<<31-1)
		for i := range flows {
			f := &flows[i]
			f.Src, f.Dst = hosts[f.Src].Node, hosts[f.Dst].Node
			f.Priority, f.DstPort, f.Class = DefaultPriority, BackgroundPort, ClassBackground
		}
		var b bytes.Buffer
		if err := WriteConnectionMatrix(&b, hosts, flows, nil, unit.Picosecond); err != nil {
			t.Fatal(err)
		}
		back, _, err := ReadConnectionMatrix(&b, "f", hosts)
		if err != nil || !slices.Equal(flows, back) {
			t.Fatalf("%v\n%s", err, cmp.Diff(flows, back))
		}
	})
}

func TestReadConnectionMatrix(t *testing.T) {
	text := "# comment\nNodes 3\nConnections 3\nTriggers 0\n\n2->0 id 7 start 1e3 size 5\n0->1 size 6 start " +
		"10.0\n1->2 id 1 start 1000 size 7\n"
	want := []Flow{
		{0, 0, 1, 10000, 100, 3, ClassBackground, 6, 10, 0, 0},
		{1, 2, 0, 10000, 100, 3, ClassBackground, 5, 1000, 0, 0},
		{2, 1, 2, 10000, 100, 3, ClassBackground, 7, 1000, 0, 0},
	}
	got, _, err := ReadConnectionMatrix(strings.NewReader(text), "f", nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestConnectionMatrixErrors(t *testing.T) {
	const head = "Nodes 4\nConnections 1\n"
	tests := []struct{ text, want string }{
		{"", `f: want a line "Nodes N"`},
		{"Nodes 4\n", `f: want a line "Connections N"`},
		{"Nodes 5\n", "f:1: 5 nodes, but the network has 4 hosts"},
		{"Nodes x\n", `f:1: Nodes "x", want a whole number from 0 to 2147483647`},
		{"Nodes\n", "f:1: 1 column, want Nodes and a number"},
		{"Nodes 4\nNodes 4\n", "f:2: a second line with Nodes"},
		{"Nodes 4\nConnections 1\nConnections 1\n", "f:3: a second line with Connections"},
		{"Nodes 4\nConnections 0\nTriggers 1\n", "f: 0 triggers, … \"Triggers\" … 1"},
		{"Nodes 4\nFailures 2\n", "f:2: failures … supported, … 0"},
		{"Hosts 4\n", `f:1: unknown line "Hosts" (accepted: Nodes, Connections, Triggers, src->dst, trigger)`},
		{head + "trigger 1 oneshot\n", "f:3: … trigger id NUMBER … (accepted: oneshot, multishot, barrier)"},
		{head + "trigger id 1 twice\n", "f:3: … trigger id NUMBER … (accepted: oneshot, multishot, barrier)"},
		{head + "trigger id 0 oneshot\n", "f:3: trigger id \"0\", want a number from 1 to 2147483647 …"},
		{head + "trigger id 1 oneshot count 3\n", "f:3: \"count\" after oneshot …"},
		{head + "trigger id 1 barrier\n", "f:3: … barrier count NUMBER"},
		{"Nodes 4\nConnections 2\nTriggers 1\n0->1 start 0 size 1 send_done_trigger 1\n0->1 trigger 1 size " +
			"1\ntrigger id 1 barrier count 2\n", "f:5: … can never begin: … f:6: the gate … 1 of 2 events"},
		{"Nodes 4\nConnections 2\nTriggers 1\n0->1 start 0 size 1 send_done_trigger 1\n0->1 trigger 1 size " +
			"1\ntrigger id 2 oneshot\n", "f:4: trigger 1 is not defined (accepted: [2])"},
		{"Nodes 4\nConnections 2\nTriggers 1\n0->1 start 0 size 1 send_done_trigger 1\n0->2 start 0 size 1 " +
			"send_done_trigger 1\n0->1 trigger 1 size 1\ntrigger id 1 oneshot\n", "f:6: one connection more …"},
		{"Nodes 4\nConnections 3\nTriggers 1\n0->1 start 0 size 1 send_done_trigger 1\n0->2 start 0 size 1 " +
			"send_done_trigger 1\n0->1 trigger 1 size 1\ntrigger id 1 oneshot\n",
			"f:5: this flow fires trigger 1, a oneshot, which the flow in line 4 also fires; want one flow"},
		{"Nodes 4\nConnections 2\nTriggers 2\n0->1 trigger 1 size 1 send_done_trigger 2\n0->2 trigger 2 size 1 " +
			"send_done_trigger 1\ntrigger id 1 oneshot\ntrigger id 2 oneshot\n", "f:4: … can never begin"},
		{"Nodes 4\nConnections 1\nTriggers 1\n0->1 trigger 1 start 3 size 1\n", "f:4: want a start or a trigger …"},
		{"Nodes 4\n0->1 start 0 size 1\n", "f:2: … connection … lines Nodes … Connections"},
		{head, "f:2: the file ends after 0 connections, but line 2 promises 1"},
		{head + "0->1 start 0 size 1\n0->1 start 0 size 1\n", "f:4: one connection more than the 1 that line 2 " +
			"promises"},
		{head + "0->1 start 0 size 1\nNodes 4\n", "f:4: Nodes … first connection"},
		{head + "0->4 start 0 size 1\n", `f:3: host "4", want a whole number from 0 to 3`},
		{head + "->1 start 0 size 1\n", `f:3: host "", want a whole number from 0 to 3`},
		{head + "2->2 start 0 size 1\n", "f:3: source … destination … 2"},
		{head + "0->1 start 0\n", "f:3: … start … size"},
		{head + "0->1 size 1 id 1\n", "f:3: … start … size"},
		{head + "0->1 start 0 size\n", "f:3: size … value"},
		{head + "0->1 start 0 size 1 size 1\n", "f:3: a second size"},
		{head + "0->1 start 0 size 0\n", "f:3: size 0, an endless flow, is not supported, want 1 to 1125899906842624"},
		{head + "0->1 start 0 size 9999999999999999\n", "f:3: size 9999999999999999 B, want 1 to 1125899906842624"},
		{head + "0->1 start 0.5 size 1\n", `f:3: start "0.5", want a whole number`},
		{head + "0->1 start -1 size 1\n", `f:3: start "-1" … decimal number >= 0`},
		{head + "0->1 trigger 0 size 1\n", "f:3: trigger 0, … number of a trigger"},
		{head + "0->1 prio 1 start 0 size 1\n",
			`f:3: "prio" is not supported (accepted: id, start, trigger, size, send_done_trigger, recv_done_trigger)`},
		{head + "0->1 id 0 start 0 size 1\n", "f:3: id 0, … number > 0 … connection"},
		{"Nodes 4\nConnections 2\n0->1 id 5 start 0 size 1\n1->0 id 5 start 0 size 1\n",
			"f:4: id 5, … number > 0 … connection"},
	}
	for _, tt := range tests {
		_, err := readTriggers(strings.NewReader(tt.text), "f", someHosts(4), unit.Picosecond)
		if !errtest.Says(err, tt.want) {
			t.Errorf("%q: error %v, want %s", tt.text, err, tt.want)
		}
	}
}

func TestWriteConnectionMatrixErrors(t *testing.T) {
	for _, tt := range []struct {
		hosts []Host
		flow  Flow
		want  string
	}{
		{someHosts(2), Flow{ID: 3, Src: 0, Dst: 1, Size: 1 << 31},
			"workloads: flow 3: size 2147483648 B, but htsim reads at most 2147483647"},
		{someHosts(2), Flow{ID: 3, Src: 0, Dst: 2, Size: 1},
			"workloads: flow 3: destination 2 … host here (2 hosts, 0 to 1)"},
		{nil, Flow{ID: 3, Src: 0, Dst: 1, Size: 1}, "workloads: flow 3: source 0 … host here (there … hosts)"},
		{someHosts(1), Flow{ID: 3, Src: 0, Dst: 1, Size: 1},
			"workloads: flow 3: destination 1 … host here (the … host … 0)"},
	} {
		if err := WriteConnectionMatrix(&strings.Builder{}, tt.hosts, []Flow{tt.flow}, nil,
			unit.Picosecond); !errtest.Says(err, tt.want) {
			t.Errorf("error %v, want %s", err, tt.want)
		}
	}
}

func TestRealConnectionMatrices(t *testing.T) {
	for name, want := range map[string]struct {
		hosts, flows int
		last         unit.Time
		bytes        unit.Bytes
	}{
		"perm128_10MB.cm": {128, 128, 0, 1_280_000_000},
		"ws320.cm":        {320, 2446, 1_999_613_470, 0},
	} {
		t.Run(name, func(t *testing.T) {
			data := shared(t, "data/htsim/"+name)
			hosts := someHosts(want.hosts)
			flows, _, err := ReadConnectionMatrix(bytes.NewReader(data), name, hosts)
			if err != nil || len(flows) != want.flows || flows[len(flows)-1].Start != want.last {
				t.Fatalf("%d flows, %v; want %d, the last at %v", len(flows), err, want.flows, want.last)
			}
			var sum unit.Bytes
			for _, f := range flows {
				sum += f.Size
			}
			if want.bytes != 0 && sum != want.bytes {
				t.Errorf("%d B, want %d", sum, want.bytes)
			}
			var b bytes.Buffer
			if err := WriteConnectionMatrix(&b, hosts, flows, nil, unit.Picosecond); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(data), b.String()); diff != "" {
				t.Errorf("written back differently:\n%s", diff)
			}
		})
	}
}

// rewrite reads a text with triggers, writes the result, and reads it again.
func rewrite(t *testing.T, text string, g Generator) {
	t.Helper()
	first, ok := g.(Tasks)
	if !ok {
		return
	}
	s, err := Workload{Parts: []Part{{Name: "f", Generator: first}}}.Stream(someHosts(5))
	if err != nil {
		t.Fatal(err)
	}
	flows, err := Collect(s)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := WriteConnectionMatrix(&b, someHosts(5), flows, func(uint16) *tasks.Graph { return first.Graph },
		unit.Microsecond); err != nil {
		if !errtest.Says(err, "… but htsim reads at most …") {
			t.Errorf("%q: %v", text, err)
		}
		return
	}
	again, err := readTriggers(strings.NewReader(b.String()), "f", someHosts(5), unit.Microsecond)
	if err != nil {
		t.Fatalf("%q became %q: %v", text, &b, err)
	}
	second := again.(Tasks)
	for i := range first.Tasks {
		first.Tasks[i].Line = 0
	}
	for i := range second.Tasks {
		second.Tasks[i].Line = 0
	}
	if !reflect.DeepEqual(first, second) {
		t.Errorf("%q became %q:\n%+v\n%+v", text, &b, first.Graph, second.Graph)
	}
}

// Flows of a list that wait for others become triggers. Dependencies that triggers cannot express cause an error that
// names them.
func TestWriteTriggers(t *testing.T) {
	message := func(g *tasks.Graph, from, to int32, after ...int32) int32 {
		m := g.Add(tasks.Task{Kind: tasks.Send, Rank: from, Peer: to, Size: 9})
		for _, x := range after {
			g.Wait(m, x, tasks.Done)
		}
		return m
	}
	write := func(make func(g *tasks.Graph)) (string, error) {
		g := tasks.New("job", nodes(someHosts(5)))
		make(g)
		w := Workload{Parts: []Part{{Name: "a", Generator: Tasks{Graph: g}}}}
		s, err := w.Stream(someHosts(5))
		if err != nil {
			t.Fatal(err)
		}
		flows, err := Collect(s)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		err = WriteConnectionMatrix(&b, someHosts(5), flows, w.Graph, unit.Microsecond)
		if err == nil {
			if err := WriteFlows(io.Discard, len(flows), Slice(flows)); !errtest.Says(err,
				"… flow 0 waits for other flows …") {
				t.Errorf("flow.txt: %v", err)
			}
		}
		return b.String(), err
	}
	got, err := write(func(g *tasks.Graph) {
		a, b := message(g, 0, 1), message(g, 1, 2)
		message(g, 2, 3, a, b)
		message(g, 4, 3, message(g, 3, 4, b, a))
	})
	want := "Nodes 5\nConnections 5\nTriggers 2\n0->1 id 1 start 0 size 9 send_done_trigger 1\n1->2 id 2 start 0 " +
		"size 9 send_done_trigger 1\n" +
		"2->3 id 3 trigger 1 size 9\n3->4 id 4 trigger 1 size 9 send_done_trigger 2\n4->3 id 5 trigger 2 size 9\n" +
		"trigger id 1 barrier count 2\ntrigger id 2 oneshot\n"
	if err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
	for want, make := range map[string]func(*tasks.Graph){
		"job cannot be written … message 0 … starts two sets of messages …": func(g *tasks.Graph) {
			a := message(g, 0, 1)
			message(g, 1, 2, a)
			message(g, 1, 2, a, message(g, 2, 3))
		},
		"… message 0, … waits for an event of message 1, … but can only wait for its last ACK": func(g *tasks.Graph) {
			g.Wait(message(g, 1, 2), message(g, 0, 1), tasks.Arrived)
		},
		"… computation 1, … is not a message": func(g *tasks.Graph) {
			message(g, 0, 1)
			g.Add(tasks.Task{Time: 5})
		},
		"… starts at 1ps, want a whole number of 1us": func(g *tasks.Graph) {
			g.Tasks[message(g, 0, 1)].Time = 1
		},
	} {
		if _, err := write(make); !errtest.Says(err, want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func FuzzReadConnectionMatrix(f *testing.F) {
	for _, s := range []string{
		"Nodes 5\nConnections 1\n0->1 id 1 start 0 size 10\n",
		"Nodes 5\nConnections 2\nTriggers 0\n0->1 id 1 start 9 size 10\n1->0 start 1e2 size 7\n",
		"Nodes 5\nConnections 0\n", "Nodes 5\nConnections 1\n0->1 trigger 1 size 0\n", "->\n",
		"Nodes 5\nConnections 1\n0->1 id", "Nodes -1\n",
		"Nodes 5\nConnections 2\nTriggers 1\n0->1 start 1 size 1 send_done_trigger 1\n1->2 trigger 1 size " +
			"3\ntrigger id 1 barrier count 1\n",
		"Nodes 5\nConnections 2\nTriggers 1\n0->1 start 1 size 1 send_done_trigger 1\n1->2 trigger 1 size 3 " +
			"send_done_trigger 1\ntrigger id 1 multishot\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		switch g, err := readTriggers(strings.NewReader(text), "f", someHosts(5), unit.Microsecond); {
		case err != nil && !strings.HasPrefix(err.Error(), "f:"):
			t.Errorf("error without the file's name: %v", err)
		case err == nil:
			rewrite(t, text, g)
		}
		flows, _, err := ReadConnectionMatrix(strings.NewReader(text), "f", someHosts(5))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Errorf("error without the file's name: %v", err)
			}
			return
		}
		var b bytes.Buffer
		if err := WriteConnectionMatrix(&b, someHosts(5), flows, nil, unit.Picosecond); err != nil {
			return // the size is valid except for htsim
		}
		back, _, err := ReadConnectionMatrix(&b, "f", someHosts(5))
		if err != nil || !slices.Equal(flows, back) {
			t.Errorf("%q does not survive: %v\n%s", text, err, cmp.Diff(flows, back))
		}
	})
}
