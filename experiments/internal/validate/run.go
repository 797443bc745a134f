package validate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/scenario"
	"pintlab/experiments/scenario/ns3config"
	"pintlab/experiments/sim"
	"pintlab/internal/lists"
	"pintlab/internal/progress"
)

// Options controls how cases are compared.
type Options struct {
	// Workers is the number of simulations that run at the same time; at least 1.
	Workers int
	// Seeds, if not 0, runs HPCC-PINT with that many seeds of our own random numbers
	// and compares distributions. It is at least MinSeeds.
	Seeds int
	// Quiet shows no progress.
	Quiet bool
	// Messages receives the progress, usually standard error.
	Messages io.Writer
}

// job returns the job of a study with these options.
func (o *Options) job() *study.Job {
	return &study.Job{Campaign: campaign.Options{
		Workers: max(o.Workers, 1), Quiet: o.Quiet, Messages: o.Messages,
	}}
}

// MinSeeds is the least number of seeds for a comparison of distributions.
const MinSeeds = 5

// Agreement is the result of comparing our flow records of a case with the recorded ones.
type Agreement string

// The values of Agreement.
const (
	Agrees   Agreement = "agrees"
	Differs  Agreement = "differs"
	Unusable Agreement = "unusable" // the case could not be compared
)

// Result is the comparison of one case.
type Result struct {
	Name    string    `json:"name"`
	Dir     string    `json:"dir"`
	Outcome Agreement `json:"outcome"`
	// Reason explains why the case could not be compared, or why it differs although all comparisons agree. It has a
	// line for each reason.
	Reason string `json:"reason,omitempty"`
	// Flows compares completion times; nil if the case could not be compared, or only
	// in distribution.
	Flows *FlowResult `json:"flows,omitempty"`
	// Acks compares acknowledgements and timers; nil if there is no trace.
	Acks *AckResult `json:"acks,omitempty"`
	// Spread compares distributions.
	Spread *Spread `json:"spread,omitempty"`
	// Buckets are slowdowns by size; empty, with the reason in NoBuckets, if there
	// are too few flows.
	Buckets   []BucketPair `json:"buckets,omitempty"`
	NoBuckets string       `json:"no_buckets,omitempty"`

	PacketHops  int64   `json:"packet_hops"`
	WallSeconds float64 `json:"wall_seconds"` // real time of all simulations of the case

	list []Flow // flows of both runs
}

// comparison is the state of one case during its comparison.
type comparison struct {
	Case
	sc     scenario.Scenario
	theirs *recorded
	seeds  int   // number of runs with our own random numbers; 0: a single run is compared exactly
	runs   []run // one for each seed
	result *Result
}

// run is one of our runs of a case.
type run struct {
	table []stats.Bucket // slowdowns by size, if the case has several seeds
	wall  float64        // seconds
	hops  int64
	err   error
}

// Run compares cases and returns a result for each, in their order. An error in a case becomes part of the result of
// that case and does not stop the other cases. Run itself returns only the error of the context.
func Run(ctx context.Context, cases []Case, o Options) ([]Result, error) {
	results := make([]Result, len(cases))
	var todo []*comparison
	for i, c := range cases {
		results[i] = Result{Name: c.Name, Dir: c.Dir}
		k, err := open(c, o.Seeds)
		if err != nil {
			results[i].unusable(err)
			continue
		}
		k.result = &results[i]
		todo = append(todo, k)
	}
	all := study.Study{Cells: lists.Map(todo, (*comparison).cell), Seeds: campaign.Seeds(1, max(o.Seeds, 1))}
	if _, err := all.Run(ctx, o.job()); err != nil {
		return nil, err
	}
	for _, k := range todo {
		k.conclude()
	}
	return results, nil
}

func open(c Case, seeds int) (*comparison, error) {
	for _, name := range []string{configFile, fctFile} {
		if !exists(c.path(name)) {
			return nil, fmt.Errorf("%s: missing", c.path(name))
		}
	}
	sc, _, err := ns3config.Load(c.path(configFile))
	if err != nil {
		return nil, err
	}
	theirs, err := readRecorded(c.path(fctFile), &sc)
	if err != nil {
		return nil, err
	}
	k := &comparison{Case: c, sc: sc, theirs: theirs}
	if sc.Telemetry.Kind == "pint" {
		k.seeds = seeds
	}
	k.runs = make([]run, max(1, k.seeds))
	return k, nil
}

// cell returns the runs of the case as a cell of a study. Errors of the runs become part of the result.
func (k *comparison) cell() study.Cell {
	return study.Cell{Label: k.Name, Scheme: k.Dir, Once: k.seeds == 0,
		Work: func(ctx context.Context, seed uint64, show *progress.Task) (any, error) {
			number := int(seed) - 1
			k.runs[number].err = k.simulate(ctx, number, func(p sim.Progress) {
				show.Update(p.Share(), fmt.Sprintf("%d of %d flows", p.Ended, p.Flows))
			})
			return nil, ctx.Err()
		}}
}

// simulate runs the case once and makes the comparisons that need only this run.
func (k *comparison) simulate(ctx context.Context, number int, report func(sim.Progress)) error {
	run, began := &k.runs[number], time.Now()
	defer func() { run.wall = time.Since(began).Seconds() }()
	sc, o := k.sc, sim.Options{Progress: report}
	if k.seeds > 0 {
		var err error
		if sc, err = ownRandom(sc, uint64(number+1)); err != nil {
			return err
		}
	}
	var acks *ackComparison
	if file := k.acks(); file != "" && k.seeds == 0 {
		format, err := formatOf(&sc)
		if err != nil {
			return err
		}
		if acks, err = compareAcks(file, format); err != nil {
			return err
		}
		o.Trace = acks.take
	}
	r, runErr := sim.Run(ctx, sc, o)
	if acks != nil {
		found, err := acks.finish()
		if err != nil {
			return err
		}
		k.result.Acks = found
	}
	if r == nil {
		return runErr
	}
	run.hops = r.Counters.PacketHops
	if k.seeds > 0 {
		var err error
		run.table, err = spreadTable(linesOf(r.Flows))
		return errors.Join(runErr, err)
	}
	list, err := k.theirs.pair(r.Flows)
	if err != nil {
		return err
	}
	k.result.list = list
	flows := compareFlows(list)
	flows.Identical = sameText(k.theirs.text, r.Flows)
	k.result.Flows = &flows
	k.result.Buckets, k.result.NoBuckets = pairBuckets(k.theirs.lines, linesOf(r.Flows))
	return runErr
}

// conclude sets the outcome of a case after its runs.
func (k *comparison) conclude() {
	r := k.result
	var errs []error
	for _, run := range k.runs {
		r.PacketHops += run.hops
		r.WallSeconds += run.wall
		errs = append(errs, run.err)
	}
	switch err := errors.Join(errs...); {
	case errors.Is(err, sim.ErrStalled):
		r.Outcome, r.Reason = Differs, err.Error()
	case err != nil:
		r.unusable(err)
	case k.seeds > 0:
		k.compareSpread()
	default:
		r.Outcome = outcome(r.Flows.Differing == 0 && (r.Acks == nil || r.Acks.First == nil))
	}
}

// compareSpread compares the recorded run with the spread of our runs.
func (k *comparison) compareSpread() {
	r := k.result
	theirs, err := spreadTable(k.theirs.lines)
	if err != nil {
		r.unusable(err)
		return
	}
	var ours [][]stats.Bucket
	for i, run := range k.runs {
		if len(run.table) != len(theirs) {
			r.Outcome, r.Reason = Differs, fmt.Sprintf("seed %d: %d buckets of finished flows, %d in the recorded run",
				i+1, len(run.table), len(theirs))
			return
		}
		ours = append(ours, run.table)
	}
	r.Spread = spreadOf(theirs, ours)
	r.Outcome = outcome(r.Spread.Outside == 0)
}

// outcome returns the outcome of a comparison.
func outcome(agrees bool) Agreement {
	if agrees {
		return Agrees
	}
	return Differs
}

func (r *Result) unusable(err error) {
	*r = Result{Name: r.Name, Dir: r.Dir, Outcome: Unusable, Reason: err.Error()}
}

// Verdict returns the worst outcome of all results. Differs is worse than Unusable, and Unusable is worse than
// Agrees.
func Verdict(results []Result) Agreement {
	worst := Agrees
	for i := range results {
		switch o := results[i].Outcome; {
		case o == Differs:
			return Differs
		case o == Unusable:
			worst = Unusable
		}
	}
	return worst
}
