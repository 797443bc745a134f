package analysis

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestBuiltInTargets(t *testing.T) {
	for _, name := range TargetNames() {
		target, err := OpenTarget(name)
		if err != nil {
			t.Fatal(err)
		}
		if target.Name != name {
			t.Errorf("target %q is in %s.yaml", target.Name, name)
		}
	}
	if got := TargetNames(); !slices.Equal(got, []string{"bmv2", "tofino", "tofino2"}) {
		t.Errorf("%v", got)
	}
	for name, stages := range map[string]int{"bmv2": noLimit, "tofino2": 20} {
		if target, err := OpenTarget(name); err != nil || target.Stages.Limit != stages ||
			(target.Software != "") != (name == "bmv2") {
			t.Errorf("%s: %+v, %v", name, target, err)
		}
	}
	target, err := OpenTarget(DefaultTarget)
	if err != nil {
		t.Fatal(err)
	}
	if target.Stages.Limit != 12 || target.Tables.Limit != 16 || target.HashBits.Limit != 96 {
		t.Errorf("%+v", target)
	}
}

func TestBadTargets(t *testing.T) {
	good, err := builtIn.ReadFile("targets/" + DefaultTarget + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{"limit: 12", "limit: 0", "x.yaml:9:10: stages.limit: 0: want at least 1"},
		{"limit: 12", "limit: many", `x.yaml:9:10: stages.limit: "many": want a whole number`},
		{"tables:", "tabels:", "tabels: unknown key; did you mean tables?"},
		{"limit: 12", strings.Repeat("[", 70), "x.yaml:9: nested more than 64 levels deep"},
		{"name: tofino", "name: \"\"", `x.yaml:3:7: name: "": missing`},
		{"source: \"bf-p4c/mau/tofino/memories.h: METER_ALUS\"", "source: \" \"", `stateful_alus.source: " ": missing`},
	} {
		if _, err := parseTarget([]byte(strings.Replace(string(good), c.old, c.new, 1)), "x.yaml"); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s", c.new, err, c.want)
		}
	}
	if _, err := OpenTarget("tofno"); err == nil || !strings.Contains(err.Error(), "targets: bmv2, tofino, tofino2") {
		t.Errorf("error %v", err)
	}
	soft := "name: soft\ntitle: Soft\nsoftware: somewhere\ntables: {limit: 3, source: there}\n"
	if target, err := parseTarget([]byte(soft), "x"); err != nil || target.Tables.Limit != 3 ||
		target.HashBits != (Limit{noLimit, "somewhere"}) {
		t.Errorf("%+v, %v", target, err)
	}
	if _, err := parseTarget([]byte(soft+"phv_bits: {limit: 3}\n"), "x"); err == nil ||
		!strings.Contains(err.Error(), `phv_bits.source: "": missing`) {
		t.Errorf("error %v", err)
	}
	path := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(path, []byte(strings.Replace(string(good), "limit: 12", "limit: 6", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	if target, err := OpenTarget(path); err != nil || target.Stages.Limit != 6 {
		t.Errorf("%+v, %v", target, err)
	}
}

func FuzzParse(f *testing.F) {
	good, err := builtIn.ReadFile("targets/" + DefaultTarget + ".yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(good))
	f.Add("name: x\nstages: {limit: 1}")
	f.Fuzz(func(t *testing.T, text string) {
		target, err := parseTarget([]byte(text), "x")
		if (target == nil) != (err != nil) {
			t.Fatalf("%v, %v", target, err)
		}
	})
}
