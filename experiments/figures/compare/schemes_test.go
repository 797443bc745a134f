package compare

import (
	"strings"
	"testing"

	"pintlab/experiments/figures/pint/congestion"
	"pintlab/netsim/unit"
)

// Every control is a scenario on both workloads, and another one each.
func TestControlsAreScenarios(t *testing.T) {
	seen := map[string]string{}
	for _, c := range controls {
		for _, w := range workloads {
			sc, err := congestion.Case{Workload: w.Workload, Scheme: c.Scheme, Load: load, Arrival: unit.Millisecond}.Entry().Spec(1).Scenario()
			if err != nil {
				t.Errorf("%s, %s: %v", c.name, w.Name, err)
				continue
			}
			hash, err := sc.Hash()
			if err != nil {
				t.Fatal(err)
			}
			if other := seen[hash]; other != "" {
				t.Errorf("%s and %s are the same", c.name, other)
			}
			seen[hash] = c.name
		}
	}
}

func TestOf(t *testing.T) {
	f, err := Of([]string{"swift", "reno", "powertcp-pint"})
	if err != nil || f.Name != "compare" || f.Title != "Congestion controls: Swift; Reno; PowerTCP, PINT" {
		t.Errorf("%+v, %v", f, err)
	}
	for want, names := range map[string][]string{
		`"bbr": want one of hpcc, hpcc-pint, `: {"hpcc", "bbr"},
		`"reno" is there twice`:                {"reno", "hpcc", "reno"},
		`want at least two of hpcc, `:          {"reno"},
	} {
		if _, err := Of(names); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v: %v, want %s", names, err, want)
		}
	}
}
