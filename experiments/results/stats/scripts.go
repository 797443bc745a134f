package stats

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"pintlab/experiments/results/store"
	"pintlab/internal/number"
	"pintlab/netsim/unit"
)

// HPCCScripts returns the slowdown table of fct_analysis.py, the script that comes with
// the HPCC and HPCC-PINT simulators, in 20 buckets:
//
//   - only flows to port dport (100 for normal flows, 200 for incast) that ended
//     before end, which the published figures set to the end of arrivals; unit.Never
//     keeps all;
//   - slowdown = FCT/standalone in nanoseconds, at least 1, with the six significant
//     digits that awk prints;
//   - sorted by size, equal sizes by the text of the line, as sort -n does;
//   - the largest flow is left out (the script drops the last line twice over);
//   - bucket i of 20 has the flows from ⌊5i·n/100⌋ to before ⌊(5i+5)·n/100⌋;
//   - the percentile p of a bucket of k flows is its element ⌊k·p⌋, counted from 0.
//
// It is an error if fewer than 20 flows remain.
func HPCCScripts(lines []store.FCT, dport uint16, end unit.Time) ([]Bucket, error) {
	type row struct {
		size unit.Bytes
		slow float64
		text string
	}
	var rows []row
	for _, l := range lines {
		if l.DstPort != dport || l.Start+l.FCT >= end {
			continue
		}
		text := strconv.FormatFloat(max(1, l.FCT.Ratio(l.Standalone)), 'g', 6, 64)
		slow, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, fmt.Errorf("slowdown %s: %w", text, err)
		}
		rows = append(rows, row{l.Size, slow, text})
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.size, b.size), cmp.Compare(a.text, b.text))
	})
	if len(rows) > 0 {
		rows = rows[:len(rows)-1]
	}
	const step, buckets = 5, 20
	if len(rows) < buckets {
		return nil, fmt.Errorf("%s to port %d (the largest flow is left out) cannot fill %d buckets",
			number.Count(len(rows), "flow"), dport, buckets)
	}
	table := make([]Bucket, buckets)
	for i := range table {
		part := rows[step*i*len(rows)/100 : step*(i+1)*len(rows)/100]
		slow := make([]float64, len(part))
		sum := 0.0
		for j, r := range part {
			slow[j] = r.slow
			sum += r.slow
		}
		slices.Sort(slow)
		at := func(p float64) float64 { return slow[int(float64(len(slow))*p)] }
		table[i] = Bucket{
			From: float64(step*i) / 100, To: float64(step*(i+1)) / 100,
			MinSize: part[0].size, MaxSize: part[len(part)-1].size, N: len(part),
			Mean: sum / float64(len(part)),
			P50:  at(0.50), P95: at(0.95), P99: at(0.99), Max: slow[len(slow)-1],
		}
	}
	return table, nil
}
