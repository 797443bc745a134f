package validate

import (
	"strings"
	"testing"

	"pintlab/netsim/unit"
	"pintlab/p4/fixedpoint"
)

// The bounds of appendix C hold for every table. If U is computed as a difference, it is as accurate as its terms.
// If it is computed as in appendix B, it is not (package fixedpoint explains why).
func TestErrorsAreWithinTheirBounds(t *testing.T) {
	for _, q := range []int{4, 6, 8, 11} {
		rows, err := arithmeticErrors(q, 20_000, 1)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]ErrorRow{}
		for _, r := range rows {
			seen[r.Operation] = r
			if r.Bound > 0 && r.Max > r.Bound {
				t.Errorf("q = %d, %s: error %v, bound %v", q, r.Operation, r.Max, r.Bound)
			}
			if r.Mean > r.P99 || r.P99 > r.Max {
				t.Errorf("q = %d, %s: mean %v, p99 %v, max %v", q, r.Operation, r.Mean, r.P99, r.Max)
			}
		}
		if q == 8 {
			if e := seen[opExp].Max; e >= 0.01 {
				t.Errorf("2^x on [0,2] errs by %v at q = 8, the PINT paper has below 1 %%", e)
			}
			if e := seen[opLoad(fixedpoint.Decrement)].P99; e > 0.02 {
				t.Errorf("U by decrement errs by %v at q = 8", e)
			}
			if e := seen[opLoad(fixedpoint.Difference)].P99; e > 0.02 {
				t.Errorf("U by difference errs by %v at q = 8", e)
			}
			if e := seen[opLoad(fixedpoint.AppendixB)].Bias; e > -0.1 {
				t.Errorf("U of appendix B is biased by %v at q = 8, expected below -10 %%", e)
			}
			// Appendix C: "going through logarithms may give a more accurate result".
			if seen[opMul].Mean >= seen[opDirectMul].Mean {
				t.Errorf("products: %v by logarithms, %v by a table of both", seen[opMul].Mean, seen[opDirectMul].Mean)
			}
		}
	}
}

func TestLoadGrid(t *testing.T) {
	cells, err := loadGrid(100 * unit.Gbps)
	if err != nil {
		t.Fatal(err)
	}
	if want := 3 * len(gridLoads) * len(gridQueues); len(cells) != want {
		t.Fatalf("%d cells, want %d", len(cells), want)
	}
	for _, c := range cells {
		if c.Form != "appendix-b" && (c.Error < -0.02 || c.Error > 0.02) {
			t.Errorf("%s: error %v at load %v, queue %v", c.Form, c.Error, c.Load, c.Queue)
		}
		if c.Form == "appendix-b" && c.Error > 0 {
			t.Errorf("appendix B: error %v at load %v, queue %v, want below 0", c.Error, c.Load, c.Queue)
		}
	}
}

// Section 6.3 reports a largest error of the CDF between 0.2 % and 0.9 %, but not for which p. The error here has
// this size for p <= 1/8. For p = 1 and 1/2 it is larger, because the first factors, 1, 2 and 3, are too far apart.
func TestFactorErrors(t *testing.T) {
	rows, err := factorErrors(400_000, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		most := map[float64]float64{1: 0.05, 0.5: 0.025}[r.Probability]
		if most == 0 {
			most = 0.009
		}
		if r.Error < 0.0002 || r.Error > most {
			t.Errorf("M = %d, p = %v: error of the CDF %v, want 0.0002 to %v", r.Entries, r.Probability, r.Error, most)
		}
	}
}

// The table of errors says for which operands its bounds are, which errors are absolute, and what memory it counts.
func TestTextExplainsTheColumns(t *testing.T) {
	p, err := Find("hpcc_util-decrement")
	if err != nil {
		t.Fatal(err)
	}
	r := &Report{Errors: []ErrorRow{{Operation: opLoad(fixedpoint.Decrement), Bits: 8}}}
	var out strings.Builder
	r.WriteText(&out, []Program{p})
	for _, want := range []string{"absolute for log2", "operands\n  from 2^15 to 2^16", "copies included"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}
