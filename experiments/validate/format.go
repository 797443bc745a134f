package validate

import (
	"math"
	"strings"

	"pintlab/experiments/scenario"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/dcqcn"
)

// Format is what the lines of acks.txt look like with one congestion control, and where their
// values are in ours.
type Format struct {
	name  string // of the control
	kinds []kind
	hops  bool // what switches wrote follows
	// of is the kind of line of a step, nil if it has none.
	of func(*transport.Step) *kind
}

// kind is a kind of line.
type kind struct {
	word    string // by which it begins
	columns []column
	alarm   int // of which it tells, if it is not an acknowledgement
}

// shape is which numbers a column has.
type shape uint8

const (
	whole  shape = iota
	real         // not negative
	signed       // real
)

// column is a value of a line, name=value.
type column struct {
	name     string
	shape    shape
	min, max int64                         // of whole numbers
	ours     func(*transport.Step) float64 // nil: nothing of ours to compare
}

// exact is the largest whole number up to which float64 has all of them.
const exact = 1 << 53

func count(name string, ours func(*transport.Step) float64) column {
	return column{name, whole, 0, exact, ours}
}

func flag(name string, ours func(*transport.Step) float64) column {
	return column{name, whole, 0, 1, ours}
}

func rate(name, term string) column { return column{name, whole, 1, exact, termOf(term)} }

// termOf takes a value from what the control tells.
func termOf(name string) func(*transport.Step) float64 {
	return func(s *transport.Step) float64 { return s.Term(name) }
}

// nanosecondsOf takes a time from there.
func nanosecondsOf(name string) func(*transport.Step) float64 {
	return func(s *transport.Step) float64 { return math.Floor(s.Term(name) / float64(unit.Nanosecond)) }
}

// The columns of every acknowledgement.
var (
	ackColumn  = count("ack", func(s *transport.Step) float64 { return float64(s.Ack.Seq) })
	nextColumn = count("nxt", func(s *transport.Step) float64 { return float64(s.Ack.Next) })
)

// rateOnly makes the formats of HPCC: a line for each ACK that has set a rate.
func rateOnly(name string, hops bool, feedback ...column) *Format {
	columns := append([]column{ackColumn, nextColumn, flag("fast", termOf("fast"))}, feedback...)
	f := &Format{name: name, hops: hops, kinds: []kind{{word: "ACK", columns: append(columns, rate("rate", "rate"), rate("cur", "reference"))}}}
	f.of = func(s *transport.Step) *kind {
		if s.Ack == nil || !s.Set {
			return nil
		}
		return &f.kinds[0]
	}
	return f
}

// everyAck makes the formats with a line for each ACK and each NACK, and for alarms that have
// set a rate.
func everyAck(name string, marks column, state []column, alarms ...kind) *Format {
	columns := append([]column{ackColumn, nextColumn, marks}, state...)
	f := &Format{name: name, kinds: append([]kind{{word: "ACK", columns: columns}, {word: "NACK", columns: columns}}, alarms...)}
	f.of = func(s *transport.Step) *kind {
		switch {
		case s.Ack != nil && s.Ack.Nack:
			return &f.kinds[1]
		case s.Ack != nil:
			return &f.kinds[0]
		}
		for i := range alarms {
			if s.Set && alarms[i].alarm == s.Alarm {
				return &f.kinds[2+i]
			}
		}
		return nil
	}
	return f
}

// formatOf is the format of a run of the published simulator.
func formatOf(sc *scenario.Scenario) *Format {
	marks := flag("cnp", func(s *transport.Step) float64 {
		if s.Ack.Marked {
			return 1
		}
		return 0
	})
	rates, alpha, stage := rate("rate", "rate"), column{"alpha", real, 0, 0, termOf("alpha")}, count("stage", termOf("stage"))
	switch {
	case sc.CC.Kind == "dcqcn":
		target := rate("target", "target")
		before := count("stage", func(s *transport.Step) float64 { return s.Term("stage") - 1 })
		return everyAck("DCQCN", marks, []column{rates, target, alpha, stage},
			kind{"DEC", []column{rates, target, alpha}, dcqcn.CutAlarm}, kind{"INC", []column{rates, target, before}, dcqcn.RaiseAlarm})
	case sc.CC.Kind == "timely":
		rtt := count("rtt", func(s *transport.Step) float64 { return float64(s.Ack.RTT.Nanoseconds()) })
		// TIMELY reads no marks, so that our switches set none.
		return everyAck("TIMELY", flag("cnp", nil), []column{
			rtt, rates, count("lastrtt", nanosecondsOf("last_rtt")), {"rttdiff", signed, 0, 0, termOf("difference")}, stage,
			count("upd", termOf("update_seq")),
		})
	case sc.CC.Kind == "dctcp":
		return everyAck("DCTCP", marks, []column{
			rates, alpha, count("ecn", termOf("marked")), count("batch", termOf("batch")), flag("cwr", termOf("reduced")),
			count("high", termOf("high")), count("upd", termOf("update_seq")),
		})
	case sc.Telemetry.Kind == "int":
		return rateOnly("HPCC and INT", true,
			column{"Umax", real, 0, 0, termOf("sample")}, count("dt", nanosecondsOf("span")), column{"u", real, 0, 0, termOf("load")})
	}
	return rateOnly("HPCC and PINT", false,
		column{"power", whole, 0, math.MaxUint32, termOf("code")}, column{"U", real, 0, 0, termOf("load")})
}

// kind is the kind of the lines that begin with a word, nil if there is none.
func (f *Format) kind(word string) *kind {
	for i := range f.kinds {
		if f.kinds[i].word == word {
			return &f.kinds[i]
		}
	}
	return nil
}

// words are those by which lines begin.
func (f *Format) words() string {
	var list []string
	for _, k := range f.kinds {
		list = append(list, k.word)
	}
	return strings.Join(list, " or ")
}
