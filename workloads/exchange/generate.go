package exchange

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"pintlab/internal/hash"
	"pintlab/internal/number"
	"pintlab/internal/numeric"
	"pintlab/internal/rules"
	"pintlab/netsim/unit"
)

// Config describes a generated trace.
type Config struct {
	Requests int64
	// Interval is the time between requests, or the mean of this time if Poisson is set.
	Interval unit.Time
	Poisson  bool
	// Answered is the probability that a request has a response.
	Answered float64
	Delays   Law
	// Orphans is the mean number of responses without a request, per request. These responses arrive as a Poisson
	// process until the last request.
	Orphans float64
	Seed    uint64
}

// maxRequests is the largest number of requests of a generated trace.
const maxRequests = 1 << 40

// Synthetic returns the trace of §5.2 with the longest delay T, above 1 ms: 1.25 million requests at 1
// million requests per second, 40 % of them answered, so 0.5 million samples.
func Synthetic(longest unit.Time, seed uint64) Config {
	return Config{
		Requests: 1_250_000, Interval: unit.Microsecond, Answered: 0.4,
		Delays: LogUniform{unit.Millisecond, longest}, Seed: seed,
	}
}

// ISP returns a trace with the statistics that §5 reports: 10 million packets in 11.4 s, 61 % of them
// requests, of which 13 % are answered after 57.8 ms on average.
func ISP(seed uint64) Config {
	const requests, responses = 6_100_000, 3_900_000
	return Config{
		Requests: requests, Interval: 11_400 * unit.Millisecond / requests, Poisson: true, Answered: 0.13,
		Delays: LogNormal{57_800 * unit.Microsecond, 1.302}, Orphans: float64(responses)/requests - 0.13, Seed: seed,
	}
}

// validate returns an error that lists every rule that c breaks.
func (c Config) validate() error {
	var errs rules.Broken
	errs.If(c.Requests < 1 || c.Requests > maxRequests, "requests = %d, want 1 to %d", c.Requests, int64(maxRequests))
	errs.If(c.Interval < 1, "interval between requests = %v, want at least 1ps", c.Interval)
	if c.Requests > 0 && c.Interval > math.MaxInt64/4/unit.Time(c.Requests) {
		errs = append(errs, fmt.Errorf("interval between requests = %v, want at most %v for %s", c.Interval,
			math.MaxInt64/4/unit.Time(c.Requests), number.Count(c.Requests, "request")))
	}
	errs.If(!(c.Answered >= 0 && c.Answered <= 1), "answered = %v, want 0 to 1", c.Answered)
	errs.If(!(c.Orphans >= 0 && c.Orphans <= 1000), "orphans = %v, want 0 to 1000", c.Orphans)
	if c.Delays == nil {
		errs = append(errs, errors.New("no law of delays"))
	} else {
		errs = append(errs, c.Delays.validate())
	}
	return errs.Err("trace of requests and responses")
}

// Generator generates the trace of a Config. It stores the responses that are still to come.
type Generator struct {
	cfg      Config
	arrivals *rand.Rand
	fates    *rand.Rand
	delays   *rand.Rand
	strays   *rand.Rand

	made      int64 // requests so far
	next      unit.Time
	orphan    unit.Time // time of the next response without request
	orphans   uint64
	responses heap
}

// orphanID marks the identifiers of responses without request.
const orphanID = 1 << 63

// Generate makes the trace. Its first request is at time 0, or a random gap later.
func Generate(c Config) (*Generator, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	g := &Generator{
		cfg:      c,
		arrivals: hash.Stream(c.Seed, "exchange/arrivals"), fates: hash.Stream(c.Seed, "exchange/answered"),
		delays: hash.Stream(c.Seed, "exchange/delays"), strays: hash.Stream(c.Seed, "exchange/orphans"),
	}
	if c.Poisson {
		g.next = g.gap(g.arrivals, float64(c.Interval))
	}
	if c.Orphans > 0 {
		g.orphan = g.gap(g.strays, float64(c.Interval)/c.Orphans)
	}
	return g, nil
}

// gap draws an exponential time with a mean in picoseconds.
func (g *Generator) gap(r *rand.Rand, mean float64) unit.Time {
	return whole(float64(mean * numeric.Exponential(r.Uint64())))
}

// Next writes the next event to e. At equal times, responses come first.
func (g *Generator) Next(e *Event) bool {
	more := g.made < g.cfg.Requests
	if len(g.responses) > 0 &&
		(!more || g.responses[0].Time <= g.next && (g.cfg.Orphans == 0 || g.responses[0].Time <= g.orphan)) {
		*e = g.responses.pop()
		return true
	}
	if !more {
		return false
	}
	if g.cfg.Orphans > 0 && g.orphan <= g.next {
		*e = Event{g.orphan, orphanID | g.orphans, true}
		g.orphans++
		g.orphan += g.gap(g.strays, float64(g.cfg.Interval)/g.cfg.Orphans)
		return true
	}
	*e = Event{g.next, uint64(g.made), false}
	g.made++
	if g.fates.Float64() < g.cfg.Answered {
		g.responses.push(Event{e.Time + g.cfg.Delays.Draw(g.delays), e.ID, true})
	}
	if g.cfg.Poisson {
		g.next += g.gap(g.arrivals, float64(g.cfg.Interval))
	} else {
		g.next += g.cfg.Interval
	}
	return true
}

// Err returns nil: generation does not fail.
func (g *Generator) Err() error { return nil }

// heap is a binary heap of events with the earliest first. At equal times the response to the earlier
// request is first.
type heap []Event

func (e *Event) before(o *Event) bool { return e.Time < o.Time || e.Time == o.Time && e.ID < o.ID }

func (h *heap) push(e Event) {
	*h = append(*h, e)
	list, i := *h, len(*h)-1
	for i > 0 {
		parent := (i - 1) / 2
		if !e.before(&list[parent]) {
			break
		}
		list[i] = list[parent]
		i = parent
	}
	list[i] = e
}

func (h *heap) pop() Event {
	list := *h
	first, last := list[0], list[len(list)-1]
	list = list[:len(list)-1]
	*h = list
	i := 0
	for len(list) > 0 {
		child := 2*i + 1
		if child >= len(list) {
			break
		}
		if child+1 < len(list) && list[child+1].before(&list[child]) {
			child++
		}
		if !list[child].before(&last) {
			break
		}
		list[i] = list[child]
		i = child
	}
	if len(list) > 0 {
		list[i] = last
	}
	return first
}
