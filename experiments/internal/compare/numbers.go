package compare

import (
	"fmt"
	"math"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/study"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/plots"
)

// export returns the tables of an answer. They contain every number with its interval, and its ratio to the first
// scheme of the case. The column of flows is the number of flows in the seed with the fewest. heads are the headings of
// the case, if there are several, and of the scheme in the wide table.
func export(rows []study.Row, list []shown, heads ...string) figure.Export {
	return figure.Export{
		Long: func() (*plots.Table, error) { return longNumbers(rows, list) },
		Wide: func() (*plots.Table, error) { return wideNumbers(rows, list, heads) },
	}
}

// eachScheme calls `use` for each scheme of each case. The arguments are the rows of the case, the names of the case
// and the scheme, and the name of the first scheme of the case.
func eachScheme(rows []study.Row, use func(own []study.Row, of, scheme, base string) error) error {
	for _, of := range study.Cases(rows) {
		own := figure.Pick(rows, func(r *study.Row) bool { return r.Case == of })
		schemes := study.Schemes(own)
		for _, scheme := range schemes {
			if err := use(own, of, scheme, schemes[0]); err != nil {
				return err
			}
		}
	}
	return nil
}

// longNumbers returns a table with a line for each number.
func longNumbers(rows []study.Row, list []shown) (*plots.Table, error) {
	t, err := plots.NewTable(plots.Text("case"), plots.Text("scheme"), plots.Text("measure"), plots.Text("unit"),
		plots.Real("value", ""), plots.Real("low", ""), plots.Real("high", ""), plots.Text("against"),
		plots.Real("ratio", ""), plots.Real("ratio_low", ""), plots.Real("ratio_high", ""), plots.Whole("flows", ""),
		plots.Whole("seeds", ""))
	if err != nil {
		return nil, err
	}
	return t, eachScheme(rows, func(own []study.Row, of, scheme, base string) error {
		for _, s := range list {
			n, against, ratio := study.One(own, "", scheme, s.quantity), "", study.None()
			if math.IsNaN(n.Value) {
				continue // the measures of jobs differ from the measures of flows
			}
			for _, r := range study.Pick(own, "", scheme, base, s.quantity) {
				against, ratio = base, r
			}
			if err := t.Append(of, scheme, sized(s.head, of), s.unit, n.Value, n.Lo, n.Hi,
				against, ratio.Value, ratio.Lo, ratio.Hi, int64(n.Flows), int64(n.Seeds)); err != nil {
				return err
			}
		}
		return nil
	})
}

// wideNumbers returns a table with a line for each scheme of each case.
func wideNumbers(rows []study.Row, list []shown, heads []string) (*plots.Table, error) {
	columns := lists.Map(heads, plots.Text)
	for _, s := range list {
		columns = append(columns, plots.Text(sized(s.head, study.Cases(rows)...)))
	}
	t, err := plots.NewTable(columns...)
	if err != nil {
		return nil, err
	}
	return t, eachScheme(rows, func(own []study.Row, of, scheme, _ string) error {
		cells, seeds := []any{of, scheme}[2-len(heads):], 0
		for _, r := range own {
			seeds = max(seeds, r.Seeds)
		}
		for _, s := range list {
			n := study.One(own, "", scheme, s.quantity)
			text := n.Weak(s.share) + s.withInterval(n)
			if !math.IsNaN(n.Value) && n.Seeds < seeds {
				text += fmt.Sprintf(" (%d of %d seeds)", n.Seeds, seeds)
			}
			cells = append(cells, text)
		}
		return t.Append(cells...)
	})
}

// withInterval returns a number and, if it has one, its interval.
func (s shown) withInterval(r study.Row) string {
	if math.IsNaN(r.Lo) || math.IsNaN(r.Value) {
		return s.text(r.Value)
	}
	return fmt.Sprintf("%s (%s to %s)", s.text(r.Value), s.text(r.Lo), s.text(r.Hi))
}

// text formats a number with its unit. A percentile of the slowdown has two decimals, so that it aligns with others.
func (s shown) text(v float64) string {
	if s.unit == "" && s.share > 0 && !math.IsNaN(v) {
		return fmt.Sprintf("%.2f", v)
	}
	return number.Format(v, s.unit, 3)
}
