package figure

import (
	"cmp"
	"strings"

	"pintlab/experiments/protocols"
	"pintlab/plots"
)

// coloured makes the drawings, with the same colour and marker for a scheme in all of them.
func (d *Done) coloured() ([]Drawing, error) {
	list, err := d.Drawings(d.Manifest)
	places := protocols.Colours()
	for i := range list {
		list[i].Plot.Footnote = cmp.Or(list[i].Plot.Footnote, d.Manifest.Footnote)
		colour(&list[i].Plot, places)
	}
	return list, err
}

// colour gives each series of a drawing the place of its scheme in the palette.
func colour(p *plots.Figure, places map[string]int) {
	for i := range p.Panels {
		for j := range p.Panels[i].Series {
			s := &p.Panels[i].Series[j]
			scheme, _, _ := strings.Cut(cmp.Or(s.Hue, s.Name), " against ")
			s.Place = places[scheme]
		}
	}
}
