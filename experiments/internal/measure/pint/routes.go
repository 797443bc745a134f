package pint

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"

	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/netsim"
	"pintlab/pint/coding"
	"pintlab/pint/global"
	"pintlab/pint/routechange"
)

// RouteQuestion configures the digests on the packets. It consists of two questions. How soon does a change of a flow's
// path show in PINT's digests? And does a checksum keep the packets of several paths apart (PINT paper, §7, "Tracing
// flows with multipath routing"; package pint/routechange)? Monitors of the scenario that follow paths also answer the
// first question.
type RouteQuestion struct {
	Bits      int     `flag:"bits" default:"8" range:">=1 <=64" use:"bits {B} of a digest"`
	Instances int     `flag:"instances" default:"1" range:">=1 <=64" use:"independent digests {N} on each packet"`
	Tau       float64 `flag:"tau" default:"0.5" range:">=0 <=1" use:"{share} of Baseline packets"`
	P         float64 `flag:"p" default:"0.1" range:">0 <=1" use:"{probability} that a hop XORs"`
	Checksum  int     `flag:"checksum" default:"8" range:">=1 <=64" use:"bits {B} of the path checksum"`
}

// RouteAnswer contains the route changes that the digests reveal.
type RouteAnswer struct {
	Scenario    string     `json:"scenario"`
	Flows       int        `json:"flows"`
	NotStarted  int64      `json:"not_started"` // excluded: they had not started at the end of the run
	Packets     int        `json:"packets"`
	Long        int        `json:"longer"` // packets that are excluded because they passed more than 64 switches
	FalseAlarms int        `json:"false_alarms"`
	Changes     []Noticed  `json:"changes"`
	Several     []Separate `json:"several"` // flows with several paths
	// PINT and the monitors that follow paths; empty if no monitor follows paths
	Systems    []PathSystem `json:"systems"`
	Reroutings []Rerouting  `json:"reroutings"` // changes of path by these systems
}

// Noticed summarises path changes. All these changes have the same path length and the same number of changed switches.
// Numbers of packets are null if there are no such changes.
type Noticed struct {
	Hops     int            `json:"hops" col:"hops"`
	Changed  int            `json:"changed" col:"changed"`      // number of switches
	Known    string         `json:"known" col:"old path known"` // whether the old path was known: `yes` or `no`
	Changes  int            `json:"changes" col:"changes"`
	Noticed  int            `json:"noticed" col:"noticed"`
	Mean     columns.Number `json:"mean" col:"mean" unit:"packets"` // until it is noticed
	P99      columns.Number `json:"p99" col:"p99" unit:"packets"`
	Expected columns.Number `json:"expected" col:"expected" unit:"packets"` // mean by chance; null for unknown paths
	// number of packets that suffices for 99 % of the changes, expected by chance; null for unknown paths
	Within columns.Number `json:"within_99" col:"99 % within" unit:"packets"`
	// mean until the new path is known; null if no new path is known
	Relearnt columns.Number `json:"relearnt" col:"new path known after" unit:"packets"`
}

// Separate summarises the flows that used a given number of paths.
type Separate struct {
	Paths    int     `json:"paths" col:"paths"` // paths of a flow
	Flows    int     `json:"flows" col:"flows"`
	Lanes    int     `json:"lanes" col:"told apart"` // distinguished by checksum and length
	Mixed    int     `json:"mixed" col:"mixed"`      // contradictory
	Known    int     `json:"known" col:"known"`
	Expected float64 `json:"expected_collisions" col:"expected collisions"` // flows of which two paths share a checksum
}

// Ask runs a scenario with faults.
func (q *RouteQuestion) Ask(ctx context.Context, sc scenario.Scenario, p study.Progress) (*RouteAnswer, error) {
	if len(sc.Faults) == 0 {
		return nil, errors.New("faults: none, so no path changes (add one: faults: [{kind: link-down, a: NODE, " +
			"b: NODE, at: TIME}])")
	}
	if err := study.Suits(&sc); err != nil {
		return nil, err
	}
	var routes *routes
	run, err := sim.Run(ctx, sc, sim.Options{
		Progress: p,
		Sink: func(s *sim.Simulation) (netsim.Sink, error) {
			_, seed := digests(s)
			var err error
			if routes, err = q.routes(seed, s.SwitchValues()); err != nil {
				return nil, err
			}
			routes.arrivals = newArrivals(s.Net, s.SwitchIDs(), routes.begin, routes.record)
			return routes, nil
		},
		Ready: func(s *sim.Simulation) error { return routes.listen(s) },
	})
	if err != nil {
		return nil, err
	}
	if err := run.Complaint(true); err != nil {
		return nil, err
	}
	flows, err := routes.all()
	if err != nil {
		return nil, err
	}
	a, err := routes.answer(flows)
	if err != nil {
		return nil, err
	}
	a.Scenario, a.NotStarted = sc.Name, run.Summary.NotStarted
	return a, nil
}

// routes follows the paths of all flows at their destinations. A change of the path's length does not count, because
// the TTL shows it. A packet is excluded if it passed more switches than it has witnesses.
type routes struct {
	*arrivals[flow]
	code     *coding.Code
	checksum *routechange.Checksum
	bits     int              // of the checksum
	values   []uint64         // the IDs that switches can have
	systems  []PathSystem     // PINT first
	flows    map[uint64]*flow // by key; only if monitors follow flows
}

// routes builds the decoders of the requested digests.
func (q *RouteQuestion) routes(seed uint64, values []uint64) (*routes, error) {
	family := global.Fast(seed)
	code, err := coding.New(coding.Config{Schemes: []coding.Scheme{coding.Interleaved(q.Tau, q.P)},
		Mode: coding.Hash, Bits: q.Bits, Instances: q.Instances, Family: family})
	if err != nil {
		return nil, err
	}
	checksum, err := routechange.NewChecksum(family, q.Checksum)
	return &routes{code: code, checksum: checksum, bits: q.Checksum, values: values,
		systems: []PathSystem{{System: "pint", Bytes: float64(code.Width()) / 8}}}, err
}

// flow is a flow under way.
type flow struct {
	truth
	tracker  *routechange.Tracker
	lanes    *routechange.Separator
	reported []reported // by system
	long     int        // packets left out
}

// mostLanes is the largest number of paths of a flow for which separate lanes are kept.
const mostLanes = 64

func (s *routes) begin(a *arrival) (*flow, error) {
	lanes, err := routechange.NewSeparator(s.code, mostLanes, s.decoder)
	f := &flow{lanes: lanes, reported: make([]reported, len(s.systems))}
	if s.flows != nil {
		s.flows[a.key] = f
	}
	return f, err
}

func (s *routes) decoder(hops int) (coding.Decoder, error) {
	return coding.NewDecoder(s.code, hops, s.values)
}

func (s *routes) record(f *flow, a *arrival) error {
	if len(a.stack) < int(a.Hop) {
		f.long++
		return nil
	}
	f.now = a.now
	return s.follow(f, a.id, a.path)
}

// follow records a packet of a flow, which passed the switches of path.
func (s *routes) follow(f *flow, id uint64, path []uint64) error {
	f.packets++
	if !f.took(path) {
		f.paths = append(f.paths, slices.Clone(path))
	}
	digest := s.code.Encode(id, path)
	if err := f.lanes.Add(id, digest, s.checksum.Path(path), len(path)); err != nil &&
		!errors.Is(err, routechange.ErrLanes) {
		return err
	}
	pint := &f.reported[0]
	switch {
	case len(f.path) != len(path):
		d, err := s.decoder(len(path))
		if err != nil {
			return err
		}
		if f.tracker, err = routechange.NewTracker(s.code, len(path), d); err != nil {
			return err
		}
		pint.known = false
		f.moves(change{})
	case differ(f.path, path) > 0:
		f.moves(change{hops: len(path), changed: differ(f.path, path)})
	}
	f.path = append(f.path[:0], path...)
	noticed, err := f.tracker.Add(id, digest)
	if err != nil {
		return err
	}
	if noticed {
		pint.contradicted(&f.truth)
	}
	if e := f.tracker.Epochs(); e[len(e)-1].Decoded > 0 {
		pint.reports(&f.truth, e[len(e)-1].Path)
	}
	return nil
}

// differ returns the number of switches in which two paths of equal length differ.
func differ(a, b []uint64) int {
	n := 0
	for i := range a {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}

// answer adds up the results of the flows.
func (s *routes) answer(flows []*flow) (*RouteAnswer, error) {
	a := &RouteAnswer{}
	several := map[int]*Separate{}
	var changes []change
	for _, f := range flows {
		a.Long += f.long
		if f.packets == 0 {
			continue
		}
		a.Flows++
		a.Packets += f.packets
		a.FalseAlarms += f.reported[0].alarms
		changes = append(changes, f.reported[0].counted()...)
		n := len(f.paths)
		if n < 2 {
			continue
		}
		k := several[n]
		if k == nil {
			k = &Separate{Paths: n}
			several[n] = k
		}
		k.Flows++
		for _, l := range f.lanes.Lanes() {
			k.Lanes++
			if l.Mixed {
				k.Mixed++
			} else if l.Decoder.Done() {
				k.Known++
			}
		}
	}
	for _, n := range slices.Sorted(maps.Keys(several)) {
		k := several[n]
		k.Expected = float64(k.Flows) * routechange.Collision(n, s.bits)
		a.Several = append(a.Several, *k)
	}
	a.Several = columns.Rounded(a.Several)
	if len(s.systems) > 1 {
		a.Systems, a.Reroutings = ofSystems(s.systems, flows)
	}
	var err error
	a.Changes, err = noticed(s.code, changes)
	return a, err
}

// noticed groups changes by the length of the path, the switches that changed, and whether
// the old path was known.
func noticed(code *coding.Code, changes []change) (rows []Noticed, err error) {
	slices.SortStableFunc(changes, func(a, b change) int { return a.order(b) })
	for len(changes) > 0 {
		first := changes[0]
		n := slices.IndexFunc(changes, func(c change) bool { return c.order(first) != 0 })
		if n < 0 {
			n = len(changes)
		}
		var until, relearnt Distribution
		for _, c := range changes[:n] {
			if c.packets > 0 {
				until.Add(c.packets)
			}
			if c.packets > 0 && c.learnt > 0 {
				relearnt.Add(c.learnt - c.packets + 1)
			}
		}
		nan := columns.Number(math.NaN())
		row := Noticed{Hops: first.hops, Changed: first.changed, Known: "no", Changes: n, Noticed: until.Runs(),
			Mean: columns.Number(until.Mean()), P99: until.number(0.99), Expected: nan, Within: nan,
			Relearnt: columns.Number(relearnt.Mean())}
		if first.known {
			row.Known = "yes"
			chance, err := routechange.Chance(code, routechange.Change{Hops: first.hops, Changed: first.changed})
			if err != nil {
				return nil, err
			}
			if n, ok := routechange.Packets(chance, 0.99); ok {
				row.Expected, row.Within = columns.Number(1/chance), columns.Number(n)
			}
		}
		rows, changes = append(rows, row), changes[n:]
	}
	return columns.Rounded(rows), nil
}

// order is the order of the rows of changes; known paths come first.
func (c change) order(o change) int {
	known := func(c change) int {
		if c.known {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(c.hops, o.hops), cmp.Compare(c.changed, o.changed), cmp.Compare(known(c), known(o)))
}
