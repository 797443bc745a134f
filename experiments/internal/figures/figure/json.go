package figure

import (
	"errors"
	"fmt"
	"math"

	"pintlab/experiments/results/columns"
	"pintlab/plots"
	"pintlab/plots/report"
)

// Complaint returns an error if the rows are doubtful, because no flow finished in some run or because flows failed.
func (m *Manifest) Complaint() error {
	var barren, lossy []string
	for _, r := range m.Runs {
		if r.Finished == 0 {
			barren = append(barren, r.Label)
		} else if r.Failed > 0 {
			lossy = append(lossy, r.Label)
		}
	}
	var errs []error
	for _, x := range []struct {
		what string
		runs []string
	}{{"no flow has finished", barren}, {"flows have failed", lossy}} {
		if len(x.runs) > 0 {
			errs = append(errs,
				fmt.Errorf("%s in %d of %d runs, the first of which is %q", x.what, len(x.runs), len(m.Runs),
					x.runs[0]))
		}
	}
	return errors.Join(errs...)
}

// Report is the content of a figure's JSON.
type Report struct {
	Dir string `json:"dir"`
	*Manifest
	Compared []ComparedJSON `json:"compared"`
	Rows     *plots.Table   `json:"rows"`
}

// ComparedJSON is a number of the paper and our number. A missing number is null.
type ComparedJSON struct {
	Quantity  string         `json:"quantity"` // what is compared
	Reading   string         `json:"reading"`  // interpretation of the quantity, if another row has the literal one
	Unit      string         `json:"unit"`     // unit of all numbers of the row
	Published columns.Number `json:"published"`
	Ours      columns.Number `json:"ours"`
	Lo        columns.Number `json:"lo"`     // lower end of our 95 % interval over the seeds
	Hi        columns.Number `json:"hi"`     // likewise
	Source    string         `json:"source"` // place in the paper
	From      columns.Number `json:"from"`   // our lowest number that agrees; null if there is no limit
	To        columns.Number `json:"to"`     // our highest number that agrees; null if there is no limit
	// `holds` (the whole interval agrees), `deviates` (none of it does), `undecided`, `not measured`
	Outcome string `json:"outcome"`
	// cause of a deviation: `input`, `setting`, `hardware`, or `open` if nothing is known
	Cause report.Cause `json:"cause,omitempty"`
}

// JSON returns the JSON of the figure.
func (d *Done) JSON() *Report {
	number := func(v float64) columns.Number {
		if math.IsInf(v, 0) {
			v = math.NaN()
		}
		return columns.Number(columns.Round(v))
	}
	out := &Report{Dir: d.Dir, Manifest: d.Manifest, Compared: []ComparedJSON{}, Rows: d.Rows()}
	for _, c := range d.Compared() {
		out.Compared = append(out.Compared, ComparedJSON{
			c.Quantity, c.Reading, c.Unit, number(c.Published), number(c.Ours), number(c.Lo), number(c.Hi), c.Source,
			number(c.From), number(c.To), string(c.Outcome), c.Cause,
		})
	}
	return out
}
