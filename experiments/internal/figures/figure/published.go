package figure

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"

	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/plots"
	"pintlab/plots/report"
)

// Published is a line of published.csv. It contains a number that a paper prints, and identifies the row with our
// number.
type Published struct {
	Panel   string  `col:"panel"`   // panel of our row; unless it is a ratio, the number is drawn there
	Scheme  string  `col:"scheme"`  // scheme of our row
	Against string  `col:"against"` // if not empty, the number is the ratio of Scheme to this scheme
	X       float64 `col:"x"`
	// Ours names a function of the spec that computes our number if no row contains the number.
	Ours      string  `col:"ours"`
	Quantity  string  `col:"quantity"` // in words
	Reading   string  `col:"reading"`  // other way to read the quantity; "" stands for the literal one
	Value     float64 `col:"value"`
	Unit      string  `col:"unit"`
	Source    string  `col:"source"`    // where the paper prints it
	Tolerance string  `col:"tolerance"` // one of the names in the method within
	Amount    float64 `col:"amount"`    // size of the tolerance
	Because   string  `col:"because"`   // section that explains a tolerance given as a share or absolute number
	// Cause of a deviation of our number.
	Cause report.Cause `col:"cause"`
	Note  string       `col:"note"` // section that explains the deviation
	Over  string       `col:"over"` // what the interval covers; "" stands for the seeds of the rows
}

// PublishedOf returns the published numbers from the files of a figure, or none if there is no such file. Figures
// call PublishedOf for drawings that no Chart describes.
func PublishedOf(figure string, files fs.FS) []Published {
	list := linesOf[Published](figure, files, publishedFile)
	for i := range list {
		checkCause(figure, publishedFile, list[i].Cause)
	}
	return list
}

// checkCause panics if the cause of a line is unknown.
func checkCause(figure, file string, c report.Cause) {
	if c != report.NoCause && !slices.Contains(report.Causes, c) {
		panic(fmt.Sprintf("%s: %s: cause %q, want one of %q", figure, file, c, report.Causes))
	}
}

// linesOf returns the lines of one of a figure's files, or none if the file does not exist.
func linesOf[T any](figure string, files fs.FS, file string) []T {
	return linesIn[T](figure, files, path.Base(figure)+"/"+file)
}

// linesIn returns the lines of a file, or none if the file does not exist. It panics if the lines cannot be read: the
// files of figures are embedded, so this is a mistake in the program.
func linesIn[T any](figure string, files fs.FS, name string) []T {
	if files == nil {
		return nil
	}
	text, err := fs.ReadFile(files, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	list, bad := columns.Read[T](bytes.NewReader(text), name)
	if err = cmp.Or(err, bad); err != nil {
		panic(figure + ": " + err.Error())
	}
	return list
}

// tolerance defines how far our number may differ from a printed number, and explains why.
type tolerance struct {
	share        float64 // share of the printed number by which ours may differ
	absolute     float64 // amount by which ours may differ, in the unit of the number
	below, above bool    // any lower or any higher number agrees, as in "less than" and "more than"
	why          string
}

// within returns the tolerance of a line.
func (t *Words) within(p *Published) tolerance {
	switch p.Tolerance {
	case "at most":
		return tolerance{below: true, why: "the paper prints a bound"}
	case "at least":
		return tolerance{above: true, why: "the paper prints a bound"}
	case "other trace": // the paper's trace is not public
		return tolerance{share: 0.1,
			why: "10 %: the paper's trace is not public; our trace has the same numbers of packets and flows"}
	case "open setting": // the paper does not specify a part of the network
		return tolerance{share: 0.1, why: "10 %: the paper leaves parts of its setting open"}
	case "score": // F1, precision and recall
		return tolerance{absolute: 0.01, why: "0.01: scores are printed with two or three digits"}
	case "digits": // the amount is the unit of the last printed digit
		return tolerance{absolute: p.Amount / 2, why: "half a unit of the last printed digit"}
	case "least digits": // the printed number is a lower bound; a number that rounds to the bound also agrees
		return tolerance{absolute: p.Amount / 2, above: true,
			why: "the paper prints a lower bound; numbers down to half a unit of its last digit below it also agree"}
	case "range": // the published number is the middle of the range
		return tolerance{absolute: p.Amount, why: "the paper prints a range"}
	case "share":
		return tolerance{share: p.Amount, why: t.section(p.Because)}
	case "absolute":
		return tolerance{absolute: p.Amount, why: t.section(p.Because)}
	}
	t.fail("%s: tolerance %q", publishedFile, p.Tolerance)
	panic("unreachable")
}

// judge compares our number with the published number. The outcome is Holds if our whole interval is within the
// tolerance, and Deviates if no part of the interval is. In other cases, or without an interval, the outcome is
// Undecided. Without our number, the outcome is Unmeasured.
func (t tolerance) judge(c report.Compared) report.Compared {
	off := math.Abs(c.Published)*t.share + t.absolute
	c.From, c.To, c.Within = c.Published-off, c.Published+off, t.why
	if t.below {
		c.From = math.Inf(-1)
	}
	if t.above {
		c.To = math.Inf(1)
	}
	switch {
	case math.IsNaN(c.Ours):
		c.Outcome = report.Unmeasured
	case c.From <= c.Lo && c.Hi <= c.To:
		c.Outcome = report.Holds
	case c.Hi < c.From || c.Lo > c.To:
		c.Outcome = report.Deviates
	default: // NaN, too
		c.Outcome = report.Undecided
	}
	return c
}

// Ours returns our number for the published number p. It may also change fields of c, which was made from p. If Ours
// sets the quantity of c to "", the report omits c.
type Ours[R any] func(rows []R, p *Published, c *report.Compared) stats.Number

// compared returns each published number with our number. points contains the rows as numbers in panels.
func compared[R any](
	t *Words, list []Published, rows []R, points []study.Row, ours map[string]Ours[R], values func(string) []any,
) []report.Compared {
	var all []report.Compared
	for i := range list {
		p, n := &list[i], stats.None()
		c := report.Compared{
			Quantity: p.Quantity, Reading: p.Reading, Unit: p.Unit, Source: p.Source, Published: p.Value,
			Over: p.Over, Note: t.note(p.Note, values(p.Note)),
		}
		if c.Over == "" && len(points) > 0 {
			c.Over = Count(points[0].Seeds, "seed")
		}
		switch of := ours[p.Ours]; {
		case of != nil:
			n = of(rows, p, &c)
		case p.Ours != "":
			t.fail("%s: the spec has no function %q", publishedFile, p.Ours)
		case p.Against != "":
			n = RatioAt(points, p.Panel, p.Scheme, p.Against, p.X)
		default:
			if r := PointAt(points, p.Panel, p.Scheme, p.X); r != nil {
				n = r.Number
			}
		}
		c.Ours, c.Lo, c.Hi = n.Value, n.Lo, n.Hi
		if c = t.within(p).judge(c); c.Outcome == report.Deviates {
			c.Cause = p.Cause
		}
		if c.Quantity != "" {
			all = append(all, c)
		}
	}
	return all
}

// mark adds published numbers as hollow marks to the panels whose titles they name.
func mark(f *plots.Figure, published []Published) {
	for i := range f.Panels {
		p := &f.Panels[i]
		var marks []plots.Series
		for _, s := range p.Series {
			printed := plots.Series{Name: s.Name, Style: plots.Points, Published: true}
			for _, x := range published {
				if s.Style == plots.Line && x.Panel != "" && x.Panel == p.Title && x.Scheme == s.Name &&
					x.Against == "" && x.Reading == "" {
					printed.X, printed.Y = append(printed.X, x.X), append(printed.Y, x.Value)
				}
			}
			marks = append(marks, printed)
		}
		p.Series = append(p.Series, Drawn(marks...)...)
	}
}
