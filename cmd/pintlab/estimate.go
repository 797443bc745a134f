package main

import (
	"context"
	"fmt"
	"path/filepath"

	"pintlab/experiments/estimate"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/plots"
)

// told is what estimate tells beside its result.
type told struct {
	Check   []estimate.Error      `json:"check,omitempty"`
	Work    float64               `json:"work,omitempty"` // packet-hops of the estimate over those of the run
	Explain *estimate.Explanation `json:"explain,omitempty"`
	Drawing string                `json:"drawing,omitempty"`
}

// sizeGroups is how many groups of flow sizes --check shows.
const sizeGroups = 5

// tell holds the estimate against a run of packets, and draws where its slow flows wait, as the flags say.
func (p *program) tell(ctx context.Context, o *runOptions, r *sim.Result) (*told, error) {
	if !o.check && !o.explain {
		return nil, nil
	}
	t := &told{Explain: o.explained}
	if o.check {
		sc := r.Scenario.Clone()
		sc.Estimate = scenario.Estimate{}
		show := p.display(&o.options, 1)
		defer show.Close()
		task := show.Begin("packets of " + sc.Name)
		defer task.End()
		run, err := sim.Run(ctx, sc, sim.Options{Progress: simulated(task)})
		if ctx.Err() != nil {
			return nil, interrupted("while packets were simulated; the estimate is in %s", r.Summary.Dir)
		}
		if err != nil {
			return nil, failed(err)
		}
		if t.Check, err = estimate.Errors(run.Flows, r.Flows, sizeGroups); err != nil {
			return nil, failed(err)
		}
		t.Work = float64(r.Summary.PacketHops) / float64(max(1, run.Summary.PacketHops))
	}
	if o.explain && len(o.explained.Links) > 0 {
		f := o.explained.Draw()
		files, err := plots.SaveAll(&f, filepath.Join(r.Summary.Dir, "links"), "svg")
		if err != nil {
			return nil, failed(err)
		}
		t.Drawing = files[0]
	}
	return t, nil
}

// printTold prints the errors and the worst links.
func (p *program) printTold(o *runOptions, t *told) {
	if t == nil {
		return
	}
	if o.check && t.Check == nil {
		p.printf("%s no flow ended in both the estimate and the run\n", p.paint(fmt.Sprintf("%-12s", "error"), heading))
	}
	if t.Check != nil {
		p.printf("%s of the estimate against packets, in %%; [95 %% interval]; %.2f of the packet-hops\n", p.paint(fmt.Sprintf("%-12s", "error"), heading), t.Work)
		p.printf("%24s %8s %9s %9s %9s %9s %20s\n", "", "flows", "p50", "error", "p99", "error", "")
		for i, e := range t.Check {
			name := roundSize(e.Least) + " to " + roundSize(e.Most)
			switch {
			case i == len(t.Check)-1:
				name = "all"
			case e.Least == e.Most:
				name = roundSize(e.Least)
			}
			interval := ""
			if e.Half > 0 {
				interval = fmt.Sprintf("[%+.1f, %+.1f]", e.P99Error-e.Half, e.P99Error+e.Half)
			}
			p.printf("%24s %8d %9.2f %+9.1f %9.2f %+9.1f %20s\n", name, e.Flows, e.P50, e.P50Error, e.P99, e.P99Error, interval)
		}
	}
	const shown = 10
	if x := t.Explain; x != nil && len(x.Links) == 0 {
		p.printf("%s no flow of the estimate ended\n", p.paint(fmt.Sprintf("%-12s", "links"), heading))
	} else if x != nil {
		p.printf("%s where the %d flows with a slowdown from %.2f (p99) wait\n", p.paint(fmt.Sprintf("%-12s", "links"), heading), x.Flows, x.Slowdown)
		p.printf("%32s %8s %8s %14s\n", "", "share", "load", "worst of flows")
		for _, l := range x.Links[:min(shown, len(x.Links))] {
			if l.Share == 0 {
				break
			}
			p.printf("%32s %7.1f%% %7.1f%% %14d\n", l.Link, 100*l.Share, 100*l.Load, l.Flows)
		}
		p.printf("%s %s\n", p.paint(fmt.Sprintf("%-12s", "drawing"), heading), t.Drawing)
	}
}
