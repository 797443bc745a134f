package study

import (
	"fmt"
	"strings"
	"testing"

	"pintlab/experiments/internal/campaign"
)

func TestJobSeeds(t *testing.T) {
	j := Job{Seed: 7}
	if got := fmt.Sprint(j.SeedList(2)); got != "[7 8]" {
		t.Errorf("seeds %s", got)
	}
	j.Seeds = 3
	if got := fmt.Sprint(j.SeedList(2)); got != "[7 8 9]" {
		t.Errorf("seeds %s", got)
	}
}

// Set cannot change the settings of the measurement, unless the measurement allows it. Set also cannot change the
// settings that distinguish the runs.
func TestSetLeavesAloneWhatIsMeasured(t *testing.T) {
	specs := []campaign.Spec{
		{Label: "one", Base: "two-flows", Set: []string{"seed=1", "transport.payload=500B"}},
		{Label: "two", Base: "two-flows",
			Set: []string{"seed=2", "transport.payload=500B", "workload.0.flows.0.size=2MB"}},
		{Label: "three", Base: "two-flows", Set: []string{"seed=2", "transport.payload=500B", "telemetry.kind=pint"}},
	}
	const own = "this experiment sets"
	for set, want := range map[string]string{
		"seed=3":                     "--set seed=3: want --seed and --seeds, which set the seeds of an experiment",
		"transport.payload=600B":     "",
		"transport.header=60B":       "",
		"workload.0.flows.0.size=1B": own + ` workload.0.flows.0.size itself (to 2MB in "two")`,
		"workload.0.flows=[{src: 0, dst: 1, size: 1MB}]": own + ` workload.0.flows.0.size itself (to 2MB in "two")`,
		"telemetry.kind=int":                             own + ` telemetry.kind itself (to pint in "three")`,
	} {
		if strings.HasPrefix(want, own) {
			want = "--set " + set + ": " + want
		}
		got, err := (&Job{Set: []string{set}}).Changed(specs, "transport.payload")
		if text := fmt.Sprint(err); want == "" && err != nil || want != "" && text != want {
			t.Errorf("%s: %v, want %q", set, err, want)
		}
		if err == nil && got[1].Label != "two; "+set {
			t.Errorf("%s: label %q", set, got[1].Label)
		}
	}
	_, err := (&Job{Set: []string{"telemetry.kind=pint"}}).Changed([]campaign.Spec{
		{Label: "INT", Base: "fat320-web"}, {Label: "PINT", Base: "fat320-web-pint"},
	})
	if want := `--set telemetry.kind=pint makes "INT" and "PINT" the same run`; fmt.Sprint(err) != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestFixed(t *testing.T) {
	for set, ok := range map[string]bool{"seed=1": false, "telemetry.plan=x": false, "telemetry=x": true,
		"cc.eta=0.9": true, "seeds=1": true} {
		if err := (&Job{Set: []string{set}}).Fixed("seed", "telemetry."); (err == nil) != ok {
			t.Errorf("%s: %v", set, err)
		}
	}
}
