package bench

import (
	"context"
	"fmt"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/comparison"
)

// Spec is a figure of benchmarks.
type Spec struct {
	Name, Title, Source, Claim string // as in figure.Figure
	Footnote                   string
	Schemes                    []comparison.Scheme // two of them at the smoke scale; nil: those of the evaluation, three of them
	Benchmarks                 []Benchmark
	Check                      func([]comparison.Row) []figure.Finding
	Tables                     func([]comparison.Row) []figure.Table
	Why                        []string
}

// Scale is what is run at a scale: all benchmarks.
type Scale struct {
	seeds   int
	schemes []comparison.Scheme
}

// String says what is run.
func (z Scale) String() string {
	return fmt.Sprintf("%s, %s", figure.Count(len(z.schemes), "scheme"), figure.Count(z.seeds, "seed"))
}

// Figure makes the figure of a spec. It has two drawings for each benchmark, goodput by group and queue,
// with a panel for each scheme.
func (s Spec) Figure() figure.Figure {
	small, large := few, All
	if s.Schemes != nil {
		small, large = s.Schemes[:2], s.Schemes
	}
	return figure.Of[Scale, comparison.Row]{
		Name: s.Name, Title: s.Title, Source: s.Source, Claim: s.Claim, Why: s.Why, Check: s.Check, Tables: s.Tables, Columns: View,
		Scales: map[figure.Scale]Scale{
			figure.Smoke:  {1, small},
			figure.Laptop: {5, large},
			figure.Paper:  {20, large},
		},
		Measure: func(ctx context.Context, j *figure.Job, z Scale) ([]comparison.Row, error) {
			j.Footnote("%s; the curves are of the first seed", s.Footnote)
			Settings(j, z.schemes)
			return measure(ctx, j, s.Benchmarks, z.schemes, j.SeedList(z.seeds))
		},
		Draw: func(rows []comparison.Row) ([]figure.Drawing, error) {
			var list []figure.Drawing
			for i := range s.Benchmarks {
				list = append(list, draw(rows, s.Benchmarks[i].Case, fmt.Sprint(i+1))...)
			}
			return list, nil
		},
	}.Figure()
}
