package figure

import (
	"cmp"
	"io/fs"
	"strconv"
	"strings"

	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/stats"
	"pintlab/plots/report"
)

const claimsFile = "claims.csv"

// Claim is a line of claims.csv. It contains a statement, and selects the rows that decide whether the statement
// holds. Case and Scheme may be lists.
type Claim struct {
	Kind      string  `col:"kind"` // one of kinds, or a function of the spec; with "?", a claim without rows is omitted
	Statement string  `col:"statement"`
	Table     string  `col:"table"` // "" selects all tables
	Case      string  `col:"case"`  // likewise
	X         string  `col:"x"`     // a range, or "last" for the largest X of the case
	Share     string  `col:"share"` // range
	Scheme    string  `col:"scheme"`
	Against   string  `col:"against"` // scheme with which the rows, or the claim, compare the first scheme
	Quantity  string  `col:"quantity"`
	Other     string  `col:"other"`   // quantity of the other scheme, or its table if Quantity is empty
	Unit      string  `col:"unit"`    // unit of rows that have none
	Amount    float64 `col:"amount"`  // factor, bound or tolerance
	Bound     float64 `col:"bound"`   // bound for a claim on a number that no row contains
	Because   string  `col:"because"` // section that explains why the claim fails
	// Cause is the reason why the claim fails.
	Cause report.Cause `col:"cause"`
	Own   string       `col:"own"` // "yes" if no paper makes the statement
}

// List splits a list in a claim into its parts.
func List(text string) []string { return strings.Split(text, " | ") }

// kinds contains a judge for each kind of claim. A judge decides by the rows.
var kinds = map[string]func(c *Claim, rows []study.Row) Finding{
	"below": func(c *Claim, rows []study.Row) Finding {
		return Below(c.Statement, c.one(rows, c.Scheme, ""), c.one(rows, c.Against, c.Other), c.Amount)
	},
	"below bound": func(c *Claim, rows []study.Row) Finding {
		own := c.one(rows, c.Scheme, "")
		return Below(c.Statement, own, bound(c.Against, c.Bound, own.Unit), c.Amount)
	},
	"bound below": func(c *Claim, rows []study.Row) Finding {
		own := c.one(rows, c.Against, "")
		return Below(c.Statement, bound(c.Scheme, c.Bound, own.Unit), own, c.Amount)
	},
	"above": func(c *Claim, rows []study.Row) Finding {
		least := c.Amount
		if c.Against != "" { // a share relative to another number
			least *= c.one(rows, c.Against, c.Other).Value
		}
		return above(c.Statement, c.one(rows, c.Scheme, ""), least)
	},
	"lower":   func(c *Claim, rows []study.Row) Finding { return Lower(c.Statement, c.all(rows)) },
	"higher":  func(c *Claim, rows []study.Row) Finding { return Higher(c.Statement, c.all(rows)) },
	"similar": func(c *Claim, rows []study.Row) Finding { return Similar(c.Statement, c.all(rows), c.Amount) },
	"more": func(c *Claim, rows []study.Row) Finding {
		cases := List(c.Case)
		if c.Case == "" {
			cases = study.Cases(rows)
		}
		return more(c.Statement, rows, c.Scheme, c.Against, c.Quantity, cases...)
	},
	"beneath": func(c *Claim, rows []study.Row) Finding {
		return Beneath(c.Statement, rows, c.Table, c.Scheme, c.Against)
	},
	"falls": func(c *Claim, rows []study.Row) Finding { return falls(c.Statement, rows, c.Table, c.Scheme) },
	"rises": func(c *Claim, rows []study.Row) Finding { return rises(c.Statement, rows, c.Table, c.Scheme) },
	"in order": func(c *Claim, rows []study.Row) Finding {
		return inOrder(c.Statement, rows, c.Table, c.Amount, List(c.Scheme)...)
	},
}

// claimsOf reads the claims of a figure from its files.
func claimsOf[R any](figure string, files fs.FS, own Kinds[R]) []Claim {
	list := linesOf[Claim](figure, files, claimsFile)
	for i := range list {
		c := &list[i]
		checkCause(figure, claimsFile, c.Cause)
		if kind := strings.TrimSuffix(c.Kind, "?"); kinds[kind] == nil && own[kind] == nil {
			panic(figure + ": " + claimsFile + ": no kind of claim " + strconv.Quote(c.Kind))
		}
	}
	return list
}

// judge returns the finding about a claim from the rows. It returns none if the claim is omitted.
func (c *Claim) judge(rows []study.Row) []Finding {
	kind, optional := strings.CutSuffix(c.Kind, "?")
	rows = c.Within(rows)
	if optional && len(c.all(rows)) == 0 {
		return nil
	}
	return []Finding{c.named(kinds[kind](c, rows))}
}

// Within returns the rows in the ranges of the claim.
func (c *Claim) Within(rows []study.Row) []study.Row {
	last := map[string]float64{} // by case
	for _, r := range rows {
		if r.X > last[r.Case] {
			last[r.Case] = r.X
		}
	}
	return Pick(rows, func(r *study.Row) bool {
		return (c.X == "last" && r.X == last[r.Case] || c.X != "last" && inRange(r.X, c.X)) && inRange(r.Share, c.Share)
	})
}

// named adds the claim's statement to a finding, records whether the statement is ours, and sets the cause of a
// deviation.
func (c *Claim) named(f Finding) Finding {
	f.Statement = cmp.Or(f.Statement, c.Statement)
	f.Ours = f.Ours || c.Own != ""
	if c.Because != "" {
		f = f.Because(c.Because)
	}
	return f.By(c.Cause)
}

// all returns the rows of the claim for each scheme in each case.
func (c *Claim) all(rows []study.Row) (list []study.Row) {
	rows, against := ofTable(rows, c.Table), List(c.Against)
	for i, scheme := range List(c.Scheme) {
		for _, of := range List(c.Case) {
			list = append(list, study.Pick(rows, of, scheme, against[min(i, len(against)-1)], c.Quantity)...)
		}
	}
	return list
}

// one returns the row of a scheme, or a row without a number if the scheme has no row. If `other` is not "", it
// replaces the quantity of the claim or, if the claim has none, the table.
func (c *Claim) one(rows []study.Row, scheme, other string) study.Row {
	table, quantity := c.Table, cmp.Or(other, c.Quantity)
	if c.Quantity == "" {
		table, quantity = cmp.Or(other, table), ""
	}
	r := study.One(ofTable(rows, table), c.Case, scheme, quantity)
	r.Unit = cmp.Or(r.Unit, c.Unit)
	return r
}

// ofTable returns the rows of a table, or all rows if the name is "".
func ofTable(rows []study.Row, table string) []study.Row {
	return Pick(rows, func(r *study.Row) bool { return table == "" || r.Table == table })
}

// bound returns a constant number with which rows can be compared.
func bound(name string, value float64, unit string) study.Row {
	return study.Row{Scheme: name, Unit: unit, Sized: stats.Whole(stats.Exactly(value))}
}

// inRange reports whether a number is in a range such as "0.1..1", "0.1..", "..90" or "0". The range "" contains all
// numbers.
func inRange(v float64, text string) bool {
	if text == "" {
		return true
	}
	from, to, ok := strings.Cut(text, "..")
	if !ok {
		to = from
	}
	lo, errLo := strconv.ParseFloat(cmp.Or(from, "-Inf"), 64)
	hi, errHi := strconv.ParseFloat(cmp.Or(to, "Inf"), 64)
	if err := cmp.Or(errLo, errHi); err != nil {
		panic(claimsFile + ": " + err.Error())
	}
	return lo <= v && v <= hi
}
