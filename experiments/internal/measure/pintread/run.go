package pintread

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/netsim/route"
	"pintlab/netsim/topo"
	"pintlab/pint/query"
	"pintlab/transport"
)

// reporting is a monitor whose hosts may report digests to a collector.
type reporting interface {
	// Collected returns the encoder of a run whose seed is run, and the seed of the collector's draws. The encoder is
	// nil if nothing is reported.
	Collected(run uint64) (e *query.Encoder, seed uint64, err error)
	// At returns the node number of the collector's host.
	At() int
}

// OfRun returns the settings that a stored run and its collector share.
func OfRun(l *scenario.Language, dir string) (Network, error) {
	r, err := campaign.Open(l, dir)
	if err != nil {
		return Network{}, err
	}
	if err := r.Unchanged(); err != nil {
		return Network{}, err
	}
	flows, err := r.Flows()
	if err != nil {
		return Network{}, err
	}
	n, err := ofRun(&r.Scenario, flows)
	if err != nil {
		return n, fmt.Errorf("%s: %w", dir, err)
	}
	return n, nil
}

// ofRun uses the monitor pint with record: collector. Switches have the names of their nodes, as in the tables of the
// run.
func ofRun(sc *scenario.Scenario, flows *store.Flows) (n Network, err error) {
	collector := topo.NodeID(-1)
	for _, x := range sc.Monitors {
		m, ok := x.Params.(reporting)
		if !ok {
			continue
		}
		encoder, seed, err := m.Collected(sc.Seed)
		switch {
		case err != nil:
			return n, err
		case encoder == nil:
			continue
		case n.Encoder != nil:
			return n, errors.New("the reports of several monitors of kind pint with record = collector cannot be " +
				"told apart: want a run with one of them")
		}
		n.Encoder, n.Seed, collector = encoder, seed, topo.NodeID(m.At())
	}
	if n.Encoder == nil {
		return n, errors.New("the run has no monitor of kind pint with record = collector")
	}
	g, err := sc.Topology.Generator().Build()
	if err != nil {
		return n, err
	}
	n.Switches = map[uint64]string{}
	for i, id := range g.Switches() {
		n.Switches[uint64(i)] = strconv.Itoa(int(id))
	}
	keys := map[[2]netip.AddrPort]uint64{}
	for f := range flows.All() {
		ends := [2]netip.AddrPort{host(topo.NodeID(f.Src), f.SrcPort), host(topo.NodeID(f.Dst), f.DstPort)}
		if topo.NodeID(f.Dst) == collector {
			n.Unreported++
		}
		keys[ends] = transport.FlowKey(sc.Seed, int32(f.ID))
	}
	n.Key = func(src, dst netip.AddrPort) (uint64, bool) {
		key, ok := keys[[2]netip.AddrPort{src, dst}]
		return key, ok
	}
	return n, nil
}

// host returns the address and port of a host in captures.
func host(id topo.NodeID, port uint16) netip.AddrPort {
	ip := route.HostIP(id)
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{byte(ip >> 24), byte(ip >> 16), byte(ip >> 8), byte(ip)}), port)
}
