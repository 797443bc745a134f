package hpcc

import (
	"testing"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/figures/figure/figuretest"
	"pintlab/experiments/internal/study"
)

// The expected number of claims holds for the stored laptop rows. At most half of these claims still hold if HPCC and
// DCQCN, or compared parameters of HPCC, change places.
func TestClaims(t *testing.T) {
	published := map[string]string{HPCC.Name: DCQCN.Name}
	for _, c := range []struct {
		figure  *figure.Figure
		places  map[string]string
		decided int
	}{
		{&LongShort, published, 4},
		{&IncastFigure, published, 11},
		{&Mice, published, 5},
		{&Fairness, published, 4},
		{&WAI, map[string]string{"W_AI = 20 B": "W_AI = 1280 B", "W_AI = 80 B": "W_AI = 320 B"}, 6},
		{&Eta, map[string]string{
			"η = 0.9, maxStage = 0": "η = 1, maxStage = 0", "η = 0.95, maxStage = 0": "η = 0.99, maxStage = 0",
			"η = 0.9, maxStage = 5": "η = 1, maxStage = 5", "η = 0.95, maxStage = 5": "η = 0.99, maxStage = 5",
		}, 8},
	} {
		rows := figuretest.Stored[study.Row](t, c.figure.Short(), view...)
		count := func() (holds int) {
			for _, x := range figuretest.View(t, c.figure, rows, view...).Findings() {
				if x.Outcome == figure.Holds {
					holds++
				}
			}
			return holds
		}
		if holds := count(); holds != c.decided {
			t.Errorf("%s: %d claims hold, want %d: %v", c.figure.Name, holds, c.decided,
				figuretest.View(t, c.figure, rows, view...).Findings())
		}
		for i := range rows {
			for a, b := range c.places {
				if rows[i].Scheme == a {
					rows[i].Scheme = b
					break
				}
				if rows[i].Scheme == b {
					rows[i].Scheme = a
					break
				}
			}
		}
		if holds := count(); holds > c.decided/2 {
			t.Errorf("%s: %d of %d claims hold after a change of places", c.figure.Name, holds, c.decided)
		}
	}
}
