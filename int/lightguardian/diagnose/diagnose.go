// Package diagnose names the culprit of an end-to-end symptom from what the switches on the
// expected path know of the victim's flow (LightGuardian, §6.2):
//
//   - packets stop after a switch: a blackhole;
//   - a switch has seen many times the packets of the one before: a loop, in which the
//     switches are that have seen as many;
//   - a switch has seen somewhat fewer than the one before: random drops;
//   - the longest time between two packets grows at a switch: jitter on the link to it;
//   - most packets are slow at a switch: inflated latency;
//   - a packet of the flow has passed a switch that is not expected: an abnormal path.
//
// The LightGuardian paper compares each switch with its last hop: P/L, of packets or of times. It reports
// the switch P. Here a finding also has L, because the fault may be in the link between them. In 100, 100,
// 100, 0, 0 (the LightGuardian paper's example) it is the fourth switch: what it loses before its egress
// it has not counted.
//
// # What the LightGuardian paper leaves open
//
// Sketches of all switches change places at one instant while packets are between them. Locate therefore takes P over an interval
// and the next one where it looks for a blackhole, and L over an interval and the one before where it looks for a loop. Where it
// looks for random drops it takes sums over the life of the flow, or, if not all of it is known, L over one interval less. If the
// whole life is known, the packets that the sender sent count as the hop before the first switch, and those that the destination
// received as the hop after the last one, so that a host's link can be the culprit. The threshold below which a decrease is a
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

// Row holds what a switch knows of a flow in an interval. An unknown Row has no other fields
// set.
type Row struct {
	Known   bool
	Packets uint64
	Delay   [Cells]uint64 // packets by their delay at the switch
	Longest unit.Time     // between two packets; 0 if nothing is known of it
}

// View gives access to what all switches know.
type View interface {
	// Intervals returns the intervals of which something is known: from first up to, but not including, last.
	Intervals() (from, to int)
	// Row returns what a switch knows of the flow in an interval.
	Row(interval int, at netsim.NodeID, flow uint64) Row
	// Strays returns the switches that packets of the victim have passed and that are not on its path,
	// as far as its destination has learnt of them.
	Strays(v *Victim) []netsim.NodeID
}

// Symptom is a problem that an end host notices about its flow.
type Symptom string

// The symptoms, the first that holds counts.
const (
	Timeout        Symptom = "timeout"
	Retransmission Symptom = "retransmission"
	Strayed        Symptom = "abnormal path" // a packet has come with a sketchlet of a switch that is not expected
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
	Life    [2]int          // intervals in which it was under way, from first to before the last
	Sent    uint64          // data packets sent in all of them, retransmissions included; 0 if nobody knows
	// What the destination knows: data packets that have reached it. A dead host reports none.
	Destination netsim.NodeID
	Received    uint64
}

// Finding is a culprit.
type Finding struct {
	Rule     Rule
	Switches []netsim.NodeID // reported; of a loop all that are in it
	Last     netsim.NodeID   // the hop before the first of them; -1 for none
	P, L     float64         // what the rule compares: packets, seconds, or a share of packets (L = 0)
	Interval int             // -1: over the life of the flow
}

// Thresholds are the thresholds of the rules. Make them with Default. The tags are those of the program's flags.
type Thresholds struct {
	// P/L of packets below this, in [0, 1).
	Blackhole float64 `flag:"blackhole" range:">=0 <1" use:"a switch with less than this {share} of the packets of the one before is a blackhole"`
	// P/L of packets below this, in [Blackhole, 1].
	Drops float64 `flag:"drops" range:">=0 <=1" use:"one with less than this {share} over the life of the flow drops packets"`
	// P/L of packets above this, > 1.
	Loop float64 `flag:"loop" range:">1 <=1e9" because:"no run has so many packets to count" use:"one with more than {X} times as many is in a loop"`
	// P/L of longest times above this, > 1.
	Jitter float64 `flag:"jitter" range:">1 <=1e9" because:"no run has so many packets to count" use:"one with {X} times the longest time between packets has jitter"`
	// Share of packets in the slowest delay cell of at least this, in (0, 1].
	Slow    float64 `flag:"slow" range:">0 <=1" use:"one where this {share} of the packets is in the slowest delay cell inflates latency"`
	Packets uint64  // packets that L must have, at least 1
}

// Default returns the default thresholds. The LightGuardian paper gives only that of inflated latency
// (80 % of the packets over 10 µs); the others lie where the F1 score of lightguardian/fig7 is highest.
func Default() Thresholds {
	return Thresholds{Blackhole: 0.1, Drops: 0.99, Loop: 3, Jitter: 3, Slow: 0.8, Packets: 2}
}

// Validate reports every rule that the thresholds break.
func (t Thresholds) Validate() error {
	switch {
	case !(t.Blackhole >= 0 && t.Blackhole < 1):
		return fmt.Errorf("threshold of a blackhole = %v, want at least 0 and below 1", t.Blackhole)
	case !(t.Drops >= t.Blackhole && t.Drops <= 1):
		return fmt.Errorf("threshold of random drops = %v, want at least %v, that of a blackhole, and at most 1", t.Drops, t.Blackhole)
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

// Locate looks for the culprit of a victim; ok is false if no rule names one. The rules of
// the symptom come first. adjacent reports whether a link joins two nodes.
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

// matrix holds the rows of the switches of a path during the life of a flow.
type matrix struct {
	from int
	rows [][]Row // by interval and hop
	// Over all intervals in which all switches know something: sums, the longest time, and the
	// packets without those of the last such interval, because the next hop counts some of them
	// later.
	all    []Row
	before []uint64
	whole  bool // these intervals are the life of the flow
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

// loop: P/L of packets is above the threshold, at the first switch against what was sent.
func loop(m *matrix, v *Victim, t Thresholds) (Finding, bool) {
	for n, row := range append(slices.Clip(m.rows), m.all) {
		for i, p := range row {
			l := v.Sent // in an interval less, but not more
			if i > 0 {
				l = row[i-1].Packets
				if !row[i-1].Known {
					continue
				}
				if 0 < n && n < len(m.rows) { // what was on the way when the sketches changed places
					before := m.rows[n-1][i-1]
					if l += before.Packets; !before.Known {
						continue
					}
				} else if n == 0 && m.from > v.Life[0] {
					continue // the interval before is not known
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

// blackhole: P/L of packets is below the threshold.
func blackhole(m *matrix, v *Victim, t Thresholds) (Finding, bool) {
	for n, row := range m.rows {
		for i := 1; i < len(row); i++ {
			p, l := row[i], row[i-1]
			if !p.Known || !l.Known || l.Packets < t.Packets {
				continue
			}
			late := p.Packets // what is on the way when the sketches change places
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
		if p, l := m.all[i], m.before[i-1]; p.Known && l >= t.Packets && (p.Packets == 0 || float64(p.Packets) < t.Blackhole*float64(l)) {
			return m.finding(Blackhole, v, i, len(m.rows), float64(p.Packets), float64(l)), true
		}
	}
	if f, ok := atHost(m, v, t); ok && (v.Received == 0 || f.P < t.Blackhole*f.L) {
		f.Rule = Blackhole
		return f, true
	}
	if m.whole && len(m.all) > 0 && m.all[0].Known && v.Sent >= t.Packets && (m.all[0].Packets == 0 || float64(m.all[0].Packets) < t.Blackhole*float64(v.Sent)) {
		return m.finding(Blackhole, v, 0, len(m.rows), float64(m.all[0].Packets), float64(v.Sent)), true
	}
	return Finding{}, false
}

// drops: P/L of packets over the life of the flow is below the threshold where it is least.
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

// atHost compares what has reached the destination with the last switch.
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

// jitter: P/L of the longest times is above the threshold where it is largest.
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

// slow: the share of packets in the slowest cell reaches the threshold where it is largest.
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

// abnormal: the packets leave the path at the first expected switch that has a stray for a
// neighbour.
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

// finding returns a finding at a hop of a path, in the row with that index; the row after the last is
// that of the whole life.
func (m *matrix) finding(r Rule, v *Victim, hop, row int, p, l float64) Finding {
	f := Finding{Rule: r, Switches: []netsim.NodeID{v.Path[hop]}, Last: last(v, hop), P: p, L: l, Interval: m.from + row}
	if row == len(m.rows) {
		f.Interval = -1
	}
	return f
}
