package pintlab

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"pintlab/experiments/internal/measure/pint"
	"pintlab/internal/number"
	"pintlab/internal/progress"
	"pintlab/netsim/topo"
)

func pintTrace(p *program) *cobra.Command {
	o := options{seed: 1, workers: runtime.NumCPU()}
	var q pint.PathQuestion
	q.Trials.Runs = 100
	var f fillFlags
	var about strings.Builder
	for _, t := range pint.Methods {
		fmt.Fprintf(&about, "\n  %-10s %s", t.Name, t.About)
	}
	return with(with(with(&cobra.Command{
		Use:   "trace MAP",
		Short: "Count the packets until a path is known",
		Long:  about.String(),
		Args:  exactly("a map"),
		RunE:  func(cmd *cobra.Command, args []string) error { return p.pintTrace(cmd.Context(), args[0], &o, &q, &f) },
	}, &o, flagOut, flagSeed, flagWorkers, flagSet, flagJSON, flagQuiet), &f), &q)
}

// traceMap returns the network of pint trace or pint tune.
func traceMap(p *program, what string, o *options, f *fillFlags) (*topo.Graph, error) {
	switch what {
	case "kdl", "uscarrier":
		if err := without(f.cmd, "on the generated network "+what, append(fillNames, flagSet)...); err != nil {
			return nil, err
		}
		if what == "kdl" {
			return topo.DefaultISP().Build()
		}
		return topo.USCarrierISP().Build()
	}
	return network(p, what, o, f)
}

func (p *program) pintTrace(ctx context.Context, what string, o *options, q *pint.PathQuestion, f *fillFlags) error {
	if err := checkOut(o.out); err != nil {
		return err
	}
	methods := "on the methods " + strings.Join(q.Methods, ", ")
	if !pint.HasScheme(q.Methods) {
		if err := without(o.cmd, methods+", but only on "+strings.Join(pint.WithScheme(), ", "), "tau", "p",
			"d"); err != nil {
			return err
		}
	}
	if q.P > 0 {
		if err := without(o.cmd, "with --p, because it only sets p = 1/D", "d"); err != nil {
			return err
		}
	}
	if !pint.HasChance(q.Methods) {
		if err := without(o.cmd, methods+", but only on plint and plint-5", "probability"); err != nil {
			return err
		}
	}
	if !pint.HasPieces(q.Methods) {
		if err := without(o.cmd, methods+", but only on fragments and lnc", "value-bits"); err != nil {
			return err
		}
	}
	if !pint.HasBits(q.Methods) {
		if err := without(o.cmd, methods+", which have 16 bits on a packet", "bits", "instances"); err != nil {
			return err
		}
	}
	g, err := traceMap(p, what, o, f)
	if err != nil {
		return err
	}
	q.Trials.Seed = o.seed
	a, err := pint.Ask(ctx, p.job(o), what, g, *q)
	if err != nil {
		return err
	}
	if err := a.Save(filepath.Join(o.out, "pint-trace")); err != nil {
		return failed(err)
	}
	return p.show(o, a, func() { p.print(a.Text(q.Paths)) })
}

func pintTune(p *program) *cobra.Command {
	var o struct {
		options `flags:"seed workers quiet set json"`
		q       pint.PathQuestion `flags:"bits hops d runs"`
		f       fillFlags         `flags:"all"`
		method  string            `flag:"method" default:"pint" oneof:"pint|topology"`
		layers  int               `flag:"layers" default:"1" range:">=1 <=3" use:"XOR layers {N}"`
	}
	o.seed, o.workers, o.q.Trials.Runs = 1, runtime.NumCPU(), 50
	return with(&cobra.Command{
		Use:   "tune MAP",
		Short: "Find the τ and p that reveal a path with the fewest packets",
		Args:  exactly("a map"),
		RunE: func(cmd *cobra.Command, args []string) error {
			g, err := traceMap(p, args[0], &o.options, &o.f)
			if err != nil {
				return err
			}
			o.q.Trials.Seed = o.seed
			inner := o.options
			inner.quiet = true
			a, err := watch(p, &o.options, "pint tune", func(t *progress.Task) (*pint.TunedAnswer, error) {
				return pint.AskTuned(cmd.Context(), p.job(&inner), args[0], g, o.q, o.method == "topology", o.layers,
					func(share float64, n int) { t.Update(share, number.Count(n, "encoding")) })
			})
			if err != nil {
				return err
			}
			return p.showAnswer(&o.options, a)
		},
	}, &o)
}
