package hpcc

import (
	"math"
	"strings"
	"testing"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/figures/figure/figuretest"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/stats"
	"pintlab/plots/report"
)

// made returns rows in which all pairs have the given ratio in all buckets. PINT's ratio to HPCC differs from 1 by
// only a tenth as much. Measures of HPCC are `share` times the measures of the other schemes. `half` is half the
// width of each interval.
func made(ratio, share, half float64) []study.Row {
	var rows []study.Row
	add := func(table, name, scheme, against, quantity string, value, flows float64) {
		rows = append(rows, study.Row{Table: table, Case: name, Scheme: scheme, Against: against, Quantity: quantity,
			Sized: stats.Sized{
				Size: 1000, Share: flows,
				Number: stats.Number{Value: value, Lo: value - half, Hi: value + half, Flows: 600,
					Seeds: 3},
			}})
	}
	for _, c := range cases {
		for _, p := range pairs {
			r := ratio
			if p[0].Name == PINT.Name {
				r = 1 + (ratio-1)/10 // PINT compared with INT
			}
			for _, x := range percentiles {
				add(changes, c.name, p[0].Name, p[1].Name, x, r, 50)
				add(changes, c.name, p[0].Name, p[1].Name, x, r, 90)
				add(changes, c.name, p[0].Name, p[1].Name, x, r, 100)
			}
		}
		for _, s := range All {
			value := 1.0
			if s.Name == HPCC.Name {
				value = share
			}
			add(measures, c.name, s.Name, "", ports99, value, math.NaN())
			add(measures, c.name, s.Name, "", paused, value, math.NaN())
		}
	}
	return rows
}

// Each traffic has ten claims: six about ratios, one about PINT, two about queues, and one about long flows. The
// traffic with incast also has a claim about pauses.
func TestLoadClaims(t *testing.T) {
	for _, c := range []struct {
		name string
		rows []study.Row
		want string
	}{
		{"as published", made(0.5, 0.01, 0.001), "holds holds holds holds holds holds holds holds holds holds"},
		{"the other way round", made(1.5, 2, 0.001), "fails fails fails fails fails fails holds fails fails fails"},
		{"PINT is worse", made(4, 2, 0.001), "fails fails fails fails fails fails fails fails fails fails"},
		{"noise", made(0.5, 0.01, 3), "undecided undecided undecided undecided undecided undecided undecided " +
			"undecided undecided undecided"},
		{"a scale with few schemes", nil, "undecided undecided undecided"},
	} {
		pauses := " " + c.want[:strings.Index(c.want, " ")] // only with the incast
		got := figuretest.Outcomes(figuretest.View(t, &Load, c.rows, loadView...).Findings())
		if got != c.want+pauses+" "+c.want {
			t.Errorf("%s: %s, want %s twice and%s in between", c.name, got, c.want, pauses)
		}
	}
}

// The largest reduction is compared with the published reduction. A ratio of 0.1 is a reduction of 90 %. The
// comparison is undecided, because only a part of the interval is near the published number.
func TestLoadCompared(t *testing.T) {
	compared := func(rows []study.Row) []report.Compared {
		return figuretest.View(t, &Load, rows, loadView...).Compared()
	}
	list := compared(made(0.1, 1, 0.06))
	if len(list) != 4 {
		t.Fatalf("%d comparisons, want two schemes under two kinds of traffic", len(list))
	}
	for _, c := range list {
		if c.Published != 95 || math.Abs(c.Ours-90) > 1e-9 || math.Abs(c.Lo-84) > 1e-9 || math.Abs(c.Hi-96) > 1e-9 ||
			c.Outcome != "undecided" || !strings.HasPrefix(c.Note, "p50 of the flows up to 1 KB") ||
			strings.Contains(c.Note, "best case") == strings.Contains(c.Quantity, "incast") {
			t.Errorf("%+v", c)
		}
	}
	if list := compared(nil); list != nil {
		t.Errorf("%v of no rows", list)
	}
}

// All claims hold for the stored rows. The distributions of queues never decrease, and never exceed 1.
func TestLoadStored(t *testing.T) {
	rows := figuretest.Stored[study.Row](t, "load", loadView...)
	figuretest.All(t, figuretest.View(t, &Load, rows, loadView...).Findings(), figure.Holds)
	for _, c := range cases {
		for _, s := range All {
			curve := study.Pick(rows, c.name, s.Name, "", atOrBelow)
			if len(curve) != len(lengths) {
				t.Fatalf("%s, %s: %d points of the distribution of queues, want %d", s.Name, c.name, len(curve),
					len(lengths))
			}
			for i := 1; i < len(curve); i++ {
				if curve[i].Value < curve[i-1].Value || curve[i].Value > 1 {
					t.Errorf("%s, %s: the share of queues up to %v B is %v after %v", s.Name, c.name, curve[i].Size,
						curve[i].Value, curve[i-1].Value)
				}
			}
		}
	}
}
