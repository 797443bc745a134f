package random

import (
	"bytes"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"pintlab/experiments/scenario"
)

// Random scenarios are valid according to the published JSON Schema, both as they are drawn and with all keys written
// out.
func TestScenariosMeetTheirSchema(t *testing.T) {
	text, err := jsonschema.UnmarshalJSON(bytes.NewReader((*scenario.Language)(nil).JSONSchema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", text); err != nil {
		t.Fatal(err)
	}
	compiled := c.MustCompile("schema.json")
	dir, scenarios := t.TempDir(), 200
	if testing.Short() {
		scenarios = 5
	}
	for i := range scenarios {
		d := &draw{choose: newChooser(3, i), dir: dir}
		if err := d.scenario(); err != nil {
			t.Fatal(err)
		}
		sc, err := d.parse()
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{d.text.String(), string(sc.YAML())} {
			asJSON, err := yaml.YAMLToJSON([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
			if err == nil {
				err = compiled.Validate(value)
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
		}
	}
}
