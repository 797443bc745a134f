package pint

// A RouteQuestion measures how soon a change of a flow's path shows in PINT's digests, and
// whether a checksum keeps the packets of several paths apart (PINT paper, §7, "Tracing
// flows with multipath routing"; package pint/routechange).
//
// The flows are those of a simulated scenario; their paths change when a link fails or is
// repaired. The digests are those that switches would have written.

import (
	"context"
	"errors"
	"maps"
	"slices"

	"pintlab/experiments/results/columns"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/experiments/study"
	"pintlab/netsim"
	"pintlab/pint/coding"
	"pintlab/pint/global"
	"pintlab/pint/routechange"
)

// RouteQuestion configures the digests on the packets.
type RouteQuestion struct {
	Bits      int     `flag:"bits" default:"8" range:">=1 <=64" use:"bits {B} of a digest"`
	Instances int     `flag:"instances" default:"1" range:">=1 <=64" use:"independent digests {N} on each packet"`
	Tau       float64 `flag:"tau" default:"0.5" range:">=0 <=1" use:"{share} of Baseline packets"`
	P         float64 `flag:"p" default:"0.1" range:">0 <=1" use:"{probability} that a hop XORs"`
	Checksum  int     `flag:"checksum" default:"8" range:">=1 <=64" use:"bits {B} of the path checksum"`
}

// RouteAnswer has the route changes that the digests reveal.
type RouteAnswer struct {
	Scenario    string     `json:"scenario"`
	Flows       int        `json:"flows"`
	NotStarted  int64      `json:"not_started"` // left out: they start after the end of the run
	Packets     int        `json:"packets"`
	Long        int        `json:"longer"` // packets left out: they passed more than 64 switches
	FalseAlarms int        `json:"false_alarms"`
	Changes     []Noticed  `json:"changes"`
	Several     []Separate `json:"several"` // flows with several paths
}

// Noticed is the changes of paths of a length in a number of switches. Numbers of packets
// are 0 where there is none.
type Noticed struct {
	Hops     int     `json:"hops" col:"hops"`
	Changed  int     `json:"changed" col:"changed"`      // number of switches
	Known    string  `json:"known" col:"old path known"` // whether the old path was: `yes` or `no`
	Changes  int     `json:"changes" col:"changes"`
	Noticed  int     `json:"noticed" col:"noticed"`
	Mean     float64 `json:"mean" col:"mean" unit:"packets"` // until it is noticed
	P99      int     `json:"p99" col:"p99" unit:"packets"`
	Expected float64 `json:"expected" col:"expected" unit:"packets"` // mean; 0 for unknown paths
	// 99 % of the changes by the same chance; 0 for unknown paths
	Within int `json:"within_99" col:"99 % within" unit:"packets"`
	// mean until the new path is known; 0 if none is
	Relearnt float64 `json:"relearnt" col:"new path known after" unit:"packets"`
}

// Separate is the flows that used a number of paths.
type Separate struct {
	Paths    int     `json:"paths" col:"paths"` // of a flow
	Flows    int     `json:"flows" col:"flows"`
	Lanes    int     `json:"lanes" col:"told apart"` // told apart by checksum and length
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
	var study *routeStudy
	var code *coding.Code
	run, err := sim.Run(ctx, sc, sim.Options{Progress: p, Sink: func(s *sim.Simulation) (netsim.Sink, error) {
		_, seed := digests(s)
		family := global.Fast(seed)
		var err error
		code, err = coding.New(coding.Config{Schemes: []coding.Scheme{coding.Interleaved(q.Tau, q.P)},
			Mode: coding.Hash, Bits: q.Bits, Instances: q.Instances, Family: family})
		if err != nil {
			return nil, err
		}
		checksum, err := routechange.NewChecksum(family, q.Checksum)
		if err != nil {
			return nil, err
		}
		study = newRouteStudy(s.Net, code, checksum, s.SwitchIDs(), s.SwitchValues())
		return study, nil
	}})
	if err != nil {
		return nil, err
	}
	if err := run.Complaint(true); err != nil {
		return nil, err
	}
	r, err := study.Result()
	if err != nil {
		return nil, err
	}
	a := &RouteAnswer{Scenario: sc.Name, Flows: r.Flows, NotStarted: run.Summary.NotStarted, Packets: r.Packets,
		Long: r.Long, FalseAlarms: r.FalseAlarms}
	if a.Changes, err = noticed(code, r.Changes); err != nil {
		return nil, err
	}
	for _, n := range slices.Sorted(maps.Keys(r.Several)) {
		s := r.Several[n]
		a.Several = append(a.Several,
			Separate{n, s.Flows, s.Lanes, s.Mixed, s.Known, float64(s.Flows) * routechange.Collision(n, q.Checksum)})
	}
	a.Several = columns.Rounded(a.Several)
	return a, nil
}

// noticed groups changes by the length of the path, the switches that changed, and whether
// the old path was known.
func noticed(code *coding.Code, changes []Change) ([]Noticed, error) {
	type group struct {
		hops, changed int
		known         bool
	}
	var order []group
	until, relearnt, missed := map[group]*Distribution{}, map[group]*Distribution{}, map[group]int{}
	for _, c := range changes {
		g := group{c.Hops, c.Changed, c.Known}
		if until[g] == nil {
			until[g], relearnt[g] = &Distribution{}, &Distribution{}
			order = append(order, g)
		}
		if c.Packets == 0 {
			missed[g]++
			continue
		}
		until[g].Add(c.Packets)
		if c.Relearnt > 0 {
			relearnt[g].Add(c.Relearnt)
		}
	}
	slices.SortFunc(order, func(a, b group) int {
		switch {
		case a.hops != b.hops:
			return a.hops - b.hops
		case a.changed != b.changed:
			return a.changed - b.changed
		case a.known == b.known:
			return 0
		case a.known:
			return -1
		}
		return 1
	})
	var rows []Noticed
	for _, g := range order {
		d := until[g]
		row := Noticed{
			Hops: g.hops, Changed: g.changed, Known: "no", Changes: d.Runs() + missed[g], Noticed: d.Runs(),
			Mean: mean(d), P99: max(0, d.Quantile(0.99)), Relearnt: mean(relearnt[g]),
		}
		if g.known {
			row.Known = "yes"
			chance, err := routechange.Chance(code, routechange.Change{Hops: g.hops, Changed: g.changed})
			if err != nil {
				return nil, err
			}
			if n, ok := routechange.Packets(chance, 0.99); ok {
				row.Expected, row.Within = 1/chance, n
			}
		}
		rows = append(rows, row)
	}
	return columns.Rounded(rows), nil
}

// mean returns the mean, and 0 for an empty distribution.
func mean(d *Distribution) float64 {
	if d.Runs() == 0 {
		return 0
	}
	return d.Mean()
}
