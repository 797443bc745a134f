package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/mattn/go-runewidth"
	"github.com/spf13/cobra"

	"pintlab/experiments/figures/compare"
	"pintlab/experiments/figures/figure"
	sidebyside "pintlab/experiments/figures/telemetry/side-by-side"
)

// compareOptions are the flags of compare.
type compareOptions struct {
	figureOptions
	controls []string // --cc
	systems  []string // --telemetry
	full     bool     // --full
	details  bool     // --details
}

const (
	flagCC        = "cc"
	flagTelemetry = "telemetry"
	flagFull      = "full"
	flagDetails   = "details"
)

func compareCommand(p *program) *cobra.Command {
	var o compareOptions
	cmd := &cobra.Command{
		Use:   "compare",
		Short: "HPCC with INT against HPCC with PINT, and TCP Reno",
		Long: `Simulate the 320-server fat tree of the PINT paper under web-search and Hadoop
traffic at 50 % load, with three schemes on the same flows and paths: HPCC fed by full INT
(42 B on each packet), HPCC fed by PINT (1 B), and TCP Reno. A workload ends after four seeds
if these agree about the mean completion time and the 95th percentile of the slowdown, else
after six; intervals hold at 95 % for both moments together. --seeds N runs so many, whatever they say.

--full adds standard INT (68 B) and Reno under the bytes of an INT header, and runs three
times as long. --cc compares other congestion controls, each with the first one named, with
their default parameters. --telemetry compares telemetry systems instead, each with none:
what they cost, and what they tell of the same packets (reproduce telemetry/side-by-side has
all of them).

The answer comes on the terminal, all numbers with --details; the report with all figures,
and the rows behind them, in the directory of results. Finished runs are kept and not run again.`,
		Example: `  pintlab compare
  pintlab compare --full
  pintlab compare --seeds 10 --set workload.0.load=0.7
  pintlab compare --cc hpcc,hpcc-pint,powertcp,powertcp-pint,swift
  pintlab compare --telemetry pint-16,sketchint,lightguardian
  pintlab compare --scale smoke --json`,
		GroupID: groupRun,
		Args: func(cmd *cobra.Command, args []string) error {
			if o.json {
				if err := without(cmd, "beside --json", flagDetails); err != nil {
					return err
				}
			}
			return noArgs(cmd, args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return p.compare(cmd.Context(), &o) },
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.controls, flagCC, nil, "compare `controls`: "+strings.Join(compare.Controls(), ", "))
	f.StringSliceVar(&o.systems, flagTelemetry, nil, "compare telemetry `systems`: "+strings.Join(sidebyside.Keys(), ", "))
	f.BoolVar(&o.full, flagFull, false, "two schemes more, and runs three times as long")
	f.BoolVar(&o.details, flagDetails, false, "print all numbers, not the answer alone")
	o.attachFigures(cmd)
	o.attachLosses(cmd)
	return cmd
}

func (p *program) compare(ctx context.Context, o *compareOptions) error {
	if err := checkOut(o.out); err != nil {
		return err
	}
	f, dir, command := &compare.Figure, "", []string{"pintlab", "compare"}
	if o.full {
		f, command = &compare.Full, append(command, "--"+flagFull)
	}
	switch {
	case o.controls != nil && o.systems != nil:
		return errors.New("--cc and --telemetry: want one of them")
	case o.systems != nil && o.full:
		return errors.New("--full has no effect beside --telemetry")
	case o.systems != nil:
		var err error
		if f, err = sidebyside.Of(o.systems); err != nil {
			return fmt.Errorf("--telemetry %q: %w", strings.Join(o.systems, ","), err)
		}
		dir = strings.Join(o.systems, "-")
		command = append(command, "--"+flagTelemetry, strings.Join(o.systems, ","))
	case o.controls != nil:
		var err error
		if f, err = compare.Of(o.controls, o.full); err != nil {
			return fmt.Errorf("--cc %q: %w", strings.Join(o.controls, ","), err)
		}
		dir = strings.Join(o.controls, "-")
		command = append(command, "--"+flagCC, strings.Join(o.controls, ","))
	}
	d, err := p.figureIn(ctx, f, &o.figureOptions, dir, command...)
	if err != nil {
		return err
	}
	switch {
	case o.json:
		out, err := jsonOf(d)
		if err != nil {
			return err
		}
		return errors.Join(o.complaint(d.Manifest), p.printJSON(out))
	case d.Figure.Answer == nil || o.details:
		err = p.printDone(d)
	default:
		err = p.printAnswer(d, o.more())
	}
	return errors.Join(o.complaint(d.Manifest), err)
}

// more says what else can be asked.
func (o *compareOptions) more() string {
	var list []string
	switch {
	case !o.full && o.controls == nil:
		list = append(list, "--full: standard INT, Reno under INT's bytes, longer runs")
	case !o.full:
		list = append(list, "--full: longer runs")
	}
	if o.controls == nil {
		list = append(list, "--cc: other controls")
	}
	return strings.Join(append(list, "--details: every number"), "; ")
}

// answerWidth is the room of an answer on a terminal.
const answerWidth = 80

// printAnswer prints what a figure says in short: 20 lines of 80 columns, and one for each scheme beyond
// three. more says what else can be asked.
func (p *program) printAnswer(d *figure.Done, more string) error {
	m := d.Manifest
	a, err := d.Figure.Answer(d.Rows)
	if err != nil {
		return err
	}
	for _, s := range a.Text {
		p.printf("%s\n", wrap(s, 2))
	}
	if err := a.Table.WriteText(p.stdout); err != nil {
		return failed(err)
	}
	p.printf("\n")
	line := func(name, text string) {
		p.printf("%s\n", wrap(fmt.Sprintf("%-9s %s", name, text), 10))
	}
	for _, x := range m.Settings {
		if x.Key == "seeds" {
			line(x.Key, x.Value)
		}
	}
	switch n := len(m.Notes); n {
	case 0:
	case 1:
		line("note", runewidth.Truncate(m.Notes[0], answerWidth-10, "…"))
	default:
		line("notes", runewidth.Truncate(fmt.Sprintf("%d in the report, such as: %s", n, m.Notes[0]), answerWidth-10, "…"))
	}
	line("report", filepath.Join(d.Dir, figure.ReportFile))
	p.printCost(m)
	line("more", more)
	return nil
}

// wrap breaks a text into lines of answerWidth columns, of which all but the first are indented.
func wrap(text string, indent int) string {
	var lines []string
	line := ""
	for _, word := range strings.Split(text, " ") {
		if line != "" && runewidth.StringWidth(line+" "+word) > answerWidth {
			lines, line = append(lines, line), strings.Repeat(" ", indent)+word
			continue
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return strings.Join(append(lines, line), "\n")
}
