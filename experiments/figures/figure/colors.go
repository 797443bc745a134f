package figure

import (
	"cmp"
	_ "embed"
	"maps"
	"strings"

	"pintlab/experiments/protocols"
	"pintlab/experiments/results/columns"
	"pintlab/plots"
)

// looksCSV has the looks of series that are no scheme of a protocol: hue by scheme, form by variant.
//
//go:embed looks.csv
var looksCSV string

// looks returns the look of each name of a series in all drawings, from the catalogue of protocols and from looksCSV.
func looks() (map[string]string, error) {
	lines, err := columns.Read[struct {
		Name string `col:"name"`
		Look string `col:"look"`
	}](strings.NewReader(looksCSV), "looks.csv")
	all := maps.Clone(protocols.Looks())
	for _, l := range lines {
		all[l.Name] = l.Look
	}
	return all, err
}

// coloured makes the drawings, with the same look for a series in all of them.
func (d *Done) coloured() ([]Drawing, error) {
	list, err := d.asked()
	if err != nil {
		return nil, err
	}
	of, err := looks()
	for i := range list {
		list[i].Plot.Footnote = cmp.Or(list[i].Plot.Footnote, d.Manifest.Footnote)
		colour(&list[i].Plot, of)
	}
	if err != nil {
		return nil, err
	}
	return d.Options.apply(list)
}

// colour gives each series of a drawing the look of its name, else of its colour key; in a comparison with another
// scheme, of the first.
func colour(p *plots.Figure, looks map[string]string) {
	for i := range p.Panels {
		for j := range p.Panels[i].Series {
			s := &p.Panels[i].Series[j]
			for _, name := range []string{s.Name, s.Hue} {
				scheme, _, _ := strings.Cut(name, " against ")
				s.Look = cmp.Or(s.Look, looks[scheme])
			}
		}
	}
}
