package inband

import (
	"fmt"
	"slices"

	"pintlab/internal/lists"
	"pintlab/netsim"
	"pintlab/netsim/schema"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// Echoing is embedded by systems with a record per hop that only senders read.
type Echoing struct{}

// Gives returns a record per hop.
func (Echoing) Gives() []telemetry.Quantity { return []telemetry.Quantity{telemetry.PerHop} }

// Recorded returns false: only senders read the records.
func (Echoing) Recorded() bool { return false }

// Check reports no errors.
func (Echoing) Check(*schema.Checker) {}

// Answers implements telemetry.Answerer with the records that hosts read.
func (Echoing) Answers(w telemetry.Window) (any, error) { return telemetry.NewEchoed(w), nil }

// Room returns the number of hops of the longest path. If links may break, paths can get longer, and there is room for
// at least the hops of the header.
func Room(hops, maxHops int, detours bool) int {
	if detours {
		return max(hops, maxHops)
	}
	return maxHops
}

// Encoding is a format with a record per hop that senders read: the precision of its fields, and what they cost.
type Encoding struct {
	Spec Spec
	// Size returns the bytes of telemetry in a packet that has passed the given number of switches. Size is nil if no
	// switch adds bytes.
	Size func(hops int) unit.Bytes
	Keys string // the settings that errors name
	// Port returns the bytes sent and the queue that a record contains. If Port is nil, a record contains the values of
	// the egress port. Port is called for packets of all kinds.
	Port func(*netsim.Hop) (sent, queue unit.Bytes)
}

// Attach stamps data packets at every switch of a network. It reports an error if the fields cannot describe the
// network.
func (e *Encoding) Attach(s *telemetry.Site, system any) (*telemetry.Parts, error) {
	q, err := e.quantizer(s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.Keys, err)
	}
	hops := e.Spec.MaxHops
	var growth []uint16
	if e.Size != nil {
		for n := range hops {
			growth = append(growth, uint16(e.Size(n+1)-e.Size(n)))
		}
	}
	stamper := NewStamper(q, growth)
	stamper.port = e.Port
	notes := func() (list []string) {
		if _, _, span := q.Spans(); s.Queue >= span {
			list = append(list, fmt.Sprintf("warning: a queue may hold %v, but its field in a packet wraps at %v: "+
				"HPCC reads a longer queue as a short queue, as in the published simulator "+
				"(BUFFER_SIZE and INT_MULTI of config.txt; network.buffer and telemetry.queue_unit)", s.Queue, span))
		}
		if n := stamper.Overflows(); n > 0 {
			list = append(list, fmt.Sprintf("warning: INT is incomplete: %d times a data packet had no room left "+
				"for the record of a switch, because its path was longer than telemetry.hops = %d; raise "+
				"telemetry.hops to record every hop of a detour", n, hops))
		}
		return list
	}
	parts := &telemetry.Parts{System: system, Tap: stamper, Overflows: stamper.Overflows, Notes: notes}
	if !q.exact {
		parts.Feedback.Fields = q
	}
	return parts, nil
}

// quantizer returns the Quantizer of the fields, after it has checked that the fields can describe the network.
func (e *Encoding) quantizer(s *telemetry.Site) (*Quantizer, error) {
	q, err := NewQuantizer(e.Spec)
	if err != nil {
		return nil, err
	}
	rates := lists.Map(s.Graph.Links, func(l topo.Link) unit.Rate { return l.Rate })
	queue := s.Queue
	if s.Published {
		queue = -1 // Attach warns instead
	}
	if err := q.Check(rates, s.MaxHops, queue); err != nil {
		return nil, err
	}
	// Without a horizon nothing computes a load from the fields.
	if within, none := s.Horizon(); none == nil {
		return q, q.follows(within, slices.Min(rates), slices.Max(rates))
	}
	return q, nil
}
