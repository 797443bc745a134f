package show

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/internal/number"
	"pintlab/netsim/unit"
)

// Trace counts the contents of a trace.
type Trace struct {
	Slices   int64 `json:"slices"`   // flows, computations, collectives, steps and jobs
	Samples  int64 `json:"samples"`  // values of counters
	Counters int   `json:"counters"` // number of counters
	Instants int64 `json:"instants"` // faults and repairs
}

// WriteTrace writes a run as trace events (JSON, the format of Chrome) for Perfetto and chrome://tracing. Each node is
// a process. Flows are slices on tracks of their source. Queues, utilisation, marks, drops and pauses of ports are
// counters of the sending node. Rates of flows are counters of their source, and faults are instants. A counter has an
// event for each change of its value. Each job is a process, after the nodes, with the steps and collectives of the
// job; computations are slices of their hosts.
//
// Rows are written as they are read. Only the state of ports, the tracks of hosts, and a bit for each flow are kept in
// memory.
func WriteTrace(to io.Writer, dir string, o SeriesOptions) (*Trace, error) {
	run, err := o.open(dir)
	if err != nil {
		return nil, err
	}
	s := &run.Scenario.Run.Sampling
	t := &tracer{w: bufio.NewWriterSize(to, 1<<16), nodes: map[int32]*tracedNode{}, flows: map[int64]uint64{}}
	t.text(`{"displayTimeUnit":"ns","traceEvents":[`)
	ended := unit.Time(run.Manifest.Summary.SimulatedPS)
	if s.OfPorts() {
		if err := t.ports(run, &o); err != nil {
			return nil, err
		}
	}
	if s.OfFlows() {
		if err := t.rates(run, &o); err != nil {
			return nil, err
		}
	}
	if err := t.slices(run, &o, ended); err != nil {
		return nil, err
	}
	if err := t.jobs(run, &o); err != nil {
		return nil, err
	}
	if err := t.faults(run.Scenario.Faults, ended); err != nil {
		return nil, err
	}
	t.text("\n]}\n")
	return &t.done, t.w.Flush()
}

// tracer writes events. Flush returns write errors.
type tracer struct {
	w     *bufio.Writer
	done  Trace
	begun bool
	nodes map[int32]*tracedNode
	flows map[int64]uint64 // one bit for each flow, set if it has a counter; 64 bits in a word
}

// tracedNode is a node whose name has been written.
type tracedNode struct {
	lanes   map[string][]lane // tracks by kind of slice
	threads int
}

// lane is a track of slices that do not overlap.
type lane struct {
	thread int
	free   unit.Time // end of the last slice
}

// slice writes a slice to the first free track of its kind at a node. If no track is free, it adds one.
func (t *tracer) slice(n *tracedNode, kind string, from, to unit.Time, e *event) error {
	i := slices.IndexFunc(n.lanes[kind], func(l lane) bool { return l.free <= from })
	if i < 0 {
		i = len(n.lanes[kind])
		n.threads++
		n.lanes[kind] = append(n.lanes[kind], lane{thread: n.threads})
		if err := t.emit(&event{Phase: "M", Process: e.Process, Thread: n.threads, Name: "thread_name",
			Args: map[string]any{"name": fmt.Sprintf("%s %d", kind, i+1)}}); err != nil {
			return err
		}
	}
	l := &n.lanes[kind][i]
	l.free = to
	t.done.Slices++
	e.Phase, e.Thread, e.Time, e.Duration = "X", l.thread, micros(from), micros(to-from)
	return t.emit(e)
}

func (t *tracer) text(s string) { t.w.WriteString(s) }

// event is a trace event with the format's field names; times are in microseconds.
type event struct {
	Phase    string         `json:"ph"`
	Process  int32          `json:"pid"`
	Thread   int            `json:"tid"`
	Name     string         `json:"name"`
	Category string         `json:"cat,omitempty"`
	Time     json.Number    `json:"ts,omitempty"`
	Duration json.Number    `json:"dur,omitempty"`
	Scope    string         `json:"s,omitempty"`
	Args     map[string]any `json:"args,omitempty"`
}

// micros formats a time in microseconds exactly.
func micros(t unit.Time) json.Number {
	return json.Number(fmt.Sprintf("%d.%06d", t/unit.Microsecond, t%unit.Microsecond))
}

func (t *tracer) emit(e *event) error {
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if t.begun {
		t.text(",")
	}
	t.begun = true
	t.text("\n")
	t.w.Write(text)
	return nil
}

// node writes the name of a node unless it has been written before.
func (t *tracer) node(n int32, kind string) (*tracedNode, error) {
	return t.process(n, fmt.Sprintf("%s %d", kind, n))
}

// process writes the name of a process unless it has been written before.
func (t *tracer) process(n int32, name string) (*tracedNode, error) {
	if x := t.nodes[n]; x != nil {
		return x, nil
	}
	x := &tracedNode{lanes: map[string][]lane{}}
	t.nodes[n] = x
	if err := t.emit(&event{Phase: "M", Process: n, Name: "process_name",
		Args: map[string]any{"name": name}}); err != nil {
		return nil, err
	}
	return x, t.emit(&event{Phase: "M", Process: n, Name: "process_sort_index", Args: map[string]any{"sort_index": n}})
}

// count writes a new value of a counter.
func (t *tracer) count(node int32, name, unit string, at unit.Time, v float64) error {
	t.done.Samples++
	return t.emit(&event{Phase: "C", Process: node, Name: name, Time: micros(at),
		Args: map[string]any{unit: json.Number(strconv.FormatFloat(v, 'g', -1, 64))}})
}

// portCounters are the counters of a port.
var portCounters = []struct {
	name, unit string
	of         func(*store.PortSample) float64
}{
	{"queue", "bytes", func(p *store.PortSample) float64 { return float64(p.Queue) }},
	{"use", "share", func(p *store.PortSample) float64 { return p.Utilisation }},
	{"marks", "packets", func(p *store.PortSample) float64 { return float64(p.Marks) }},
	{"drops", "packets", func(p *store.PortSample) float64 { return float64(p.Drops) }},
	{"paused", "s", func(p *store.PortSample) float64 { return p.PausedTime.Seconds() }},
}

// ports writes the counters of ports. It omits counters that stay 0.
func (t *tracer) ports(run *campaign.Run, o *SeriesOptions) error {
	f, err := o.portFilter(namesOf(run))
	if err != nil {
		return err
	}
	type track struct {
		last [5]float64
		seen [5]bool
	}
	tracks := map[[2]int32]*track{}
	if err := store.PortSeries.ReadDir(run.Dir, run.Manifest, func(p *store.PortSample) error {
		if !f.wants(p) {
			return nil
		}
		x := tracks[[2]int32{p.Node, p.Peer}]
		if x == nil {
			x = &track{}
			tracks[[2]int32{p.Node, p.Peer}] = x
			kind, _, _ := strings.Cut(p.Layer, "-")
			if _, err := t.node(p.Node, kind); err != nil {
				return err
			}
		}
		for i, c := range portCounters {
			v := c.of(p)
			if v == x.last[i] || math.IsNaN(v) {
				continue
			}
			if !x.seen[i] {
				x.seen[i] = true
				t.done.Counters++
			}
			x.last[i] = v
			if err := t.count(p.Node, fmt.Sprintf("%s to %d", c.name, p.Peer), c.unit, p.Time, v); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	return f.unused(number.Count(len(tracks), "port") + " that " + number.Plural(len(tracks), "matches", "match"))
}

// rates writes the rates that the senders of flows have set.
func (t *tracer) rates(run *campaign.Run, o *SeriesOptions) error {
	f, err := o.flowFilter()
	if err != nil {
		return err
	}
	return store.FlowSeries.ReadDir(run.Dir, run.Manifest, func(r *store.FlowSample) error {
		if !f.wants(r) {
			return nil
		}
		if !t.sampled(r.Flow) {
			t.done.Counters++
			t.flows[r.Flow/64] |= 1 << (r.Flow % 64)
		}
		if _, err := t.node(r.Src, "host"); err != nil {
			return err
		}
		return t.count(r.Src, rateOf(r.Flow), "bps", r.Time, float64(r.Rate))
	})
}

// sampled reports whether a flow has a counter.
func (t *tracer) sampled(flow int64) bool { return t.flows[flow/64]>>(flow%64)&1 == 1 }

func rateOf(flow int64) string { return fmt.Sprintf("rate of flow %d", flow) }

// slices writes each flow as a slice at its source. A flow that did not end lasts until the end of the run.
func (t *tracer) slices(run *campaign.Run, o *SeriesOptions, ended unit.Time) error {
	f, err := o.flowFilter()
	if err != nil {
		return err
	}
	if err := run.Manifest.EachFlow(run.Dir, func(r *store.FlowRecord) error {
		if !f.wants(&store.FlowSample{Flow: r.ID}) {
			return nil
		}
		n, err := t.node(r.Src, "host")
		if err != nil {
			return err
		}
		end := max(r.Start, ended)
		args := map[string]any{
			"dst": r.Dst, "size_bytes": int64(r.Size), "outcome": r.Outcome.String(), "hops": r.Hops,
			"packets": r.Packets, "retransmitted": r.Retransmitted, "timeouts": r.Timeouts,
		}
		if r.Outcome == store.Finished {
			end = r.Start + r.FCT
			args["slowdown"] = columns.Round(r.Slowdown())
		}
		e := event{Process: r.Src, Name: fmt.Sprintf("flow %d to %d", r.ID, r.Dst), Category: "flow", Args: args}
		if err := t.slice(n, "flows", r.Start, end, &e); err != nil {
			return err
		}
		if t.sampled(r.ID) && r.Outcome == store.Finished {
			return t.count(r.Src, rateOf(r.ID), "bps", end, 0)
		}
		return nil
	}); err != nil {
		return err
	}
	return f.unused("no such flow")
}

// jobs writes the computations of jobs at their hosts, and the collectives, steps and jobs in a process for
// each job. It omits everything that did not end.
func (t *tracer) jobs(run *campaign.Run, o *SeriesOptions) error {
	if len(o.Flows) > 0 ||
		!slices.ContainsFunc(run.Manifest.Files, func(f store.File) bool { return f.Name == sim.JobsFile }) {
		return nil
	}
	var failed error
	put := func(process int32, name, kind string, from, to float64, e event) {
		if failed != nil || math.IsNaN(from) || math.IsNaN(to) {
			return
		}
		n, err := t.process(process, name)
		if err == nil {
			e.Process = process
			err = t.slice(n, kind, unit.Time(from), unit.Time(to), &e)
		}
		failed = err
	}
	err := run.Lines(sim.TasksFile, func(l *columns.Line) {
		if l.Text("kind") != "computation" {
			return
		}
		host := int32(l.Number("host"))
		e := event{Name: "computation of " + l.Text("job"), Category: "computation",
			Args: map[string]any{"task": l.Maybe("task"), "rank": l.Maybe("rank"), "group": l.Text("group")}}
		put(host, fmt.Sprintf("host %d", host), "computations of "+l.Text("job")+", core", l.Maybe("begin_ps"),
			l.Maybe("done_ps"), e)
	})
	const behind = 1 << 24 // process numbers after all nodes
	numbers := map[string]int32{}
	if err == nil {
		err = run.Lines(sim.JobsFile, func(l *columns.Line) {
			job, group, args := l.Text("job"), l.Text("group"), map[string]any{}
			if _, ok := numbers[job]; !ok {
				numbers[job] = behind + int32(len(numbers))
			}
			for _, column := range []string{"bytes", "bus_bps", "exposed_ps", "slowest_rank", "last_flow"} {
				if v := l.Maybe(column); !math.IsNaN(v) {
					args[column] = v
				}
			}
			name, kind := group, "collectives"
			if step := l.Text("step"); group == "step" || group == "job" {
				kind = group + "s"
				name = strings.TrimSpace(group + " " + step)
			}
			put(numbers[job], "job "+job, kind, l.Maybe("begin_ps"), l.Maybe("end_ps"),
				event{Name: name, Category: "job", Args: args})
		})
	}
	return errors.Join(err, failed)
}

// faults writes one instant for the beginning and one for the end of each fault.
func (t *tracer) faults(list []scenario.Fault, ended unit.Time) error {
	for i, f := range list {
		_, at := f.Place()
		if _, err := t.node(at, "node"); err != nil {
			return err
		}
		for _, x := range instants(f) {
			if x.at > ended {
				continue
			}
			t.done.Instants++
			if err := t.emit(&event{Phase: "i", Process: at, Name: x.text, Category: "fault", Time: micros(x.at),
				Scope: "g", Args: map[string]any{"fault": i}}); err != nil {
				return err
			}
		}
	}
	return nil
}

// instant is the beginning or the end of a fault.
type instant struct {
	at   unit.Time
	text string
}

// instants returns the beginning and the end of a fault.
func instants(f scenario.Fault) [2]instant {
	where, _ := f.Place()
	text := fmt.Sprintf("%s %s", f.Kind, where)
	return [2]instant{{f.At, text}, {f.Until, "end of " + text}}
}
