package pintlab

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/tools/txtar"

	"pintlab/experiments/scenario"
)

// validator compiles a schema with an independent library and returns a function that checks YAML files.
func validator(t *testing.T, text []byte) func(document string) error {
	t.Helper()
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", schema); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return func(document string) error {
		text, err := yaml.YAMLToJSON([]byte(document))
		if err != nil {
			return err
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return err
		}
		return compiled.Validate(value)
	}
}

// docs/reference/schema contains the output of the command schema.
func TestSchemasArePublished(t *testing.T) {
	for _, s := range new(program).jsonSchemas() {
		name := filepath.Join("..", "..", "docs", "reference", "schema", s.name+".schema.json")
		if *update {
			if err := os.WriteFile(name, s.text(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if have, err := os.ReadFile(name); err != nil || !bytes.Equal(have, s.text()) {
			t.Errorf("%s is not what pintlab schema %s prints (%v); go test ./experiments/pintlab -run "+
				"SchemasArePublished -update", name, s.name, err)
		}
	}
}

// Presets are valid, both as they are and with all their keys. The files of the examples are also valid.
func TestSchemasAcceptOurFiles(t *testing.T) {
	valid := map[string]func(string) error{}
	for _, s := range new(program).jsonSchemas() {
		valid[s.name] = validator(t, s.text())
	}
	for _, name := range scenario.Presets() {
		text, err := scenario.PresetYAML(name)
		if err != nil {
			t.Fatal(err)
		}
		sc, err := scenario.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "\n# yaml-language-server: $schema=scenario.schema.json\n") {
			t.Errorf("%s: no line for editors", name)
		}
		for _, text := range []string{string(text), string(sc.YAML())} {
			if err := valid["scenario"](text); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	starter := readFile(t, filepath.Join("testdata", "outside", "scenario", "rack.yaml"))
	if err := valid["scenario"](starter); err != nil {
		t.Errorf("the scenario of pintlab new: %v", err)
	}
	_, keys, _ := strings.Cut(starter, "\nname:")
	keys, _, _ = strings.Cut(keys, "\ncc:")
	page := filepath.Join("..", "..", "docs", "tutorial", "2-own-network.md")
	if !strings.Contains(readFile(t, page), "\nname:"+keys) {
		t.Errorf("%s has another scenario than pintlab new: %s", page, keys)
	}
	archive, err := txtar.ParseFile(filepath.Join("testdata", "examples.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]string{
		"mine.yaml": "scenario", "other.yaml": "scenario", "faults.yaml": "scenario", "faulty.yaml": "scenario",
		"capture.yaml": "scenario", "campaign.yaml": "campaign", "buffers.yaml": "campaign", "queries.yaml": "queries",
		"chain.yaml": "network", "pint.yaml": "network",
	}
	for _, f := range archive.Files {
		if kind := kinds[f.Name]; kind != "" {
			delete(kinds, f.Name)
			if err := valid[kind](string(f.Data)); err != nil {
				t.Errorf("%s: %v", f.Name, err)
			}
		}
	}
	if len(kinds) > 0 {
		t.Errorf("not among the examples: %v", kinds)
	}
}

// The schema refuses mistakes that an editor can detect. The error is at the position of the key.
func TestSchemasRefuseMistakes(t *testing.T) {
	for _, x := range []struct{ schema, document, at string }{
		{"scenario", "sed: 1\n", "'sed' not allowed"},
		{"scenario", "seed: one\n", "at '/seed'"},
		{"scenario", "seed: -1\n", "at '/seed'"},
		{"scenario", "topology: {kind: fattre}\n", "at '/topology/kind'"},
		{"scenario", "topology: {kind: fattree, k: 1}\n", "at '/topology/k'"},
		{"scenario", "topology: {kind: fattree, leaves: 4}\n", "at '/topology'"},
		{"scenario", "topology: {kind: star, host_rate: 100}\n", "at '/topology/host_rate'"},
		{"scenario", "topology: {kind: star, host_rate: 100 Gbps}\n", "at '/topology/host_rate'"},
		{"scenario", "workload: []\n", "at '/workload'"},
		{"scenario", "workload: [{load: 0.5}]\n", "at '/workload/0'"},
		{"scenario", "workload: [{kind: poisson, load: 50}]\n", "at '/workload/0/load'"},
		{"scenario", "cc: {kind: hpcc, eta: 2}\n", "at '/cc/eta'"},
		{"scenario", "network: {pfc: {enabled: maybe}}\n", "at '/network/pfc/enabled'"},
		{"scenario", "run: {until: 5}\n", "at '/run/until'"},
		{"campaign", "name: x\nbase: y\n", "at ''"},
		{"campaign", "name: x\nbase: y\nvary: {}\nseeds: 0\n", "at '/seeds'"},
		{"queries", "bits: 8\nhops: 5\nqueries: [{name: a, value: hops, aggregation: max, bits: 8}]\n",
			"at '/queries/0/value'"},
		{"network", "switches: [{name: a}]\n", "at '/switches/0'"},
	} {
		for _, s := range new(program).jsonSchemas() {
			if s.name != x.schema {
				continue
			}
			if err := validator(t, s.text())(x.document); err == nil || !strings.Contains(err.Error(), x.at) {
				t.Errorf("%s: %v, want %s", x.document, err, x.at)
			}
		}
	}
}
