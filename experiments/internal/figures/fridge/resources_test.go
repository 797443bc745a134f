package fridge

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/p4"
	"pintlab/p4/analysis"
	"pintlab/p4/interp"
	"pintlab/p4/validate"
)

// uses returns the resources of a Tofino that fridge.p4 uses after `change` has changed the text of the program.
func uses(t *testing.T, change func(text string) string) (used analysis.Use) {
	t.Helper()
	files := fstest.MapFS{}
	if err := fs.WalkDir(p4.Sources(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(p4.Sources(), path)
		files[path] = &fstest.MapFile{Data: data}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	files["fridge.p4"].Data = []byte(change(string(files["fridge.p4"].Data)))
	target, err := analysis.OpenTarget(analysis.DefaultTarget)
	if err != nil {
		t.Fatal(err)
	}
	program, err := interp.LoadFS(files, "fridge.p4", interp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range analysis.LayOut(program, target).Use {
		for r := range used {
			used[r] += u[r]
		}
	}
	return used
}

// lut/known.csv contains the resources that fridge.p4 uses with 2^12 entries, and the resources that it uses with the
// hash units of the switch instead of our hash function.
func TestLUTResources(t *testing.T) {
	small := strings.NewReplacer("(65536)", "(4096)", "16w0 ++ place[31:16]", "20w0 ++ place[31:20]").Replace
	apply := regexp.MustCompile(`(\w+)_hash\.apply\([^;]*, (\w+)\);`)
	units := func(text string) string {
		text = apply.ReplaceAllString(text, "hash($2, HashAlgorithm.crc32, 32w0, {addresses, rest}, ALL_WORDS);")
		return regexp.MustCompile(`Word\(\) \w+_hash;`).ReplaceAllString(text, "")
	}
	full, _, err := validate.Uses("fridge")
	if err != nil {
		t.Fatal(err)
	}
	if got := uses(t, func(text string) string { return text }); got != full {
		t.Errorf("unchanged: %v, want %v", got, full)
	}
	got := []float64{
		float64(uses(t, small)[analysis.SRAM]),
		float64(full[analysis.SRAM] - uses(t, small)[analysis.SRAM]),
		float64(uses(t, units)[analysis.SRAM]),
		float64(uses(t, units)[analysis.HashBits]) / hashUnit,
		float64(full[analysis.StatefulALUs]),
	}
	resources := figure.StoredOf("fridge/lut", "resources", files)
	if len(got) != len(resources) {
		t.Fatalf("%d numbers, want %d", len(resources), len(got))
	}
	for i, s := range resources {
		if s.Value != got[i] {
			t.Errorf("%s: stored %v, want %v", s.Quantity, s.Value, got[i])
		}
	}
}
