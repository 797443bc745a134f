package compare

import (
	"slices"
	"strings"
	"testing"

	"pintlab/experiments/internal/measure/pint"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/protocols"
	"pintlab/netsim/unit"
)

// Every control results in a valid scenario on both workloads, and all scenarios differ.
func TestControlsAreScenarios(t *testing.T) {
	seen := map[string]string{}
	for _, name := range Controls(protocols.Standard()) {
		c := control{name, controlOf(protocols.Standard(), name)}
		for _, w := range workloads {
			sc, err := pint.Case{Workload: w.Workload, Scheme: c.Scheme, Load: load,
				Arrival: unit.Millisecond}.Cell().Spec(1).Scenario()
			if err != nil {
				t.Errorf("%s, %s: %v", c.name, w.Name, err)
				continue
			}
			hash, err := sc.Hash()
			if err != nil {
				t.Fatal(err)
			}
			if other := seen[hash]; other != "" && c.name+other != "uetnscc" { // nscc is the default
				t.Errorf("%s and %s are the same", c.name, other)
			}
			seen[hash] = c.name
		}
	}
}

// Every scheme of the command results in a valid scenario, and all scenarios differ.
func TestSchemesAreScenarios(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range full.schemes {
		for _, w := range workloads {
			sc, err := w.entry(s, unit.Millisecond, true).Spec(1).Scenario()
			if err != nil {
				t.Fatalf("%s, %s: %v", s.Name, w.Name, err)
			}
			hash, err := sc.Hash()
			if err != nil || seen[hash] {
				t.Errorf("%s, %s: %v, or there is another one like it", s.Name, w.Name, err)
			}
			seen[hash] = true
		}
	}
	for _, p := range append(short.pairs, full.pairs...) {
		for _, s := range p {
			if !slices.ContainsFunc(full.schemes, func(x study.Scheme) bool { return x.Name == s.Name }) {
				t.Errorf("%s is compared and not run", s.Name)
			}
		}
	}
}

func TestOf(t *testing.T) {
	f, err := Of(protocols.Standard(), []string{"swift", "reno", "powertcp-pint"}, false)
	if err != nil || f.Name != "compare" || f.Title != "Congestion controls: Swift; Reno; PowerTCP, PINT" {
		t.Errorf("%+v, %v", f, err)
	}
	for want, names := range map[string][]string{
		`"bbr": want one of hpcc, hpcc-pint, `: {"hpcc", "bbr"},
		`"reno" occurs twice`:                  {"reno", "hpcc", "reno"},
		`want at least two of hpcc, `:          {"reno"},
	} {
		if _, err := Of(protocols.Standard(), names, false); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v: %v, want %s", names, err, want)
		}
	}
}
