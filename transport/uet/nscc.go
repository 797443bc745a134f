package uet

import (
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// sender is the congestion control of a flow. NSCC changes its window. With RCCC alone, or a
// constant window, it only tracks the base RTT. uet-htsim counts bytes and picoseconds and
// truncates to whole numbers after each step; so does sender.
type sender struct {
	*Params
	pool   *transport.Pool
	line   unit.Rate
	packet int64 // size of the largest packet
	gains

	window, most int64
	base         unit.Time // smallest RTT
	average      unit.Time // average queueing delay
	pending      uint32    // sum of pending increases, multiplied by the window; it wraps as in uet-htsim
	received     int64     // bytes since pending was applied
	adjusted     unit.Time // time of the last eta increase
	decreased    unit.Time // time of the last multiplicative decrease
	calm         int64     // successive bytes with almost no delay
	fast         bool      // fast increase is active

	// Quick adapt: achieved counts the bytes that arrived in this period, which ends at until.
	// After quick adapt has acted, ACKs with marks are ignored for ignore bytes; ignored counts
	// these bytes.
	achieved, ignored, ignore int64
	until                     unit.Time
	trimmed                   bool // a packet was trimmed since quick adapt acted
}

// gains holds the constants of NSCC for a flow (§6.1).
type gains struct {
	alpha, fi, fiScale, eta float64
	period                  unit.Time
}

func (c *sender) Start(_ unit.Time, f transport.FlowInfo) {
	rtt := c.BaseRTT
	c.pool.Start()
	*c = sender{Params: c.Params, pool: c.pool, line: f.LineRate, packet: int64(f.Packet), base: rtt}
	if c.OwnRTT {
		c.base = f.BaseRTT
	}
	c.limit()
	c.window = c.most
	if c.Initial > 0 {
		c.window = int64(c.Initial) * c.packet
	}
	if !c.adapts() {
		return
	}
	mss, target := float64(f.Segment), float64(c.Target)
	a := float64(c.line.In(rtt)) / float64(c.RefBDP)
	b := target / float64(c.RefRTT)
	c.gains = gains{
		alpha: c.Proportional * mss * a * b / target, fi: c.Fair * mss * a, fiScale: c.Fast * a, eta: c.Eta * mss * a,
		period: rtt,
	}
}

// limit updates the largest window.
func (c *sender) limit() { c.most = max(c.packet, int64(c.MaxWindow*float64(c.line.In(c.base)))) }

func (c *sender) Window() unit.Bytes { return unit.Bytes(c.window) }

func (c *sender) Rate() unit.Rate { return c.line }

// lower updates the base RTT if an RTT is smaller.
func (c *sender) lower(rtt unit.Time) {
	if rtt < c.base {
		c.base = rtt
		c.limit()
	}
}

// OnAck implements transport.Controller. a.Acked counts bytes on the wire: the bytes received since
// the last ACK, or the size of a trimmed packet.
func (c *sender) OnAck(now unit.Time, a *transport.Ack) bool {
	n := int64(a.Acked)
	if a.Nack {
		if a.HasRTT && c.NackRTT {
			c.lower(a.RTT)
		}
		return c.adapts() && c.onTrimmed(now, a, n)
	}
	c.achieved += n
	c.received += n
	c.ignored += n
	if c.Penalty > 0 {
		c.window = max(c.window-n*int64(c.Penalty)>>7, c.packet)
	}
	delay := c.average
	if a.HasRTT {
		c.lower(a.RTT)
		delay = a.RTT - c.base
		if c.adapts() {
			delay = c.pool.OfTime(delay, float64(c.window)/float64(c.packet))
			c.learn(delay, a.Marked)
		}
	}
	return c.adapts() && c.onArrived(now, a, n, delay)
}

// learn adds a queueing delay to the average (§6.2). A large delay without a mark counts as a small
// delay.
func (c *sender) learn(delay unit.Time, marked bool) {
	if !marked && delay > c.Target {
		delay = c.base / 4
	}
	c.average = unit.Time(float64(c.Weight*float64(delay)) + float64((1-c.Weight)*float64(c.average)))
}

// onArrived implements §6.3 for n received bytes. It reports whether the window has changed.
func (c *sender) onArrived(now unit.Time, a *transport.Ack, n int64, delay unit.Time) bool {
	was := c.window
	if c.quickAdapt(now, a, false, a.Marked, delay) {
		return c.window != was
	}
	switch high := delay >= c.Target; {
	case !a.Marked && high:
		c.add(float64(c.fi * float64(n)))
	case !a.Marked:
		if c.increaseFast(n, delay); !c.fast {
			c.add(float64(c.alpha * float64(n) * float64(c.Target-delay)))
		}
	case high:
		c.decrease(now)
	}
	c.clamp()
	if c.received > int64(c.Adjust)*c.packet || now-c.adjusted > c.period {
		c.window += int64(c.pending) / c.window
		if now-c.adjusted >= c.period {
			c.window = int64(float64(c.window) + c.eta)
			c.adjusted = now
		}
		c.pending, c.received = 0, 0
	}
	c.clamp()
	return c.window != was
}

// add adds to the pending increase, modulo 2^32.
func (c *sender) add(x float64) { c.pending = uint32(int64(float64(c.pending) + x)) }

// clamp keeps the window within its bounds.
func (c *sender) clamp() { c.window = min(max(c.window, c.packet), c.most) }

// increaseFast grows the window at once if a whole window of bytes has arrived almost without delay.
func (c *sender) increaseFast(n int64, delay unit.Time) {
	if delay >= c.FastDelay {
		c.calm, c.fast = 0, false
		return
	}
	c.calm += n
	if c.calm > c.window || c.fast {
		c.window = int64(float64(c.window) + float64(c.fiScale*float64(n)))
		c.fast = true
	}
}

// decrease cuts the window in proportion to the excess of the average delay over the target, once
// per base RTT.
func (c *sender) decrease(now unit.Time) {
	c.fast, c.calm = false, 0
	if c.average > c.Target && now-c.decreased > c.base {
		left := max(1-float64(c.Gamma*float64(c.average-c.Target))/float64(c.average), c.Least)
		c.window = max(int64(float64(c.window)*left), c.packet)
		c.decreased = now
	}
}

// quickAdapt sets the window to the bytes that arrived in a period, if these bytes are few and
// congestion is heavy (§6.4). It reports whether the ACK must change nothing else.
func (c *sender) quickAdapt(now unit.Time, a *transport.Ack, loss, marked bool, delay unit.Time) (done bool) {
	switch {
	case c.ignored < c.ignore && marked:
		done = true
	case now > c.until:
		heavy := c.trimmed || loss || float64(delay) > c.QADelay*float64(c.Target)
		if c.until != 0 && heavy && c.achieved < c.most>>c.Gate {
			c.window = max(c.achieved, c.packet)
			c.ignore, c.ignored, c.trimmed = int64(a.Flight), 0, false
			done = true
		}
		c.achieved, c.until = 0, now+c.base+c.Target
	}
	if done {
		c.pending, c.received = 0, 0
	}
	return done
}

// onTrimmed implements §6.5 for a NACK for a packet of this size. It reports whether the window has
// changed.
func (c *sender) onTrimmed(now unit.Time, a *transport.Ack, size int64) bool {
	was := c.window
	c.ignored += size
	c.learn(c.BaseRTT, true)
	c.trimmed = true
	if !c.quickAdapt(now, a, true, true, 0) && !(c.credits() && a.AtHost) {
		c.window -= size
		c.clamp()
	}
	return c.window != was
}

// OnLoss implements transport.Controller. A timeout reduces the window by a packet (§5).
func (c *sender) OnLoss(_ unit.Time, l transport.Loss) {
	if c.adapts() {
		c.window = max(c.window-int64(l.Flight), c.packet)
	}
}

// Explain implements transport.Explainer. It reports window, largest window, base_rtt, the average
// delay, and the pending increase.
func (c *sender) Explain(terms []transport.Term) []transport.Term {
	return append(terms,
		transport.Term{Name: "window", Value: float64(c.window)},
		transport.Term{Name: "max_window", Value: float64(c.most)},
		transport.Term{Name: "base_rtt", Value: float64(c.base)},
		transport.Term{Name: "delay", Value: float64(c.average)},
		transport.Term{Name: "pending", Value: float64(c.pending)})
}
