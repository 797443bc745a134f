package telemetry

import (
	"fmt"
	"slices"
	"strings"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/internal/lists"
	"pintlab/internal/spelling"
)

// SideBySide compares all telemetry systems on one network, with the same flows and paths. It shows the cost of each
// system, and the quality of the system's answers to the same questions (judge).
//
// Each paper compares its system with INT on a different testbed. Here all systems run on the 320-server fat tree of
// PINT §6.1, under web search and Hadoop at three loads, with HPCC and with DCTCP. HPCC reads INT that costs no bytes
// (telemetry.format = free), so that all telemetry bytes belong to the compared system. If the compared system is INT
// or CSIG, HPCC reads this system, and its bytes are on the packets. With DCTCP, senders read no telemetry. Packets
// still carry the bytes of INT, and hosts answer the questions from them.
//
// Two more tables compare systems at equal budgets. The first table limits the telemetry bytes per data packet, which
// are in the packet or in reports about the packet. The second table limits the memory per switch. Each system has
// one knob for each kind of budget (within, knob.memory). A system that cannot keep a budget is not in the table.
//
// In the large network, the window is short, and sketches were not designed for such short intervals. Therefore a
// fourth table compares all systems on the testbed of LightGuardian and SketchINT, with LightGuardian's periods
// divided by 100 and the sketches reduced by the same factor. A fifth table is about silent faults (contest). Hosts
// that compare their flows locate most faults without any telemetry, as the row of "none" shows. The contribution of
// a system is the difference to this row.
//
// docs/reference/telemetry-rows.md quotes the rows of the largest stored scale. A test compares the page with these
// rows.
var SideBySide = (&comparison{everySystem()}).figure()

func everySystem() []*system {
	return lists.Map(systems, func(x system) *system { return &x })
}

// comparison lists the systems that are compared.
type comparison struct{ systems []*system }

func (c *comparison) figure() figure.Figure {
	f := figure.Of[setup, systemRow]{
		Name: "telemetry/side-by-side", Files: files,
		Scales: setups, Measure: c.measure, Check: checkSystems, Tables: systemTables, Draw: drawSystems,
	}.Figure()
	if len(c.systems) < len(systems) {
		f.Title = "Telemetry systems: " +
			strings.Join(lists.Map(c.systems, func(x *system) string { return x.name }), "; ")
	}
	return f
}

// Keys returns the names that Of accepts.
func Keys() []string {
	return lists.Map(systems[1:], func(x system) string { return x.key })
}

// Of returns a figure that compares some systems with one another and with the system "none". It returns an error if
// there are no keys, if a key is unknown, or if a key occurs twice.
func Of(keys []string) (*figure.Figure, error) {
	if len(keys) == 0 {
		return nil, fmt.Errorf("want one or more of %s", strings.Join(Keys(), ", "))
	}
	c := &comparison{[]*system{&systems[0]}}
	for _, key := range keys {
		i := slices.IndexFunc(systems, func(x system) bool { return x.key == key })
		switch {
		case i < 1:
			return nil, fmt.Errorf("%q: want one of %s%s", key, strings.Join(Keys(), ", "), spelling.Hint(key, Keys()))
		case slices.Contains(c.systems, &systems[i]):
			return nil, fmt.Errorf("%q occurs twice", key)
		}
		c.systems = append(c.systems, &systems[i])
	}
	f := c.figure()
	return &f, nil
}
