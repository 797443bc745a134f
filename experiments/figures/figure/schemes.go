package figure

import (
	"fmt"
	"math"

	"pintlab/experiments/measure/comparison"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/plots"
)

// ByCase is the columns of rows.csv of figures without tables of several kinds.
var ByCase = columns.View{"case", "x", "scheme", "against", "quantity", "size", "share", "value", "lo", "hi", "flows", "seeds"}

// Line is the rows of a comparison that make a line of a table.
type Line []comparison.Row

// BySchemes groups rows into a line for each scheme of each case.
func BySchemes(rows []comparison.Row) []Line {
	return lines(rows, func(r *comparison.Row) string { return fmt.Sprint(r.Case, "\n", r.X, "\n", r.Scheme) })
}

// ByBuckets groups rows into a line for each bucket of flow sizes, with all schemes.
func ByBuckets(rows []comparison.Row) []Line {
	return lines(rows, func(r *comparison.Row) string { return fmt.Sprint(r.Case, "\n", r.X, "\n", r.Share) })
}

// BySchemesAndBuckets groups rows into a line for each bucket of flow sizes of each scheme.
func BySchemesAndBuckets(rows []comparison.Row) []Line {
	return lines(rows, func(r *comparison.Row) string { return fmt.Sprint(r.Case, "\n", r.X, "\n", r.Scheme, "\n", r.Share) })
}

func lines(rows []comparison.Row, of func(*comparison.Row) string) []Line {
	var list []Line
	at := map[string]int{}
	for i := range rows {
		k := of(&rows[i])
		if _, ok := at[k]; !ok {
			at[k] = len(list)
			list = append(list, nil)
		}
		list[at[k]] = append(list[at[k]], rows[i])
	}
	return list
}

// number returns the first number of a quantity, with NaN for its values if the line has none.
func (l Line) number(quantity string) comparison.Row {
	return l.first(func(r *comparison.Row) bool { return r.Against == "" && r.Quantity == quantity })
}

// ratio returns the first ratio of a quantity to that of another scheme.
func (l Line) ratio(quantity string) comparison.Row {
	return l.first(func(r *comparison.Row) bool { return r.Against != "" && r.Quantity == quantity })
}

func (l Line) first(is func(*comparison.Row) bool) comparison.Row {
	for i := range l {
		if is(&l[i]) {
			return l[i]
		}
	}
	return comparison.None()
}

// Cell is a column of a table of lines.
type Cell struct {
	column plots.Column
	of     func(Line) any
}

// Case shows the case.
func Case(head string) Cell {
	return Cell{plots.Text(head), func(l Line) any { return l[0].Case }}
}

// Place shows the place of the case on its axis.
func Place(head, unit string) Cell {
	return Cell{plots.Real(head, unit), func(l Line) any { return l[0].X }}
}

// Scheme shows the scheme.
func Scheme(head string) Cell {
	return Cell{plots.Text(head), func(l Line) any { return l[0].Scheme }}
}

// scales convert a number of seconds, bytes, b/s or a share to the unit of a column.
var scales = map[string]float64{"": 1, "us": 1e6, "KB": 1e-3, "Gb/s": 1e-9, "%": 100}

// Value shows a quantity in a unit.
func Value(head, unit, quantity string) Cell {
	return Real(head, unit, func(l Line) float64 { return scales[unit] * l.number(quantity).Value })
}

// Last shows a quantity of the bucket of the largest flows.
func Last(head, quantity string) Cell {
	return Real(head, "", func(l Line) float64 {
		value := math.NaN()
		for _, r := range l {
			if r.Against == "" && r.Quantity == quantity {
				value = r.Value
			}
		}
		return value
	})
}

// Excess shows by how many percent a quantity is above 1.
func Excess(head, quantity string) Cell {
	return Real(head, "%", func(l Line) float64 { return stats.Percent(l.number(quantity).Value) })
}

// Change shows the ratio of a quantity to that of another scheme, as a change; nothing if there is none.
func Change(head, quantity string) Cell {
	return Cell{plots.Text(head), func(l Line) any { return change(l.ratio(quantity)) }}
}

func change(r comparison.Row) string {
	if math.IsNaN(r.Value) {
		return ""
	}
	return r.Change()
}

// Against shows the scheme that Change compares with.
func Against(head, quantity string) Cell {
	return Cell{plots.Text(head), func(l Line) any { return l.ratio(quantity).Against }}
}

// Flows shows of how many flows a quantity is, in the seed that has the fewest.
func Flows(head, quantity string) Cell {
	return Cell{plots.Whole(head, ""), func(l Line) any { return int64(l.number(quantity).Flows) }}
}

// UpTo shows the largest flow of a bucket.
func UpTo(head string) Cell { return Real(head, "B", func(l Line) float64 { return l[0].Size }) }

// Share shows which share of the flows lies up to the end of a bucket.
func Share(head string) Cell { return Real(head, "%", func(l Line) float64 { return l[0].Share }) }

// OfScheme shows the number of one of the schemes in a bucket.
func OfScheme(head, scheme string) Cell {
	return Real(head, "", func(l Line) float64 { return l.of(scheme, "").Value })
}

// OfPair shows the ratio of one scheme to another in a bucket, as a change.
func OfPair(head, scheme, against string) Cell {
	return Cell{plots.Text(head), func(l Line) any { return change(l.of(scheme, against)) }}
}

// of returns the row of a scheme, or of a pair of schemes.
func (l Line) of(scheme, against string) comparison.Row {
	return l.first(func(r *comparison.Row) bool { return r.Scheme == scheme && r.Against == against })
}

func Real(head, unit string, of func(Line) float64) Cell {
	return Cell{plots.Real(head, unit), func(l Line) any { return columns.Round(of(l)) }}
}

// Lines makes a table of lines.
func Lines(caption string, list []Line, cells ...Cell) Table {
	var heads []plots.Column
	for _, c := range cells {
		heads = append(heads, c.column)
	}
	t, err := plots.NewTable(heads...)
	if err != nil {
		panic(err) // two columns of a table of this program have one name
	}
	for _, l := range list {
		var row []any
		for _, c := range cells {
			row = append(row, c.of(l))
		}
		if err := t.Append(row...); err != nil {
			panic(err) // the kinds are those of the columns
		}
	}
	return Table{Rows: t, Caption: caption}
}
