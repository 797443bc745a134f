package figure

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pintlab/plots"
)

// Options select the contents and the appearance of drawings. The zero value changes nothing.
type Options struct {
	Names
	X      string   `flag:"x" use:"{column} of the rows along the x axis"`
	Y      []string `flag:"y" use:"{columns} along the y axis, each in a drawing of its own"`
	By     []string `flag:"by" use:"{columns} that tell curves or bars apart (default: all in which rows differ)"`
	Panels []string `flag:"panels" use:"{columns} that tell panels apart"`
	Ratio  bool     `flag:"ratio" use:"draw y as ratios: points on a logarithmic axis with a line at 1"`
	Where  []string `flag:"where" each:"yes" use:"draw only the rows with {COLUMN=VALUE,VALUE}; may be repeated"`

	Formats []string `flag:"format" default:"svg,png" oneof:"svg|pdf|png|py|vl.json"`
	Width   string   `flag:"width" use:"{width} of the drawings: column (3.33 in), text (7 in), or inches"`
	NoTitle bool     `flag:"no-title" use:"drawings without title and subtitle, for a caption of your own"`
	Labels  []string `flag:"label" each:"yes" use:"write {OLD=NEW} in legends, titles, axes; may be repeated"`

	Points bool // also save the points of each drawing, as NAME-rows.csv
}

// points returns the width in points, or 0 if each drawing keeps its own width.
func (o *Options) points() (float64, error) {
	switch o.Width {
	case "":
		return 0, nil
	case "column":
		return plots.InColumn, nil
	case "text":
		return plots.InText, nil
	}
	in, err := strconv.ParseFloat(o.Width, 64)
	if err != nil || !(in >= 1 && in <= 40) {
		return 0, fmt.Errorf("--width %s: want column, text, or 1 to 40 inches", o.Width)
	}
	return 72 * in, nil
}

// Apply changes the drawings according to the options.
func (o *Options) Apply(list []Drawing) ([]Drawing, error) {
	points, err := o.points()
	if err != nil {
		return nil, err
	}
	if err := o.relabel(list); err != nil {
		return nil, err
	}
	for i := range list {
		p := &list[i].Plot
		if o.NoTitle {
			p.Title, p.Subtitle = "", ""
		}
		if points == 0 {
			continue
		}
		if *p, err = p.Resized(points); err != nil {
			return nil, fmt.Errorf("--width %s: %s: %w", o.Width, list[i].Name, err)
		}
	}
	return list, nil
}

// relabel replaces whole texts of drawings. A text that occurs in no drawing is an error.
func (o *Options) relabel(list []Drawing) error {
	for _, l := range o.Labels {
		old, text, ok := strings.Cut(l, "=")
		if !ok || old == "" || text == "" {
			return fmt.Errorf("--label %s: want OLD=NEW", l)
		}
		var have []string
		found := false
		for i := range list {
			list[i].Plot.Texts(func(of *string) {
				if *of == old {
					*of, found = text, true
				} else if *of != "" && !slices.Contains(have, *of) {
					have = append(have, *of)
				}
			})
		}
		if !found {
			return fmt.Errorf("--label %s: no drawing has the text %q, want one of: %s", l, old,
				strings.Join(have, "; "))
		}
	}
	return nil
}

// Save writes drawings to a directory and returns the names of the files.
func (o *Options) Save(dir string, list []Drawing) (files []string, err error) {
	formats := o.Formats
	if formats == nil {
		formats = []string{"svg", "png"}
	}
	var rows []string
	for _, d := range list {
		some, err := plots.SaveAll(&d.Plot, filepath.Join(dir, d.Name), formats...)
		if err != nil {
			return nil, err
		}
		files = append(files, some...)
		if !o.Points || slices.Contains(formats, "py") { // the format py has the points
			continue
		}
		file, err := plots.SaveRows(&d.Plot, filepath.Join(dir, d.Name))
		if err != nil {
			return nil, err
		}
		rows = append(rows, file)
	}
	return append(files, rows...), nil
}
