// Package diagnose names the culprit of an end-to-end symptom from what the switches on the
// expected path know about the victim's flow (LightGuardian, §6.2):
//
//   - packets stop after a switch: a blackhole;
//   - a switch has seen many times the packets of the switch before it: a loop, which consists of
//     all switches that have seen as many;
//   - a switch has seen somewhat fewer packets than the switch before it: random drops;
//   - the longest time between two packets grows at a switch: jitter on the link to it;
//   - most packets are slow at a switch: inflated latency;
//   - a packet of the flow has passed a switch that is not expected: an abnormal path.
//
// The LightGuardian paper compares each switch P with its last hop L by the ratio P/L, of packets or of
// times, and reports P. Here a finding also has L, because the fault may be in the link between them. In
// 100, 100, 100, 0, 0 (the LightGuardian paper's example) the fourth switch is reported: it has not counted
// packets that it lost before its egress.
//
// # What the LightGuardian paper leaves open
//
// The sketches of all switches swap at one instant, while packets are between the switches. To find a
// blackhole, Locate therefore takes P over an interval and the next one; to find a loop, it takes L over an
// interval and the interval before. To find random drops, it takes sums over the life of the flow; if part of
// the life is unknown, it takes L over one interval less. If the whole life is known, the packets that the
// sender sent count as the hop before the first switch, and those that the destination received as the hop
// after the last one. A host's link can then be the culprit. The threshold below which a decrease is a
// blackhole and not random drops is a parameter.
package diagnose

import (
	"fmt"
	"slices"

	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// Cells is the number of delay cells, the slowest last.
const Cells = 4

// Row contains what a switch knows about a flow in an interval. If Known is false, no other field is set.
type Row struct {
	Known   bool
	Packets uint64
	Delay   [Cells]uint64 // packets by their delay at the switch
	Longest unit.Time     // between two packets; 0 if unknown
}

// View gives access to what all switches know.
type View interface {
	// Intervals returns the range of the known intervals. The first one is number `from`, and the last one is number to
	// - 1.
	Intervals() (from, to int)
	// Row returns what a switch knows about the flow in an interval.
	Row(interval int, at netsim.NodeID, flow uint64) Row
	// Strays returns switches that are not on the victim's path, but that packets of the victim have passed, as far as
	// the destination knows.
	Strays(v *Victim) []netsim.NodeID
}

// Symptom is a problem that an end host notices about its flow.
type Symptom string

// The symptoms. If a flow has several, the first one in this list counts.
const (
	Timeout        Symptom = "timeout"
	Retransmission Symptom = "retransmission"
	Strayed        Symptom = "abnormal path" // a packet carried a sketchlet of a switch that is not on its path
	Gaps           Symptom = "jitter"
	Latency        Symptom = "inflated latency"
)

// Rule is the rule of a finding.
type Rule string

// The rules of §6.2.
const (
	Blackhole Rule = "blackhole"
	Loop      Rule = "loop"
	Drops     Rule = "random drops"
	Jitter    Rule = "jitter"
	Slow      Rule = "inflated latency"
	Abnormal  Rule = "abnormal path"
)

// Victim is a flow with a symptom.
type Victim struct {
	Flow    uint64
	Symptom Symptom
	Source  netsim.NodeID   // host
	Path    []netsim.NodeID // expected switches, from the source to the destination
	Life    [2]int          // intervals with its packets: from Life[0] up to, but not including, Life[1]
	Sent    uint64          // data packets sent in these intervals, including retransmissions; 0 if unknown
	// Data packets that have reached the destination. A dead host reports 0.
	Destination netsim.NodeID
	Received    uint64
}

// Finding is a culprit.
type Finding struct {
	Rule     Rule
	Switches []netsim.NodeID // the culprit; for a loop, all switches in it
	Last     netsim.NodeID   // the hop before the first culprit, or -1
	P, L     float64         // what the rule compares: packets, seconds, or a share of packets (L = 0)
	Interval int             // -1 stands for the life of the flow
}

// Thresholds are the thresholds of the rules. Make them with Default. The tags describe the flags of pintlab.
type Thresholds struct {
	// Limit in [0, 1): a lower P/L of packets is a blackhole.
	Blackhole float64 `flag:"blackhole" range:">=0 <1" use:"a switch with less than this {share} of the packets of the one before is a blackhole"`
	// Limit in [Blackhole, 1]: a lower P/L of packets means random drops.
	Drops float64 `flag:"drops" range:">=0 <=1" use:"a switch with less than this {share} of the packets of the one before, over the life of the flow, drops packets"`
	// Limit above 1: a higher P/L of packets is a loop.
	Loop float64 `flag:"loop" range:">1 <=1e9" because:"no run has so many packets to count" use:"a switch with more than {X} times the packets of the one before is in a loop"`
	// Limit above 1: a higher P/L of longest times is jitter.
	Jitter float64 `flag:"jitter" range:">1 <=1e9" because:"no run lasts so long" use:"a switch with {X} times the longest time between packets of the one before has jitter"`
	// Limit in (0, 1]: at least this share of packets in the slowest delay cell is inflated latency.
	Slow    float64 `flag:"slow" range:">0 <=1" use:"a switch with this {share} of the packets in the slowest delay cell inflates latency"`
	Packets uint64  // rules apply only if L has this many packets; at least 1
}

// Default returns the default thresholds. The LightGuardian paper has a number only for inflated latency
// (80 % of the packets over 10 µs). The others maximise the F1 score of lightguardian/fig7.
func Default() Thresholds {
	return Thresholds{Blackhole: 0.1, Drops: 0.99, Loop: 3, Jitter: 3, Slow: 0.8, Packets: 2}
}

// Validate reports every rule that the thresholds break.
func (t Thresholds) Validate() error {
	switch {
	case !(t.Blackhole >= 0 && t.Blackhole < 1):
		return fmt.Errorf("threshold of a blackhole = %v, want at least 0 and below 1", t.Blackhole)
	case !(t.Drops >= t.Blackhole && t.Drops <= 1):
		return fmt.Errorf("threshold of random drops = %v, want at least %v (the blackhole threshold) and at most 1",
			t.Drops, t.Blackhole)
	case !(t.Loop > 1):
		return fmt.Errorf("threshold of a loop = %v, want more than 1", t.Loop)
	case !(t.Jitter > 1):
		return fmt.Errorf("threshold of jitter = %v, want more than 1", t.Jitter)
	case !(t.Slow > 0 && t.Slow <= 1):
		return fmt.Errorf("threshold of inflated latency = %v, want a share above 0 and at most 1", t.Slow)
	case t.Packets < 1:
		return fmt.Errorf("packets of the last hop = %d, want at least 1", t.Packets)
	}
	return nil
}

// Locate looks for the culprit of a victim; ok is false if no rule finds one. It tries the rules
// of the symptom first. adjacent reports whether a link joins two nodes.
func Locate(v *Victim, view View, t Thresholds, adjacent func(a, b netsim.NodeID) bool) (f Finding, ok bool) {
	m := newMatrix(v, view)
	lost := []func(*matrix, *Victim, Thresholds) (Finding, bool){loop, blackhole, drops}
	var rules []func(*matrix, *Victim, Thresholds) (Finding, bool)
	switch v.Symptom {
	case Timeout, Retransmission:
		rules = append(lost, jitter)
	case Gaps:
		rules = append([]func(*matrix, *Victim, Thresholds) (Finding, bool){jitter}, lost...)
	case Latency:
		rules = append([]func(*matrix, *Victim, Thresholds) (Finding, bool){slow, jitter}, lost...)
	}
	for _, rule := range rules {
		if f, ok := rule(m, v, t); ok {
			return f, true
		}
	}
	return abnormal(v, view.Strays(v), adjacent)
}

// matrix contains the rows of the switches of a path during the life of a flow.
type matrix struct {
	from int
	rows [][]Row // by interval and hop
	// By hop, the sums and the longest time, over the intervals that every switch of the path knows.
	all []Row
	// By hop, the packets of these intervals. The last interval is omitted unless whole is set, because the next hop
	// counts some packets of an interval in the interval after it.
	before []uint64
	whole  bool // these intervals cover the life of the flow
}

func newMatrix(v *Victim, view View) *matrix {
	from, to := view.Intervals()
	m := &matrix{from: max(from, v.Life[0]), all: make([]Row, len(v.Path)), before: make([]uint64, len(v.Path))}
	m.whole = from <= v.Life[0] && v.Life[1] <= to
	for i := m.from; i < min(to, v.Life[1]); i++ {
		row := make([]Row, len(v.Path))
		known := len(v.Path) > 0
		for j, at := range v.Path {
			row[j] = view.Row(i, at, v.Flow)
			known = known && row[j].Known
		}
		m.rows = append(m.rows, row)
		if !known {
			m.whole = false
			continue
		}
		for j, r := range row {
			a := &m.all[j]
			m.before[j] = a.Packets
			a.Known = true
			a.Packets += r.Packets
			a.Longest = max(a.Longest, r.Longest)
			for c, n := range r.Delay {
				a.Delay[c] += n
			}
		}
	}
	if m.whole {
		for j, a := range m.all {
			m.before[j] = a.Packets
		}
	}
	return m
}

// last returns the hop before a switch of a path.
func last(v *Victim, hop int) netsim.NodeID {
	if hop == 0 {
		return v.Source
	}
	return v.Path[hop-1]
}

// loop finds the first switch with P/L of packets above the threshold. L of the first switch is the number of
// packets sent.
func loop(m *matrix, v *Victim, t Thresholds) (Finding, bool) {
	for n, row := range append(slices.Clip(m.rows), m.all) {
		for i, p := range row {
			l := v.Sent // an upper bound of the packets that were sent in one interval
			if i > 0 {
				l = row[i-1].Packets
				if !row[i-1].Known {
					continue
				}
				if 0 < n && n < len(m.rows) { // packets in flight when the sketches swapped
					before := m.rows[n-1][i-1]
					if l += before.Packets; !before.Known {
						continue
					}
				} else if n == 0 && m.from > v.Life[0] {
					continue // the interval before is unknown
				}
			}
			if !p.Known || l < t.Packets || float64(p.Packets) <= t.Loop*float64(l) {
				continue
			}
			f := m.finding(Loop, v, i, n, float64(p.Packets), float64(l))
			for j := i + 1; j < len(row) && row[j].Known && float64(row[j].Packets) > t.Loop*float64(l); j++ {
				f.Switches = append(f.Switches, v.Path[j])
			}
			return f, true
		}
	}
	return Finding{}, false
}

// blackhole finds the first switch with P/L of packets below the threshold.
func blackhole(m *matrix, v *Victim, t Thresholds) (Finding, bool) {
	for n, row := range m.rows {
		for i := 1; i < len(row); i++ {
			p, l := row[i], row[i-1]
			if !p.Known || !l.Known || l.Packets < t.Packets {
				continue
			}
			late := p.Packets // packets in flight when the sketches swap
			if n+1 < len(m.rows) {
				if next := m.rows[n+1][i]; next.Known {
					late += next.Packets
				} else {
					continue
				}
			}
			if float64(late) < t.Blackhole*float64(l.Packets) || late == 0 {
				return m.finding(Blackhole, v, i, n, float64(late), float64(l.Packets)), true
			}
		}
	}
	for i := 1; i < len(m.all); i++ {
		if p, l := m.all[i], m.before[i-1]; p.Known && l >= t.Packets &&
			(p.Packets == 0 || float64(p.Packets) < t.Blackhole*float64(l)) {
			return m.finding(Blackhole, v, i, len(m.rows), float64(p.Packets), float64(l)), true
		}
	}
	if f, ok := atHost(m, v, t); ok && (v.Received == 0 || f.P < t.Blackhole*f.L) {
		f.Rule = Blackhole
		return f, true
	}
	if m.whole && len(m.all) > 0 && m.all[0].Known && v.Sent >= t.Packets &&
		(m.all[0].Packets == 0 || float64(m.all[0].Packets) < t.Blackhole*float64(v.Sent)) {
		return m.finding(Blackhole, v, 0, len(m.rows), float64(m.all[0].Packets), float64(v.Sent)), true
	}
	return Finding{}, false
}

// drops finds the switch with the least P/L of packets over the life of the flow, if this P/L is below the threshold.
func drops(m *matrix, v *Victim, t Thresholds) (f Finding, ok bool) {
	least := t.Drops
	for i, p := range m.all {
		l := v.Sent
		if i > 0 {
			l = m.before[i-1]
		}
		if !p.Known || i == 0 && !m.whole || l < t.Packets || float64(p.Packets) >= least*float64(l) {
			continue
		}
		least = float64(p.Packets) / float64(l)
		f, ok = m.finding(Drops, v, i, len(m.rows), float64(p.Packets), float64(l)), true
	}
	if x, found := atHost(m, v, t); found && x.P < least*x.L {
		x.Rule = Drops
		return x, true
	}
	return f, ok
}

// atHost compares the packets at the destination with the packets at the last switch.
func atHost(m *matrix, v *Victim, t Thresholds) (Finding, bool) {
	if len(m.all) == 0 || !m.whole {
		return Finding{}, false
	}
	l := m.all[len(m.all)-1]
	if !l.Known || l.Packets < t.Packets {
		return Finding{}, false
	}
	return Finding{
		Switches: []netsim.NodeID{v.Destination}, Last: v.Path[len(v.Path)-1],
		P: float64(v.Received), L: float64(l.Packets), Interval: -1,
	}, true
}

// jitter finds the switch with the largest P/L of the longest times, if this P/L is above the threshold.
func jitter(m *matrix, v *Victim, t Thresholds) (f Finding, ok bool) {
	most := t.Jitter
	for n, row := range m.rows {
		for i := 1; i < len(row); i++ {
			p, l := row[i], row[i-1]
			if !p.Known || !l.Known || l.Packets < t.Packets || l.Longest == 0 || p.Longest.Ratio(l.Longest) <= most {
				continue
			}
			most = p.Longest.Ratio(l.Longest)
			f, ok = m.finding(Jitter, v, i, n, p.Longest.Seconds(), l.Longest.Seconds()), true
		}
	}
	return f, ok
}

// slow finds the switch with the largest share of packets in the slowest cell, if this share reaches the threshold.
func slow(m *matrix, v *Victim, t Thresholds) (f Finding, ok bool) {
	most := 0.0
	for i, p := range m.all {
		var n uint64
		for _, c := range p.Delay {
			n += c
		}
		if n < t.Packets {
			continue
		}
		if share := float64(p.Delay[Cells-1]) / float64(n); share >= t.Slow && share > most {
			most = share
			f, ok = m.finding(Slow, v, i, len(m.rows), share, 0), true
		}
	}
	return f, ok
}

// abnormal reports that packets leave the path at the first expected switch next to a stray.
func abnormal(v *Victim, strays []netsim.NodeID, adjacent func(a, b netsim.NodeID) bool) (Finding, bool) {
	if len(strays) == 0 {
		return Finding{}, false
	}
	f := Finding{Rule: Abnormal, Switches: strays, Last: -1, Interval: -1, P: float64(len(strays))}
	for _, at := range v.Path {
		if slices.ContainsFunc(strays, func(s netsim.NodeID) bool { return adjacent(at, s) }) {
			f.Last = at
			break
		}
	}
	return f, true
}

// finding returns a finding at a hop of a path, in the row with that index. Row len(m.rows) is the whole life.
func (m *matrix) finding(r Rule, v *Victim, hop, row int, p, l float64) Finding {
	f := Finding{Rule: r, Switches: []netsim.NodeID{v.Path[hop]}, Last: last(v, hop), P: p, L: l,
		Interval: m.from + row}
	if row == len(m.rows) {
		f.Interval = -1
	}
	return f
}
