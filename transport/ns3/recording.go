package ns3

import (
	"math"

	"pintlab/netsim/unit"
	"pintlab/transport"
)

// Recorder is a congestion control whose steps that simulator records.
type Recorder interface {
	// Recorded returns the format. hops reports whether switches write a record per hop.
	Recorded(hops bool) *Format
}

// Format describes the lines of acks.txt of a control: the recorder of the published simulator writes the steps of a
// control to this file. Format also maps the recorded values to ours.
type Format struct {
	Name  string
	Hops  bool // records of the switches follow
	Kinds []Kind
}

// Of returns the kind of line for a step, or nil if the step has no line.
func (f *Format) Of(s *transport.Step) *Kind {
	for i := range f.Kinds {
		if f.Kinds[i].Of(s) {
			return &f.Kinds[i]
		}
	}
	return nil
}

// Kind is a kind of line.
type Kind struct {
	Word    string // first word of the line
	Columns []Column
	Of      func(*transport.Step) bool // reports whether a step is recorded with this kind
}

// Column is a value of a line, written name=value.
type Column struct {
	Name     string
	Real     bool                          // not a whole number
	Min, Max float64                       // Min is -Inf, 0 or 1; real numbers have no Max
	Ours     func(*transport.Step) float64 // our value; nil: not compared
}

// exact is the number up to which float64 represents all whole numbers.
const exact = 1 << 53

// Columns whose value is a term of the control.

// Count returns the column of a whole number.
func Count(name, term string) Column { return Column{name, false, 0, exact, byTerm(term)} }

// Flag returns the column of a 0 or 1.
func Flag(name, term string) Column { return Column{name, false, 0, 1, byTerm(term)} }

// Rate returns the column of a rate in b/s.
func Rate(name, term string) Column { return Column{name, false, 1, exact, byTerm(term)} }

// Real returns the column of a real number that is not negative.
func Real(name, term string) Column { return Column{name, true, 0, 0, byTerm(term)} }

// Nanoseconds returns the column of a time.
func Nanoseconds(name, term string) Column {
	return Count(name, "").As(func(s *transport.Step) float64 {
		return math.Floor(s.Term(term) / float64(unit.Nanosecond))
	})
}

func byTerm(term string) func(*transport.Step) float64 {
	return func(s *transport.Step) float64 { return s.Term(term) }
}

// As returns the column with another function that computes our value.
func (c Column) As(ours func(*transport.Step) float64) Column {
	c.Ours = ours
	return c
}

// acked holds the first columns of every acknowledgement.
var acked = []Column{
	Count("ack", "").As(func(s *transport.Step) float64 { return float64(s.Ack.Seq) }),
	Count("nxt", "").As(func(s *transport.Step) float64 { return float64(s.Ack.Next) }),
}

// RateOnly returns the kinds of a control with a line for each ACK that has set a rate.
func RateOnly(columns ...Column) []Kind {
	set := func(s *transport.Step) bool { return s.Ack != nil && s.Set }
	return []Kind{{"ACK", append(acked[:2:2], columns...), set}}
}

// EveryAck returns the kinds of a control with a line for each ACK and each NACK.
func EveryAck(columns ...Column) []Kind {
	columns = append(acked[:2:2], columns...)
	return []Kind{
		{"ACK", columns, func(s *transport.Step) bool { return s.Ack != nil && !s.Ack.Nack }},
		{"NACK", columns, func(s *transport.Step) bool { return s.Ack != nil && s.Ack.Nack }},
	}
}

// Alarm returns the kind for an alarm that has set a rate.
func Alarm(word string, alarm int, columns ...Column) Kind {
	return Kind{word, columns, func(s *transport.Step) bool { return s.Ack == nil && s.Set && s.Alarm == alarm }}
}

// Marks returns the column for the mark of an acknowledgement.
func Marks() Column {
	return Flag("cnp", "").As(func(s *transport.Step) float64 {
		if s.Ack.Marked {
			return 1
		}
		return 0
	})
}
