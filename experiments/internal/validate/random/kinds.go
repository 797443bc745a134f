package random

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"pintlab/experiments/scenario"
	"pintlab/internal/lists"
)

// section is a part of a scenario whose kinds are counted.
type section int

// The sections, in the order of the columns of tables.
const (
	ofTopology section = iota
	ofTraffic
	ofControl
	ofTelemetry
	ofRecovery
	ofBalancing
	ofScheduling
	ofMarking
	ofPausing
	ofLosses
	ofFaults
	ofMonitors
	ofSettings
	parts
)

func (w section) String() string { return reflect.TypeFor[Texts]().Field(int(w)).Tag.Get("col") }

// kindLists lists the kinds of each part in a scenario.
type kindLists [parts][]string

// none is the kind of an absent part.
const none = "none"

// Texts has one word for each part: the kinds of the part, sorted, without duplicates and joined by +. The fields are
// in the order of the sections.
type Texts struct {
	Topology   string `col:"topology"` // kinds in the scenario, joined by `+`; likewise down to `settings`
	Traffic    string `col:"traffic"`
	Control    string `col:"control"`
	Telemetry  string `col:"telemetry"`
	Recovery   string `col:"recovery"`
	Balancing  string `col:"balancing"`
	Scheduling string `col:"scheduling"`
	Marking    string `col:"marking"`
	Pausing    string `col:"pausing"`
	Losses     string `col:"losses"`
	Faults     string `col:"faults"`
	Monitors   string `col:"monitors"`
	Settings   string `col:"settings"` // keys of `run` that differ from their defaults
}

// of returns the field of a part.
func (t *Texts) of(w section) *string {
	return reflect.ValueOf(t).Elem().Field(int(w)).Addr().Interface().(*string)
}

// texts converts the kinds to Texts.
func (k *kindLists) texts() (t Texts) {
	for w, kinds := range k {
		kinds = slices.Clone(kinds)
		slices.Sort(kinds)
		*t.of(section(w)) = cmp.Or(strings.Join(slices.Compact(kinds), separator), none)
	}
	return t
}

// separator is between two kinds of the same part.
const separator = "+"

// faultKinds returns the kinds of the scenario's faults.
func faultKinds(sc *scenario.Scenario) []string {
	return lists.Map(sc.Faults, func(f scenario.Fault) string { return f.Kind })
}

// Count is the number of scenarios with a kind.
type Count struct {
	Part      string `json:"part" col:"part"`
	Kind      string `json:"kind" col:"kind"`
	Scenarios int    `json:"scenarios" col:"scenarios"`
}

// Coverage counts the kinds in passed scenarios. The result is ordered by part, and within a part by descending
// frequency.
func Coverage(rows []Row) []Count {
	var list []Count
	for w := range parts {
		n := map[string]int{}
		for i := range rows {
			for kind := range strings.SplitSeq(*rows[i].of(w), separator) {
				n[kind]++
			}
		}
		from := len(list)
		for kind, scenarios := range n {
			list = append(list, Count{w.String(), kind, scenarios})
		}
		slices.SortFunc(list[from:], func(a, b Count) int {
			return cmp.Or(cmp.Compare(b.Scenarios, a.Scenarios), cmp.Compare(a.Kind, b.Kind))
		})
	}
	return list
}

// Row is a passed scenario.
type Row struct {
	Scenario int    `col:"scenario"` // number; together with the seed it determines the scenario
	Build    string `col:"build"`    // digest of the program
	Texts
	Outcome
}
