package hpcc

import (
	"pintlab/netsim"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// pooled is a gauge for sprayed packets. It returns the median of the latest values of U of a flow, or another
// statistic of these values (transport.Pooling). No paper describes this: it is the rule of arXiv 2509.07907, which is
// for delays, applied to U.
type pooled struct {
	Gauge
	of     *Sender
	pool   *transport.Pool
	packet float64
}

func (g *pooled) Start(f transport.FlowInfo, t unit.Time, bdp unit.Bytes) {
	g.Gauge.Start(f, t, bdp)
	g.pool.Start()
	g.packet = float64(f.Segment)
}

// Utilisation updates the pool only if the ACK has feedback. If only a share of packets carries a PINT digest, the
// latest values are those of packets that carried one.
func (g *pooled) Utilisation(now unit.Time, a *transport.Ack) (u float64, first, fresh bool) {
	u, first, fresh = g.Gauge.Utilisation(now, a)
	if fresh && !first {
		u = g.pool.Of(u, float64(g.of.window)/g.packet)
	}
	return u, first, fresh
}

func (g *pooled) Explain(terms []transport.Term) []transport.Term {
	if e, ok := g.Gauge.(transport.Explainer); ok {
		return e.Explain(terms)
	}
	return terms
}

// ports computes U from the telemetry of every hop, like INT, for packets that take different paths. It stores the last
// record of every port that the packets of the flow have passed. An average (EWMA) of U would mix paths, so each port
// has its own average.
type ports struct {
	rates  func(netsim.PortID) unit.Rate
	fields telemetry.Fields // nil: the fields are exact
	age    float64          // in T
	ewma   bool

	t, bdp, line float64
	base, oldest unit.Time
	last         map[netsim.PortID]*lastRecord
	spare        []*lastRecord
	sample       float64
	span         unit.Time
}

// lastRecord is the last record of a port, and the average load of the port.
type lastRecord struct {
	netsim.PortSample
	came unit.Time // time of its ACK
	rate float64
	u    float64 // 1 before the first load, as in INT
}

func newPorts(rates func(netsim.PortID) unit.Rate, fields telemetry.Fields, age float64, ewma bool) *ports {
	return &ports{rates: rates, fields: fields, age: age, ewma: ewma, last: map[netsim.PortID]*lastRecord{}}
}

func (g *ports) Start(f transport.FlowInfo, t unit.Time, bdp unit.Bytes) {
	g.base, g.t, g.bdp, g.line = t, ns(t), float64(bdp), float64(f.LineRate)
	g.oldest = unit.Time(min(g.age*float64(t), float64(unit.Never)/2))
	for _, r := range g.last {
		g.spare = append(g.spare, r)
	}
	clear(g.last)
}

// Utilisation returns the load of the busiest port with an earlier record. If no port of the packet has an earlier
// record, the packet only starts the measurement. fresh is false in this case, so the flow waits for the next packet
// and not for a round trip.
func (g *ports) Utilisation(now unit.Time, a *transport.Ack) (u float64, first, fresh bool) {
	g.sample, g.span = 0, 0
	for i := range a.Hops {
		r := g.last[a.Hops[i].Port]
		if r == nil {
			g.remember(now, a.Hops[i])
			continue
		}
		before := r.PortSample
		if now-r.came > g.oldest {
			r.u, r.PortSample, r.came = 1, a.Hops[i], now
			continue
		}
		load, dt := g.load(&a.Hops[i], &before, r.rate)
		if dt <= 0 || dt > 2*g.oldest {
			continue // the packet was overtaken, so its record is older than the stored one; dt may have wrapped
		}
		r.PortSample, r.came, fresh = a.Hops[i], now, true
		tau := min(dt, g.base)
		if r.u = (float64(r.u*(g.t-ns(tau))) + float64(load*ns(tau))) / g.t; g.ewma {
			u = max(u, r.u)
		} else {
			u = max(u, load)
		}
		if load > g.sample {
			g.sample, g.span = load, tau
		}
	}
	return u, false, fresh
}

// load returns the load of a port between two of its records (Algorithm 1, lines 4 and 5), and the time between them.
func (g *ports) load(now, old *netsim.PortSample, rate float64) (load float64, dt unit.Time) {
	dt, tx := now.TS-old.TS, now.Sent-old.Sent
	if g.fields != nil {
		dt, tx = g.fields.TimeSince(now.TS, old.TS), g.fields.TxSince(now.Sent, old.Sent)
	}
	if dt <= 0 {
		return 0, dt
	}
	load = float64(tx*8) / float64(ns(dt)*1e-9) / rate
	return load + float64(float64(min(now.Queue, old.Queue))*g.line/rate/g.bdp), dt
}

func (g *ports) remember(now unit.Time, s netsim.PortSample) {
	var r *lastRecord
	if n := len(g.spare); n > 0 {
		r, g.spare = g.spare[n-1], g.spare[:n-1]
	} else {
		r = &lastRecord{}
	}
	*r = lastRecord{s, now, float64(g.rates(s.Port)), 1}
	g.last[s.Port] = r
}

// Explain implements transport.Explainer, with the terms of INT for the busiest port.
func (g *ports) Explain(terms []transport.Term) []transport.Term {
	return append(terms, transport.Term{Name: "sample", Value: g.sample},
		transport.Term{Name: "span", Value: float64(g.span)})
}
