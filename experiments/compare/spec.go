package compare

import (
	"fmt"

	"pintlab/experiments/campaign"
	"pintlab/experiments/figure"
	"pintlab/experiments/scenario"
	"pintlab/netsim/unit"
)

// The schemes, in the order in which they are shown.
const (
	INT     = "HPCC, INT"
	PINT    = "HPCC, PINT"
	RenoINT = "Reno, INT bytes"
	Reno    = "Reno"
)

// The workloads.
const (
	Web    = "web search"
	Hadoop = "Hadoop"
)

// scheme is how to run one of the schemes: a preset, for each workload, and changes.
type scheme struct {
	name   string
	ending string // of the preset's name
	set    []string
}

var schemes = []scheme{
	{INT, "", nil},
	{PINT, "-pint", nil},
	{RenoINT, "-reno", nil},
	{Reno, "-reno", []string{"telemetry.kind=none"}},
}

// workload is a workload and how it is cut.
type workload struct {
	name   string
	preset string
	// long is the size above which goodput is measured: 10 MB as in the document, but
	// Hadoop has no flow that large.
	long unit.Bytes
}

var workloads = []workload{
	{Web, "fat320-web", 10 * unit.MB},
	{Hadoop, "fat320-hadoop", 1 * unit.MB},
}

// sizes are the runs of a scale.
type sizes struct {
	seeds   int
	arrival map[string]unit.Time // of each workload
}

var scales = map[figure.Scale]sizes{
	figure.Smoke:  {1, map[string]unit.Time{Web: 100 * unit.Microsecond, Hadoop: 20 * unit.Microsecond}},
	figure.Laptop: {5, map[string]unit.Time{Web: 1500 * unit.Microsecond, Hadoop: 500 * unit.Microsecond}},
	figure.Paper:  {3, map[string]unit.Time{Web: 200 * unit.Millisecond, Hadoop: 200 * unit.Millisecond}},
}

// describe is a scale in words.
func describe(s figure.Scale) string {
	z := scales[s]
	return fmt.Sprintf("%d seeds, arrivals for %v (web search) and %v (Hadoop)", z.seeds, z.arrival[Web], z.arrival[Hadoop])
}

// spec is the run of a scheme.
func spec(w workload, s scheme, arrival unit.Time, seed uint64) campaign.Spec {
	return campaign.Spec{
		Label: fmt.Sprintf("%s, %s, seed %d", s.name, w.name, seed),
		Base:  w.preset + s.ending,
		Set:   append([]string{fmt.Sprintf("seed=%d", seed), fmt.Sprintf("workload.0.duration=%v", arrival)}, s.set...),
	}
}

// setting tells the configuration, from the scenario that is run.
func setting(j *figure.Job, sc *scenario.Scenario) {
	const doc, choice = "PINT §6.1", ""
	j.Setting("network", doc, "fat tree of 320 servers, 20 ToR, 20 aggregation and 16 core switches; %v to servers, %v above, %v per link",
		sc.Topology.HostRate, sc.Topology.FabricRate, sc.Topology.LinkDelay)
	j.Setting("switch buffer", doc, "%s", figure.Size(sc.Network.Buffer))
	j.Setting("load", doc, "%g %% of the server links, payload only; Poisson arrivals at each server, to random others", 100*sc.Workload[0].Load)
	j.Setting("HPCC", doc, "W_AI = %s, maxStage = %d, η = %g, T = %v", figure.Size(sc.CC.WAI), sc.CC.MaxStage, sc.CC.Eta, sc.CC.T)
	j.Setting("telemetry on each data packet", "PINT §2 (footnote 1), §6.1", "INT %s (HPCC's own format), PINT 1 B (ε = 0.025)", figure.Size(sc.Telemetry.Overhead()))
	j.Setting("packets", "published simulator", "%d B of payload, telemetry on top, %d B of other headers", sc.Transport.Payload, sc.Transport.Header)
	j.Setting("Reno", choice, "NewReno, initial window 10, RTO at least 1 ms, drop-tail at 1 MB per port, no pause frames")
	j.Setting("population", choice, "all flows that start in the arrival window; each run goes on until they have finished")
}
