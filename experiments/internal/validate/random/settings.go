package random

import (
	"reflect"
	"strings"

	"pintlab/experiments/scenario"
	"pintlab/netsim/schema"
)

// settings draws how long the scenario runs and what it records. It draws the value of each key from the tag of the
// key. If the scenario refuses a value, the key keeps its default.
func (d *draw) settings(sc scenario.Scenario) scenario.Scenario {
	for _, section := range []struct {
		prefix string
		of     reflect.Type
	}{
		{"run.", reflect.TypeFor[scenario.Run]()}, {"run.sampling.", reflect.TypeFor[scenario.Sampling]()},
		{"run.capture.", reflect.TypeFor[scenario.Capture]()},
	} {
		for _, f := range schema.Fields(section.of) {
			if f.Draw == nil {
				continue
			}
			key, value := section.prefix+f.Key, d.value(f)
			changed, err := sc.With(key + "=" + value)
			if err != nil {
				continue
			}
			if value != f.Draw[0] { // the simplest value
				d.is(ofSettings, strings.TrimPrefix(key, "run."))
			}
			sc = changed
		}
	}
	return sc
}

// value draws a value of a key from its tag.
func (d *draw) value(f schema.Field) string {
	text := d.one(f.Key, f.Draw...)
	if low, high, ok := strings.Cut(text, ".."); ok {
		return d.within(f.Key, low, high)
	}
	return text
}

// unrecorded returns the scenario without the recordings, which have no effect on results.
func unrecorded(sc scenario.Scenario) (scenario.Scenario, error) {
	return sc.With("run.sampling.enabled=false", "run.capture.enabled=false")
}
