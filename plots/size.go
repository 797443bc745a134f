package plots

import (
	"fmt"
	"slices"
)

// The widths of a column and of the text of a printed page, in points. They are 3.33 and 7 inches.
const (
	InColumn = 240
	InText   = 504
)

// Resized returns the figure at a width in points. It puts as many panels side by side as have room.
func (f Figure) Resized(width float64) (Figure, error) {
	const least = 140 // least width of a panel
	f.Columns = min(f.columns(), max(int(width/least), 1))
	for f.Width = width; f.Columns > 1 && float64(arrange(&f).width) > width; f.Columns-- {
	}
	if wide := float64(arrange(&f).width); wide > width {
		return f, fmt.Errorf("the drawing is at least %.2f inches wide, want %.2f inches", wide/72, width/72)
	}
	return f, nil
}

// Texts calls a function for each text that names something in the figure: titles, axes, categories, series.
func (f *Figure) Texts(change func(*string)) {
	change(&f.Title)
	change(&f.Subtitle)
	for i := range f.Panels {
		p := &f.Panels[i]
		change(&p.Title)
		for _, a := range []*Axis{&p.X, &p.Y} {
			change(&a.Label)
			a.Categories = slices.Clone(a.Categories) // panels may share them
			for k := range a.Categories {
				change(&a.Categories[k])
			}
		}
		for k := range p.Series {
			s := &p.Series[k]
			s.Hue = s.hue() // the key stays the same, and so does the colour
			change(&s.Name)
		}
	}
}
