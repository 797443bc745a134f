// Package pintread is a collector of PINT (§3.4 of the PINT paper). It reads the digests in a capture and answers the
// queries of their plan. The answers are paths, route changes, quantiles and loads.
//
// Digests come in two forms. The sink of a P4 program of package p4 clones packets to its collector, with the digest in
// a tag between Ethernet and IPv4. A simulation with record: collector sends Telemetry Reports (package wire).
package pintread

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net/netip"
	"slices"
	"strings"

	"pintlab/experiments/results/columns"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/netsim/unit"
	"pintlab/pint/coding"
	"pintlab/pint/query"
	"pintlab/pint/routechange"
	"pintlab/workloads/packets"
)

// Network contains the settings that switches, sinks and collector share.
type Network struct {
	Encoder  *query.Encoder
	Switches map[uint64]string // the names of the switches by the ID that they write; needed for paths
	// Key returns the key of a flow from its addresses and ports, if a simulation reports the packets. Key is nil if
	// the capture contains tags, because then headers identify the packets.
	Key  func(src, dst netip.AddrPort) (uint64, bool)
	Seed uint64 // seed of the summaries' coin tosses
	// Unreported is the number of flows of a simulation to the collector's host, which sends itself no reports.
	Unreported int64
}

// Question configures how a capture is read.
type Question struct {
	Percentiles []float64  `flag:"percentiles" default:"50,95,99" range:">=0 <=100" use:"{percentiles} of dynamic queries, separated by commas"`
	Delta       float64    `flag:"delta" default:"0.1" range:">0 <1" use:"{probability} that the bounds of a percentile do not hold"`
	Theta       float64    `flag:"theta" default:"0.3" range:">0 <=1" use:"least {share} of a frequent value among the samples of a hop"`
	Memory      unit.Bytes `flag:"memory" default:"64MiB" range:">=1KiB" use:"{size} of memory of each query; when it is full, the oldest flow is removed"`
	Interfaces  []string   `flag:"interfaces" use:"only packets of these {interfaces} of a pcapng file"`
}

// Answer contains the values decoded from the digests.
type Answer struct {
	File    string `json:"file"`    // or the address that listened
	Packets int64  `json:"packets"` // packets of the chosen interfaces, or datagrams
	Digests int64  `json:"digests"` // recorded
	// Packets whose digest is not recorded, by reason. Either their path is longer than a sum or space of the plan
	// allows, or no switch of the plan can have written the digest, or the simulation knows no such flow.
	TooLong int64 `json:"too_long"`
	Wrong   int64 `json:"wrong"`
	Unknown int64 `json:"unknown_flow"`
	// Copies of reports of a simulation. A report that passes several captured ports is recorded once.
	Copies int64 `json:"copies"`
	// Digests that a switch of the plan may have written but that no path over the switches explains, because the
	// network has other switches, or another plan, scheme or seed.
	Unexplained int64 `json:"unexplained"`
	// Digests that contradict the path of their flow so far, with the unexplained digests. Each one begins an epoch.
	Contradictions int64 `json:"contradictions"`
	Malformed      int64 `json:"malformed"` // datagrams that do not report a digest
	packets.Partial
	// Flows of a run to the collector's host. This host records their digests without reports.
	Unreported int64 `json:"flows_to_collector"`

	Queries  []Query    `json:"queries"`
	Paths    []Path     `json:"paths"`
	Streams  []Stream   `json:"quantiles"`
	Frequent []Frequent `json:"frequent"`
	Values   []Value    `json:"values"`
}

// Query counts the digests of a query.
type Query struct {
	Query       string  `col:"query" json:"query"`
	Value       string  `col:"value" json:"value"`
	Aggregation string  `col:"aggregation" json:"aggregation"`
	Bits        int     `col:"bits" json:"bits"`
	Share       float64 `col:"share" json:"share"` // share of the packets, by the plan
	Digests     int64   `col:"digests" json:"digests"`
	Flows       int     `col:"flows" json:"flows"`
	Forgotten   int64   `col:"flows_forgotten" json:"flows_forgotten"` // for lack of memory
	Largest     int64   `col:"saturated" json:"saturated"`             // digests with the largest code
	Top         string  `col:"at_least" json:"at_least"`               // lower bound of that code; empty: none
}

// Flow identifies a flow by the flow definition of a query and by the length of the flow's path. Fields that are not in
// the definition are zero or empty.
type Flow struct {
	Query    string `col:"query" json:"query"`
	Src      string `col:"src" json:"src"`
	Dst      string `col:"dst" json:"dst"`
	SrcPort  int    `col:"src_port" json:"src_port"`
	DstPort  int    `col:"dst_port" json:"dst_port"`
	Protocol int    `col:"protocol" json:"protocol"`
	Hops     int    `col:"hops" json:"hops"`
	Lane     int    `col:"lane" json:"lane"` // path checksum, if the plan separates the paths of a flow by it; else 0
}

// Path is a path that a flow has taken, until a digest contradicts it.
type Path struct {
	Flow
	Epoch   int    `col:"epoch" json:"epoch"`     // from 1; each route change of the flow begins an epoch
	Digests int    `col:"digests" json:"digests"` // digests of the epoch
	Decoded int    `col:"decoded" json:"decoded"` // digests after which the path was known; 0 if it was never known
	Path    string `col:"path" json:"path"`       // switches from the source on; empty if the path is unknown
}

// Stream is a percentile of the values of a flow at a hop, with bounds.
type Stream struct {
	Flow
	Hop        int     `col:"hop" json:"hop"` // number of the hop from the source, from 1
	Samples    int64   `col:"samples" json:"samples"`
	Percentile float64 `col:"percentile" json:"percentile"`
	Value      float64 `col:"value" json:"value"`
	// Lower bound of the percentile: the smallest value that can get the code at the lower rank; 0 at the smallest
	// code. It is missing if there are too few samples for it.
	Low columns.Number `col:"low" json:"low"`
	// Upper bound of the percentile: the largest value that can get the code at the upper rank. It is missing if there
	// are too few samples for it, or if this code is the largest one, which means its value or more.
	High columns.Number `col:"high" json:"high"`
	Unit string         `col:"unit" json:"unit"`
}

// Frequent is a frequent value of a flow at a hop, with bounds of its share of the recorded samples.
type Frequent struct {
	Flow
	Hop   int     `col:"hop" json:"hop"`     // number of the hop from the source, from 1
	Value float64 `col:"value" json:"value"` // the value of a code; for a name, its low bits
	Low   float64 `col:"share_low" json:"share_low"`
	High  float64 `col:"share_high" json:"share_high"`
	Unit  string  `col:"unit" json:"unit"`
}

// Value summarises the values in single packets, such as the load of their bottleneck.
type Value struct {
	Flow
	Packets int64   `col:"packets" json:"packets"`
	Mean    float64 `col:"mean" json:"mean"`
	Most    float64 `col:"max" json:"max"`
	Last    float64 `col:"last" json:"last"`
	Unit    string  `col:"unit" json:"unit"`
}

// flowOfQuery is a flow of query i of the plan.
type flowOfQuery struct {
	query int
	id    query.FlowID
}

// collector records the digests of a capture.
type collector struct {
	n        Network
	q        *Question
	a        *Answer
	plan     *query.Plan
	recorder *query.Recorder
	lane     int      // number of the query of path checksums; -1 if there is none
	ids      []uint64 // IDs of the switches
	chosen   packets.Chosen
	copies   copies
	paths    map[flowOfQuery]*routechange.Tracker
	values   map[flowOfQuery]*Value
}

// most is the largest number of flows whose paths and values are kept.
const most = 1 << 20

// Read reads a capture. Errors contain the name of the capture. If the capture ends within a record, the answer covers
// the packets before that record.
func Read(in io.Reader, name string, n Network, q Question) (*Answer, error) {
	c, err := newCollector(name, n, q)
	if err != nil {
		return nil, err
	}
	if err := c.read(in, name); err != nil {
		return nil, err
	}
	if err := c.chosen.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if c.a.Digests+c.a.TooLong+c.a.Wrong+c.a.Unknown == 0 {
		hint := ""
		if n := c.a.Unreported; n > 0 {
			hint = fmt.Sprintf("; %s of the run went to the collector's host, which records digests without reports",
				number.Count(n, "flow"))
		}
		err := fmt.Errorf("%s: no digest of PINT in %s: want reports of the collector of a P4 program (EtherType "+
			"%#x), or with --run reports of a simulation%s", name, number.Count(c.a.Packets, "packet"), tagType, hint)
		return nil, errors.Join(err, c.a.Incomplete())
	}
	return c.a, c.answer()
}

// newCollector makes a collector of reports. name is the name of their source.
func newCollector(name string, n Network, q Question) (*collector, error) {
	c := &collector{
		n: n, q: &q, a: &Answer{File: name, Unreported: n.Unreported},
		plan: n.Encoder.Plan(), lane: n.Encoder.Plan().Lane(),
		ids: slices.Sorted(maps.Keys(n.Switches)), chosen: packets.Chosen{Names: q.Interfaces},
		paths: map[flowOfQuery]*routechange.Tracker{}, values: map[flowOfQuery]*Value{},
	}
	for _, x := range c.plan.Queries {
		if x.Aggregation == query.Path && x.Value != query.SwitchID {
			return nil, fmt.Errorf("%s: the path consists of %v: want one of %v, whose values --map or --switches give",
				x.Label(), x.Value, query.SwitchID)
		}
		if x.Aggregation == query.Path && len(c.ids) == 0 {
			return nil, fmt.Errorf("%s decodes paths, which needs --map or --switches", x.Label())
		}
	}
	var err error
	if c.recorder, err = query.NewRecorder(n.Encoder, query.Memory{Total: q.Memory}, n.Seed); err != nil {
		return nil, fmt.Errorf("--memory %v: %w", q.Memory, err)
	}
	return c, nil
}

func (c *collector) read(in io.Reader, name string) error {
	frames, err := packets.NewFrames(in)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for number := int64(1); ; number++ {
		f, err := frames.Next()
		if err == io.EOF {
			c.a.AddFile(name, frames.Truncation())
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: packet %d: %w", name, number, err)
		}
		if !c.chosen.Has(f) || f.Unsent {
			continue
		}
		c.a.Packets++
		reports, err := c.find(f)
		if err == nil {
			err = c.take(reports)
		}
		if err != nil {
			return fmt.Errorf("%s: packet %d: %w", name, number, err)
		}
	}
}

// find returns the digests in a frame.
func (c *collector) find(f *packets.Frame) ([]report, error) {
	if c.n.Key != nil {
		return c.reported(f)
	}
	return tagged(f)
}

// take records digests.
func (c *collector) take(reports []report) error {
	for _, r := range reports {
		if err := c.record(r); err != nil {
			return err
		}
	}
	return nil
}

// record records a digest.
func (c *collector) record(r report) error {
	switch err := c.recorder.Record(r.packet, r.digest); {
	case errors.Is(err, query.ErrHops):
		c.a.TooLong++
		return nil
	case err != nil:
		c.a.Wrong++
		return nil
	}
	c.a.Digests++
	id := query.FlowID{Hops: uint8(r.packet.Hops), Lane: c.n.Encoder.Lane(r.packet.ID, r.digest)}
	for i := range c.plan.Queries {
		q := &c.plan.Queries[i]
		if len(c.paths)+len(c.values) > most {
			return fmt.Errorf("more than %d flows", most)
		}
		part, carried := c.n.Encoder.Part(q.Name, r.packet.ID, r.digest)
		switch {
		case !carried:
		case q.Aggregation == query.Path:
			id.Flow = q.Flow.Key(r.packet.Flow)
			if err := c.trace(flowOfQuery{i, id}, r.packet.ID, part); err != nil {
				return err
			}
		case q.Aggregation.Class() == query.PerPacket && i != c.lane:
			id.Flow = r.packet.Flow
			if err := c.value(flowOfQuery{i, id}, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// trace adds the digest of a packet to the path of its flow.
func (c *collector) trace(x flowOfQuery, id, digest uint64) error {
	t := c.paths[x]
	if t == nil {
		code, hops := c.n.Encoder.Coding(c.plan.Queries[x.query].Name), int(x.id.Hops)
		d, err := coding.NewDecoder(code, hops, c.ids)
		if err != nil {
			return err
		}
		if t, err = routechange.NewTracker(code, hops, d); err != nil {
			return err
		}
		c.paths[x] = t
	}
	changed, err := t.Add(id, digest)
	if changed {
		c.a.Contradictions++
	}
	if errors.Is(err, coding.ErrInconsistent) {
		c.a.Unexplained++
		return nil
	}
	return err
}

// value adds the values that the digest of a single packet contains.
func (c *collector) value(x flowOfQuery, r report) error {
	e, ok, err := c.n.Encoder.PerPacket(c.plan.Queries[x.query].Name, r.packet.ID, r.digest, r.packet.Hops, r.at)
	if err != nil || !ok {
		return err
	}
	v := c.values[x]
	if v == nil {
		v = &Value{Flow: c.flow(x)}
		c.values[x] = v
	}
	scale, name := unitOf(c.plan.Queries[x.query].Value)
	v.Packets++
	v.Last, v.Unit = scale*e.Value, name
	v.Mean += (v.Last - v.Mean) / float64(v.Packets)
	v.Most = max(v.Most, v.Last)
	return nil
}

// unitOf returns the unit of a value in the answer. scale is the factor that converts from the unit of the code.
func unitOf(v query.Value) (scale float64, name string) {
	switch v {
	case query.HopLatency:
		return 1 / float64(unit.Nanosecond), "ns"
	case query.QueueOccupancy:
		return 1, "B"
	}
	return 1, "1"
}

func (c *collector) flow(x flowOfQuery) Flow {
	host := func(b [16]byte) string {
		if b == [16]byte{} {
			return ""
		}
		return netip.AddrFrom16(b).Unmap().String()
	}
	f := &x.id.Flow
	return Flow{
		Query: c.plan.Queries[x.query].Name, Src: host(f.Src), Dst: host(f.Dst), SrcPort: int(f.SrcPort),
		DstPort: int(f.DstPort), Protocol: int(f.Protocol), Hops: int(x.id.Hops), Lane: int(x.id.Lane),
	}
}

// answer makes the tables, in the order of the queries and flows.
func (c *collector) answer() error {
	for i := range c.plan.Queries {
		q := &c.plan.Queries[i]
		u := c.recorder.Usage(q.Name)
		row := Query{
			Query: q.Name, Value: q.Value.String(), Aggregation: q.Aggregation.String(), Bits: q.Bits,
			Share: c.plan.Frequency(i).Float64(), Digests: int64(u.Packets), Flows: u.Flows,
			Forgotten: int64(u.Evicted),
		}
		if u.Largest > 0 {
			row.Largest = int64(u.Largest)
			scale, name := unitOf(q.Value)
			row.Top = shown(scale*u.Top, name)
		}
		if q.Aggregation.Class() == query.PerPacket {
			for x := range c.values {
				if x.query == i {
					row.Flows++
				}
			}
		}
		c.a.Queries = append(c.a.Queries, row)
	}
	for _, x := range slices.SortedFunc(maps.Keys(c.paths), compare) {
		for n, e := range c.paths[x].Epochs() {
			names := lists.Map(e.Path, func(id uint64) string { return c.n.Switches[id] })
			c.a.Paths = append(c.a.Paths, Path{c.flow(x), n + 1, e.Packets, e.Decoded, strings.Join(names, " ")})
		}
	}
	for _, x := range slices.SortedFunc(maps.Keys(c.values), compare) {
		c.a.Values = append(c.a.Values, *c.values[x])
	}
	if err := c.streams(); err != nil {
		return err
	}
	a := c.a
	a.Streams, a.Frequent, a.Values = columns.Rounded(a.Streams), columns.Rounded(a.Frequent), columns.Rounded(a.Values)
	return nil
}

func compare(a, b flowOfQuery) int {
	return cmp.Or(cmp.Compare(a.query, b.query), a.id.Compare(b.id))
}

// streams queries the percentiles or the frequent values of each hop of each flow.
func (c *collector) streams() error {
	for i, q := range c.plan.Queries {
		var ask func(x flowOfQuery, hop int) error
		switch q.Aggregation {
		case query.Quantiles:
			ask = c.stream
		case query.Frequent:
			ask = c.frequent
		default:
			continue
		}
		var flows []flowOfQuery
		for id := range c.recorder.Flows(q.Name) {
			flows = append(flows, flowOfQuery{i, id})
		}
		slices.SortFunc(flows, compare)
		for _, x := range flows {
			for hop := 1; hop <= int(x.id.Hops); hop++ {
				if err := ask(x, hop); err != nil && !errors.Is(err, query.ErrNoSample) {
					return err
				}
			}
		}
	}
	return nil
}

// stream queries the percentiles of a hop of a flow.
func (c *collector) stream(x flowOfQuery, hop int) error {
	inference := query.NewInference(c.recorder)
	q := &c.plan.Queries[x.query]
	scale, name := unitOf(q.Value)
	bound := func(v float64) columns.Number {
		if math.IsInf(v, 0) {
			return columns.Number(math.NaN())
		}
		return columns.Number(scale * v)
	}
	for _, p := range c.q.Percentiles {
		e, err := inference.Quantile(q.Name, x.id, hop, p/100, c.q.Delta)
		if err != nil {
			return err
		}
		c.a.Streams = append(c.a.Streams, Stream{
			Flow: c.flow(x), Hop: hop, Samples: int64(e.Samples), Percentile: p, Value: scale * e.Value,
			Low: bound(e.Low), High: bound(e.High), Unit: name,
		})
	}
	return nil
}

// frequent queries the frequent values of a hop of a flow.
func (c *collector) frequent(x flowOfQuery, hop int) error {
	q := &c.plan.Queries[x.query]
	list, err := query.NewInference(c.recorder).Frequent(q.Name, x.id, hop, c.q.Theta)
	scale, name := unitOf(q.Value)
	for _, v := range list {
		c.a.Frequent = append(c.a.Frequent, Frequent{c.flow(x), hop, scale * v.Value, v.Low, v.High, name})
	}
	return err
}
