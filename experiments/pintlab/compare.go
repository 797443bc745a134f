package pintlab

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/internal/compare"
	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/figures/telemetry"
	"pintlab/experiments/scenario"
	"pintlab/internal/lists"
)

type compareOptions struct {
	figureOptions `flags:"out seed seeds workers scale set memory-limit json table quiet reuse accept-losses"`
	controls      []string `flag:"cc" use:"compare {controls}: %s; with a scenario: %s"`
	systems       []string `flag:"telemetry" use:"compare telemetry {systems}: %s; with a scenario: %s"`
	balancer      []string `flag:"balancing" use:"compare {balancers} on the scenarios: %s"`
	full          bool     `flag:"full" use:"add two schemes, and make runs three times as long"`
	vary          string   `flag:"vary" use:"compare once at each value, {KEY=VALUE,VALUE...}"`
	details       bool     `flag:"details" use:"print all numbers, not only the answer"`
}

const (
	flagCC        = "cc"
	flagTelemetry = "telemetry"
	flagBalancing = "balancing"
	flagVary      = "vary"
	flagFull      = "full"
	flagDetails   = "details"
)

func compareCommand(p *program) *cobra.Command {
	o := compareOptions{figureOptions: figureDefaults()}
	return oneOutput(naming(p.accepted(), &cobra.Command{
		Use:     "compare [SCENARIO...]",
		Short:   "Compare HPCC with INT, HPCC with PINT and TCP Reno, or schemes on your own network",
		GroupID: groupRun,
		Args: func(cmd *cobra.Command, args []string) error {
			for _, whole := range []string{flagJSON, flagTable} {
				if o.given(whole) {
					if err := without(cmd, "with --"+whole, flagDetails); err != nil {
						return err
					}
				}
			}
			if len(args) == 0 {
				return without(cmd, "without a scenario", flagBalancing, flagVary)
			}
			return without(cmd, "with a scenario", flagFull, flagScale)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return p.compare(cmd.Context(), &o, args) },
	}, &o))
}

func (p *program) compare(ctx context.Context, o *compareOptions, bases []string) error {
	if err := checkOut(o.out); err != nil {
		return err
	}
	f, dir, specs, err := o.choose(p.language, bases)
	if err != nil {
		return err
	}
	command := slices.Concat([]string{"pintlab", "compare"}, bases,
		o.typed(flagFull, flagCC, flagTelemetry, flagBalancing, flagVary))
	if len(bases) > 0 {
		o.figureOptions.scale = ""
	}
	d, err := p.figureIn(ctx, f, &o.figureOptions, dir, specs, command...)
	if err != nil {
		return err
	}
	if o.json || o.given(flagTable) || o.details || d.Answer() == nil {
		err = p.showFigure(&o.options, d)
	} else {
		err = p.printAnswer(d, o.more(len(bases) > 0))
	}
	return errors.Join(o.complaint(d.Manifest), err)
}

// choose returns the figure for the comparison, and its directory within the results. If there are scenarios, it also
// returns the runs on them.
func (o *compareOptions) choose(
	l *scenario.Language, bases []string,
) (f *figure.Figure, dir string, specs []campaign.Spec, err error) {
	dir = strings.Join(slices.Concat(o.controls, o.systems, o.balancer), "-")
	switch {
	case len(bases) > 0:
		names := lists.Map(bases,
			func(b string) string { return strings.TrimSuffix(filepath.Base(b), filepath.Ext(b)) })
		n := compare.Networks{
			Language: l, Bases: bases, Controls: o.controls, Systems: o.systems, Balancers: o.balancer,
		}
		if o.given(flagVary) {
			if n.Vary, err = compare.ParseVariation(o.vary, o.set); err != nil {
				return nil, "", nil, err
			}
			dir += "-" + n.Vary.Short()
		}
		f, specs, err = n.Figure()
		return f, strings.Join(append(names, dir), "-"), specs, err
	case o.controls != nil && o.systems != nil:
		return nil, "", nil, errors.New("--cc and --telemetry together need a scenario: name a scenario, or use only " +
			"one of these options")
	case o.systems != nil && o.details:
		return nil, "", nil, errors.New("--details has no effect with --telemetry, which prints all numbers")
	case o.systems != nil && o.full:
		return nil, "", nil, errors.New("--full has no effect with --telemetry")
	case o.systems != nil:
		if f, err = telemetry.Of(o.systems); err != nil {
			err = fmt.Errorf("--telemetry %q: %w", strings.Join(o.systems, ","), err)
		}
	case o.controls != nil:
		if f, err = compare.Of(l.Protocols(), o.controls, o.full); err != nil {
			err = fmt.Errorf("--cc %q: %w", strings.Join(o.controls, ","), err)
		}
	case o.full:
		f = &compare.Full
	default:
		f = &compare.Figure
	}
	return f, dir, nil, err
}

// more returns a hint on further options.
func (o *compareOptions) more(own bool) string {
	var list []string
	switch {
	case own:
		list = append(list, "--cc, --telemetry, --balancing: other schemes")
	case !o.full && o.controls == nil:
		list = append(list, "--full: also standard INT, and Reno with INT's bytes, in longer runs")
	case !o.full:
		list = append(list, "--full: longer runs")
	}
	if !own && o.controls == nil {
		list = append(list, "--cc: other controls; SCENARIO: your network")
	}
	return strings.Join(append(list, "--details: every number"), "; ")
}

// answerWidth is the width of an answer in columns.
const answerWidth = 80

// printAnswer prints the answer of a figure. It takes 20 lines of 80 columns, and one more line for each scheme after
// the third. more is a hint on further options.
func (p *program) printAnswer(d *figure.Done, more string) error {
	m, a := d.Manifest, d.Answer()
	overloads, notes := m.Remarks()
	for _, s := range append(overloads, a.Text...) {
		p.printf("%s\n", wrapLine(s, answerWidth))
	}
	for _, t := range a.Tables {
		p.printf("%s", p.paintChanges(p.tableText(t)))
	}
	line := func(name, text string) {
		p.printf("%s\n", wrapLine(p.paint(fmt.Sprintf("%-9s", name), heading)+" "+text, answerWidth))
	}
	for _, c := range a.Columns {
		line("columns", c)
	}
	for _, x := range m.Settings {
		if x.Key == "seeds" || strings.HasSuffix(x.Key, " sets") {
			line(x.Key, x.Value)
		}
	}
	for _, n := range notes {
		line("note", n)
	}
	// A path stays on one line, so that it can be copied.
	p.printf("%s %s\n", p.paint("report   ", heading), filepath.Join(d.Dir, figure.ReportFile))
	p.printCost(m)
	line("more", more)
	return nil
}
