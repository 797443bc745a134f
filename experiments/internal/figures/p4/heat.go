package p4

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/results/columns"
	"pintlab/internal/lists"
	"pintlab/p4/validate"
	"pintlab/plots"
)

// stageUse is the amount of a stage's resource that a program uses.
type stageUse struct {
	Program  string  `col:"program"`
	Stage    string  `col:"stage"`
	Resource string  `col:"resource"`
	Used     int     `col:"used"`
	Limit    int     `col:"limit"`
	Share    float64 `col:"share" unit:"%"`
}

// DrawStages draws the shares of each stage's resources that programs use. By default it draws a heat map for each
// program; the options may select other drawings. Resources without a limit are omitted.
func DrawStages(list []validate.Layout, o *figure.Options) ([]figure.Drawing, error) {
	var rows []stageUse
	for _, e := range list {
		e.Resources(func(stage int, resource string, n, limit int) {
			if limit > 0 {
				rows = append(rows, stageUse{e.Program, fmt.Sprint(stage), resource, n, limit,
					100 * float64(n) / float64(limit)})
			}
		})
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("nothing to draw: %s has no stages with limits", list[0].Target)
	}
	t, err := columns.Encode(rows)
	if err != nil {
		return nil, err
	}
	t, drawings, err := o.Asked(t, "")
	if err != nil {
		return nil, err
	}
	if drawings == nil {
		if rows, err = columns.Decode[stageUse](t); err != nil {
			return nil, err
		}
		for _, of := range figure.Groups[[]stageUse](rows, func(r *stageUse) string { return r.Program }) {
			i := slices.IndexFunc(list, func(e validate.Layout) bool { return e.Program == of[0].Program })
			d, err := heat(of, &list[i])
			if err != nil {
				return nil, err
			}
			if slices.ContainsFunc(drawings, func(o figure.Drawing) bool { return o.Name == d.Name }) {
				return nil, fmt.Errorf("%s: the drawing of another program is also called %s: draw them separately",
					of[0].Program, d.Name)
			}
			drawings = append(drawings, d)
		}
	}
	return o.Apply(drawings)
}

// heat draws the resources that a program uses, with the first resource at the top. The name of the drawing contains
// the path of a program's file, with dashes between its folders.
func heat(rows []stageUse, e *validate.Layout) (figure.Drawing, error) {
	x := plots.Axis{Label: "Stage", Categories: lists.Distinct(rows, func(r stageUse) string { return r.Stage })}
	y := plots.Axis{Categories: lists.Distinct(rows, func(r stageUse) string { return r.Resource })}
	cells := lists.Map(rows, func(r stageUse) plots.Cell {
		return plots.Cell{X: r.Stage, Y: r.Resource, Value: r.Share}
	})
	slices.Reverse(y.Categories)
	slices.SortFunc(x.Categories, func(a, b string) int { return cmp.Or(len(a)-len(b), cmp.Compare(a, b)) })
	panels, err := plots.HeatMaps(cells, x, y,
		plots.Heat{Label: "Used", Unit: "%", Min: plots.At(0), Max: plots.At(100), Values: true})
	name := strings.TrimLeft(strings.ReplaceAll(filepath.ToSlash(e.Program), "/", "-"), ".-")
	return figure.Drawing{Name: "stages-" + name, Plot: plots.Figure{
		Title: fmt.Sprintf("Stages of %s on %s: %s", e.Program, e.Target, validate.Verdict(e.Fits)), Width: 430,
		PanelHeight: 180, Panels: panels, Footnote: "Share of what a stage has; crossed out: none is used"}}, err
}
