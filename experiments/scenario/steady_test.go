package scenario

import (
	"math"
	"strings"
	"testing"
)

// The share of a link that flows of HPCC use at η = 0.95 is computed by hand. At a load of 70 % with 42 B of INT, a
// byte of payload takes 1.09 bytes on the wire, so flows take 0.7·1.09 = 0.763 of the link. Acknowledgements take
// 0.7·0.088 = 0.0616 of it. So 0.763/(0.95 − 0.0616) of the usable rate is busy.
func TestBusy(t *testing.T) {
	for _, c := range []struct {
		set  []string
		load float64
		want float64
	}{
		{nil, 0.7, 0.7 * 1.090 / (0.95 - 0.7*0.088)},
		{[]string{"telemetry.kind=pint"}, 0.7, 0.7 * 1.049 / (0.95 - 0.7*0.060)},
		{[]string{"telemetry.format=standard"}, 0.5, 0.5 * 1.116 / (0.95 - 0.5*0.114)},
		{[]string{"telemetry.kind=none", "cc.kind=fixed"}, 0.3, 0.3 * 1.048 / (1 - 0.3*0.060)},
	} {
		s, err := Default().With(c.set...)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Busy(c.load); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v: %v busy at %v, want %v", c.set, got, c.load, c.want)
		}
	}
}

func TestSteadyIsRefused(t *testing.T) {
	for _, c := range []struct {
		set  []string
		want string
	}{
		{[]string{"workload.0.under_way=steady", "workload.0.load=0.85"}, "there is no steady state"},
		{[]string{"workload=[{kind: poisson, under_way: steady}, {kind: poisson}]"}, "want a single entry in workload"},
		{[]string{"workload=[{kind: poisson}, {kind: incast}]", "run.keep_load=1ms"}, "only poisson sources can " +
			"continue"},
		{[]string{"run.keep_load=1ms", "run.drain=false"}, "the run must wait for the flows that count"},
		{[]string{"run.cut_off=projected", "run.until=never"}, "otherwise, no flow is cut off"},
		{[]string{"run.keep_load=1ms", "profile=ns3-artifact"}, "have no unmeasured flows"},
		{[]string{"workload.0.under_way=yes"}, "accepted: none, steady"},
	} {
		if _, err := Default().With(c.set...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.set, err, c.want)
		}
	}
}

// If a scenario does not set these keys, the scenario and the name of its directory are the same as before the keys
// existed.
func TestSteadyLeavesOtherScenarios(t *testing.T) {
	if text := string(Default().YAML()); strings.Contains(text, "under_way") ||
		strings.Contains(text, "keep_load") || strings.Contains(text, "cut_off") {
		t.Errorf("%s", text)
	}
}
