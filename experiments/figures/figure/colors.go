package figure

import (
	"slices"
	"strings"

	"pintlab/plots"
)

// colours are the schemes that have the same colour and marker in every drawing, by their places among
// these. Names in a line mean the same scheme. After the eighth place colours come again, with other lines.
var colours = [...][]string{
	{"HPCC, INT", "INT", "HPCC"},
	{"HPCC, PINT", "PINT"},
	{"Reno"},
	{"DCQCN"},
	{"TIMELY"},
	{"Swift"},
	{"HPCC, standard INT", "standard INT"},
	{"Reno, INT bytes"},
	{"PowerTCP, INT"},
	{"PowerTCP, PINT"},
	{"CUBIC"},
	{"DCTCP"},
	{"NDP"},
	{"θ-PowerTCP"},
	{"HPCC, free INT"},
}

// colour sets the colours of those series of a drawing that are schemes.
func colour(p *plots.Figure) {
	for i := range p.Panels {
		for j := range p.Panels[i].Series {
			s := &p.Panels[i].Series[j]
			name := s.Name
			if s.Hue != "" {
				name = s.Hue
			}
			name, _, _ = strings.Cut(name, " against ")
			s.Place = 1 + slices.IndexFunc(colours[:], func(names []string) bool { return slices.Contains(names, name) })
		}
	}
}

// drawings makes the drawings, in the colours of the program.
func (d *Done) drawings() ([]Drawing, error) {
	list, err := d.Figure.Draw(d.Rows, d.Manifest)
	for i := range list {
		colour(&list[i].Plot)
	}
	return list, err
}
