package deploy

import (
	"fmt"

	"pintlab/internal/hash"
	"pintlab/netsim/route"
	"pintlab/netsim/schema"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
	"pintlab/pint/global"
	"pintlab/pint/query"
	"pintlab/transport"
)

// Monitor holds the keys of PINT as a monitor in a scenario: the queries of a plan, independent of
// any telemetry and congestion control.
type Monitor struct {
	// The queries. combined: path, latency and load as in PINT §6.4, in the plan of our engine (16
	// bits, the path on every packet); combined-by-hand: the same queries in the plan of the PINT
	// paper; combined-8: the same queries in 8 bits, so that a packet carries one of the three;
	// file: the queries of a query file.
	Plan string `yaml:"plan" default:"combined" oneof:"$named|file" draw:"$named"`
	// The query file.
	PlanPath string `yaml:"plan_path" when:"plan=file" file:"yes"`
	// Switches on the longest path between hosts. A flow has 1 KB for each query, proportionally more
	// above 5 switches. A detour may be longer and is also recorded.
	Hops int `yaml:"hops" when:"plan=$named" default:"5" range:">=1 <=64"`
	// Bits of a checksum of the path, which every packet carries with the digest of the plan. Packets of a flow over
	// different paths then have separate records. 0: none.
	PathChecksum int `yaml:"path_checksum" when:"plan=$named" default:"0" range:">=0 <=16" omit:"default" draw:"0|8|16"`
	// Size of the digest field on every data packet; 0B shows the results without the cost.
	WireBytes unit.Bytes `yaml:"wire_bytes" default:"2B; plan=combined-8: 1B; path_checksum=8: 3B; path_checksum=16: 4B" range:">=0B <=64B"`
	// T, the time over which switches average the load, for plans with a query of load or
	// utilisation; auto: the largest base RTT of the network.
	Horizon unit.Time `yaml:"horizon" default:"auto" range:">0s <=1s"`
	// Where digests are recorded: at the destination host of a packet, or at a collector to which
	// hosts report the digest of each packet.
	Record string `yaml:"record" default:"hosts" oneof:"hosts|collector"`
	// Memory for each query at each place where digests are recorded; if it is full, the flow with
	// the oldest last packet is removed.
	Memory unit.Bytes `yaml:"memory" default:"4MiB" range:">=1KiB <=16GiB" draw:"64KiB"`
	// Share of packets whose digests are reported, chosen by a hash.
	Share float64 `yaml:"share" when:"record=collector" default:"1" range:">=1e-9 <=1" draw:"1|0.1"`
	// Node number of the collecting host. It records the digests of packets to itself without reports,
	// so captures do not contain them.
	Collector int `yaml:"collector" when:"record=collector" default:"0" range:">=0" draw:"0..hosts"`
	// Headers of a report: Ethernet, IPv4, UDP, 12 B of the report and the 5-tuple. The packet's
	// identifier and hops (5 B) and the digest follow.
	ReportHeader unit.Bytes `yaml:"report_header" when:"record=collector" default:"67B" range:">=42B <=256B"`
	// Whether the results include each flow, in addition to sums.
	Flows bool `yaml:"flows" default:"true" draw:"true"`
	// Seed of all of PINT's random draws, combined with the run's seed.
	Seed uint64 `yaml:"seed" default:"0"`
}

// Group returns the named plans, which tags abbreviate.
func (Monitor) Group(string) []string { return []string{"combined", "combined-by-hand", "combined-8"} }

// A packet's cargo holds the digest and the query set of the packet, so switches need not compute the query set by a
// hash. The cargo of a report also contains the other data that the collector needs about the packet. The packet's
// identifier is the report's content.
const (
	digestBytes = 8
	dataCargo   = digestBytes + 1
	reportCargo = dataCargo + 1 + route.TupleBytes + 4 // hops, flow, packet number in the flow
	otherSet    = 255                                  // from this number on, switches compute the set by the hash
	// packetFields is the size of the identifier and hops of a packet in a report.
	packetFields = 4 + 1
)

func (p *Monitor) Choose(s *transport.Setting, c *transport.Choices) {
	rtt, _ := s.Farthest()
	transport.Choose(c, "horizon", &p.Horizon, rtt, "the largest base RTT")
}

// Room returns the size of the digest field.
func (p *Monitor) Room(int) telemetry.Room {
	r := telemetry.Room{AtSource: p.WireBytes, Cargo: dataCargo}
	if p.reports() {
		r.Cargo, r.Report = reportCargo, p.report()
	}
	return r
}

func (p *Monitor) reports() bool { return p.Record == "collector" }

func (p *Monitor) report() unit.Bytes { return p.ReportHeader + packetFields + p.WireBytes }

// Check reports no errors beyond the ranges of the keys.
func (*Monitor) Check(*schema.Checker, string) {}

// plan compiles the queries.
func (p *Monitor) plan() (*query.Plan, error) {
	plan, err := compile(p.Plan, p.PlanPath, p.Hops, p.PathChecksum)
	if err != nil {
		return nil, err
	}
	if p.WireBytes > 0 {
		if err := fitsIn(p.WireBytes, plan); err != nil {
			return nil, err
		}
	}
	for i := range plan.Queries {
		q := &plan.Queries[i]
		time := q.Aggregation.Class() == query.PerPacket && q.Value == query.IngressTime
		if time || q.Aggregation == query.Checksum && i != plan.Lane() {
			return nil, fmt.Errorf("%s: %s (%v of %v): a monitor cannot sum times and checksums of single packets "+
				"(accepted: a checksum of switch_id on all packets that carry a query of flows)",
				planKey(p.Plan, p.PlanPath), q.Label(), q.Aggregation, q.Value)
		}
	}
	return plan, nil
}

// Collected serves a collector that reads the reports of a run. It returns the encoding module of a run with this seed,
// and the seed of the recorder. The encoder is nil if hosts record digests themselves.
func (p *Monitor) Collected(run uint64) (e *query.Encoder, seed uint64, err error) {
	if !p.reports() {
		return nil, 0, nil
	}
	plan, err := p.plan()
	if err != nil {
		return nil, 0, err
	}
	seed = global.RunSeed(run, p.Seed)
	e, err = query.NewEncoder(plan, query.Options{Seed: seed})
	return e, seed, err
}

// At returns the node number of the collector's host.
func (p *Monitor) At() int { return p.Collector }

// Watch attaches the encoding module to the switches, and the recording module where digests are
// recorded.
func (p *Monitor) Watch(at *telemetry.Place) (*telemetry.Watch, error) {
	plan, err := p.plan()
	if err != nil {
		return nil, err
	}
	site := at.Site
	site.Horizon = func() (unit.Time, error) { return p.Horizon, nil }
	seed := global.RunSeed(at.Seed, p.Seed)
	a, err := attach(&site, plan, seed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", planKey(p.Plan, p.PlanPath), err)
	}
	m := &monitor{
		attached: a, params: *p, at: at,
		limit: uint64(p.Share * (1 << 32)), salt: hash.Combine(hash.String("pint/deploy"), seed),
	}
	if m.collector, err = NewCollector(at.Net, m.encoder, query.Memory{Total: p.Memory}, seed); err != nil {
		return nil, fmt.Errorf("memory = %v: %w", p.Memory, err)
	}
	m.collector.singles = newSingles(plan, len(at.Graph.Nodes), kept)
	var reports *telemetry.Reports
	if p.reports() {
		if m.to, err = at.Host("collector", p.Collector); err != nil {
			return nil, err
		}
		m.sources = make([]source, len(at.Graph.Nodes))
		reports = &telemetry.Reports{To: m.to, PerArrival: p.Share * float64(p.report())}
	}
	return &telemetry.Watch{Tap: m, Watcher: m, Reports: reports, Tables: m.tables, Notes: m.notes, System: m}, nil
}
