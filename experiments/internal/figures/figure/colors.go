package figure

import (
	"cmp"
	_ "embed"
	"fmt"
	"regexp"
	"strings"

	"pintlab/experiments/protocols"
	"pintlab/experiments/results/columns"
	"pintlab/internal/number"
	"pintlab/plots"
)

// looksCSV has the looks of series that are not schemes of protocols: hue by scheme, form by variant.
//
//go:embed looks.csv
var looksCSV string

// looks returns the look of each name of a series, which is the same in all drawings. Looks are from the catalogue of
// protocols and from looksCSV.
func looks() (map[string]string, error) {
	lines, err := columns.Read[struct {
		Name string `col:"name"`
		Look string `col:"look"`
	}](strings.NewReader(looksCSV), "looks.csv")
	all := protocols.Standard().Looks()
	for _, l := range lines {
		all[l.Name] = l.Look
	}
	return all, err
}

// coloured completes the drawings: each series has the same look in all of them, and the footnote explains the bars.
// undrawn has a sentence for each drawing that would show nothing.
func (d *Done) coloured() (list []Drawing, undrawn []string, err error) {
	all, err := d.asked()
	if err != nil {
		return nil, nil, err
	}
	of, err := looks()
	for _, w := range all {
		// If only some of the rows are chosen, curves, or all curves of a panel, may have no points.
		for i := range w.Plot.Panels {
			w.Plot.Panels[i].Series = Drawn(w.Plot.Panels[i].Series...)
		}
		w.Plot.Panels = Pick(w.Plot.Panels, func(p *plots.Panel) bool { return p.Heat != nil || len(p.Series) > 0 })
		if why := w.Plot.Empty(); why != "" {
			undrawn = append(undrawn, fmt.Sprintf("No drawing of %q: %s.", w.Plot.Title, why))
			continue
		}
		crowded := crowded(&w.Plot)
		w.Plot.Footnote = barsNoted(&w.Plot, cmp.Or(w.Plot.Footnote, d.Manifest.Footnote))
		if crowded {
			w.Plot.Footnote += "; intervals of more than five curves: in the rows"
		}
		w.Plot.Footnote = written(strings.TrimPrefix(w.Plot.Footnote, "; "))
		colour(&w.Plot, of)
		list = append(list, w)
	}
	if err != nil {
		return nil, nil, err
	}
	list, err = d.Options.Apply(list)
	return list, undrawn, err
}

// crowded removes the intervals in panels with more than five curves, because they would hide the curves. It reports
// whether there was such a panel.
func crowded(p *plots.Figure) (some bool) {
	const most = 5
	for i := range p.Panels {
		list, n := p.Panels[i].Series, 0
		for j := range list {
			if list[j].Style == plots.Line && list[j].Lo != nil {
				n++
			}
		}
		for j := range list {
			if n > most && list[j].Style == plots.Line {
				list[j].Lo, list[j].Hi, some = nil, nil, true
			}
		}
	}
	return some
}

// Counts, times and sizes in the notes of rows. The notes have them in a form for programs.
var (
	counts = regexp.MustCompile(`\b[0-9]{5,}\b`)
	micros = regexp.MustCompile(`([0-9]) ?us\b`)
	units  = regexp.MustCompile(`([0-9]) ?([nm]?s|[KMGT]?B|[KMG]?b/s)\b`)
)

// written returns a note with its numbers in readable form.
func written(note string) string {
	note = micros.ReplaceAllString(counts.ReplaceAllStringFunc(note, number.Group), "$1 µs")
	return capital(units.ReplaceAllString(note, "$1 $2"))
}

// ofBars matches the part of a footnote that explains the bars.
var ofBars = regexp.MustCompile(`(^|[,;.] )[Bb]ars: (95 % )?intervals[^,;.]*`)

// barsNoted returns a footnote that explains the bars if the drawing has bars, and does not mention them otherwise.
func barsNoted(p *plots.Figure, foot string) string {
	switch said := ofBars.MatchString(foot); {
	case said && !p.Ranged():
		return strings.TrimLeft(ofBars.ReplaceAllString(foot, ""), ",; ")
	case said || !p.Ranged():
		return foot
	case foot == "":
		return "Bars: 95 % intervals"
	}
	return strings.TrimSuffix(foot, ".") + "; bars: 95 % intervals"
}

// colour gives each series of a drawing the look of its name, or else of its colour key. In a comparison of two schemes
// this is the look of the first.
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
