package workloads

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"pintlab/internal/number"
	"pintlab/internal/rules"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// Incast is many-to-one traffic: at each event FanIn different hosts start a flow to the same receiver at
// the same instant. Its flows are of ClassIncast.
//
// Without Every and Load there is one event, at Start, and Duration is 0. Otherwise events repeat in
// [Start, Start+Duration): at intervals of Every, or at the rate at which the payload uses the share Load
// of the links of all the part's hosts.
type Incast struct {
	FanIn           int   // senders per event
	Sizes           Sizes // size distribution of each sender's flow
	Start, Duration unit.Time
	Every           unit.Time // time between events; not together with Load
	Load            float64   // 0 < Load <= 1
	// Poisson makes the gaps between repeated events exponential with the same mean. The first event then
	// comes after the first gap.
	Poisson bool
	// To and From are the possible receivers and senders; nil means all hosts of the part. Each event draws
	// its receiver from To and its senders from From without the receiver. If From has exactly as many
	// senders as needed, they send in the order of their node numbers.
	To, From []topo.NodeID
}

func (g Incast) validate() error {
	errs := rules.Broken{checkSizes(g.Sizes)}
	errs.If(g.FanIn < 1, "fan-in %d, want >= 1", g.FanIn)
	errs.If(g.Every < 0, "time between events %d ps, want >= 0", int64(g.Every))
	switch {
	case g.once():
		errs = append(errs, checkStart(g.Start))
		errs.If(g.Duration != 0 || g.Poisson, "a duration or Poisson events also need a time between events or a load")
	case g.Every != 0 && g.Load != 0:
		errs = append(errs, errors.New("got both a time between events and a load, want one of them"))
	case g.Every == 0:
		errs = append(errs, checkLoad(g.Load))
		fallthrough
	default:
		errs = append(errs, checkWindow(g.Start, g.Duration))
	}
	return errors.Join(errs...)
}

func (g Incast) once() bool { return g.Every == 0 && g.Load == 0 }

// parties returns the possible receivers and senders among hosts.
func (g Incast) parties(hosts []Host) (to, from []Host, err error) {
	to, errTo := pick(hosts, g.To)
	if errTo != nil {
		errTo = fmt.Errorf("receivers: %w", errTo)
	}
	from, errFrom := pick(hosts, g.From)
	if errFrom != nil {
		errFrom = fmt.Errorf("senders: %w", errFrom)
	}
	if err := errors.Join(errTo, errFrom); err != nil {
		return nil, nil, err
	}
	if len(to) == 0 {
		return nil, nil, errors.New("no receivers")
	}
	senders := len(from) // number of senders available to every receiver
	if slices.ContainsFunc(to, func(h Host) bool { _, ok := find(from, h.Node); return ok }) {
		senders--
	}
	if g.FanIn > senders {
		return nil, nil, fmt.Errorf("fan-in %d, but a receiver may have only %s as senders", g.FanIn,
			number.Count(senders, "other host"))
	}
	return to, from, nil
}

// gap returns the mean time between repeated events in picoseconds.
func (g Incast) gap(hosts []Host) float64 {
	if g.Every != 0 {
		return float64(g.Every)
	}
	return meanGap(float64(float64(g.FanIn)*g.Sizes.Mean()), g.Load, totalRate(hosts))
}

func (g Incast) open(at site) ([]process, error) {
	if err := g.validate(); err != nil {
		return nil, err
	}
	to, from, err := g.parties(at.hosts)
	if err != nil {
		return nil, err
	}
	events := clock{now: g.Start, end: g.Start + 1, gap: 1, first: true}
	if !g.once() {
		events = clock{now: g.Start, end: g.Start + g.Duration, gap: g.gap(at.hosts), first: true}
		if g.gap(at.hosts) < 1 {
			return nil, fmt.Errorf("events every %.3g ps, want at least 1 ps apart", g.gap(at.hosts))
		}
	}
	if g.Poisson {
		events.random, events.first = at.stream("events"), false
	}
	p := &incastEvents{
		clock:    events,
		fanIn:    g.FanIn,
		sizes:    g.Sizes,
		to:       to,
		from:     from,
		receiver: at.stream("receivers"),
		sender:   at.stream("senders"),
		size:     at.stream("sizes"),
		order:    make([]topo.NodeID, 0, len(from)),
	}
	p.sent = p.fanIn // no event is in progress
	return []process{p}, nil
}

// incastEvents generates the flows of one event after the other.
type incastEvents struct {
	clock
	fanIn                  int
	sizes                  Sizes
	to, from               []Host
	receiver, sender, size *rand.Rand

	at    unit.Time // time of the present event
	dst   topo.NodeID
	order []topo.NodeID // possible senders of the event; order[:sent] have sent
	sent  int
}

func (p *incastEvents) next(f *Flow) bool {
	if p.sent == p.fanIn && !p.event() {
		return false
	}
	if len(p.order) > p.fanIn { // draw the next sender among the rest
		i := p.sent + int(below(p.sender.Uint64(), uint64(len(p.order)-p.sent)))
		p.order[p.sent], p.order[i] = p.order[i], p.order[p.sent]
	}
	f.Start = p.at
	f.Src = p.order[p.sent]
	f.Dst = p.dst
	f.Size = Draw(p.sizes, p.size)
	f.DstPort, f.Class = IncastPort, ClassIncast
	p.sent++
	return true
}

// event starts the next event and reports whether there is one.
func (p *incastEvents) event() bool {
	at, ok := p.tick()
	if !ok {
		return false
	}
	p.at = at
	p.dst = p.to[below(p.receiver.Uint64(), uint64(len(p.to)))].Node
	p.order = p.order[:0]
	for _, h := range p.from {
		if h.Node != p.dst {
			p.order = append(p.order, h.Node)
		}
	}
	p.sent = 0
	return true
}
