package sidebyside

import (
	"fmt"
	"slices"
	"strings"

	"pintlab/experiments/figures/figure"
	"pintlab/internal/lists"
)

// Name is the name of the figure.
const Name = "telemetry/side-by-side"

// Figure compares all systems.
var Figure = (&comparison{all()}).figure()

func all() []*system {
	var list []*system
	for i := range systems {
		list = append(list, &systems[i])
	}
	return list
}

func (c *comparison) figure() figure.Figure {
	title := "Every telemetry system on one network, side by side"
	if len(c.systems) < len(systems) {
		title = "Telemetry systems: "
		for i, x := range c.systems {
			if i > 0 {
				title += "; "
			}
			title += x.name
		}
	}
	return figure.Of[Scale, Row]{
		Name: Name, Title: title,
		Source: "The setting of PINT §6.1, with the systems of the PINT, SketchINT, LightGuardian and Fridge papers",
		Claim: "The statements above are read off the rows: what each system costs, " +
			"and what it tells of the same packets.",
		Scales:  scales,
		Measure: c.rowsOf,
		Check:   check,
		Tables:  tables,
		Draw:    draw,
		Why:     why,
	}.Figure()
}

// Keys returns the names that Of accepts.
func Keys() []string {
	return lists.Map(systems[1:], func(x system) string { return x.key })
}

// Of compares some systems, each with none.
func Of(keys []string) (*figure.Figure, error) {
	if len(keys) == 0 {
		return nil, fmt.Errorf("want one or more of %s", strings.Join(Keys(), ", "))
	}
	c := &comparison{[]*system{&systems[0]}}
	for _, key := range keys {
		i := slices.IndexFunc(systems, func(x system) bool { return x.key == key })
		switch {
		case i < 1:
			return nil, fmt.Errorf("%q: want one of %s", key, strings.Join(Keys(), ", "))
		case slices.Contains(c.systems, &systems[i]):
			return nil, fmt.Errorf("%q is there twice", key)
		}
		c.systems = append(c.systems, &systems[i])
	}
	f := c.figure()
	return &f, nil
}
