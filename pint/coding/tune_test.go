package coding

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"pintlab/pint/global"
)

// A cost with a known minimum is found to within the last steps, over instances too.
func TestTuneFindsAMinimum(t *testing.T) {
	cost := func(_ context.Context, c Config) (float64, error) {
		s := c.Schemes[0]
		x := math.Abs(s.Tau-0.7) + math.Abs(math.Log(s.XOR[0]/0.3))
		return x + math.Abs(float64(c.Instances-2)), nil
	}
	got, err := Tune(context.Background(), Space{Config: Config{Mode: Hash}, Budget: 16, Typical: 20}, cost)
	if err != nil {
		t.Fatal(err)
	}
	s := got.Config.Schemes[0]
	if got.Config.Instances != 2 || got.Config.Bits != 8 || !near(s.Tau, 0.7, 0.03) || !near(s.XOR[0], 0.3, 0.03) {
		t.Errorf("found %d x %d bits, %v", got.Config.Instances, got.Config.Bits, s)
	}
	if got.Evaluations < 20 || got.Evaluations > 400 {
		t.Errorf("%d evaluations", got.Evaluations)
	}
}

// On real paths it beats the published choice, and twice the same is found.
func TestTuneBeatsThePublishedChoice(t *testing.T) {
	lengths := []Length{{Hops: 5, Weight: 1}, {Hops: 12, Weight: 3}}
	cost := func(ctx context.Context, c Config) (float64, error) {
		d, err := MeasureLengths(ctx, Trials{Seed: 3, Runs: 60}, c, lengths, makeValues(80))
		if err != nil {
			return 0, err
		}
		return d.Mean(), nil
	}
	space := Space{Config: Config{Mode: Hash, Family: global.Fast(5)}, Budget: 8, Instances: []int{1, 2}, Typical: 10}
	got, err := Tune(context.Background(), space, cost)
	if err != nil {
		t.Fatal(err)
	}
	published, err := cost(context.Background(), Config{Mode: Hash, Family: global.Fast(5), Schemes: []Scheme{Interleaved(0.5, 0.1)}, Bits: 8, Instances: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got.Cost > 0.95*published {
		t.Errorf("tuned %v packets (%v), published %v", got.Cost, got.Config.Schemes, published)
	}
	again, err := Tune(context.Background(), space, cost)
	if err != nil || again.Cost != got.Cost || again.Config.Schemes[0].String() != got.Config.Schemes[0].String() {
		t.Errorf("again: %v, %+v instead of %+v", err, again, got)
	}
}

// Runs are shared out over the lengths by weight.
func TestMeasureLengthsShares(t *testing.T) {
	hopsOf, err := spreadLengths([]Length{{2, 1}, {9, 3}})
	if err != nil {
		t.Fatal(err)
	}
	short := 0
	for run := 40; run < 140; run++ {
		if hopsOf(run, Trials{First: 40, Runs: 100}) == 2 {
			short++
		}
	}
	if short != 25 {
		t.Errorf("%d of 100 runs have 2 hops, want 25", short)
	}
}

func TestTuneErrors(t *testing.T) {
	fail := errors.New("no measurement")
	bad := func(context.Context, Config) (float64, error) { return 0, fail }
	if _, err := Tune(context.Background(), Space{Budget: 8, Typical: 10}, bad); !errors.Is(err, fail) {
		t.Errorf("a cost that fails: %v", err)
	}
	for _, tt := range []struct {
		s    Space
		want string
	}{
		{Space{Budget: 8}, "typical = 0"},
		{Space{Budget: 8, Typical: 10, Layers: 4}, "layers = 4"},
		{Space{Budget: 65, Typical: 10}, "budget = 65"},
		{Space{Budget: 8, Typical: 10, Instances: []int{3}}, "3 instances do not divide a budget of 8 bits"},
	} {
		if _, err := Tune(context.Background(), tt.s, bad); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %q", tt.s, err, tt.want)
		}
	}
	c := Config{Schemes: []Scheme{Baseline()}, Mode: Hash, Bits: 8, Instances: 1}
	for _, tt := range []struct {
		lengths []Length
		want    string
	}{
		{nil, "no path lengths"}, {[]Length{{0, 1}}, "path of 0 hops"}, {[]Length{{3, 0}}, "weight 0"}, {[]Length{{3, math.NaN()}}, "weight NaN"},
	} {
		if _, err := MeasureLengths(context.Background(), Trials{Runs: 1}, c, tt.lengths, makeValues(3)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v, want %q", tt.lengths, err, tt.want)
		}
	}
}
