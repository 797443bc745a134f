package study

import (
	"cmp"
	"context"
	"math"
	"strings"

	"pintlab/experiments/results/stats"
	"pintlab/internal/lists"
	"pintlab/internal/number"
)

// Row is a line of rows.csv. A figure may store fewer columns, and may rename them.
type Row struct {
	Table    string  `col:"table"` // kind of the row, if a figure has several kinds
	Case     string  `col:"case"`
	X        float64 `col:"x"` // position of the case; NaN if there is no axis
	Scheme   string  `col:"scheme"`
	Against  string  `col:"against"` // if set, the value is the ratio to this scheme, the geometric mean over the seeds
	Quantity string  `col:"quantity"`
	Unit     string  `col:"unit"`
	stats.Sized
}

// Cut limits the interval of a share to the range from 0 to 1. Intervals in older stored rows may exceed this range.
func (r *Row) Cut() {
	if r.Against == "" && strings.HasPrefix(r.Quantity, "share of ") {
		r.Number = r.Number.Cut(0, 1)
	}
}

// Rows collects lines, and keeps the first error.
type Rows struct {
	results *Results
	list    []Row
	err     error
}

// Measure runs a study and returns the lines that order adds.
func (s *Study) Measure(ctx context.Context, by Runner, order func(*Rows)) ([]Row, error) {
	results, err := s.Run(ctx, by)
	if err != nil {
		return nil, err
	}
	return results.Rows(order)
}

// Rows returns the lines that order adds, with all digits; rows.csv contains only six.
func (r *Results) Rows(order func(*Rows)) ([]Row, error) {
	rows := &Rows{results: r}
	order(rows)
	return rows.list, rows.err
}

// Add appends a measure of a cell. It appends the numbers or, if against is not "", their ratios to the numbers of that
// scheme in the same case. It appends nothing if the number is missing.
func (r *Rows) Add(table string, c Cell, against, measure string) {
	if r.err != nil {
		return
	}
	var list []stats.Sized
	if against == "" {
		list, r.err = r.results.Numbers(c, measure)
	} else {
		list, r.err = r.results.Ratio(c, against, measure)
	}
	m := r.results.measureOf(c, measure)
	for _, n := range list {
		r.list = append(r.list, Row{table, c.Case, c.X, c.Scheme, against, cmp.Or(m.Shown, m.Name), m.Unit, n})
	}
}

// Append adds the rows that the function make returns for the first seed of a cell.
func (r *Rows) Append(c Cell, make func(first *Trial) ([]Row, error)) {
	if r.err != nil {
		return
	}
	var first *Trial
	if first, r.err = newTrial(c, r.results.find(c).runs[0]); r.err != nil {
		return
	}
	var list []Row
	list, r.err = make(first)
	r.list = append(r.list, list...)
}

// All returns an order for Study.Measure. The order adds all measures cell by cell, and each measure is followed by its
// ratios. The parameters are the tables of the rows with numbers and of the rows with ratios. If a cell has Rows, the
// order also adds these.
func All(numbers, ratios string) func(*Rows) {
	return func(r *Rows) {
		for _, c := range r.results.study.Cells {
			o := r.results.find(c)
			for _, m := range o.cell.Measures {
				r.Add(numbers, c, "", m.Name)
				for _, scheme := range c.Against {
					if m.Paired {
						r.Add(ratios, c, scheme, m.Name)
					}
				}
			}
			for i, row := range c.Rows {
				if r.err == nil {
					row.Sized, r.err = o.row(i)
					r.list = append(r.list, row)
				}
			}
		}
	}
}

// Pick returns the rows of a measure for a scheme in the case `of`. against is the scheme with which it is compared, or
// "". If `of` is "", Pick returns the rows of all cases.
func Pick(rows []Row, of, scheme, against, measure string) []Row {
	return lists.Keep(rows, func(r Row) bool {
		return (of == "" || r.Case == of) && r.Scheme == scheme && r.Against == against && r.Quantity == measure
	})
}

// One returns the row of a measure for a scheme in a case, or None with the scheme's name.
func One(rows []Row, of, scheme, measure string) Row {
	for _, r := range Pick(rows, of, scheme, "", measure) {
		return r
	}
	r := None()
	r.Scheme = scheme
	return r
}

// None returns a row whose numbers are NaN.
func None() Row {
	return Row{X: math.NaN(), Sized: stats.Whole(stats.None())}
}

// Weak returns the mark ~ if the value is a percentile of too few flows, and "" otherwise. share is the share of the
// percentile, e.g. 0.99, or 0 if the value is no percentile.
func (r Row) Weak(share float64) string {
	if share > 0 && !math.IsNaN(r.Value) && !stats.Enough(r.Flows, share) {
		return "~"
	}
	return ""
}

// String returns the value with its unit.
func (r Row) String() string {
	if math.IsNaN(r.Value) {
		return "–"
	}
	return number.Format(r.Value, r.Unit, 3)
}

// Cases returns the cases of the rows.
func Cases(rows []Row) []string { return lists.Distinct(rows, func(r Row) string { return r.Case }) }

// Schemes returns the schemes of the rows.
func Schemes(rows []Row) []string {
	return lists.Distinct(rows, func(r Row) string { return r.Scheme })
}
