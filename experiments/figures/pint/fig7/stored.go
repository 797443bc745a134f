package fig7

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/pint/congestion"
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

// stored are the rows of storedText.
func stored() ([]Row, error) {
	lines, err := csv.NewReader(strings.NewReader(storedText)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("stored.csv: %w", err)
	}
	var rows []Row
	for i, l := range lines[1:] {
		load, loadErr := strconv.Atoi(l[0])
		arrival, arrivalErr := strconv.ParseFloat(l[3], 64)
		gain, gainErr := strconv.ParseFloat(l[4], 64)
		if loadErr != nil || arrivalErr != nil || gainErr != nil {
			return nil, fmt.Errorf("stored.csv:%d: %q: want load in %%, base, measure, arrivals in ms and gain in %%", i+2, l)
		}
		r := blank("stored", l[1], l[2], load, 1+gain/100)
		r.Arrival, r.Seeds = arrival, 1
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
