package pint

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"pintlab/experiments/internal/study"
	"pintlab/experiments/scenario"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/workloads"
)

// The schemes of the PINT paper.
var (
	// INT in HPCC's own format: 42 B on each packet, 4.2 % (§2, footnote 1).
	INT = study.Scheme{Name: "INT"}
	// StandardINT has a header of 8 B and 4 B per value and hop: 68 B, 6.8 % (§2).
	StandardINT = study.Scheme{Name: "standard INT", Set: []string{"telemetry.format=standard"}}
	// PINT has one byte on each packet.
	PINT = study.Scheme{Name: "PINT", Preset: "-pint"}
	// Padded is PINT, but each packet carries as many bytes as with INT.
	Padded = study.Scheme{Name: "PINT, 42 B", Preset: "-pint", Set: []string{"telemetry.wire_bytes=42B"}}
	// PublishedU is PINT, but U is computed as in the published simulator: an interval that ends with an ACK is not
	// part of the average, and an interval that ends with data counts the bytes of the previous packet.
	PublishedU = study.Scheme{
		Name: "PINT, published U", Preset: "-pint",
		Set: []string{"telemetry.ewma_over=data", "telemetry.ewma_size=previous"},
	}
)

// Share returns the scheme of PINT with digests on one packet in n.
func Share(n int) study.Scheme {
	return study.Scheme{
		Name: fmt.Sprintf("PINT, p = 1/%d", n), Preset: "-pint",
		Set: []string{"telemetry.p=" + strconv.FormatFloat(1/float64(n), 'g', -1, 64)},
	}
}

// Workload is a flow-size distribution, named after its preset.
type Workload struct {
	Name   string
	Preset string
}

// The workloads.
var (
	Web    = Workload{"web search", "fat320-web"}
	Hadoop = Workload{"Hadoop", "fat320-hadoop"}
)

// Long is the size above which the PINT paper calls a flow long (§6.1, Fig. 7a).
const Long = 10 * unit.MB

// Case contains the simulations of a scheme in the setting of PINT §6.1: HPCC over INT or PINT on the fat tree of 320
// servers. If cases differ only in the scheme, their flows are the same and have the same start times and paths.
type Case struct {
	Workload Workload
	Scheme   study.Scheme
	Load     int // %
	Arrival  unit.Time
	Steady   bool // begins with flows under way, and flows continue to arrive for as long again
	Sections int  // see Scale
}

// Cell returns the case as a cell of a study. The case of the cell is the workload, and X is the length of the arrivals
// in ms.
func (c Case) Cell() study.Cell {
	set := []string{
		"workload.0.load=" + strconv.FormatFloat(float64(c.Load)/100, 'g', -1, 64),
		fmt.Sprintf("workload.0.duration=%v", c.Arrival),
	}
	if c.Steady {
		set = append(set, "workload.0.under_way="+workloads.Steady, fmt.Sprintf("run.keep_load=%v", c.Arrival),
			"run.cut_off=projected")
	}
	return study.Cell{
		Case: c.Workload.Name, Scheme: c.Scheme.Name, X: 1e3 * c.Arrival.Seconds(),
		Label: fmt.Sprintf("%s, %s %d %%, %v", c.Scheme.Name, c.Workload.Name, c.Load, c.Arrival),
		Base:  c.Workload.Preset + c.Scheme.Preset, Set: append(set, c.Scheme.Set...),
		Long: Long, Sections: c.Sections,
	}
}

// Scale contains the settings of a scale, with the arrival windows of both workloads. The figure shows the last window.
// The others show how the length of a run affects the results.
type Scale struct {
	Seeds       int
	Buckets     int // buckets of flow sizes
	Web, Hadoop []unit.Time
	Steady      bool // see Case
	// Sections is the number of sections of the arrival window over which intervals are computed if there is one seed
	// (stats.Sectioned). With 0 there are no intervals.
	Sections int
}

// Panel is a workload with its arrival windows.
type Panel struct {
	Workload Workload
	Windows  []unit.Time
}

// Panels returns both workloads.
func (z Scale) Panels() []Panel { return []Panel{{Web, z.Web}, {Hadoop, z.Hadoop}} }

// full returns the arrival window of the figure itself.
func (p Panel) full() unit.Time { return p.Windows[len(p.Windows)-1] }

func (z Scale) String() string {
	length := "arrivals for"
	if len(z.Web) > 1 {
		length += " up to"
	}
	p := z.Panels()
	return fmt.Sprintf("%s, %s %v (%s) and %v (%s)",
		number.Count(z.Seeds, "seed"), length, p[0].full(), Web.Name, p[1].full(), Hadoop.Name)
}

// Footnote adds the setting to the footnote of the drawings. It omits a load of 0.
func (z Scale) Footnote(j *study.Job, load, seeds int) {
	at := ""
	if load > 0 {
		at = fmt.Sprintf("load %d %%, ", load)
	}
	p := z.Panels()
	how := "then until all flows have finished"
	if z.Steady {
		how = "with flows under way before them and unmeasured arrivals for as long after them; " +
			"flows that take longer count at their pace until then"
	}
	over := "the seeds"
	if seeds == 1 && z.Sections > 0 {
		over = fmt.Sprintf("%d sections of the arrivals, the first of which begins in an empty network", z.Sections)
	}
	j.Footnote("320-server fat tree, %s%s, arrivals for %v (%s) and %v (%s), %s; bars: 95 %% intervals over %s",
		at, number.Count(seeds, "seed"), p[0].full(), Web.Name, p[1].full(), Hadoop.Name, how, over)
}

// Case returns the simulations of a scheme at this scale.
func (z Scale) Case(w Workload, s study.Scheme, load int, arrival unit.Time) Case {
	return Case{Workload: w, Scheme: s, Load: load, Arrival: arrival, Steady: z.Steady, Sections: z.Sections}
}

// Cells returns the cells of all schemes on all panels at a load.
func (z Scale) Cells(load int, schemes []study.Scheme) []study.Cell {
	var list []study.Cell
	for _, p := range z.Panels() {
		for _, arrival := range p.Windows {
			for i, s := range schemes {
				e := z.Case(p.Workload, s, load, arrival).Cell()
				if i > 0 {
					e.Against = []string{schemes[0].Name}
				}
				list = append(list, e)
			}
		}
	}
	return list
}

// Run runs a plan and records the configuration that its cells share.
func Run(ctx context.Context, j *study.Job, p *study.Study) (*study.Results, error) {
	p.SeedFirst = true
	r, err := p.Run(ctx, j)
	if err == nil {
		Settings(j, r.Scenario(p.Cells[0]))
	}
	return r, err
}

// Longest returns the rows of the longest runs of each case.
func Longest(rows []study.Row) []study.Row {
	return Full(rows, func(r *study.Row) (string, float64) { return r.Case, r.X })
}

// Full returns the rows of the longest runs of each workload. It also returns all rows that have no runs. The function
// `of` returns the workload of a row and the length of its arrival window; the length is NaN if the row has no runs.
func Full[R any](rows []R, of func(*R) (workload string, arrival float64)) []R {
	longest := map[string]float64{}
	for i := range rows {
		if w, arrival := of(&rows[i]); arrival > longest[w] {
			longest[w] = arrival
		}
	}
	return lists.Keep(rows, func(r R) bool {
		w, arrival := of(&r)
		return math.IsNaN(arrival) || arrival == longest[w]
	})
}

// Settings records the configuration that all cases share. It reads the configuration from the scenario of one case.
func Settings(j *study.Job, sc *scenario.Scenario) {
	const doc = "PINT §6.1"
	net := sc.Topology.Params.(*topo.PINTFatTree)
	j.Setting("network", doc,
		"fat tree of 320 servers, 20 ToR, 20 aggregation and 16 core switches; %v to servers, %v above, %v per link",
		net.HostRate, net.FabricRate, net.Delay)
	j.Setting("switch buffer", doc, "%s, shared, with PFC", study.Size(sc.Network.Buffer))
	j.Setting("traffic", doc,
		"Poisson arrivals at each server, to random others; load is payload over the rate of the server links")
	j.Setting("congestion control", doc, "%s", study.Keys(sc.CC.Choice))
	j.Setting("INT on each data packet", "PINT §2, footnote 1", "42 B, HPCC's own format")
	j.Setting("PINT on each data packet", "PINT §6.1", "8 bits, ε = 0.025")
	j.Setting("packets", "published simulator",
		"%d B of payload, telemetry on top, %d B of other headers; an ACK for each, with the telemetry echoed, "+
			"at least %d B",
		sc.Transport.Payload, sc.Transport.Header, sc.Transport.AckMin)
	population := "all flows that start in the arrival window; each run goes on until they have finished"
	if t, ok := sc.Workload[0].Params.(*workloads.PoissonTraffic); ok && t.UnderWay == workloads.Steady {
		population = fmt.Sprintf("all flows that start in the arrival window. Others are under way before it, "+
			"as many as processor sharing has at that load, and arrive after it, for %v at most; "+
			"a flow that takes longer counts at its mean pace until then", sc.Run.KeepLoad)
	}
	j.Setting("population", "", "%s", population)
}

// Residual returns the share of a server link that remains free at a load (in %). Each packet has 1000 B of payload, 48
// B of headers and the telemetry of the scheme. It is acknowledged by a packet of 46 B plus the same telemetry, but at
// least 60 B. Servers send as much as they receive, so both directions carry data and ACKs.
//
// PINT §2 has the same model without ACKs: 1 − 0.70·1.072 for 108 B on 1500 B.
func Residual(load int, s study.Scheme) float64 {
	sc, err := Case{Workload: Web, Scheme: s, Load: load, Arrival: unit.Millisecond}.Cell().Spec(1).Scenario()
	if err != nil {
		panic(err) // the schemes of this package are valid
	}
	t, telemetry := sc.Transport, sc.Telemetry.Overhead()
	data := t.Payload + t.Header + telemetry
	ack := max(t.AckMin, t.AckHeader+telemetry)
	return 1 - float64(load)/100*float64(data+ack)/float64(t.Payload)
}
