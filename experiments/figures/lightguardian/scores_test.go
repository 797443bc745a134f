package lightguardian

import (
	"testing"

	"pintlab/experiments/figures/figure/figuretest"
	"pintlab/experiments/measure/lightguardian"
	"pintlab/plots/report"
)

// Rows as the paper has them, where the claims hold, and rows in which hardly anything is found, where they fail.
func TestScores(t *testing.T) {
	for fault, thresholds := range lightguardian.Thresholds {
		rows := func(low bool) (list []lightguardian.Row) {
			first, last := thresholds[0], thresholds[len(thresholds)-1]
			if fault != lightguardian.Blackhole { // whose higher threshold reports more
				first, last = last, first
			}
			for i, w := range []int{0, printed[fault] / 2, printed[fault]} {
				for _, threshold := range thresholds {
					r := lightguardian.Row{Fault: string(fault), Threshold: threshold, Memory: lightguardian.Bucket * w, F1: 0.98, Recall: 0.9}
					if threshold == last {
						r.Recall = 0.95
					}
					if i == 1 { // the least memory
						r.F1 = 0.5
					}
					if low {
						r.F1, r.Recall = 0.3-0.1*float64(i), 0.9
						if threshold == last {
							r.Recall = 0.1
						}
					}
					r.F1Lo, r.F1Hi, r.RLo, r.RHi = r.F1, r.F1, r.Recall, r.Recall
					list = append(list, r)
				}
			}
			return list
		}
		if got := figuretest.Outcomes(checkScores(rows(false), fault)); got != "holds holds holds" {
			t.Errorf("%s: %s", fault, got)
		}
		if got := figuretest.Outcomes(checkScores(rows(true), fault)); got != "fails fails fails" {
			t.Errorf("%s: %s", fault, got)
		}
		// 0.98 is not the printed 0.99, and 0.1 far below.
		if c := compareScores(rows(true), fault, "", false)[0]; c.Outcome != report.Deviates || c.Note == "" {
			t.Errorf("%+v", c)
		}
	}
}
