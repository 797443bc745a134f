package workloads

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"pintlab/internal/number"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/workloads/tasks"
)

// ReadConnectionMatrix reads an htsim traffic file (.cm) without triggers, and its number of hosts. Start times
// are in picoseconds.
func ReadConnectionMatrix(r io.Reader, name string, hosts []Host) (flows []Flow, n int, err error) {
	g, n, err := readMatrix(r, name, hosts, unit.Picosecond)
	if err != nil {
		return nil, 0, err
	}
	flows, ok := g.(Trace)
	if !ok {
		return nil, 0, errTriggers(name)
	}
	return flows, n, nil
}

// errTriggers returns the error for a matrix that has triggers although no run can fire them.
func errTriggers(name string) error {
	return fmt.Errorf("%s: its flows wait for triggers and start when other flows have finished; only a run "+
		"(workload.N.kind = file) can use such flows", name)
}

// readTriggers reads an htsim traffic file (.cm): the lines "Nodes N" and "Connections M", and "Triggers K"
// if there are any, then for each flow a line "src->dst [id I] (start TIME | trigger T) size BYTES
// [send_done_trigger T] [recv_done_trigger T]", and for each trigger "trigger id T
// oneshot|multishot|barrier [count N]", in any order. Empty lines and text after a # are skipped. clock is
// the unit of TIME.
//
// A flow fires its send_done_trigger when its sender has the ACK of its last byte. A oneshot starts all its flows when
// it is first fired, a barrier when it has been fired count times; both start their flows in the reverse order of the
// file. A multishot starts one more flow each time, in the order of the file. In htsim nothing fires a
// recv_done_trigger.
//
// htsim numbers the hosts from 0; its i-th host is hosts[i], or node i if hosts is nil. The flows are sorted by start
// time, with ties in the order of the file. They have new IDs, DefaultPriority and BackgroundPort. name is the name of
// the input; every error begins with the name and the line.
//
// Endless flows (size 0), priorities and link failures are errors because they are not supported. Undefined triggers
// and flows that can never start are also errors.
func readTriggers(r io.Reader, name string, hosts []Host, clock unit.Time) (Generator, error) {
	g, _, err := readMatrix(r, name, hosts, clock)
	return g, err
}

// readMatrix reads a traffic file and its number of hosts.
func readMatrix(r io.Reader, name string, hosts []Host, clock unit.Time) (Generator, int, error) {
	m := &matrix{in: newLines(r), hosts: hosts, clock: clock, nodes: -1, want: -1, ids: map[int64]bool{},
		triggers: map[int64]*trigger{}}
	for m.in.next() {
		if err := m.line(strings.Fields(m.in.text)); err != nil {
			return nil, 0, m.in.errorf(name, "%w", err)
		}
	}
	if err := m.in.err(); err != nil {
		return nil, 0, m.in.errorf(name, "%w", err)
	}
	switch {
	case m.nodes < 0:
		return nil, 0, fmt.Errorf("%s: want a line \"Nodes N\"", name)
	case m.want < 0:
		return nil, 0, fmt.Errorf("%s: want a line \"Connections N\"", name)
	case int64(len(m.flows)) != m.want:
		return nil, 0, m.in.errorf(name, "the file ends after %s, but line %d promises %d",
			number.Count(len(m.flows), "connection"), m.promise, m.want)
	}
	if int64(len(m.triggers)) != m.shots {
		return nil, 0, fmt.Errorf("%s: %s, but its line \"Triggers\" promises %d", name,
			number.Count(len(m.triggers), "trigger"), m.shots)
	}
	if m.uses {
		g, err := m.graph(name)
		return g, int(m.nodes), err
	}
	flows := make(Trace, len(m.flows))
	for i := range m.flows {
		flows[i] = m.flows[i].Flow
	}
	slices.SortStableFunc(flows, compareStart)
	p := newPorts()
	for i := range flows {
		f := &flows[i]
		f.ID = int32(i)
		f.SrcPort = p.next(f.Src, f.Dst)
	}
	return flows, int(m.nodes), nil
}

// connected is a flow, the trigger that starts it, and the triggers that it fires. 0 stands for no trigger.
type connected struct {
	Flow
	line      int
	by, fires int64
}

// trigger is a line that defines a trigger.
type trigger struct {
	line  int
	kind  string
	count int64
}

// triggerKinds are the accepted kinds of trigger.
var triggerKinds = []string{"oneshot", "multishot", "barrier"}

// graph converts the flows to messages of a graph whose ranks are the hosts.
func (m *matrix) graph(name string) (Generator, error) {
	if m.hosts == nil {
		return nil, errTriggers(name)
	}
	g := tasks.New(name, nodes(m.hosts))
	g.File = name
	fires := map[int64][]int32{}
	for i := range m.flows {
		f := &m.flows[i]
		src, _ := find(m.hosts, f.Src)
		dst, _ := find(m.hosts, f.Dst)
		g.Add(tasks.Task{Kind: tasks.Send, Rank: int32(src), Peer: int32(dst), Size: f.Size, Time: f.Start,
			Line: int32(f.line)})
		for _, id := range []int64{f.by, f.fires} {
			if id > 0 && m.triggers[id] == nil {
				return nil, fmt.Errorf("%s:%d: trigger %d is not defined (accepted: %v)",
					name, f.line, id, slices.Sorted(maps.Keys(m.triggers)))
			}
		}
		if f.fires > 0 {
			fires[f.fires] = append(fires[f.fires], int32(i))
		}
	}
	gates := map[int64]int32{}
	for _, id := range slices.Sorted(maps.Keys(m.triggers)) {
		t := m.triggers[id]
		by := fires[id]
		gate := tasks.Task{Kind: tasks.Gate, Count: int32(max(1, t.count)), Line: int32(t.line)}
		switch {
		case t.kind == "multishot":
			gate.Kind, gate.Count = tasks.Turnstile, 0
		case t.kind == "oneshot" && len(by) > 1:
			return nil, fmt.Errorf("%s:%d: this flow fires trigger %d, a oneshot, which the flow in line %d also "+
				"fires; want one flow",
				name, m.flows[by[1]].line, id, m.flows[by[0]].line)
		}
		if len(by) > 0 {
			gate.Rank = g.Tasks[by[0]].Rank
		}
		gates[id] = g.Add(gate)
		for _, i := range by {
			g.Wait(gates[id], i, tasks.Done)
		}
	}
	for i := range m.flows {
		if f := &m.flows[i]; f.by > 0 && m.triggers[f.by].kind == "multishot" {
			g.Wait(int32(i), gates[f.by], tasks.Done)
		}
	}
	for i := len(m.flows) - 1; i >= 0; i-- { // htsim starts the last flow first
		if f := &m.flows[i]; f.by > 0 && m.triggers[f.by].kind != "multishot" {
			g.Wait(int32(i), gates[f.by], tasks.Done)
		}
	}
	if _, err := tasks.Ideal(g); err != nil {
		return nil, err
	}
	return Tasks{g, DefaultPriority}, nil
}

// matrix is the part of a connection matrix that has been read.
type matrix struct {
	in          *lines
	hosts       []Host
	clock       unit.Time
	nodes, want int64 // values of the header; -1 before it is read
	shots       int64 // number of triggers in the header
	uses        bool  // a flow waits for a trigger
	triggers    map[int64]*trigger
	promise     int // line number of the header "Connections"
	ids         map[int64]bool
	flows       []connected
}

func (m *matrix) line(fields []string) error {
	if strings.Contains(fields[0], "->") {
		return m.connection(fields)
	}
	switch fields[0] {
	case "Nodes", "Connections", "Triggers", "Failures":
		return m.header(fields)
	case "trigger":
		return m.trigger(fields)
	case "failure":
		return errors.New("a failure is not supported (accepted: src->dst, trigger)")
	}
	return fmt.Errorf("unknown line %q (accepted: Nodes, Connections, Triggers, src->dst, trigger)", fields[0])
}

// trigger reads "trigger id T KIND [count N]".
func (m *matrix) trigger(fields []string) error {
	if len(fields) < 4 || fields[1] != "id" || !slices.Contains(triggerKinds, fields[3]) {
		return fmt.Errorf("want trigger id NUMBER and a kind (accepted: %s)", strings.Join(triggerKinds, ", "))
	}
	id, err := strconv.ParseInt(fields[2], 10, 32)
	if err != nil || id < 1 || m.triggers[id] != nil {
		return fmt.Errorf("trigger id %q, want a number from 1 to %d that no other trigger has",
			fields[2], math.MaxInt32)
	}
	t := &trigger{line: m.in.number, kind: fields[3]}
	switch barrier := t.kind == "barrier"; {
	case barrier && len(fields) == 6 && fields[4] == "count":
		if t.count, err = strconv.ParseInt(fields[5], 10, 32); err != nil || t.count < 1 {
			return fmt.Errorf("count %q, want a number from 1 to %d", fields[5], math.MaxInt32)
		}
	case barrier:
		return errors.New("the barrier has no count, want barrier count NUMBER")
	case len(fields) > 4:
		return fmt.Errorf("%q after %s, want nothing", fields[4], t.kind)
	}
	m.triggers[id] = t
	return nil
}

func (m *matrix) header(fields []string) error {
	if len(m.flows) > 0 {
		return fmt.Errorf("%s after the first connection", fields[0])
	}
	if len(fields) != 2 {
		return fmt.Errorf("%s, want %s and a number", number.Count(len(fields), "column"), fields[0])
	}
	n, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil || n < 0 || n > math.MaxInt32 {
		return fmt.Errorf("%s %q, want a whole number from 0 to %d", fields[0], fields[1], math.MaxInt32)
	}
	into := &m.want
	switch fields[0] {
	case "Triggers":
		m.shots = n
		return nil
	case "Failures":
		if n > 0 {
			return errors.New("failures are not supported, want 0")
		}
		return nil
	case "Nodes":
		if m.hosts != nil && n != int64(len(m.hosts)) {
			return fmt.Errorf("%s, but the network has %s", number.Count(n, "node"), number.Count(len(m.hosts), "host"))
		}
		into = &m.nodes
	}
	if *into >= 0 {
		return fmt.Errorf("a second line with %s", fields[0])
	}
	if *into = n; into == &m.want {
		m.promise = m.in.number
	}
	return nil
}

func (m *matrix) connection(fields []string) error {
	if m.nodes < 0 || m.want < 0 {
		return errors.New("a connection precedes the lines Nodes and Connections, want these lines first")
	}
	if int64(len(m.flows)) == m.want {
		return fmt.Errorf("one connection more than the %d that line %d promises", m.want, m.promise)
	}
	from, to, _ := strings.Cut(fields[0], "->")
	src, errSrc := m.node(from)
	dst, errDst := m.node(to)
	if errSrc != nil {
		return errSrc
	}
	if errDst != nil {
		return errDst
	}
	f := connected{Flow: Flow{Src: src, Dst: dst, Priority: DefaultPriority, DstPort: BackgroundPort},
		line: m.in.number}
	seen := map[string]bool{}
	for rest := fields[1:]; len(rest) > 0; rest = rest[2:] {
		key := rest[0]
		switch key {
		case "id", "start", "size", "trigger", "send_done_trigger", "recv_done_trigger":
		default:
			return fmt.Errorf("%q is not supported (accepted: id, start, trigger, size, send_done_trigger, "+
				"recv_done_trigger)", key)
		}
		if len(rest) == 1 {
			return fmt.Errorf("%s without a value", key)
		}
		if seen[key] {
			return fmt.Errorf("a second %s", key)
		}
		seen[key] = true
		v, exact, err := parseDecimal(rest[1], 0)
		if err != nil {
			return fmt.Errorf("%s %w", key, err)
		}
		if !exact {
			return fmt.Errorf("%s %q, want a whole number", key, rest[1])
		}
		switch key {
		case "start":
			if v > int64(unit.Never/m.clock)-1 {
				return fmt.Errorf("start %d is beyond the end of time (106 days)", v)
			}
			f.Start = unit.Time(v) * m.clock
		case "size":
			if v == 0 {
				return fmt.Errorf("size 0, an endless flow, is not supported, want 1 to %d", int64(maxSize))
			}
			f.Size = unit.Bytes(v)
		case "trigger", "send_done_trigger", "recv_done_trigger":
			if v == 0 {
				return fmt.Errorf("%s 0, want the number of a trigger, from 1 on", key)
			}
			if key == "trigger" {
				f.by, m.uses = v, true
			} else if key == "send_done_trigger" {
				f.fires = v
			}
		case "id":
			if v == 0 || m.ids[v] {
				return fmt.Errorf("id %d, want a number > 0 that no other connection has", v)
			}
			m.ids[v] = true
		}
	}
	if seen["start"] == seen["trigger"] || !seen["size"] {
		return fmt.Errorf("want a start or a trigger, and a size")
	}
	if err := checkFlow(f.Flow, nil); err != nil {
		return err
	}
	m.flows = append(m.flows, f)
	return nil
}

// node returns the node of htsim's host number s.
func (m *matrix) node(s string) (topo.NodeID, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || n >= m.nodes {
		return 0, fmt.Errorf("host %q, want a whole number from 0 to %d", s, m.nodes-1)
	}
	if m.hosts == nil {
		return topo.NodeID(n), nil
	}
	return m.hosts[n].Node, nil
}

// WriteConnectionMatrix writes flows between the given hosts as an htsim traffic file; hosts[i] becomes host i and flow
// IDs count from 1. graph returns the graph of a part whose flows wait for others; triggers start those flows. clock is
// the unit of start times. Ports, priorities and classes are not written. It is an error if a size is 2^31 B or more,
// because htsim cannot read it, if a start is not a multiple of clock, or if triggers cannot express a dependency
// (tasks.Graph.Triggers).
func WriteConnectionMatrix(w io.Writer, hosts []Host, flows []Flow, graph func(part uint16) *tasks.Graph,
	clock unit.Time) error {
	if hosts == nil {
		hosts = []Host{} // empty, because nil allows any node in checkFlow
	}
	type part struct {
		*tasks.Graph
		first     int // number of triggers of earlier parts
		by, fires []int
	}
	parts, triggers := map[uint16]*part{}, []tasks.Trigger(nil)
	for i := range flows {
		f := &flows[i]
		if f.Task == 0 || parts[f.Part] != nil {
			continue
		}
		p := &part{Graph: graph(f.Part), first: len(triggers)}
		list, by, fires, err := p.Triggers()
		if err != nil {
			return fmt.Errorf("%s cannot be written as a connection matrix: %w", p.Name, err)
		}
		p.by, p.fires, triggers = by, fires, append(triggers, list...)
		parts[f.Part] = p
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "Nodes %d\nConnections %d\n", len(hosts), len(flows))
	if len(triggers) > 0 {
		fmt.Fprintf(out, "Triggers %d\n", len(triggers))
	}
	for i, f := range flows {
		if err := checkFlow(f, hosts); err != nil {
			return fmt.Errorf("workloads: flow %d: %w", f.ID, err)
		}
		if f.Size > math.MaxInt32 {
			return fmt.Errorf("workloads: flow %d: size %d B, but htsim reads at most %d",
				f.ID, int64(f.Size), math.MaxInt32)
		}
		src, _ := find(hosts, f.Src)
		dst, _ := find(hosts, f.Dst)
		begin, end := "", ""
		if p := parts[f.Part]; f.Task > 0 {
			f.Start += p.Tasks[f.Task-1].Time
			if t := p.by[f.Task-1]; t > 0 {
				begin = fmt.Sprintf("trigger %d", p.first+t)
			}
			if t := p.fires[f.Task-1]; t > 0 {
				end = fmt.Sprintf(" send_done_trigger %d", p.first+t)
			}
		}
		if begin == "" {
			if f.Start%clock != 0 {
				return fmt.Errorf("workloads: flow %d: starts at %v, want a whole number of %v", f.ID, f.Start, clock)
			}
			begin = fmt.Sprintf("start %d", f.Start/clock)
		}
		fmt.Fprintf(out, "%d->%d id %d %s size %d%s\n", src, dst, i+1, begin, int64(f.Size), end)
	}
	for i, t := range triggers {
		switch {
		case t.Each:
			fmt.Fprintf(out, "trigger id %d multishot\n", i+1)
		case t.Count == 1 && t.Fired <= 1:
			fmt.Fprintf(out, "trigger id %d oneshot\n", i+1)
		default:
			fmt.Fprintf(out, "trigger id %d barrier count %d\n", i+1, t.Count)
		}
	}
	return out.Flush()
}
