package lightguardian

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/figures/figure/figuretest"
	"pintlab/experiments/internal/measure/lightguardian"
	"pintlab/experiments/results/stats"
	"pintlab/int/sketch/rows"
	"pintlab/plots/report"
)

// point returns a row whose interval extends by `half` to each side of the value.
func point(panel, scheme string, x, value, half float64) row {
	n := stats.Number{Value: value, Lo: value - half, Hi: value + half}
	return row{Table: panel, Scheme: scheme, X: x, Sized: stats.Whole(n)}
}

// At the smoke scale, the claims hold or are undecided.
func TestSmoke(t *testing.T) {
	for _, f := range []*figure.Figure{&Fig5, &Fig6, &Fig11, &Fig12, &Fig13, &Fig14, &Trace} {
		rows := figuretest.Golden[row](t, f.Short(), stored...)
		figuretest.NoneFails(t, figuretest.View(t, f, rows, stored...).Findings())
	}
	for _, f := range []*figure.Figure{&Fig8, &Fig9, &Fig10} {
		figuretest.NoneFails(t, figuretest.View(t, f, figuretest.Golden[lightguardian.Row](t, f.Short())).Findings())
	}
	figuretest.NoneFails(t, figuretest.View(t, &Fig7, figuretest.Golden[FaultRow](t, "fig7")).Findings())
}

// order makes errors in the order that the LightGuardian paper reports. The errors decrease from one scheme to the
// next in the list of a panel, and decrease along the axis.
type order struct {
	at     []float64                      // points of the axis
	but    map[string]func(n int) float64 // by panel: numbers at point n for all schemes, instead of decreasing errors
	turned func(x, value float64) float64 // converts a number so that the order is the opposite
}

// rows returns the rows of the panels.
func (o order) rows(list []figure.Panel, turned bool) (rows []row) {
	for _, p := range list {
		for i, s := range p.Schemes {
			for n, x := range o.at {
				v := 100 - 40*(1-math.Pow(0.5, float64(i))) - float64(n) // differences between schemes halve
				if other := o.but[p.Table]; other != nil {
					v = other(n)
				}
				if turned {
					v = o.turned(x, v)
				}
				rows = append(rows, point(p.Table, s, x, v, 0.001))
			}
		}
	}
	return rows
}

// claims checks that every claim of a figure holds for rows in the paper's order, and fails or deviates for rows in
// the opposite order. It returns the rows in the paper's order.
func (o order) claims(t *testing.T, f *figure.Figure, list []figure.Panel) []row {
	t.Helper()
	rows := o.rows(list, false)
	figuretest.All(t, findings(t, f, rows), figure.Holds)
	for _, x := range findings(t, f, o.rows(list, true)) {
		if x.Outcome != figure.Fails && x.Outcome != figure.Deviates {
			t.Errorf("%v, want a contradiction", x)
		}
	}
	return rows
}

// findings returns the findings of a figure for rows.
func findings(t *testing.T, f *figure.Figure, rows []row) []figure.Finding {
	t.Helper()
	return figuretest.View(t, f, rows, stored...).Findings()
}

// The claims hold for numbers in the order that the paper reports, and fail in the opposite order.
func TestLocal(t *testing.T) {
	rows := order{
		at:     []float64{10, 55, 80, 100},
		but:    map[string]func(int) float64{"b": func(n int) float64 { return 99 + float64(n)/10 }},
		turned: func(_, v float64) float64 { return 1000 / v },
	}.claims(t, &Fig5, localPanels)
	if n := len(figuretest.View(t, &Fig5, rows, stored...).Compared()); n != 27 {
		t.Errorf("%d numbers compared with the paper's", n)
	}
}

// Round robin carries no sketchlet twice before it has carried all. With random selection, the probability of a new
// sketchlet is the share of missing sketchlets.
func TestRequired(t *testing.T) {
	for _, c := range []struct {
		selection   string
		least, most float64
	}{{"round robin", 99 * carried, 99 * carried}, {"random", 300 * carried, 700 * carried},
		{"k = 4", 100 * carried, 300 * carried}} {
		n, err := required(c.selection, 100, 1)
		if err != nil || n < c.least || n > c.most {
			t.Errorf("%s: %v packets (%v), want %v to %v", c.selection, n, err, c.least, c.most)
		}
	}
	if _, err := required("best", 100, 1); err == nil {
		t.Error("a selection that does not exist")
	}
}

// Each seed draws different sketchlets. The number of draws until 99 of 100 sketchlets are found has a standard
// deviation of 77. The sample deviation of 64 seeds is below 45 with probability 1e-8.
func TestRequiredScatters(t *testing.T) {
	var list []float64
	for seed := range uint64(64) {
		n, err := required("random", 100, seed)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, n/carried)
	}
	if sd := stat.StdDev(list, nil); sd < 45 {
		t.Errorf("standard deviation %v draws, want 77", sd)
	}
}

// Random selection needs more packets than k = 1. The ratio of the two is almost the same for 4096 and for 65 536
// sketchlets; fig5/known.csv contains the numbers.
func TestEffect(t *testing.T) {
	if testing.Short() {
		t.Skip("draws 15 million sketchlets, which takes a second; needs go test without -short")
	}
	at := func(w int) stats.Number {
		var of [2][]float64
		for seed := range uint64(20) {
			for i, selection := range []string{"random", "k = 1"} {
				n, err := required(selection, w, seed+1)
				if err != nil {
					t.Fatal(err)
				}
				of[i] = append(of[i], n)
			}
		}
		ratio, err := stats.PairedRatio(of[0], of[1], stats.Level)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d sketchlets: %.3f, %.3f to %.3f", w, ratio.Value, ratio.Lo, ratio.Hi)
		return ratio
	}
	few, many := at(selectedBuckets[0]), at(selectedBuckets[len(selectedBuckets)-1])
	if few.Hi < many.Lo || many.Hi < few.Lo || few.Lo < 1.5 || few.Hi > 1.75 {
		t.Errorf("%v and %v", few, many)
	}
}

// The claims hold for numbers in the order that the paper reports, and fail in the opposite order.
func TestLargest(t *testing.T) {
	order{
		at:  []float64{10, 20, 40},
		but: map[string]func(int) float64{"b": func(n int) float64 { return 1e6 * math.Pow(2, float64(n)/2) }},
		turned: func(x, v float64) float64 {
			if v >= 1e6 { // the memories in (b) grow by a larger factor than the packets
				return x * x * v
			}
			return 1000*x*x - v
		},
	}.claims(t, &Fig11, largestPanels)
}

// The claims hold for numbers in the order that the paper reports, and fail in the opposite order.
func TestDelays(t *testing.T) {
	order{
		at:     []float64{10, 20, 40},
		but:    map[string]func(int) float64{"g": func(n int) float64 { return 50 + float64(n) }},
		turned: func(_, v float64) float64 { return 200 - v },
	}.claims(t, &Fig12, delayPanels)
}

// Claims hold for rows that agree with the paper, and fail for rows that show the opposite. In the opposite rows, INT
// is cheaper, core switches are reconstructed first but never reach 90 %, and completion times double.
func TestCollection(t *testing.T) {
	made := func(turned bool) (rows []row) {
		add := func(panel, scheme string, x, v float64) {
			rows = append(rows, point(panel, scheme, x, v, 0))
		}
		for _, w := range workloads {
			ours, ofINT, change := 10.0, 200.0, 5.0
			if turned {
				ours, ofINT, change = 200, 10, 100
			}
			add("a", guardian(w), 90, ours)
			add("a", inband(w), 90, ofINT)
			add("b, change", guardian(w), 90, change)
		}
		for i, layer := range layers {
			at := float64(i + 1)
			if turned {
				at = 4 - at
			}
			add("d", layer, at, 95)
			if turned && layer == "core" {
				rows[len(rows)-1].Value = 50
				continue
			}
			add("d", layer, at+1, 100)
		}
		return rows
	}
	// In the opposite rows, edge switches come after aggregation switches.
	for turned, want := range map[bool]string{false: "holds", true: "fails"} {
		if got := figuretest.Outcomes(findings(t, &Fig6, made(turned))); got != want {
			t.Errorf("turned %t: %s", turned, got)
		}
	}
	for _, c := range figuretest.View(t, &Fig6, made(true), stored...).Compared() { // one number is outside a bound
		if c.Published == 93.5 && c.Outcome != report.Deviates {
			t.Errorf("%+v", c)
		}
	}
}

// Claims hold for rows that agree with the paper, and fail for rows with the opposite trend along λ_c.
func TestCarry(t *testing.T) {
	made := func(turned bool) (rows []row) {
		add := func(panel, scheme string, x, v float64) {
			if turned {
				v = 12.5 - v
			}
			rows = append(rows, point(panel, scheme, x, v, 0))
		}
		for _, c := range carries {
			add("a", overINT, c, 1.5*c)
			for i, level := range lightguardian.Levels {
				add("b", level, c, float64(i+1)*4/c)
				add("c", level, c, float64(i+1)*4/c)
			}
		}
		return rows
	}
	for turned, want := range map[bool]string{false: "holds holds holds holds", true: "fails fails fails fails"} {
		if got := figuretest.Outcomes(findings(t, &Fig13, made(turned))); got != want {
			t.Errorf("turned %t: %s", turned, got)
		}
	}
	if list := figuretest.View(t, &Fig13, made(false), stored...).Compared(); len(list) != 4 || list[0].Ours != 1.5 {
		t.Errorf("%+v", list)
	}
}

// Claims hold for rows that agree with the paper, and fail for rows that show the opposite. In the opposite rows,
// core switches come first, completion times double, and packets and time do not depend on the number of sketchlets.
func TestSizes(t *testing.T) {
	made := func(turned bool) (rows []row) {
		add := func(panel, scheme string, x, v float64) {
			rows = append(rows, point(panel, scheme, x, v, 0))
		}
		for i, layer := range layers {
			at := float64(i + 1)
			if turned {
				at = 4 - at
			}
			add("a", layer, at, 95)
		}
		for _, size := range groups {
			v := 1.1
			if turned {
				v = 2
			}
			add("b", ofGuardian, float64(size), v)
			add("b", ofNone, float64(size), 1)
		}
		for _, n := range sketchlets {
			v := float64(n)
			if turned {
				v = 1
			}
			add("c", lightguardian.Levels[0], float64(n), v)
			add("d", lightguardian.Levels[0], float64(n), v)
		}
		return rows
	}
	for turned, want := range map[bool]string{false: "holds holds holds", true: "fails fails fails"} {
		if got := figuretest.Outcomes(findings(t, &Fig14, made(turned))); got != want {
			t.Errorf("turned %t: %s", turned, got)
		}
	}
}

// The paper prints an FRR over 60 % with 4 broken hosts, an RSR over 90 % with 7 broken hosts, and an RSR of 89 %
// with 8. There are C(16, λ) choices of λ broken hosts. Both hosts of an edge switch are broken in C(14, λ−2)
// choices, and all hosts of a pod are broken in C(12, λ−4) choices.
func TestChance(t *testing.T) {
	for _, tt := range []struct {
		broken   int
		frr, rsr float64
	}{{0, 1, 1}, {1, 1, 1}, {2, 1 - 8./120, 1 - 8./120/20}, {4, 1120. / 1820, 1 - (8*91./1820+8./1820)/20},
		{7, 1024. / 11440, 1 - (8*2002.+8*220)/(20*11440)}, {8, 256. / 12870, 1 - (8*3003.+8*495)/(20*12870)},
		{9, 0, 1 - (8*3432.+8*792)/(20*11440)}} {
		frr, rsr := chance(tt.broken)
		if math.Abs(frr-tt.frr) > 1e-5 || math.Abs(rsr-tt.rsr) > 1e-5 {
			t.Errorf("%d broken hosts: %.6f and %.6f, want %.6f and %.6f", tt.broken, frr, rsr, tt.frr, tt.rsr)
		}
	}
}

// Hosts 0 and 1 are below one edge switch. Hosts 4 to 7 are the hosts of one pod, which has two edge and two
// aggregation switches.
func TestPossible(t *testing.T) {
	for _, tt := range []struct {
		broken []int
		lost   float64
	}{{nil, 0}, {[]int{0, 2, 5}, 0}, {[]int{1, 0}, 1}, {[]int{4, 5, 6, 7}, 4}, {[]int{7, 4, 0, 6, 5, 1}, 5}} {
		if got := possible(tt.broken); math.Abs(got-(1-tt.lost/20)) > 1e-12 {
			t.Errorf("%v: %v, want %v switches lost", tt.broken, got, tt.lost)
		}
	}
}

func TestRecovery(t *testing.T) {
	rows := figuretest.Golden[FaultRow](t, "fig7")
	for i := range rows {
		rows[i].RSR.Value, rows[i].FRR.Value, rows[i].FRR.Hi = 0.5, 0.5, 0.6
	}
	fails := 0
	for _, f := range checkRecovery(rows) {
		if f.Outcome == figure.Fails {
			fails++
		}
	}
	if fails != 2 {
		t.Errorf("%d claims fail on rows in which half is recovered, want 2", fails)
	}
}

// The printed FRR is compared with the measured FRR and, in another reading, with the expected FRR. The expected FRR
// requires that every recoverable sketch was recovered. Whether all sketches can be recovered with 8 broken hosts is
// undecided while the interval of FRR includes 0.
func TestRecoveries(t *testing.T) {
	number := func(v, lo, hi float64) stats.Number { return stats.Number{Value: v, Lo: lo, Hi: hi} }
	rows := []FaultRow{
		{Broken: 4, FRR: number(0.61, 0.56, 0.67), FRRMost: 0.61, RSR: number(0.98, 0, 0), RSRMost: 0.98, Runs: 300},
		{Broken: 8, FRR: number(0.02, -0.01, 0.05), FRRMost: 0.03, RSR: number(0.89, 0.886, 0.894),
			RSRMost: 0.9, Runs: 300},
	}
	list := figuretest.View(t, &Fig7, rows).Compared()
	list = list[len(list)-6:]
	if c, e := list[0], list[1]; c.Ours != 0.61 || c.Outcome != report.Undecided || c.Reading != "" ||
		math.Abs(e.Ours-1120./1820) > 1e-9 || e.Outcome != report.Holds || e.Reading == "" {
		t.Errorf("%+v\n%+v", c, e)
	}
	// more was possible
	if c, e := list[4], list[5]; c.Ours != 0.89 || c.Outcome != report.Holds || e.Outcome != report.Unmeasured {
		t.Errorf("%+v\n%+v", c, e)
	}
	for lo, want := range map[float64]figure.Verdict{-0.01: figure.Undecided, 0.01: figure.Holds} {
		rows[1].FRR.Lo = lo
		for _, f := range checkRecovery(rows) {
			if strings.HasPrefix(f.Statement, "with half") && f.Outcome != want {
				t.Errorf("%v, want %s", f, want)
			}
		}
	}
}

// A memory in Table 3 is the first step of a ladder of memories that suffices. The true value may be as low as the
// previous step. If the first step suffices, the true value may be even lower.
func TestLadder(t *testing.T) {
	at := func(memory float64) report.Compared {
		rows := []row{point(coded(table3), "delays", 0.05, memory, 0)}
		for _, c := range figuretest.View(t, &Fig11, rows, stored...).Compared() {
			if c.Quantity == "memory for the target, delays" && c.Reading == "" {
				return c
			}
		}
		return report.Compared{}
	}
	for _, c := range []struct {
		memory, lo float64
		want       report.Mark
	}{{900_000, 600_000, report.Holds}, {576_000, 384_000, report.Undecided}, {15_000, 10_000, report.Deviates},
		{10_000, 0, report.Deviates}} {
		if got := at(c.memory); got.Ours != c.memory || got.Lo != c.lo || got.Hi != c.memory || got.Outcome != c.want {
			t.Errorf("%v: %+v, want %v and %s", c.memory, got, c.lo, c.want)
		}
	}
}

// With the printed memories, arrays have as many buckets as in the paper: a register of 256 KB stores 2^16 cells of 32
// bits (§7.1.2), 0.8 MB are 2^16 buckets of three cells (§8.3.1). The published code has 2^14 and 2^16 buckets of 16 B
// for last arrivals with 768 KB and 3 MB.
func TestKilobytes(t *testing.T) {
	for _, c := range []struct{ bytes, arrays, want int }{
		{256 * kb, 1, 1 << 16}, {768 * kb, lightguardian.Arrays, 1 << 16}, {96 * kb, lightguardian.Arrays, 1 << 13},
		{lightguardian.CodedArrivals(768*kb) / 3, lightguardian.Arrays, 1 << 14},
		{lightguardian.CodedArrivals(3*mb) / 3, lightguardian.Arrays, 1 << 16},
	} {
		if got := rows.CountersFor(c.bytes, c.arrays); got != c.want {
			t.Errorf("%d bytes in %d arrays: %d buckets, want %d", c.bytes, c.arrays, got, c.want)
		}
	}
}

// The paper's words mean that the error of SuMax is 2.75 times the error of CU; in another reading it is 1.75 times.
// The name of a reading includes the flows that the reading covers.
func TestSizeRatios(t *testing.T) {
	rows := []row{point(coded("a"), lightguardian.SuMax, 96*kb, 5.5, 0),
		point(coded("a"), lightguardian.CU, 96*kb, 2, 0)}
	var own []report.Compared
	readings := map[string]bool{}
	for _, c := range figuretest.View(t, &Fig5, rows, stored...).Compared() {
		if !strings.HasPrefix(c.Quantity, "(a)") {
			continue
		}
		if c.Reading == "" {
			own = append(own, c)
		}
		readings[c.Quantity+c.Reading] = true
	}
	if len(own) != 2 || own[1].Published != 2.75 || own[1].Outcome != report.Holds || len(readings) != 9 {
		t.Errorf("%+v, %d readings", own, len(readings))
	}
}

// The transmission of a sketchlet of 24 B takes 4.8 ns at 40 Gb/s. 28 Mb/s are 0.07 % of 40 Gb/s.
func TestCosts(t *testing.T) {
	if most := idle(nil, nil, nil); math.Abs(most.Value-4.8e-9) > 1e-12 || most.Lo != 0 || most.Hi != most.Value {
		t.Error(most)
	}
	rows := []row{point("a, links", guardian(lightguardian.WEB), 90, 28e6, 4e6)}
	at := func(w lightguardian.Workload) stats.Number {
		return capacity(rows, &figure.Published{Scheme: guardian(w), X: 90}, nil)
	}
	if n := at(lightguardian.WEB); math.Abs(n.Value-0.07) > 1e-12 || math.Abs(n.Lo-0.06) > 1e-12 ||
		math.Abs(n.Hi-0.08) > 1e-12 {
		t.Error(n)
	}
	if n := at(lightguardian.DCTCP); !n.Missing() {
		t.Error(n)
	}
}

// The claim of proportional growth holds if the whole interval is within 30 % of proportional growth, and fails if no
// part of the interval is.
func TestLinear(t *testing.T) {
	for half, want := range map[float64]string{1: "holds fails", 5: "undecided fails", 15: "undecided undecided"} {
		at := func(v float64) []row {
			return []row{point("c", lightguardian.Levels[0], 1, 20, half),
				point("c", lightguardian.Levels[0], 10, v, 0)}
		}
		c := &figure.Claim{Table: "c"}
		if got := figuretest.Outcomes([]figure.Finding{linear(c, at(200)), linear(c, at(400))}); got != want {
			t.Errorf("±%v: %s, want %s", half, got, want)
		}
	}
}
