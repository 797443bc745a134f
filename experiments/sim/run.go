package sim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"time"

	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/internal/lists"
	"pintlab/internal/schema"
	"pintlab/netsim"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/ns3"
	"pintlab/workloads"
)

// Progress is the progress of a run.
type Progress struct {
	Now      unit.Time // simulated time
	Until    unit.Time // time at which the run ends even if flows are active; unit.Never if it waits for all flows
	Flows    int64     // number of flows of the workload
	Ended    int64     // flows that have ended
	Acked    int64     // acknowledged bytes
	Bytes    int64     // bytes of the workload
	Counters netsim.Counters

	Links, LinksDone int   // simulations of links of an estimate, and those that are done; 0 if the run is no estimate
	Foreseen         int64 // packet-hops of these simulations without retransmissions
}

// Share estimates the finished share of the run, in [0, 1]. It is the largest of the shares of ended flows,
// acknowledged bytes and simulated time.
func (p Progress) Share() float64 {
	if p.Flows == 0 && p.Links == 0 {
		return 1
	}
	share := max(p.timeShare(), float64(p.Ended)/float64(max(1, p.Flows)))
	if p.Bytes > 0 {
		share = max(share, float64(p.Acked)/float64(p.Bytes))
	}
	return min(1, share)
}

// timeShare returns the elapsed share of the simulated time, or 0 if the run has no fixed end.
func (p Progress) timeShare() float64 {
	if p.Until == unit.Never || p.Until == 0 {
		return 0
	}
	return p.Now.Seconds() / p.Until.Seconds()
}

// String describes the progress.
func (p Progress) String() string {
	if p.Links > 0 {
		return fmt.Sprintf("%d of %d links, %.1f M packet-hops", p.LinksDone, p.Links, float64(p.Counters.PacketHops)/1e6)
	}
	of := ""
	if p.timeShare() > 0 && p.timeShare() >= p.Share() {
		of = fmt.Sprintf(" of %.2f", 1e3*p.Until.Seconds())
	}
	return fmt.Sprintf("%d of %d flows, %.2f%s ms simulated, %.1f M packet-hops", p.Ended, p.Flows, 1e3*p.Now.Seconds(), of, float64(p.Counters.PacketHops)/1e6)
}

// Options are settings of a run besides its scenario. They do not change the results.
type Options struct {
	// Progress is called at intervals by the goroutine of the run.
	Progress func(Progress)
	// Trace is called for each ACK and timeout that a congestion control has processed (see
	// transport.Config). The run must have one worker.
	Trace func(now unit.Time, s *transport.Step)
	// Sink makes a sink for packets at their destinations once the network is built. It replaces the
	// collector of a plan of queries. The packets then carry the data of telemetry.Witness, which does not
	// count towards their size. If faults change paths, a packet has witnesses of its first 64 switches.
	Sink func(*Simulation) (netsim.Sink, error)
	// Receive makes a sink for data packets at their destinations.
	Receive func(*Simulation) netsim.Sink
	// Tap makes a tap that follows those of the run, once the network is built.
	Tap func(*Simulation) (netsim.Tap, error)
	// Ready is called before the first event, when all parts including monitors are built. Callers that
	// want to observe a monitor register here.
	Ready func(*Simulation) error

	// Report is called with each telemetry report (Telemetry Report 2.0) that reaches its collector, in
	// order of time for each collector. Several workers may call it concurrently.
	Report func(payload []byte)

	// Part replaces the network and the flows of the scenario; its other sections apply. It may be nil.
	Part *Part

	// apart is set if the network is not run but divided into parts.
	apart bool

	// Spill is a directory below which an estimate may store the records of many flows instead of in
	// memory; "" for none.
	Spill string

	// Bounds measures the largest possible speedup by several workers.
	Bounds bool

	// stop is called while the parts are built and while one event starts many flows; an error ends the
	// run.
	stop func() error
	// GivenUp is called for each flow that its sender gives up, with the time. It may be nil.
	GivenUp func(flow int64, at unit.Time)
	// memory is the largest memory of the process in bytes; 0 for no limit. See WithMemoryLimit.
	memory int64
	// poll is the number of events between checks of the context and the clock; 0 for pollEvery.
	poll int64
	// elapsed returns the real time since the start of the run.
	elapsed func() time.Duration
}

// Result is the result of a run.
type Result struct {
	Scenario scenario.Scenario
	Flows    *store.Flows
	Workload WorkloadInfo
	Choices  []schema.Settled // values of settings that are auto
	Loads    *store.Loads     // offered loads; nil if no source has a duration
	Counters netsim.Counters
	Ended    unit.Time // simulated time
	Summary  store.Summary
	Notes    []string
	Account  []string         // outcomes of flows after faults, places of drops and losses, the busiest ports
	Deadlock string           // switches in a PFC deadlock after the last flow; empty if there are none
	Faults   *telemetry.Table // flows that faults affected; nil if there are none
	Series   Series
	Capture  *Capture // nil if nothing was captured
	Monitors []MonitorResult
	Told     []telemetry.Table // tables of the telemetry system
	Idle     []string          // faults after the end of the run
	Frames   []store.Frame     // PFC frames, if they are an output of the run
	Bounds   *netsim.Bounds    // nil unless Options.Bounds is set
	Jobs     *Jobs             // flows that wait for others; nil if there are none
	JobRows  []JobRow          // times of jobs and their parts
	LinkRows []LinkRow         // links of a run with jobs

	undone *cutOff // nil if all flows have finished
}

// ErrNoFlows is the error of a workload without flows. It names the keys to change.
var ErrNoFlows = errors.New("the workload has no flows: a longer workload.N.duration, or a higher workload.N.load, makes some")

// Complaint returns an error if a finished run is doubtful: none of its flows has finished, senders gave up
// flows, flows wait for a host that stays down, or faults begin after the end. If losses is set, it reports
// only the last of these.
func (r *Result) Complaint(losses bool) error {
	var errs []error
	given := 0
	for f := range r.Flows.All() {
		if f.Outcome == store.OutOfTries {
			given++
		}
	}
	s := &r.Summary
	switch {
	case losses:
	case int64(s.Flows)+s.NotStarted == 0 && r.Jobs != nil: // jobs with computations only
	case int64(s.Flows)+s.NotStarted == 0:
		errs = append(errs, ErrNoFlows)
	case s.Finished == 0 && r.undone != nil:
		errs = append(errs, r.undone.barren(int64(s.Flows)+s.NotStarted, s.Failed))
	case s.Finished == 0:
		errs = append(errs, fmt.Errorf("none of %d flows has finished: %d failed, %d were under way at the end, %d start later", int64(s.Flows)+s.NotStarted, s.Failed, s.Unfinished, s.NotStarted))
	case !r.counts():
		errs = append(errs, fmt.Errorf("no flow counts: run.warmup = %v and run.cooldown = %v leave out all %d that started", r.Scenario.Run.Warmup, r.Scenario.Run.Cooldown, s.Flows))
	case given > 0:
		errs = append(errs, fmt.Errorf("%d of %d flows were given up after more than transport.max_retries timeouts in a row", given, s.Flows))
	case r.undone != nil && r.undone.stuck > 0:
		errs = append(errs, fmt.Errorf("%d of %d flows can never finish: they are from or to a host that is down for good (%s)", r.undone.stuck, s.Flows, r.undone.down))
	}
	return errors.Join(append(errs, r.Late())...)
}

// counts reports whether the statistics include a flow: one that starts after the warm-up and before the
// cool-down.
func (r *Result) counts() bool {
	run := &r.Scenario.Run
	if run.Warmup == 0 && run.Cooldown == 0 {
		return true
	}
	first, last := unit.Never, unit.Time(0)
	for f := range r.Flows.All() {
		first, last = min(first, f.Start), max(last, f.Start)
	}
	for f := range r.Flows.All() {
		if f.Start >= first+run.Warmup && f.Start <= last-run.Cooldown {
			return true
		}
	}
	return false
}

// Late returns an error that names the faults after the end of the run, or nil.
func (r *Result) Late() error {
	errs := lists.Map(r.Idle, func(key string) error {
		return fmt.Errorf("%s had no effect: the run ended before it, at %v", key, r.Ended)
	})
	return errors.Join(errs...)
}

// Errors of a run that ends early but has a result.
var (
	ErrStalled = errors.New("stalled") // no progress
	ErrStopped = errors.New("stopped") // at run.wall_limit or at the limit of memory
)

// overtime reports whether a run exceeds run.wall_limit.
func overtime(limit unit.Time, elapsed time.Duration) bool {
	return limit != unit.Never && elapsed > time.Duration(limit/unit.Nanosecond)
}

// slice is the simulated time between checks for progress.
const slice = 20 * unit.Microsecond

// pollEvery is the number of events between checks of the context and the clock, some hundredths of a
// second.
const pollEvery = 1 << 16

// Run builds and runs a scenario. If ctx ends first, Run returns its error. If the run makes no progress or
// exceeds a limit, Run returns the result so far and an error that wraps ErrStalled or ErrStopped and
// describes the state. A run that is stopped during its build has no result.
func Run(ctx context.Context, sc scenario.Scenario, o Options) (*Result, error) {
	began := time.Now()
	if o.elapsed == nil {
		o.elapsed = func() time.Duration { return time.Since(began) }
	}
	flows := &store.Flows{}
	order := inOrder{out: flows, keep: sc.Run.Ties == "fifo", givenUp: o.GivenUp}
	o.stop = func() error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if overtime(sc.Run.WallLimit, o.elapsed()) {
			return fmt.Errorf("%w before its first event: the run has taken more than run.wall_limit = %v", ErrStopped, sc.Run.WallLimit)
		}
		return nil
	}
	o.memory = memoryLimit(ctx)
	s, err := Build(sc, o, order.take)
	if err != nil {
		return nil, err
	}
	order.settle = s.switches
	r := &Result{Scenario: sc, Flows: flows, Workload: s.Workload, Choices: s.Choices}
	if s.part == nil {
		if r.Loads, err = s.wireLoads(); err != nil {
			return nil, err
		}
	}
	if o.Bounds {
		s.Engine.MeasureBounds(2, 4, 8, 16, 64)
	}
	stall := s.loop(ctx, o, &order)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if stall != nil && !errors.Is(stall, ErrStalled) && !errors.Is(stall, ErrStopped) {
		return nil, stall
	}
	if err := s.feed.source.Err(); err != nil {
		return nil, err
	}
	if sc.Run.CutOff == "projected" && stall == nil {
		order.cutOff = s.cut()
	}
	outcome := transport.Unfinished
	if errors.Is(stall, ErrStalled) {
		outcome = transport.Stalled
	}
	s.Stack.Settle()
	// On several engines the start of a flow without a path is not an event.
	// Unmeasured flows may go on until the end of the slice in which the last measured flow has ended.
	// The run includes this time, because counters and monitors do.
	// A run that run.until or the like ends goes on until then, though its last event may be long before.
	r.Ended = max(s.lastEvent(), order.pathless, order.cut)
	if err := s.finishSampling(r); err != nil {
		return nil, err
	}
	if err := s.capture.finish(); err != nil {
		return nil, err
	}
	r.Capture = s.capture
	open := s.Stack.Active()
	s.Stack.Close(outcome)
	order.flush()
	r.Counters = s.Engine.Counters()
	if o.Bounds {
		b := s.Engine.Bounds()
		r.Bounds = &b
	}
	r.Summary.NotStarted = s.Workload.Stats.Flows - int64(flows.Len())
	var unmet []string
	if stall == nil {
		unmet = s.unmet(flows, r.Ended)
	}
	var ending []string
	if stall == nil {
		r.undone = s.undone(flows, r.Summary.NotStarted)
	}
	switch {
	case r.undone != nil:
		ending = []string{r.undone.note(s.Workload.Stats.Flows, sc.Run.Sampling.Enabled)}
	case r.Summary.NotStarted > 0 && s.jobs != nil:
		ending = s.jobs.waiting()
	case r.Summary.NotStarted > 0:
		ending = []string{fmt.Sprintf("%d of the %d flows are left out: they start after the end of the run", r.Summary.NotStarted, s.Workload.Stats.Flows)}
	}
	r.Notes = slices.Concat(s.notes(), s.jobs.alone(sc.Run.Workers), ending, loadNotes(r.Loads, s.reported(), s.unloaded()), s.silence(flows), s.warnings(), unmet, trims(&r.Counters), s.hasty(flows, &r.Counters),
		s.sampler.missed(flows, r.Ended), r.Series.notes(), r.Capture.notes())
	if open > 0 && sc.Published() {
		r.Notes = append(r.Notes, fmt.Sprintf("%d flows were under way at the end: the hosts of the published simulator send nothing again by time, so that a loss may hang a flow for good", open))
	}
	r.Jobs, r.JobRows, r.LinkRows = s.jobs, s.jobRows(r.Ended), s.linkRows(r.Ended)
	r.Deadlock = s.deadlock()
	r.Account, r.Faults = s.account(flows, r.Ended, &r.Counters)
	if r.Deadlock != "" {
		r.Account = append(r.Account, fmt.Sprintf("%s for ever between ports that PFC has paused in a cycle: %s", count(int(s.Engine.InFlight()), "packet stays", "packets stay"), r.Deadlock))
	}
	r.Frames = s.pfc.frames()
	if !sc.Published() {
		r.Idle = s.faults.idle()
	}
	var told []string
	r.Monitors, told = s.monitorResults(r.Ended)
	r.Notes = append(r.Notes, told...)
	if s.parts.Tables != nil {
		r.Told = s.parts.Tables()
	}
	if err := r.summarise(s, began); err != nil {
		return nil, err
	}
	return r, stall
}

// cut returns the time at which the run ends even if flows are active, or unit.Never if it waits for all
// flows.
func (s *Simulation) cut() unit.Time {
	run := &s.Scenario.Run
	at := s.Scenario.Cut()
	if run.StartTimes == "floor-ns" && at != unit.Never {
		at = ns3.Start(at) - 1 // that simulator excludes events at its end
	}
	if !run.Drain {
		at = min(at, s.Workload.Stats.LastStart)
	}
	return at
}

// loop runs the engine until no events are left, or until the scenario's limit, the end of ctx, the limit
// of real time or memory, or a stall. Faults take effect between events.
func (s *Simulation) loop(ctx context.Context, o Options, order *inOrder) error {
	run := &s.Scenario.Run
	until := s.cut()
	watch := watchdog{stall: run.Stall}
	spin := spinning{off: run.Stall == unit.Never}
	s.look = func() error {
		if o.Progress != nil {
			o.Progress(Progress{
				Now: s.Engine.Now(), Until: until, Flows: s.Workload.Stats.Flows, Ended: order.ended,
				Acked: s.Stack.Acked(), Bytes: int64(s.Workload.Stats.Bytes), Counters: s.Engine.Counters(),
			})
		}
		if overtime(run.WallLimit, o.elapsed()) {
			return fmt.Errorf("%w at %.3f ms: the run has taken more than run.wall_limit = %v; %s",
				ErrStopped, 1e3*s.Engine.Now().Seconds(), run.WallLimit, s.Diagnose())
		}
		if err := full(o.memory); err != nil {
			return fmt.Errorf("%w at %.3f ms: %w; %s", ErrStopped, 1e3*s.Engine.Now().Seconds(), err, s.Diagnose())
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		return spin.look(s)
	}
	for at := unit.Time(0); ; {
		event := s.Engine.Peek()
		acts := min(s.faults.next(), s.monitors.next())
		next := min(event, acts)
		switch {
		case event == unit.Never && s.Stack.Active() == 0:
			return nil
		case s.surrounded && order.ended == s.Workload.Stats.Flows:
			return nil // all measured flows have ended
		case event == unit.Never && s.faults.next() == unit.Never && s.Scenario.Published():
			return nil // without timers, lost packets are never sent again
		case event == unit.Never && s.faults.next() == unit.Never:
			return s.stalled("nothing is left to happen")
		case next > until:
			order.cut = until
			return nil
		}
		at = min(until, max(at, next)+slice, acts-1)
		if err := s.advance(at); err != nil {
			return err
		}
		if err := s.capture.drop(); err != nil {
			return err
		}
		s.tick(at + 1)
		if err := s.strike(at + 1); err != nil {
			return err
		}
		if err := s.look(); err != nil {
			return err
		}
		if err := watch.look(s); err != nil {
			return err
		}
	}
}

// runTo runs the engines up to a time. It calls look after a number of events, because a microsecond of a
// large network may take minutes.
func (s *Simulation) runTo(to unit.Time) error {
	for !s.Engine.RunSome(to, s.poll) {
		if err := s.look(); err != nil {
			return err
		}
	}
	return nil
}

// watchdog ends runs without progress.
type watchdog struct {
	stall unit.Time
	acked int64
	since unit.Time
}

func (w *watchdog) look(s *Simulation) error {
	now := s.Engine.Now()
	if acked := s.Stack.Acked(); acked != w.acked || s.Stack.Active() == 0 {
		w.acked, w.since = acked, now
	}
	if w.stall == unit.Never || now-w.since <= w.stall {
		return nil
	}
	return s.stalled(fmt.Sprintf("no byte has been acknowledged for %.3f ms of simulated time", 1e3*(now-w.since).Seconds()))
}

// spinning ends runs whose simulated time does not advance, which watchdog cannot detect.
type spinning struct {
	off   bool
	at    unit.Time
	acked int64
	since int64 // number of events when that time was reached
}

// spinLimit is the number of events that one instant may have, in addition to four for each port and each
// active flow: less than a second of real time.
const spinLimit = 1 << 21

func (w *spinning) look(s *Simulation) error {
	now, acked, events := s.Engine.Now(), s.Stack.Acked(), s.Engine.Counters().Events
	if now != w.at || acked != w.acked {
		w.at, w.acked, w.since = now, acked, events
	}
	if n := events - w.since; !w.off && n > spinLimit+4*int64(s.Net.Ports()+s.Stack.Active()) {
		return s.stalled(fmt.Sprintf("%d events have passed at one instant, and no byte has been acknowledged", n))
	}
	return nil
}

// stalled returns the error of a run without progress.
func (s *Simulation) stalled(why string) error {
	return fmt.Errorf("%w at %.3f ms: %s; %s", ErrStalled, 1e3*s.Engine.Now().Seconds(), why, s.Diagnose())
}

// notes returns notes on the workload and the telemetry.
func (s *Simulation) notes() []string {
	w := s.Workload.Stats
	n := []string{"no flows"}
	if s.Workload.Plan.Flows > 0 {
		n[0] = fmt.Sprintf("%d flows, %.1f MB of payload, mean size %.0f B (expected %.0f B)", w.Flows, float64(w.Bytes)/1e6, w.MeanSize, s.Workload.Plan.MeanSize())
	}
	// Flows of lists and jobs are not spread over a time, so they have no load.
	lasts := !slices.ContainsFunc(s.Scenario.Workload, func(x scenario.Source) bool {
		_, duration := x.Traffic().Span()
		return duration == 0
	})
	if w.Load != nil && lasts {
		n = append(n, fmt.Sprintf("realised load %.2f %% of the host links in %v to %v, nominal %.2f %%",
			100*w.Load.Overall, w.Load.Start, w.Load.End, 100*s.Workload.Plan.Load(s.hosts)))
	}
	if s.parts.Notes != nil {
		n = append(n, s.parts.Notes()...)
	}
	return n
}

// trims returns a note on the trimmed packets.
func trims(c *netsim.Counters) []string {
	if c.Trimmed == 0 {
		return nil
	}
	return []string{fmt.Sprintf("switches have trimmed %d packets with %.1f MB of payload, and sent %d headers back", c.Trimmed, float64(c.TrimmedBytes)/1e6, c.Returned)}
}

// hasty returns a warning about timeouts in a run without losses: packets waited so long that senders
// retransmitted them and reduced windows.
func (s *Simulation) hasty(flows *store.Flows, c *netsim.Counters) []string {
	if c.Dropped > 0 || c.Lost > 0 || len(s.Scenario.Faults) > 0 {
		return nil
	}
	timeouts, of := 0, 0
	for f := range flows.All() {
		if f.Timeouts > 0 {
			timeouts, of = timeouts+int(f.Timeouts), of+1
		}
	}
	if timeouts == 0 {
		return nil
	}
	t := &s.Scenario.Transport
	key, least := "rto_min", t.RTOMin
	switch {
	case t.Pulled():
		key, least = "rto_initial", t.RTOInitial
	case t.Kind == transport.IRN:
		key, least = "rto_low", t.RTOLow
	}
	return []string{fmt.Sprintf(Warning+"no packet was lost, but %d of %d flows had %d timeouts: packets or ACKs waited for longer than the retransmission timer (transport.%s = %v), and were sent again", of, flows.Len(), timeouts, key, least)}
}

// silence returns a note on flows that are so short that they probably receive no telemetry.
func (s *Simulation) silence(flows *store.Flows) []string {
	share := s.parts.Feedback.Share
	if share == 1 || share == 0 || len(s.Scenario.CC.Control().Needs().Feedback) == 0 {
		return nil
	}
	silent := 0
	for f := range flows.All() {
		if float64(f.Packets)*share < 1 {
			silent++
		}
	}
	if silent == 0 {
		return nil
	}
	n := fmt.Sprintf("%s = %v: %d of %d flows have fewer than %.4g packets, so that most of them never see a digest", s.parts.Feedback.ShareOf, share, silent, flows.Len(), 1/share)
	if silent == flows.Len() {
		n = Warning + n + ": their congestion control is as good as off"
	}
	return []string{n}
}

func (r *Result) summarise(s *Simulation, began time.Time) error {
	hash, err := r.Scenario.Hash()
	if err != nil {
		return err
	}
	print, err := r.Flows.Fingerprint()
	if err != nil {
		return err
	}
	var marks int64
	for p := range s.Net.Ports() {
		marks += s.Net.PortMarks(netsim.PortID(p))
	}
	c := r.Counters
	used := store.ThisUsage()
	r.Summary = store.Summary{
		Name: r.Scenario.Name, Hash: hash, Seed: r.Scenario.Seed, Flows: r.Flows.Len(), Fingerprint: print,
		NotStarted: r.Summary.NotStarted,
		PacketHops: uint64(c.PacketHops), Events: uint64(c.Events), SimulatedPS: int64(r.Ended),
		Network: &store.Network{
			Drops: uint64(c.Dropped), LinkLosses: uint64(c.Lost), Marks: uint64(marks), Pauses: uint64(c.Pauses),
			Trims: uint64(c.Trimmed), Returns: uint64(c.Returned), Overflows: uint64(s.overflows()),
		},
		WallSeconds: time.Since(began).Seconds(), CPUSeconds: used.CPUSeconds, PeakMemory: used.PeakMemory,
	}
	r.count()
	return nil
}

// count sets the summary's numbers of flows by outcome, and what follows from them.
func (r *Result) count() {
	r.Summary.Finished, r.Summary.Unfinished, r.Summary.Failed = r.Flows.Count()
	for f := range r.Flows.All() {
		switch f.Outcome {
		case store.Projected:
			r.Summary.Projected++
		case store.Estimated:
			r.Summary.Estimated++
		}
	}
	r.Summary.Derive()
}

// inOrder outputs records in the order in which flows ended. Flows that end at the same time are sorted by
// number, so that the order does not depend on the number of engines. If keep is set, they keep the order
// of events.
type inOrder struct {
	out   *store.Flows
	keep  bool
	at    unit.Time // end of the queued flows
	queue []store.FlowRecord

	ended    int64     // number of ended flows, without unmeasured ones
	pathless unit.Time // latest start of a flow without a path
	cut      unit.Time // end of a run that did not wait for all events; else 0
	cutOff   unit.Time // time at which active flows were cut off if they are to be projected; else 0
	givenUp  func(flow int64, at unit.Time)
	settle   func(*store.FlowRecord) // sets what only the simulation knows
}

func (o *inOrder) take(r *transport.Record) {
	if r.Number >= workloads.FirstUnmeasured {
		return
	}
	f := flowRecord(r)
	o.settle(&f)
	if r.Outcome == transport.Failed && o.givenUp != nil {
		o.givenUp(f.ID, r.Ended)
	}
	if r.Outcome == transport.Unfinished && o.cutOff > 0 {
		project(&f, r.Acked, o.cutOff)
	}
	if r.Again {
		o.out.Repeat(f)
		return
	}
	o.ended++
	if r.Outcome == transport.Unreachable {
		o.pathless = r.Start
	}
	if o.keep || r.Outcome != transport.Finished {
		o.flush()
		o.out.Append(f)
		return
	}
	if end := r.Start + r.FCT; end != o.at {
		o.flush()
		o.at = end
	}
	o.queue = append(o.queue, f)
}

// project sets the completion time of a flow that was cut off according to its mean pace so far, if it has
// one.
func project(f *store.FlowRecord, acked unit.Bytes, at unit.Time) {
	so := at - f.Start
	if acked == 0 || so <= 0 {
		return
	}
	hi, lo := bits.Mul64(uint64(so), uint64(f.Size))
	if hi >= uint64(acked) {
		return // beyond the range of unit.Time
	}
	fct, _ := bits.Div64(hi, lo, uint64(acked))
	if fct < uint64(unit.Never) {
		f.Outcome, f.FCT = store.Projected, max(1, unit.Time(fct))
	}
}

func (o *inOrder) flush() {
	slices.SortFunc(o.queue, func(a, b store.FlowRecord) int { return cmp.Compare(a.ID, b.ID) })
	for _, f := range o.queue {
		o.out.Append(f)
	}
	o.queue = o.queue[:0]
}

// outcomes maps the transport's outcomes to the store's.
var outcomes = [...]store.FlowStatus{
	transport.Finished:    store.Finished,
	transport.Unfinished:  store.Unfinished,
	transport.Failed:      store.OutOfTries,
	transport.Stalled:     store.Stalled,
	transport.Unreachable: store.Unreachable,
}

func flowRecord(r *transport.Record) store.FlowRecord {
	class := workloads.ClassBackground
	if r.DstPort == workloads.IncastPort {
		class = workloads.ClassIncast
	}
	return store.FlowRecord{
		ID: int64(r.Number), Src: int32(r.Src), Dst: int32(r.Dst), SrcPort: r.SrcPort, DstPort: r.DstPort,
		Class: uint8(class), Outcome: outcomes[r.Outcome], Hops: r.Hops, Size: r.Size, Start: r.Start,
		FCT: r.FCT, Ideal: r.Ideal, Packets: r.Packets, Retransmitted: r.Retx, Timeouts: r.Timeouts,
	}
}
