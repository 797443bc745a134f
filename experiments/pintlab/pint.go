package pintlab

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"pintlab/experiments/internal/measure/pint"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/scenario"
	"pintlab/internal/input"
	detect "pintlab/pint/loops"
	"pintlab/pint/query"
)

func pintCommand(p *program) *cobra.Command {
	return group(groupStudies, "pint", "Plan queries, trace paths, estimate latencies, find loops",
		pintPlan(p), pintUseCases(p), pintTrace(p), pintTune(p), pintFlows(p), pintRouteChange(p), pintLatency(p),
		pintRead(p),
		pintLoops(p))
}

func pintPlan(p *program) *cobra.Command {
	var o options
	var words strings.Builder
	words.WriteString("Values:")
	for _, v := range query.Values {
		fmt.Fprintf(&words, "\n  %-18s %s", v, v.About())
	}
	words.WriteString("\n\nAggregations:")
	for _, a := range query.Aggregations {
		fmt.Fprintf(&words, "\n  %-18s %s: %s", a, a.Class(), a.About())
	}
	return with(&cobra.Command{
		Use:       "plan FILE|PRESET",
		Short:     "Compile queries under a bit budget into an execution plan",
		Long:      words.String(),
		Args:      exactly("a query file or a preset"),
		ValidArgs: query.Presets(),
		RunE: func(_ *cobra.Command, args []string) error {
			spec, err := querySpec(args[0])
			if err != nil {
				return err
			}
			plan, err := query.Compile(*spec)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			return p.show(&o, plan.Report(), func() { p.printf("%s", plan) })
		},
	}, &o, flagJSON)
}

// useCase is a row of pint usecases.
type useCase struct {
	Application string `json:"application" col:"application"`
	Description string `json:"description" col:"description"`
	Class       string `json:"class" col:"class"`
	Value       string `json:"value" col:"value"`
	With        string `json:"with" col:"with"` // the second value that an extremum reports
	Aggregation string `json:"aggregation" col:"aggregation"`
	Bits        int    `json:"bits" col:"bits" unit:"b"` // number of bits on a packet
	Flow        string `json:"flow" col:"flow"`          // flow definition of per-flow queries
}

func pintUseCases(p *program) *cobra.Command {
	var o options
	return with(&cobra.Command{
		Use:   "usecases",
		Short: "List use cases of the PINT paper (Table 2), each with a query for it",
		Args:  exactly(),
		RunE: func(*cobra.Command, []string) error {
			var rows []useCase
			for _, c := range query.Catalogue() {
				r := useCase{Application: c.Application, Description: c.Description, Class: fmt.Sprint(c.Class),
					Value: fmt.Sprint(c.Query.Value), Aggregation: fmt.Sprint(c.Query.Aggregation), Bits: c.Query.Bits}
				if c.Query.With != 0 {
					r.With = fmt.Sprint(c.Query.With)
				}
				if c.Class != query.PerPacket {
					r.Flow = fmt.Sprint(c.Query.Flow)
				}
				rows = append(rows, r)
			}
			return p.show(&o, rows, func() { p.printRows(rows) })
		},
	}, &o, flagJSON)
}

// querySpec returns the query set of a preset or file.
func querySpec(what string) (*query.Spec, error) {
	if s, ok := query.Preset(what); ok {
		return &s, nil
	}
	if filepath.Ext(what) == "" {
		return nil, fmt.Errorf("%s: want a preset (%s) or a query file (.yaml)", what,
			strings.Join(query.Presets(), ", "))
	}
	text, err := input.ReadFile(what, input.Settings)
	if err != nil {
		return nil, err
	}
	return query.Parse(what, text)
}

func pintFlows(p *program) *cobra.Command {
	o := struct {
		options   `flags:"seed workers set memory-limit json quiet"`
		bits      int `flag:"bits" default:"8" range:">=1 <=64" use:"bits {B} of a digest"`
		instances int `flag:"instances" default:"2" range:">=1 <=64" use:"independent digests {N} on each packet"`
	}{options: options{workers: 1}}
	return with(&cobra.Command{
		Use:   "flows SCENARIO|PRESET",
		Short: "Count the flows whose path is known before they end",
		Args:  exactly("a scenario"),
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := ask(p, &o.options, args[0],
				func(sc scenario.Scenario, show study.Progress) (*pint.FlowsAnswer, error) {
					return pint.AskFlows(cmd.Context(), sc, o.bits, o.instances, show)
				})
			if err != nil {
				return err
			}
			return p.showAnswer(&o.options, a)
		},
	}, &o)
}

func pintRouteChange(p *program) *cobra.Command {
	var q pint.RouteQuestion
	o := options{workers: 1}
	return with(with(&cobra.Command{
		Use:   "routechange SCENARIO|PRESET",
		Short: "Measure how soon digests show that a flow has changed its path",
		Args:  exactly("a scenario"),
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := ask(p, &o, args[0], func(sc scenario.Scenario, show study.Progress) (*pint.RouteAnswer, error) {
				return q.Ask(cmd.Context(), sc, show)
			})
			if err != nil {
				return err
			}
			return p.show(&o, a, func() { p.print(a.Text(q.Checksum)) })
		},
	}, &o, flagSeed, flagWorkers, flagSet, flagMemory, flagJSON, flagQuiet), &q)
}

func pintLoops(p *program) *cobra.Command {
	o := struct {
		options `flags:"seed json quiet"`
		q       pint.LoopQuestion `flags:"all"`
		one     detect.Config     `flags:"all"`
	}{options: options{seed: 1, workers: runtime.NumCPU()}}
	q := &o.q
	return with(&cobra.Command{
		Use:   "loops",
		Short: "Measure false alarms of loop detection, and how soon a loop is found",
		Args:  exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case o.given("bits"):
				q.Detectors = []detect.Config{o.one}
			case o.given("threshold"):
				return errors.New("--threshold has no effect without --bits")
			}
			q.Seed = o.seed
			a, err := q.Ask(cmd.Context(), p.job(&o.options))
			if err != nil {
				return err
			}
			return p.showAnswer(&o.options, a)
		},
	}, &o)
}
