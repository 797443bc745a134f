package figure

import (
	"fmt"
	"math"

	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/plots"
)

// ByCase lists the columns of rows.csv for figures whose rows are all of one kind.
var ByCase = columns.View{"case", "x", "scheme", "against", "quantity", "size", "share", "value", "lo", "hi", "flows",
	"seeds"}

// Line contains the rows of a comparison that make up one line of a table.
type Line []study.Row

// BySchemes groups rows into a line for each scheme of each case.
func BySchemes(rows []study.Row) []Line {
	return By(rows, func(r *study.Row) string { return fmt.Sprint(r.Case, "\n", r.X, "\n", r.Scheme) })
}

// ByBuckets groups rows into a line for each bucket of flow sizes. A line contains all schemes.
func ByBuckets(rows []study.Row) []Line {
	return By(rows, func(r *study.Row) string { return fmt.Sprint(r.Case, "\n", r.X, "\n", r.Share) })
}

// BySchemesAndBuckets groups rows into a line for each bucket of flow sizes of each scheme.
func BySchemesAndBuckets(rows []study.Row) []Line {
	return By(rows, func(r *study.Row) string { return fmt.Sprint(r.Case, "\n", r.X, "\n", r.Scheme, "\n", r.Share) })
}

// By groups rows into a line for each key. Lines are in the order in which their keys first appear.
func By(rows []study.Row, key func(*study.Row) string) []Line {
	return Groups[Line](rows, key)
}

// Find returns the first row of a quantity and a scheme. If `against` is not "", the row is the ratio to the scheme
// `against`. An empty scheme matches any scheme. If there is no such row, the numbers of the result are NaN.
func (l Line) Find(scheme, against, quantity string) study.Row {
	return l.first(func(r *study.Row) bool {
		return (scheme == "" || r.Scheme == scheme) && r.Against == against && r.Quantity == quantity
	})
}

// ratio returns the first row that compares the quantity of two schemes. Its value is their ratio.
func (l Line) ratio(quantity string) study.Row {
	return l.first(func(r *study.Row) bool { return r.Against != "" && r.Quantity == quantity })
}

func (l Line) first(is func(*study.Row) bool) study.Row {
	for i := range l {
		if is(&l[i]) {
			return l[i]
		}
	}
	return study.None()
}

// Cell is a column of a table whose lines have type Line.
type Cell = Column[Line]

// Case shows the case.
func Case(head string) Cell { return Text(head, func(l Line) string { return l[0].Case }) }

// Place shows the position of the case on its axis.
func Place(head, unit string) Cell { return Real(head, unit, func(l Line) float64 { return l[0].X }) }

// Scheme shows the scheme.
func Scheme(head string) Cell { return Text(head, func(l Line) string { return l[0].Scheme }) }

// scales contains factors that convert seconds, bytes, b/s or a share to the unit of a column.
var scales = map[string]float64{"": 1, "us": 1e6, "KB": 1e-3, "Gb/s": 1e-9, "%": 100}

// Value shows a quantity in a unit.
func Value(head, unit, quantity string) Cell {
	return Real(head, unit, func(l Line) float64 { return scales[unit] * l.Find("", "", quantity).Value })
}

// Percentile is like Value for a percentile of slowdowns. The mark ~ is in front of the number if one seed has too few
// flows for it. share is the share of the percentile, e.g. 0.99.
func Percentile(head, quantity string, share float64) Cell {
	return Cell{plots.Real(head, ""), func(l Line) any {
		r := l.Find("", "", quantity)
		return plots.Marked{Value: columns.Round(r.Value), Mark: r.Weak(share)}
	}}
}

// Last shows a quantity in the bucket of the largest flows.
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
	return Real(head, "%", func(l Line) float64 { return stats.Percent(l.Find("", "", quantity).Value) })
}

// Change shows by how many percent a quantity of this scheme differs from the same quantity of another scheme. Without
// such a comparison, the cell is empty.
func Change(head, quantity string) Cell {
	return Text(head, func(l Line) string { return change(l.ratio(quantity)) })
}

func change(r study.Row) string {
	if math.IsNaN(r.Value) {
		return ""
	}
	return r.Change()
}

// Against shows the scheme that Change compares with.
func Against(head, quantity string) Cell {
	return Text(head, func(l Line) string { return l.ratio(quantity).Against })
}

// Flows shows the number of flows on which a quantity is based, for the seed with the fewest.
func Flows(head, quantity string) Cell {
	return Whole(head, "", func(l Line) int64 { return int64(l.Find("", "", quantity).Flows) })
}

// UpTo shows the largest flow of a bucket.
func UpTo(head string) Cell { return Real(head, "B", func(l Line) float64 { return l[0].Size }) }

// Share shows the share of the flows whose size is at most the upper end of the bucket.
func Share(head string) Cell { return Real(head, "%", func(l Line) float64 { return l[0].Share }) }

// OfScheme shows a number of one scheme in a bucket.
func OfScheme(head, scheme string) Cell {
	return Real(head, "", func(l Line) float64 { return l.Find(scheme, "", l[0].Quantity).Value })
}

// OfPair shows the ratio of one scheme to another in a bucket, written as a change in percent.
func OfPair(head, scheme, against string) Cell {
	return Text(head, func(l Line) string { return change(l.Find(scheme, against, l[0].Quantity)) })
}
