package scenario

import (
	"errors"
	"fmt"
	"strconv"

	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
	"pintlab/workloads"
)

// Estimate turns a run into an estimate: each link that flows cross is simulated alone, and the delays of a
// flow on the links of its path are combined (docs/large-runs.md).
type Estimate struct {
	// Whether completion times are estimated link by link instead of by a simulation of the whole network.
	Enabled bool `yaml:"enabled" default:"false" draw:"false"`
	// Whether only one of several similar links is simulated. Flows on the other links get the delays of flows of about
	// the same size on the simulated link. false: all links are simulated.
	Clusters bool `yaml:"clusters" when:"enabled=true" default:"false"`
	// Similar links differ in load by at most this share; off: loads are not compared.
	Load Tolerance `yaml:"load" when:"clusters=true" default:"0.05" range:">0 <=10" also:"off"`
	// Similar links differ in the sizes of their flows by at most this share: the mean difference of 100 quantiles,
	// weighted by size; off: sizes are not compared.
	Sizes Tolerance `yaml:"sizes" when:"clusters=true" default:"off" range:">0 <=10" also:"off"`
	// Similar links differ in the times between successive flows by at most this share, computed in the same way; off:
	// times are not compared.
	Gaps Tolerance `yaml:"gaps" when:"clusters=true" default:"off" range:">0 <=10" also:"off"`
}

// Tolerance is the share by which two similar links may differ, or Any.
type Tolerance float64

// Any is the tolerance without limit, written as off.
const Any Tolerance = -1

// MarshalText writes the number or "off".
func (t Tolerance) MarshalText() ([]byte, error) {
	if t == Any {
		return []byte("off"), nil
	}
	return strconv.AppendFloat(nil, float64(t), 'g', -1, 64), nil
}

// UnmarshalText reads a number or "off".
func (t *Tolerance) UnmarshalText(b []byte) error {
	if string(b) == "off" {
		*t = Any
		return nil
	}
	x, err := strconv.ParseFloat(string(b), 64)
	if err != nil || x < 0 {
		return errors.New("want a number or off")
	}
	*t = Tolerance(x)
	return nil
}

// checkEstimate reports settings that an estimate does not support.
func (s *Scenario) checkEstimate(c *schema.Checker) {
	if !s.Estimate.Enabled {
		return
	}
	no := func(bad bool, key, why string) {
		c.FailForIf(bad, "estimate.enabled", key, why)
	}
	n, r := &s.Network, &s.Run
	no(s.Published(), "profile", "want default: an estimate supports only our own engine")
	no(len(s.Faults) > 0, "faults", "want none: links are simulated separately, so an estimate cannot have faults")
	no(len(s.Monitors) > 0, "monitors", "want none: links are simulated separately, so an estimate cannot have "+
		"monitors")
	no(s.Transport.Pulled(), "transport.kind", "with this transport, receivers decide when to send; an estimate "+
		"needs senders that decide")
	no(n.Trimming.Enabled, "network.trimming.enabled", "want false: an estimate does not model trimming")
	no(n.Balancing.Kind != s.Protocols().Balancers.Default, "network.balancing.kind",
		"want "+s.Protocols().Balancers.Default+": each flow of an estimate keeps one path")
	no(n.LinkErrorRate > 0, "network.link_error_rate", "want 0: an estimate does not model losses on links")
	no(r.Sampling.Enabled, "run.sampling.enabled", "want false: an estimate has no series")
	no(r.Capture.Enabled, "run.capture.enabled", "want false: an estimate has no packets to capture")
	no(r.KeepLoad > 0, "run.keep_load", "want 0s: an estimate has no unmeasured flows")
	no(r.CutOff != "unfinished", "run.cut_off", "want unfinished: all flows of an estimate have a completion time")
	no(r.Ties != "seeded", "run.ties", "want seeded: an estimate supports only our own engine")
	no(r.StartTimes != "exact", "run.start_times", "want exact: an estimate supports only our own engine")
	no(r.WallLimit != unit.Never, "run.wall_limit", "want never: an estimate cannot be stopped in the middle")
	for _, o := range r.Outputs {
		no(o == OutputPFC, "run.outputs", "leave out "+OutputPFC+": an estimate has no PFC frames")
	}
	for i, src := range s.Workload {
		p, ok := src.Params.(*workloads.PoissonTraffic)
		no(ok && p.UnderWay == workloads.Steady, fmt.Sprintf("workload.%d.under_way", i),
			"want none: an estimate has no unmeasured flows")
	}
}
