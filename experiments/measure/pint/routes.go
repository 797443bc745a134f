package pint

import (
	"errors"
	"fmt"
	"slices"

	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/pint/coding"
	"pintlab/pint/routechange"
)

// Change is a packet of a flow that took another path than the one before it.
type Change struct {
	Hops     int  // switches on the path, before and after
	Changed  int  // switches that are others now
	Known    bool // the collector knew the old path
	Packets  int  // packets from the change until the collector noticed it; 0: it never did
	Relearnt int  // packets from then until it knew the new path; 0: it never did
}

// routeStudy follows the paths of all flows at their destinations. It is a netsim.Sink and
// needs telemetry.Witness as a tap: the digest and the checksum that switches would have
// written are computed from the true path. A change of the path's length is not counted,
// because the TTL shows it. A packet that passed more switches than it has witnesses of is
// left out.
type routeStudy struct {
	net      *netsim.Network
	code     *coding.Code
	checksum *routechange.Checksum
	ids      []uint64 // of the switches, by node
	values   []uint64
	hosts    []host // by node
}

type host struct {
	flows []*flow // by first packet
	index map[uint64]*flow
	path  []uint64 // of the packet at hand
	long  int      // packets left out
	err   error
}

// flow is a flow under way.
type flow struct {
	path    []uint64 // of the last packet
	paths   [][]uint64
	tracker *routechange.Tracker
	lanes   *routechange.Separator
	packets int
	changes []Change
	open    int // packets since the last change, if it has not been noticed; -1
	late    int // packets since it has been noticed, if the new path is not known; -1
	alarms  int // reports of a change that was none
}

// mostLanes bounds the paths of a flow that are kept apart.
const mostLanes = 64

// newRouteStudy makes the sink.
func newRouteStudy(
	n *netsim.Network, code *coding.Code, checksum *routechange.Checksum, ids, values []uint64,
) *routeStudy {
	return &routeStudy{net: n, code: code, checksum: checksum, ids: ids, values: values,
		hosts: make([]host, len(n.Graph().Nodes))}
}

// Deliver records a packet.
func (s *routeStudy) Deliver(_ unit.Time, at netsim.NodeID, p *netsim.Packet, stack []netsim.PortSample) {
	h := &s.hosts[at]
	if h.err == nil {
		h.err = s.deliver(h, p, stack)
	}
}

func (s *routeStudy) deliver(h *host, p *netsim.Packet, stack []netsim.PortSample) error {
	switch {
	case len(stack) == 0:
		return fmt.Errorf("routes: a packet passed %d switches and has no witnesses: is Witness a tap?", p.Hop)
	case len(stack) < int(p.Hop):
		h.long++
		return nil
	}
	h.path = h.path[:0]
	for i := range stack {
		from, _ := s.net.PortEnds(stack[i].Port)
		h.path = append(h.path, s.ids[from])
	}
	key := s.net.FlowKey(p.Flow)
	f := h.index[key]
	if f == nil {
		if h.index == nil {
			h.index = map[uint64]*flow{}
		}
		lanes, err := routechange.NewSeparator(s.code, mostLanes, s.decoder)
		if err != nil {
			return err
		}
		f = &flow{open: -1, late: -1, lanes: lanes}
		h.index[key] = f
		h.flows = append(h.flows, f)
	}
	return s.follow(f, netsim.PacketKey(key, p.ID), h.path)
}

func (s *routeStudy) decoder(hops int) (coding.Decoder, error) {
	return coding.NewDecoder(s.code, hops, s.values)
}

// follow records a packet of a flow that passed these switches.
func (s *routeStudy) follow(f *flow, id uint64, path []uint64) error {
	f.packets++
	if !slices.ContainsFunc(f.paths, func(p []uint64) bool { return slices.Equal(p, path) }) {
		f.paths = append(f.paths, slices.Clone(path))
	}
	digest := s.code.Encode(id, path)
	if err := f.lanes.Add(id, digest, s.checksum.Path(path), len(path)); err != nil &&
		!errors.Is(err, routechange.ErrLanes) {
		return err
	}
	if len(f.path) != len(path) {
		d, err := s.decoder(len(path))
		if err != nil {
			return err
		}
		if f.tracker, err = routechange.NewTracker(s.code, len(path), d); err != nil {
			return err
		}
		f.open, f.late = -1, -1
	} else if changed := differ(f.path, path); changed > 0 {
		f.changes = append(f.changes, Change{Hops: len(path), Changed: changed, Known: f.known()})
		f.open, f.late = 0, -1
	}
	f.path = append(f.path[:0], path...)
	noticed, err := f.tracker.Add(id, digest)
	if err != nil {
		return err
	}
	if f.open >= 0 {
		f.open++
	}
	if f.late >= 0 {
		f.late++
	}
	switch {
	case noticed && f.open < 0:
		f.alarms++
	case noticed:
		f.changes[len(f.changes)-1].Packets = f.open
		f.open, f.late = -1, 1
	}
	if f.late > 0 && f.known() {
		f.changes[len(f.changes)-1].Relearnt = f.late
		f.late = -1
	}
	return nil
}

// known reports whether the collector knows the path of the current epoch.
func (f *flow) known() bool {
	epochs := f.tracker.Epochs()
	return len(epochs) > 0 && epochs[len(epochs)-1].Decoded > 0
}

// differ returns the number of switches in which two paths of a length differ.
func differ(a, b []uint64) int {
	n := 0
	for i := range a {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}

// routeResult is the result of a study.
type routeResult struct {
	Flows, Packets int
	Long           int // packets left out, because they passed more switches than they have witnesses of
	Changes        []Change
	FalseAlarms    int
	// Several is the flows that used several paths, by their number of paths.
	Several map[int]*Several
}

// Several is flows that used a number of paths.
type Several struct {
	Flows int
	Lanes int // told apart by checksum and length
	Mixed int // of these, with contradictions: two paths share the checksum
	Known int // of these, with a known path
}

// Result returns the sums over all hosts, or the first error.
func (s *routeStudy) Result() (*routeResult, error) {
	r := &routeResult{Several: map[int]*Several{}}
	for i := range s.hosts {
		if err := s.hosts[i].err; err != nil {
			return nil, err
		}
		r.Long += s.hosts[i].long
		for _, f := range s.hosts[i].flows {
			r.Flows++
			r.Packets += f.packets
			r.Changes = append(r.Changes, f.changes...)
			r.FalseAlarms += f.alarms
			if n := len(f.paths); n > 1 {
				k := r.Several[n]
				if k == nil {
					k = &Several{}
					r.Several[n] = k
				}
				k.Flows++
				for _, l := range f.lanes.Lanes() {
					k.Lanes++
					if l.Mixed {
						k.Mixed++
					} else if l.Decoder.Done() {
						k.Known++
					}
				}
			}
		}
	}
	return r, nil
}
