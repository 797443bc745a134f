// Package guard runs a scenario with faults and compares LightGuardian's diagnosis with them: which flows suffer, which
// switch each flow names by the rules of int/lightguardian/diagnose, and which fault was the cause.
//
// A flow is a victim if its hosts notice a symptom. Symptoms are timeouts and retransmissions of the transport, a
// completion time of many times the ideal one, and times between packets that are many times longer at the receiver
// than at the sender. A fault that only affects the acknowledgements of a flow is not on the flow's path. Such victims
// are counted separately, because switches count only data packets.
package guard

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/int/lightguardian/diagnose"
	"pintlab/netsim"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// Question configures a run and how its answers are scored.
type Question struct {
	Scenario   scenario.Scenario
	Thresholds diagnose.Thresholds `flags:"all"`
	// Inflation is the multiple of the ideal completion time from which latency counts as inflated, > 1.
	Inflation float64 `flag:"inflation" default:"10" range:">1 <=1e9" because:"no run has so many packets to count" use:"a flow of {X} times its ideal completion time suffers inflated latency"`
	// By is the view whose answers are scored.
	By View
	// Interval is the interval of exact counters; By: Exact. A flow has a row of counters at each switch for each
	// interval of its life, so short intervals take gigabytes.
	Interval unit.Time `flag:"exact" range:">=10us" use:"exact counters of intervals of this {time}, without sketches"`
	// Unnoticed also counts flows without any symptom as victims if their packets left the path. So all systems are
	// evaluated on the same victims. If it is not set, each system chooses the victims that it notices.
	Unnoticed bool
	// Before, if not 0, excludes flows that start at this time or later from the victims. These flows still carry
	// sketches until the end of the evaluated period, and other flows are compared with them.
	Before unit.Time
}

// View is the knowledge on which a diagnosis is based.
type View string

// The views. Sketches, Whole and Exact use only LightGuardian's rules. All other views compare flows (see
// comparison.go) and add the knowledge of the system. Any other name is a kind of monitor that has evidence
// (telemetry.Locator).
const (
	Sketches View = "sketches"       // counters of switches as they are collected, and LightGuardian's rules
	Whole    View = "whole sketches" // the same, with sketches that the analyzer reads as a whole
	Exact    View = "exact counters" // exact counters of every switch, and LightGuardian's rules
	// the counters of Sketches as they are collected; they answer questions of the comparison of flows
	Voting View = "sketches and votes"
	Hosts  View = "hosts" // no telemetry: only the hosts' knowledge about their own flows
	// the telemetry that hosts receive, such as queues of hops without names of switches
	Telemetry View = "telemetry"
)

// System is a view with the monitor that it reads.
type System struct {
	View    View
	Monitor int // number of the monitor in the scenario; -1: the first monitor that fits the view
}

// First returns a view with the first monitor that fits it.
func First(v View) System { return System{v, -1} }

// Answer is the diagnosis of a run.
type Answer struct {
	Scenario string    `json:"scenario"`
	View     View      `json:"view"` // `sketches` or `exact counters`
	Flows    int       `json:"flows"`
	Faults   []Fault   `json:"faults"`
	Culprits []Culprit `json:"culprits"`
	Victims  []Victim  `json:"victims"`

	Named     int     `json:"named"`     // victims with a culprit, except victims of ACKs only
	Right     int     `json:"right"`     // number of these victims that name the true culprit
	Afflicted int     `json:"afflicted"` // victims with a fault on the path of their data
	OnlyACKs  int     `json:"only_acks"` // victims with a fault only on the path of their ACKs
	Precision float64 `json:"precision"` // null if it is a share of nothing, like recall and F1
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`

	Known float64  `json:"known"` // share of the questions that switches answered
	Notes []string `json:"notes"`
	Dir   string   `json:"dir,omitempty"`

	graph *topo.Graph
	marks marks
}

// MarshalJSON writes null for a share of nothing.
func (a *Answer) MarshalJSON() ([]byte, error) {
	type plain Answer
	share := func(x float64, of int) columns.Number {
		if of == 0 {
			x = math.NaN()
		}
		return columns.Number(x)
	}
	return json.Marshal(struct {
		*plain
		Precision columns.Number `json:"precision"`
		Recall    columns.Number `json:"recall"`
		F1        columns.Number `json:"f1"`
	}{(*plain)(a), share(a.Precision, a.Named), share(a.Recall, a.Afflicted), share(a.F1, a.Named+a.Afflicted)})
}

// scores formats precision, recall and F1 with a number of digits. A share of nothing is "–".
func (a *Answer) scores(digits int) string {
	text := func(x float64, of int) string {
		if of == 0 {
			return "–"
		}
		return strconv.FormatFloat(x, 'f', digits, 64)
	}
	return fmt.Sprintf("precision %s, recall %s, F1 %s",
		text(a.Precision, a.Named), text(a.Recall, a.Afflicted), text(a.F1, a.Named+a.Afflicted))
}

// Fault is a fault of the scenario, and what the victims showed about it.
type Fault struct {
	Number  int    `json:"fault" col:"fault"` // number in the scenario
	Kind    string `json:"kind" col:"kind"`
	Where   string `json:"where" col:"where"`
	Flows   int    `json:"flows" col:"flows"`     // flows whose path it affected
	Victims int    `json:"victims" col:"victims"` // number of these flows that have a symptom
	Found   int    `json:"found" col:"found"`     // number of these victims that named the fault
	// time from the fault until the first victim could name it; null if no victim did
	After columns.Number `json:"after_s" col:"first after" unit:"s"`
}

// Culprit is a place that victims name.
type Culprit struct {
	Rule    string `json:"rule" col:"rule"`
	Where   string `json:"where" col:"culprit"`
	Victims int    `json:"victims" col:"named by"`   // victims that name it, except victims of ACKs only
	Right   int    `json:"right" col:"rightly"`      // number of these victims that are right
	Truth   string `json:"truth" col:"true culprit"` // the true culprit for most of these victims
}

// Victim is a flow with a symptom.
type Victim struct {
	Flow    int64   `json:"flow" col:"flow"`
	Src     string  `json:"src" col:"from"`
	Dst     string  `json:"dst" col:"to"`
	Symptom string  `json:"symptom" col:"symptom"`
	Culprit string  `json:"culprit" col:"culprit named"` // empty if it names none
	Rule    string  `json:"rule" col:"rule"`
	P       float64 `json:"p" col:"P"`                // number that the rule compares: packets, seconds or a share
	L       float64 `json:"l" col:"L"`                // likewise
	Truth   string  `json:"truth" col:"true culprit"` // empty if there is none
	Verdict string  `json:"verdict" col:"verdict"`    // `right`, `wrong`, `missed`, `no fault` or `ACKs only`
}

// Verdicts on a victim.
const (
	right   = "right"
	wrong   = "wrong"
	missed  = "missed"
	none    = "no fault"
	onlyACK = "ACKs only"
)

// exactBounds lists the bounds of the delay cells for exact counters. §7.1.2 has the same bounds for the sketches.
var exactBounds = [diagnose.Cells - 1]unit.Time{100 * unit.Nanosecond, unit.Microsecond, 10 * unit.Microsecond}

// Ask runs a scenario with faults and diagnoses its victims. progress may be nil.
func Ask(ctx context.Context, q Question, progress func(sim.Progress)) (*Answer, error) {
	list, err := Compare(ctx, q, []System{First(q.By)}, progress)
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// Compare runs a scenario once. It diagnoses the victims separately for each system, from the system's knowledge about
// the same packets. The scenario contains the monitors of the systems. A study of kinds of faults and seeds calls
// Compare for each cell.
func Compare(ctx context.Context, q Question, systems []System, progress func(sim.Progress)) ([]*Answer, error) {
	if err := q.Thresholds.Validate(); err != nil {
		return nil, err
	}
	if !(q.Inflation > 1) {
		return nil, fmt.Errorf("inflation = %v, want more than 1", q.Inflation)
	}
	if len(q.Scenario.Faults) == 0 {
		return nil, errors.New("the scenario has no faults, so there is nothing to find")
	}
	if err := cmp.Or(study.OnePath(&q.Scenario), study.Suits(&q.Scenario)); err != nil {
		return nil, err
	}
	sc := q.Scenario
	needsExact := q.Unnoticed
	for _, x := range systems {
		var err error
		if sc, err = watched(sc, x); err != nil {
			return nil, err
		}
		needsExact = needsExact || x.View == Exact
	}
	var s *sim.Simulation
	var ends *ends
	var exact *diagnose.Exact
	patients := make([]patient, len(systems))
	given := map[int64]unit.Time{}
	o := sim.Options{Progress: progress, GivenUp: func(flow int64, at unit.Time) { given[flow] = at }}
	o.Tap = func(x *sim.Simulation) (netsim.Tap, error) {
		s, ends = x, newEnds(x.Net)
		if !needsExact {
			return ends, nil
		}
		exact = diagnose.NewExact(len(x.Graph.Nodes), q.Interval, exactBounds)
		return taps{ends, exact}, nil
	}
	o.Receive = func(*sim.Simulation) netsim.Sink { return ends }
	o.Ready = func(*sim.Simulation) error {
		for i, system := range systems {
			patients[i] = patient{s: s, q: &q, ends: ends, given: given}
			if err := patients[i].attach(system); err != nil {
				return err
			}
		}
		return nil
	}
	r, err := sim.Run(ctx, sc, o)
	if err != nil && !errors.Is(err, sim.ErrStalled) {
		return nil, err
	}
	if err := r.Late(); err != nil {
		return nil, err
	}
	var list []*Answer
	for i, x := range systems {
		p := &patients[i]
		p.r = r
		a := &Answer{
			Scenario: sc.Name, View: x.View, Flows: r.Flows.Len(), Faults: []Fault{}, Culprits: []Culprit{},
			Victims: []Victim{},
			Notes:   append([]string{}, r.Notes...), graph: s.Graph, marks: newMarks(),
		}
		if err != nil {
			a.Notes = append(a.Notes, err.Error())
		}
		p.see(a, exact)
		list = append(list, a)
	}
	return list, nil
}

// counting is a monitor whose switches count the packets of each flow in intervals. LightGuardian's rules query it.
type counting interface {
	Counters(whole bool) (interval unit.Time, read func() (v diagnose.View, note string), err error)
}

// attach sets up the knowledge of a view, before the first packet.
func (p *patient) attach(x System) (err error) {
	if x.View == Exact {
		return nil
	}
	i, key := x.place(&p.s.Scenario), "telemetry"
	system := p.s.Telemetry()
	if i >= 0 {
		system, key = p.s.Monitor(i), fmt.Sprintf("monitors.%d", i)
	}
	var k telemetry.Evidence = nothing{}
	if x.View.counts() {
		if p.interval, p.read, err = system.(counting).Counters(x.View == Whole); err == nil && x.View == Voting {
			k = &sketched{p: p}
		}
	} else if x.View != Hosts {
		l, ok := system.(telemetry.Locator)
		if !ok {
			return fmt.Errorf("%s.kind reports nothing about faults", key)
		}
		k, err = l.Evidence(telemetry.Scale{Slow: slowHop, Loop: p.q.Thresholds.Loop})
	}
	if err != nil {
		return fmt.Errorf("%s.%w", key, err)
	}
	if r, ok := k.(telemetry.Reader); ok {
		p.ends.readers = append(p.ends.readers, r)
	}
	if x.View != Sketches && x.View != Whole {
		p.flows = &comparison{p: p, knows: k, adjacent: p.adjacency()}
	}
	return nil
}

func (p *patient) see(a *Answer, exact *diagnose.Exact) {
	if p.q.Unnoticed {
		p.astray = func(x *record) bool { return len(exact.Strays(&x.victim)) > 0 }
	}
	asked := &asked{}
	if a.View == Exact {
		asked.View, p.interval = lasting{exact, int(p.r.Ended/p.q.Interval) + 1}, p.q.Interval
	} else if p.read != nil {
		var note string
		asked.View, note = p.read()
		if note != "" && p.flows == nil {
			a.Notes = append(a.Notes, note)
		}
	}
	if p.flows == nil {
		p.view = asked
		p.locate = p.byRules(a.View == Sketches)
		p.diagnose(a)
		a.Known = share(asked.known, asked.rows)
		return
	}
	if k, ok := p.flows.knows.(*sketched); ok {
		k.view = asked
	} else {
		p.interval = unit.Millisecond // the interval has no effect here
	}
	p.locate = p.flows.locate
	p.diagnose(a)
	a.Known = share(p.flows.known, p.flows.asked)
}

// byRules returns a function that locates culprits by the rules of LightGuardian. If collected is set, the counters of
// an interval are known only after the next interval.
func (p *patient) byRules(collected bool) func(*record) (diagnose.Finding, bool) {
	adjacent := p.adjacency()
	return func(x *record) (diagnose.Finding, bool) {
		f, ok := diagnose.Locate(&x.victim, p.view, p.q.Thresholds, adjacent)
		after := x.victim.Life[1]
		if f.Interval >= 0 {
			after = f.Interval + 1
		}
		if collected {
			after++
		}
		x.known = max(x.End, unit.Time(after)*p.interval)
		return f, ok
	}
}

// lasting contains exact counters up to the end of the run. Its intervals include those in which a switch saw no
// packets.
type lasting struct {
	*diagnose.Exact
	to int
}

func (l lasting) Intervals() (from, to int) { return 0, l.to }

// asked counts the questions to a view, and its answers.
type asked struct {
	diagnose.View
	rows, known int
}

func (a *asked) Row(interval int, at netsim.NodeID, flow uint64) diagnose.Row {
	r := a.View.Row(interval, at, flow)
	a.rows++
	if r.Known {
		a.known++
	}
	return r
}

// patient is a run with the records of its flows and faults.
type patient struct {
	s        *sim.Simulation
	r        *sim.Result
	q        *Question
	ends     *ends
	given    map[int64]unit.Time // times at which senders gave up, by flow
	view     diagnose.View       // nil for views that compare flows
	flows    *comparison         // nil for the others
	astray   func(*record) bool  // whether packets have left their path, with or without a symptom; nil if unused
	interval unit.Time
	read     func() (v diagnose.View, note string)  // called after the run; nil for views without counters
	locate   func(*record) (diagnose.Finding, bool) // also sets the time at which the finding could be made
}

// records returns the records of the flows, in the order in which they ended.
func (p *patient) records() []*record {
	var list []*record
	for f := range p.r.Flows.All() {
		if x := p.flow(f); x != nil {
			list = append(list, x)
		}
	}
	slices.SortStableFunc(list, func(a, b *record) int { return cmp.Compare(a.End, b.End) })
	return list
}

func (p *patient) diagnose(a *Answer) {
	for i, f := range p.s.Scenario.Faults {
		a.Faults = append(a.Faults,
			Fault{Number: i, Kind: f.Kind, Where: p.where(f), After: columns.Number(math.NaN())})
		a.marks.fault(p.s, f)
	}
	culprits := map[[2]string]*Culprit{}
	truths := map[[2]string]map[string]int{}
	var score diagnose.Score
	for _, x := range p.records() {
		if p.flows != nil {
			p.flows.note(x)
		}
		if p.q.Before > 0 && x.Start >= p.q.Before {
			continue
		}
		for _, i := range x.outbound {
			a.Faults[i].Flows++
		}
		if x.victim.Symptom == "" {
			if len(x.outbound) > 0 && p.astray != nil && p.astray(x) {
				score.True++
				for _, i := range x.outbound {
					a.Faults[i].Victims++
				}
			}
			continue
		}
		v := Victim{
			Flow: x.id, Src: p.s.Graph.Label(x.victim.Source), Dst: p.s.Graph.Label(x.victim.Destination),
			Symptom: string(x.victim.Symptom), Truth: p.truth(a, x.outbound),
		}
		finding, named := p.locate(x)
		hit := -1
		if named {
			v.Rule, v.Culprit, v.P, v.L = string(finding.Rule), p.culprit(&finding), finding.P, finding.L
			hit = p.match(&finding, x.outbound)
		}
		switch {
		case len(x.outbound) == 0 && len(x.inbound) > 0:
			a.OnlyACKs++
			v.Truth, v.Verdict = p.truth(a, x.inbound), onlyACK
		case hit >= 0:
			v.Verdict, v.Truth = right, p.truth(a, []int{hit})
			score.Right++
			score.Found++
			a.Faults[hit].find(x.known - p.s.Scenario.Faults[hit].At)
		case named:
			v.Verdict = wrong
		case len(x.outbound) > 0:
			v.Verdict = missed
		default:
			v.Verdict = none
		}
		for _, i := range x.outbound {
			a.Faults[i].Victims++
		}
		if len(x.outbound) > 0 {
			score.True++
		}
		if named && v.Verdict != onlyACK {
			score.Reported++
			key := [2]string{v.Rule, v.Culprit}
			c := culprits[key]
			if c == nil {
				c = &Culprit{Rule: v.Rule, Where: v.Culprit}
				culprits[key], truths[key] = c, map[string]int{}
			}
			c.Victims++
			truths[key][v.Truth]++
			if v.Verdict == right {
				c.Right++
			}
			a.marks.name(&finding)
		}
		a.Victims = append(a.Victims, v)
	}
	for key, c := range culprits {
		for t, n := range truths[key] {
			if best := truths[key][c.Truth]; n > best || n == best && t < c.Truth {
				c.Truth = t
			}
		}
		a.Culprits = append(a.Culprits, *c)
	}
	slices.SortFunc(a.Culprits, func(x, y Culprit) int {
		return cmp.Or(cmp.Compare(y.Victims, x.Victims), cmp.Compare(x.Rule, y.Rule), cmp.Compare(x.Where, y.Where))
	})
	slices.SortFunc(a.Victims, func(x, y Victim) int { return cmp.Compare(x.Flow, y.Flow) })
	a.Named, a.Right, a.Afflicted = score.Reported, score.Right, score.True
	a.Precision, a.Recall, a.F1 = score.Precision(), score.Recall(), score.F1()
}

// find counts a victim that names the fault correctly. after is the time from the fault until the victim could name it.
func (f *Fault) find(after unit.Time) {
	f.Found++
	if s := columns.Number(after.Seconds()); f.Found == 1 || s < f.After {
		f.After = s
	}
}

// record contains the observations of a flow, and the faults that were on the paths of its data and its ACKs while it
// was active.
type record struct {
	telemetry.Flow
	id                int64
	victim            diagnose.Victim
	outbound, inbound []int
	facts             telemetry.Facts // knowledge of the system about the flow, for views that compare flows
	known             unit.Time       // time at which the culprit of the flow could be named
}

// flow returns the record of a flow, or nil if it never had a path.
func (p *patient) flow(f *store.FlowRecord) *record {
	if f.Outcome == store.Unreachable {
		return nil
	}
	flow := transport.Flow{Number: int32(f.ID), Src: netsim.NodeID(f.Src), Dst: netsim.NodeID(f.Dst),
		SrcPort: f.SrcPort, DstPort: f.DstPort, Start: f.Start}
	end := p.r.Ended
	switch f.Outcome {
	case store.Finished:
		end = f.Start + f.FCT
	case store.OutOfTries:
		end = p.given[f.ID]
	}
	key := transport.FlowKey(p.s.Scenario.Seed, flow.Number)
	ports := p.s.PathAtStart(flow)
	if len(ports) == 0 {
		return nil
	}
	got := p.ends.of(key, flow.Dst)
	x := &record{id: f.ID, Flow: telemetry.Flow{Key: key, Tuple: flow.FiveTuple(), Sent: int64(f.Packets),
		Arrived: int64(got.packets), Start: f.Start, End: end}}
	for _, port := range ports[1:] {
		at, _ := p.s.Net.PortEnds(port)
		x.Path = append(x.Path, at)
	}
	for i := range p.s.Scenario.Faults {
		data, acks := p.s.Meets(i, flow, end)
		if data {
			x.outbound = append(x.outbound, i)
		}
		if acks {
			x.inbound = append(x.inbound, i)
		}
	}
	x.victim = p.victim(&x.Flow)
	if p.flows != nil {
		x.facts = p.flows.ask(x)
	}
	x.victim.Symptom = p.symptom(f, x, got)
	return x
}

// victim returns a flow in the form that the rules need.
func (p *patient) victim(f *telemetry.Flow) diagnose.Victim {
	return diagnose.Victim{
		Flow: f.Key, Source: f.Tuple.Src, Destination: f.Tuple.Dst, Path: f.Path, Sent: uint64(f.Sent),
		Received: uint64(f.Arrived),
		Life:     [2]int{int(f.Start / p.interval), int(f.End/p.interval) + 1},
	}
}

// symptom returns the symptom that the hosts of a flow notice.
func (p *patient) symptom(f *store.FlowRecord, x *record, got arrivals) diagnose.Symptom {
	switch sent := p.ends.sent(x.victim.Flow, x.victim.Path[0]); {
	case f.Timeouts > 0 || f.Outcome == store.OutOfTries:
		return diagnose.Timeout
	case f.Retransmitted > 0:
		return diagnose.Retransmission
	case len(p.strays(x)) > 0:
		return diagnose.Strayed
	case sent.longest > 0 && got.longest.Ratio(sent.longest) > p.q.Thresholds.Jitter:
		return diagnose.Gaps
	case f.Outcome == store.Finished && f.Slowdown() >= p.q.Inflation:
		return diagnose.Latency
	}
	return ""
}

// strays returns the switches off the path that packets of a flow have passed.
func (p *patient) strays(x *record) []netsim.NodeID {
	if p.view == nil {
		return strays(x)
	}
	return p.view.Strays(&x.victim)
}

func (p *patient) adjacency() func(a, b netsim.NodeID) bool {
	joined := map[[2]netsim.NodeID]bool{}
	for _, l := range p.s.Graph.Links {
		joined[[2]netsim.NodeID{l.A, l.B}], joined[[2]netsim.NodeID{l.B, l.A}] = true, true
	}
	return func(a, b netsim.NodeID) bool { return joined[[2]netsim.NodeID{a, b}] }
}
