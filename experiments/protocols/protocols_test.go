package protocols

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pintlab/int/sketch"
	"pintlab/int/sketch/sketchtest"
	"pintlab/transport"
	"pintlab/transport/fixed"
)

// family maps a kind to the folder that it shares with other kinds.
var family = map[string]string{"plint": "dlint", "clint": "dlint"}

// A congestion control, telemetry system or monitor has the name of its folder, which is also its name in a scenario.
// Only the kinds of a family share a folder.
func TestKindsAreFolders(t *testing.T) {
	for _, k := range slices.Concat(controls().Kinds, systems().Kinds, monitors().Kinds) {
		if k.Name == NoTelemetry || k.Name == "bytes" {
			continue // these two are in netsim/telemetry
		}
		folder := reflect.TypeOf(k.New()).Elem().PkgPath()
		if !slices.Contains(strings.Split(folder, "/"), cmp.Or(family[k.Name], k.Name)) {
			t.Errorf("%s lies in %s", k.Name, folder)
		}
	}
}

// Controls, telemetry systems and balancers have a title. A control also has a look for each of its schemes, and no two
// schemes share a look.
func TestTitlesAndLooks(t *testing.T) {
	titles := map[string]bool{}
	for _, k := range slices.Concat(controls().Kinds, systems().Kinds, balancers().Kinds) {
		if k.Title == "" || titles[k.Title] {
			t.Errorf("%s has the title %q, which is empty or of another kind", k.Name, k.Title)
		}
		titles[k.Title] = true
	}
	owner := map[string]string{}
	for _, k := range controls().Kinds {
		if len(k.Looks) == 0 {
			t.Errorf("%s has no look", k.Name)
		}
		for scheme, look := range k.Looks {
			if !strings.Contains(scheme, k.Title) {
				t.Errorf("%s is no scheme of %s", scheme, k.Title)
			}
			bare := strings.TrimSuffix(scheme, ", INT") // HPCC reads INT by default
			if other, taken := owner[look]; taken && other != bare {
				t.Errorf("%s looks %q, %s too", scheme, look, other)
			}
			owner[look] = bare
		}
	}
	for scheme, look := range Standard().Looks() {
		if other := Standard().Looks()["HPCC, "+scheme]; other != "" && other != look {
			t.Errorf("%s looks %q, with HPCC %q", scheme, look, other)
		}
	}
}

// Every sketch passes the suite.
func TestSketches(t *testing.T) {
	for _, k := range sketches() {
		t.Run(k.Name, func(t *testing.T) { sketchtest.Suite(t, k, 50_000) })
	}
}

// A new protocol is shown under its title or, as long as it has none, under its name.
func TestTitle(t *testing.T) {
	c := controls()
	c.Kinds = append(c.Kinds, titled[transport.Control](new(fixed.Params), "mine", "My control", nil, ""),
		kind[transport.Control](new(fixed.Params), "plain", ""))
	for name, want := range map[string]string{
		"mine": "My control", "plain": "plain", "hpcc": "HPCC", "absent": "absent",
	} {
		if got := c.Title(name); got != want {
			t.Errorf("%s is called %q, want %q", name, got, want)
		}
	}
}

// keyed is a control whose key would replace the choice of the control.
type keyed struct {
	fixed.Params `yaml:"-"`
	Kind         string `yaml:"kind" default:"x" oneof:"x|y"`
}

// A protocol is refused if its name or title is taken, or if no scenario can name it.
func TestAddRefuses(t *testing.T) {
	for want, add := range map[string]func(*Set){
		"there is a hpcc already": func(s *Set) { s.AddControl(new(fixed.Params), "hpcc", "Mine", "") },
		`mine: hpcc already has the title "HPCC, INT"`: func(s *Set) {
			s.AddControl(new(fixed.Params), "mine", "HPCC, INT", "")
		},
		`the name "a,b": want lower-case letters`: func(s *Set) { s.AddControl(new(fixed.Params), "a,b", "Mine", "") },
		"mine has the key kind":                   func(s *Set) { s.AddControl(new(keyed), "mine", "Mine", "") },
		`the name "": want lower-case letters`:    func(s *Set) { s.AddSketch(sketch.Kind{}) },
		"there is a sketch cm already":            func(s *Set) { s.AddSketch(sketch.Kind{Name: "cm"}) },
		"the sketch mine has no New":              func(s *Set) { s.AddSketch(sketch.Kind{Name: "mine"}) },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
					t.Errorf("panic %q, want %q", got, want)
				}
			}()
			add(Standard())
		}()
	}
}
