package workloads

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"pintlab/internal/rules"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// Incast is many-to-one traffic: at each event FanIn different hosts start a flow to
// the same receiver at the same instant. Its flows are of ClassIncast.
//
// Events take place once, at Start (Every and Load zero, Duration not used), or
// repeatedly in [Start, Start+Duration): every Every, or so often that the payload
// makes up the share Load of the links of all hosts of the part.
type Incast struct {
	FanIn           int   // senders per event
	Sizes           Sizes // of each sender's flow
	Start, Duration unit.Time
	Every           unit.Time // between events; not together with Load
	Load            float64   // 0 < Load <= 1
	// Poisson makes the gaps between repeated events exponential, with the same
	// mean, instead of all equal; the first event then comes after the first gap.
	Poisson bool
	// Each event's receiver is drawn from To and its senders from From without the
	// receiver; nil is all hosts of the part. One receiver is a fixed one. If From
	// has no more senders than needed, they are not drawn but taken in order of
	// their number.
	To, From []topo.NodeID
}

func (g Incast) validate() error {
	errs := rules.Broken{checkSizes(g.Sizes)}
	errs.If(g.FanIn < 1, "fan-in %d, want >= 1", g.FanIn)
	errs.If(g.Every < 0, "time between events %d ps, want >= 0", int64(g.Every))
	switch {
	case g.once():
		errs = append(errs, checkStart(g.Start))
		errs.If(g.Duration != 0 || g.Poisson, "a duration or Poisson events need a time between events or a load")
	case g.Every != 0 && g.Load != 0:
		errs = append(errs, errors.New("both a time between events and a load, want one of them"))
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
	senders := len(from) // that every receiver has
	if slices.ContainsFunc(to, func(h Host) bool { _, ok := find(from, h.Node); return ok }) {
		senders--
	}
	if g.FanIn > senders {
		return nil, nil, fmt.Errorf("fan-in %d, but a receiver may have only %d other hosts as senders", g.FanIn, senders)
	}
	return to, from, nil
}

// gap returns the mean time between repeated events in picoseconds, on the given hosts.
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
	p.sent = p.fanIn // no event is under way
	return []process{p}, nil
}

// incastEvents yields the flows of one event after another.
type incastEvents struct {
	clock
	fanIn                  int
	sizes                  Sizes
	to, from               []Host
	receiver, sender, size *rand.Rand

	at    unit.Time // of the event under way
	dst   topo.NodeID
	order []topo.NodeID // its possible senders; those before sent have sent
	sent  int
}

func (p *incastEvents) next(f *Flow) bool {
	if p.sent == p.fanIn && !p.event() {
		return false
	}
	if len(p.order) > p.fanIn { // draw the next of those left
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

// event begins the next event, if there is one.
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
