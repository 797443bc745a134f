package lightguardian

import (
	"strings"
	"testing"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/figures/figure/figuretest"
	"pintlab/experiments/internal/measure/lightguardian"
	"pintlab/experiments/results/stats"
	"pintlab/plots/report"
)

// The claims hold for rows that agree with the paper, and fail for rows in which almost nothing is found.
func TestScores(t *testing.T) {
	for fault, thresholds := range lightguardian.Thresholds {
		memories := []int{0, 1 << 9, 1 << 16}
		if fault == lightguardian.Jitter { // F1 is printed for 1700 buckets
			memories = []int{0, 1 << 9, 1700, 1 << 12}
		}
		rows := func(low bool) (list []lightguardian.Row) {
			first, last := thresholds[0], thresholds[len(thresholds)-1]
			if fault != lightguardian.Blackhole { // for blackholes, a higher threshold reports more
				first, last = last, first
			}
			for i, w := range memories {
				for _, threshold := range thresholds {
					r := lightguardian.Row{Fault: string(fault), Threshold: threshold, Memory: lightguardian.Bucket * w,
						F1: exact(0.98), Recall: exact(0.9), Precision: exact(0.95)}
					if threshold == last {
						r.Recall, r.Precision = exact(0.95), exact(0.9)
					}
					if i == 1 { // the lowest memory
						r.F1 = exact(0.5)
					}
					if low {
						r.F1, r.Recall, r.Precision = exact(0.3-0.1*float64(min(i, 2))), exact(0.9), exact(0.9)
						if threshold == last {
							r.Recall, r.Precision = exact(0.1), exact(0.95)
						}
					}
					list = append(list, r)
				}
			}
			return list
		}
		fig := map[lightguardian.Fault]*figure.Figure{lightguardian.Blackhole: &Fig8, lightguardian.Loop: &Fig9,
			lightguardian.Jitter: &Fig10}[fault]
		for low, want := range map[bool]string{false: "holds holds holds holds", true: "fails fails fails fails"} {
			if got := figuretest.Outcomes(figuretest.View(t, fig, rows(low)).Findings()); got != want {
				t.Errorf("%s: %s, want %s", fault, got, want)
			}
		}
		// In these rows, F1 is far below the printed number.
		c := figure.Find(compared(t, rows(true), fault),
			func(c *report.Compared) bool { return c.Outcome != report.Unmeasured })
		if c == nil || c.Outcome != report.Deviates || c.Note == "" {
			t.Errorf("%+v", c)
		}
	}
}

// The paper prints the F1 of jitter for 20 KB, and precision and recall for 49 KB. The main comparison uses the rows
// that are measured as in the published code.
func TestPrintedMemories(t *testing.T) {
	at := func(buckets int, measured string, score float64) lightguardian.Row {
		return lightguardian.Row{Fault: string(lightguardian.Jitter), Threshold: 2, Measured: measured,
			Memory: lightguardian.Bucket * buckets,
			F1:     exact(score), Precision: exact(score), Recall: exact(score)}
	}
	rows := []lightguardian.Row{at(1700, "", 0.2), at(1700, lightguardian.Code, 0.9), at(1<<12, "", 0.6),
		at(1<<12, lightguardian.Code, 0.9982), at(1<<15, "", 0.98)}
	list := compared(t, rows, lightguardian.Jitter)
	if len(list) != 5 || list[0].Ours != 0.9 || list[0].Reading != "" || list[1].Ours != 0.2 || list[1].Reading == "" ||
		list[2].Ours != 0.9982 || list[2].Reading == "" || list[3].Outcome != report.Unmeasured ||
		list[4].Ours != 0.98 {
		t.Errorf("%+v", list)
	}
	list = figuretest.View(t, &Fig10, rows).Compared()
	if list[0].Ours != 0.9982 || list[0].Reading != "" || list[0].Outcome != report.Holds || list[1].Ours != 0.6 ||
		list[1].Reading == "" || list[2].Outcome != report.Deviates {
		t.Errorf("%+v", list)
	}
}

// compared returns the printed F1 of a fault, and the F1 of some rows.
func compared(t *testing.T, rows []lightguardian.Row, f lightguardian.Fault) (list []report.Compared) {
	t.Helper()
	var all []FaultRow
	for _, r := range rows {
		all = append(all, FaultRow{Row: r, Broken: -1})
	}
	for _, c := range figuretest.View(t, &Fig7, all).Compared() {
		if strings.HasPrefix(c.Quantity, string(f)) {
			list = append(list, c)
		}
	}
	return list
}

// exact returns a number whose interval has no width.
func exact(v float64) stats.Number { return stats.Number{Value: v, Lo: v, Hi: v} }
