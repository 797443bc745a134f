package sim

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
)

// Warm-up and run length change results, but published results often omit them. The manifest of a run contains both.
func TestWarmUpAndCoolDownAreRecorded(t *testing.T) {
	sc, err := scenario.Default().With("topology={kind: star, hosts: 4}",
		"workload=[{kind: poisson, sizes: hadoop, load: 0.3, duration: 300us}]",
		"run.warmup=50us", "run.cooldown=70us")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(context.Background(), sc, Options{})
	if err != nil {
		t.Fatal(err)
	}
	dir, err := Save(r, t.TempDir(), "pintlab run", time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	m, err := store.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Run struct{ Warmup, Cooldown string }
	}
	if err := json.Unmarshal(m.Scenario, &got); err != nil {
		t.Fatal(err)
	}
	if got.Run.Warmup != "50us" || got.Run.Cooldown != "70us" {
		t.Errorf("the manifest has %+v", got.Run)
	}
}
