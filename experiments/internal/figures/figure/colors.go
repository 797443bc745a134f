package figure

import (
	"cmp"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pintlab/experiments/protocols"
	"pintlab/experiments/results/columns"
	"pintlab/internal/number"
	"pintlab/plots"
)

// looksCSV contains the looks of series that are not schemes of protocols. A look is a colour and its form (see
// plots.Series). Here the scheme decides the colour, and the variant decides the form.
//
//go:embed looks.csv
var looksCSV string

// looks maps the names of series to their looks, so that a series has the same look in all drawings. The looks are
// from the catalogue of protocols and from looksCSV.
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

// coloured completes the drawings. It gives a series the same look in all of them, and adds a footnote that explains
// the intervals. It omits drawings that would show nothing; undrawn contains a sentence about each.
func (d *Done) coloured() (list []Drawing, undrawn []string, err error) {
	all, err := d.asked()
	if err != nil {
		return nil, nil, err
	}
	of, err := looks()
	for _, w := range all {
		// If the options choose only some rows, a curve may have no points, or a panel may have no curves.
		for i := range w.Plot.Panels {
			w.Plot.Panels[i].Series = Drawn(w.Plot.Panels[i].Series...)
		}
		w.Plot.Panels = Pick(w.Plot.Panels, func(p *plots.Panel) bool { return p.Heat != nil || len(p.Series) > 0 })
		if why := w.Plot.Empty(); why != "" {
			// A curve and a heat map of one quantity have the same title.
			if text := fmt.Sprintf("No drawing of %q: %s.", w.Plot.Title, why); !slices.Contains(undrawn, text) {
				undrawn = append(undrawn, text)
			}
			continue
		}
		w.Plot.Footnote = uncrowded(&w.Plot, cmp.Or(w.Plot.Footnote, d.Manifest.Footnote))
		colour(&w.Plot, of)
		list = append(list, w)
	}
	if err != nil {
		return nil, nil, err
	}
	list, err = d.Options.Apply(list)
	return list, undrawn, err
}

// uncrowded hides intervals that would hide curves, and returns a footnote that explains the intervals.
func uncrowded(p *plots.Figure, foot string) string {
	crowded := crowded(p)
	if foot = barsNoted(p, foot); crowded {
		foot = strings.TrimSuffix(foot, ".") +
			"; intervals of more than five curves: in the rows that pintlab plot writes"
	}
	return written(strings.TrimPrefix(foot, "; "))
}

// crowded hides the intervals in panels that have more than five curves with intervals, because the bars or bands would
// hide the curves. The rows of the drawing still have the intervals. crowded reports whether there was such a panel.
func crowded(p *plots.Figure) (some bool) {
	const most = 5
	for i := range p.Panels {
		var list []*plots.Series
		for j := range p.Panels[i].Series {
			if s := &p.Panels[i].Series[j]; s.Lo != nil && (s.Style == plots.Line || s.Style == plots.Step) {
				list = append(list, s)
			}
		}
		for _, s := range list {
			if len(list) > most {
				s.UnseenLo, s.UnseenHi, some = s.Lo, s.Hi, true
				s.Lo, s.Hi = nil, nil
			}
		}
	}
	return some
}

// Patterns of counts, times and sizes in the notes of rows, where they are written for programs.
var (
	counts = regexp.MustCompile(`\b[0-9]{5,}\b`)
	micros = regexp.MustCompile(`([0-9]) ?us\b`)
	units  = regexp.MustCompile(`([0-9]) ?([nm]?s|[KMGT]?B|[KMG]?b/s)\b`)
)

// phrase matches the beginning of a note that is a phrase and not the name of a scenario, as in "clos.yaml, 3 seeds".
var phrase = regexp.MustCompile(`^\p{L}+[ :]`)

// written returns a note with its numbers in readable form. A phrase begins with a capital letter; names stay as they
// are.
func written(note string) string {
	note = micros.ReplaceAllString(counts.ReplaceAllStringFunc(note, number.Group), "$1 µs")
	note = units.ReplaceAllString(note, "$1 $2")
	if phrase.MatchString(note) {
		return capital(note)
	}
	return note
}

// ofBars matches the part of a footnote that explains the bars: as intervals, or as what they are instead.
var ofBars = regexp.MustCompile(`(^|[,;.] )([Bb])ars(: [^,;.]*)`)

// barsNoted returns a footnote that explains the intervals if the drawing has intervals, and does not mention them
// otherwise. The footnote calls the intervals bars or bands, as they are drawn.
func barsNoted(p *plots.Figure, foot string) string {
	bars, bands := p.Intervals()
	rest := "ars" // of the word that begins with b
	switch said := ofBars.MatchString(foot); {
	case said && !bars && !bands:
		return strings.TrimLeft(ofBars.ReplaceAllString(foot, ""), ",; ")
	case !bars && !bands:
		return foot
	case !said && foot == "":
		foot = "Bars: 95 % intervals"
	case !said:
		foot = strings.TrimSuffix(foot, ".") + "; bars: 95 % intervals"
	}
	switch {
	case bars && bands:
		rest = "ars and bands"
	case bands:
		rest = "ands"
	}
	return ofBars.ReplaceAllString(foot, "${1}${2}"+rest+"${3}")
}

// colour gives each series of a drawing the look of its name or, if the name has no look, the look of its Hue. A
// series that compares two schemes gets the look of the first scheme.
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
