package pint

import (
	"context"
	"math"
	"strings"
	"testing"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/figures/figure/figuretest"
)

func TestSmoke(t *testing.T) {
	rows := figuretest.Golden[codingRow](t, "fig5")
	findings := figuretest.View(t, &Fig5, rows).Findings()
	for _, f := range findings {
		// With 300 runs, a difference of a few percent between XOR and Baseline is not significant.
		if f.Outcome != figure.Holds &&
			!(f.Outcome == figure.Undecided && strings.HasPrefix(f.Statement, "XOR needs a similar")) {
			t.Errorf("%v", f)
		}
	}
	list := figuretest.View(t, &Fig5, rows).Compared()
	if len(list) != 11 {
		t.Fatalf("%d numbers compared with the paper's, want 11", len(list))
	}
	for _, c := range list {
		// The 99th percentile of 300 runs is only the third largest value, so the tolerance is wide.
		if c.Ours < 0.88*c.Published || c.Ours > 1.12*c.Published {
			t.Errorf("%s: %g, published %g", c.Quantity, c.Ours, c.Published)
		}
	}
}

func TestNoEffect(t *testing.T) {
	if _, err := measureCoding(context.Background(), &figure.Job{Scale: figure.Smoke, Set: []string{"a=b"}},
		codingScales[figure.Smoke]); err == nil {
		t.Error("--set is accepted without effect")
	}
}

// Rows in which Hybrid is the slowest scheme contradict the claims about Hybrid.
func TestCheckFails(t *testing.T) {
	var rows []codingRow
	for _, s := range []string{baseline, xor, hybrid, multiLayer, lnc, twoHops} {
		r := blank(decodeTable, "ours", s, "", hops, 100)
		r.Mean, r.Half = 50, 1
		if s == hybrid {
			r.Mean = 100
		}
		rows = append(rows, r)
	}
	list := figuretest.View(t, &Fig5, rows).Findings()
	for i, want := range []figure.Verdict{figure.Fails, figure.Fails, figure.Holds, figure.Undecided} {
		if list[i].Outcome != want {
			t.Errorf("%v, want %v", list[i], want)
		}
	}
}

// XOR is not similar to Baseline if XOR needs twice as many packets. A scheme that needs more packets than the bound
// of A.3 contradicts the claim. A scheme far below the bound confirms the claim.
func TestSimilarAndBound(t *testing.T) {
	row := func(table, scheme string, mean, bound float64) codingRow {
		r := blank(table, "ours", scheme, "", 16, 100)
		r.Mean, r.Half, r.Revised = mean, 1, bound
		return r
	}
	for _, c := range []struct {
		xor, bound float64
		want       figure.Verdict
	}{{50, 200, figure.Holds}, {54.5, 50.5, figure.Undecided}, {100, 48, figure.Fails}} {
		list := table{row(decodeTable, baseline, 50, 0), row(decodeTable, xor, c.xor, 0),
			row(boundTable, multiLayer, 50, c.bound)}
		similar := figure.Claim{Scheme: xor, Against: baseline, Amount: 0.1}
		for _, f := range []figure.Finding{similarEnd(&similar, list), theorem(nil, list)} {
			if f.Outcome != c.want {
				t.Errorf("%v, want %v", f, c.want)
			}
		}
	}
}

// The expected probabilities follow from inclusion and exclusion. With 25 coupons, 89 draws suffice with probability
// 0.4946, 90 draws with 0.5095, 191 draws with 0.98976, and 192 draws with 0.99017.
func TestCollector(t *testing.T) {
	for packets, want := range map[int]float64{24: 0, 89: 0.494597, 90: 0.509481, 191: 0.989762, 192: 0.990170} {
		if got := collected(packets); math.Abs(got-want) > 1e-6 {
			t.Errorf("%d packets: %v, want %v", packets, got, want)
		}
	}
	// 189 draws suffice with probability 0.98889, which is 0.00111 below 0.99. 1.96·sqrt(0.99·0.01/n) equals 0.00111
	// for n = 30 900 runs.
	if n := samples(0.99, 189); n < 30_000 || n > 32_000 {
		t.Errorf("the 99th percentile can be 189 in up to %d runs, want about 31 000", n)
	}
	if m, p := collector(0.5), collector(0.99); m != 90 || p != 192 {
		t.Errorf("quantiles %d and %d, want 90 and 192", m, p)
	}
}
