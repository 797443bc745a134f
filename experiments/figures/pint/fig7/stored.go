package fig7

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/pint/congestion"
	"pintlab/experiments/results/columns"
	"pintlab/plots"
)

// storedText are gains that runs of different lengths have shown: web search, seed 1, each
// run to its end. The run of 200 ms at 70 % load has 326 734 flows, 9862 of them above
// 10 MB, and 6.19 G packet-hops. Whatever a text of this figure says about the length of
// runs comes from here.
//
//go:embed stored.csv
var storedText string

// paperLength is the length of the arrival windows of the published scripts, in ms.
const paperLength = 200

// storedLine is a line of stored.csv.
type storedLine struct {
	Load     int     `col:"load" unit:"%"`
	Over     string  `col:"over"`
	Measure  string  `col:"measure"`
	Start    string  `col:"start"` // cold: in an empty network; steady: with flows under way, and arrivals for as long again
	Arrivals float64 `col:"arrivals" unit:"ms"`
	Gain     float64 `col:"gain" unit:"%"`
}

// stored are the rows of storedText.
func stored() ([]Row, error) {
	like, err := columns.Encode[storedLine](nil)
	if err != nil {
		return nil, err
	}
	table, err := plots.ReadCSV(strings.NewReader(storedText), "stored.csv", like.Columns()...)
	if err != nil {
		return nil, err
	}
	lines, err := columns.Decode[storedLine](table)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, l := range lines {
		source := map[string]string{"cold": "stored", "steady": "stored steady"}[l.Start]
		if source == "" {
			return nil, fmt.Errorf("stored.csv: start %q (accepted: cold, steady)", l.Start)
		}
		r := blank(source, l.Over, l.Measure, l.Load, 1+l.Gain/100)
		r.Arrival, r.Seeds = l.Arrivals, 1
		rows = append(rows, r)
	}
	return rows, nil
}

// storedGain is one of the stored rows.
func storedGain(rows []Row, load int, versus, measure string, arrival float64) (Row, bool) {
	i := slices.IndexFunc(rows, func(r Row) bool {
		return r.Source == "stored" && r.Load == load && r.Versus == versus && r.Measure == measure && r.Arrival == arrival
	})
	if i < 0 {
		return Row{}, false
	}
	return rows[i], true
}

// series says how a gain grows with the length of the runs.
func series(rows []Row, versus string) (gains, lengths string) {
	var g, l []string
	for _, r := range rows {
		if r.Source == "stored" && r.Load == 70 && r.Versus == versus && r.Measure == ofMeans {
			g, l = append(g, fmt.Sprintf("%.1f", figure.Percent(r.Value))), append(l, fmt.Sprintf("%g", r.Arrival))
		}
	}
	return strings.Join(g, ", "), strings.Join(l, ", ")
}

// why explains the distance to the published gain, from the stored runs.
func why() []string {
	rows, err := stored()
	if err != nil {
		panic(err) // TestStored reads it
	}
	gain, length := series(rows, congestion.INT.Name)
	std, stdLength := series(rows, congestion.StandardINT.Name)
	long, _ := storedGain(rows, 70, congestion.StandardINT.Name, ofMeans, paperLength)
	each, _ := storedGain(rows, 70, congestion.StandardINT.Name, perFlow, paperLength)
	return []string{
		fmt.Sprintf("The paper's 71 %% is over standard INT, and over long runs: the published scripts have arrivals for %d ms. One such run of ours gains %.1f %% (ratio of means; %.1f %% as the mean over the flows).", paperLength, figure.Percent(long.Value), figure.Percent(each.Value)),
		fmt.Sprintf("Shorter runs begin and end in an empty network and gain less. At 70 %% load, seed 1: %s %% over standard INT with arrivals for %s ms; %s %% over HPCC's 42 B with %s ms.", std, stdLength, gain, length),
	}
}
