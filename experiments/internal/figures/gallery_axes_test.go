package figures

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/plots"
)

// If a figure draws slowdowns by flow size, it draws their ratios first, because the claims compare schemes run by
// run. Ratios have a logarithmic axis with a line at 1.
func TestPairsFirst(t *testing.T) {
	ratios := 0
	var guard sync.Mutex
	err := allOf(func(f *figure.Figure, scale figure.Scale, done *figure.Done) error {
		list, err := done.View.Drawings(done.Manifest)
		guard.Lock()
		defer guard.Unlock()
		paired := false
		for _, d := range list {
			for _, p := range d.Plot.Panels {
				switch {
				case strings.HasPrefix(p.Y.Label, "Ratio of"):
					ratios++
					paired = true
					if p.Y.Scale != plots.Log || !slices.ContainsFunc(p.Y.Lines, equal) {
						t.Errorf("%s, %s: %q of %q: a ratio without a logarithmic axis and a line at 1", f.Name, scale,
							p.Title, d.Plot.Title)
					}
				case !paired && p.X.Scale == plots.SizeBuckets && strings.Contains(p.Y.Label, "slowdown"):
					t.Errorf("%s, %s: %q comes before ratios", f.Name, scale, d.Plot.Title)
				}
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if ratios < 40 {
		t.Errorf("%d panels with ratios: does this test still read them?", ratios)
	}
}

func equal(l plots.RefLine) bool { return l.At == 1 }

// If a panel has no label at its y axis, it has the same ticks as the panel to its left, at the same heights.
func TestSharedLabelsShareTheAxis(t *testing.T) {
	if testing.Short() {
		t.Skip("draws all figures, which takes ten seconds; needs go test without -short")
	}
	list, err := gallery()
	if err != nil {
		t.Fatal(err)
	}
	shared := 0
	for _, d := range list {
		frames := d.frames()
		for i, f := range frames {
			if i == 0 || frames[i-1][1] != f[1] || d.labelled(frames[i-1][2], f) {
				continue
			}
			shared++
			from := 0.0
			if i > 1 && frames[i-2][1] == f[1] {
				from = frames[i-2][2]
			}
			if own, left := d.heights(frames[i-1][2], f), d.heights(from, frames[i-1]); own != left {
				t.Errorf("%s: a panel without a label has the ticks %s; at its left are %s", d.name, own, left)
			}
		}
	}
	if shared < 100 {
		t.Errorf("%d panels share a label: does this test still read them?", shared)
	}
}

// labelled reports whether a panel with frame f has its own label between x and the frame.
func (d *drawing) labelled(x float64, f []float64) bool {
	return slices.ContainsFunc(d.parts, func(p part) bool {
		return p.turn == "rotate(90)" && p.y > x && p.y < f[0] && p.x > f[1]-40 && p.x < f[3]
	})
}

// heights lists the ticks between x and the frame of a panel, with their positions.
func (d *drawing) heights(x float64, f []float64) string {
	list := ""
	for _, p := range d.parts {
		if p.turn == "" && p.text != "" && p.x > x && p.x < f[0] && -p.y > f[1]-6 && -p.y < f[3]+6 {
			list += fmt.Sprintf("%s at %.0f, ", p.text, -p.y)
		}
	}
	return list
}
