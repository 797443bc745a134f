package packets

import (
	"fmt"

	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/workloads"
)

// Testbed describes the packets that the hosts of SketchINT's testbed send (§VII-A, §VII-C): eight hosts with links of
// 40 Gb/s and an MTU of 9000 B, and flows between them with the sizes of DCTCP's web search. Flows start by Poisson
// processes; preset sketchint with the same seed and load generates the same flows.
//
// The SketchINT paper records packets in its network; this trace has no network. A host sends at the rate
// of its link, one packet of each of its flows in turn. So the number of active flows determines the gaps
// between packets of a flow. There is no queueing, no congestion control and no retransmission.
// Acknowledgements are omitted because they carry no INT header.
type Testbed struct {
	Load     float64   // load of each host's link, above 0 and at most 1
	Duration unit.Time // duration of a window
	Seed     uint64
}

// DefaultTestbed has about as many flows as the SketchINT paper reports, 73 000 in 5 s. They have about
// 13.6 M packets; the SketchINT paper reports about 16 M.
func DefaultTestbed() Testbed { return Testbed{Load: 0.625, Duration: 5 * unit.Second} }

// Testbed of §VII-A.
const (
	testbedHosts = 8
	testbedRate  = 40 * unit.Gbps
	testbedMTU   = 9000
)

// wireBytes is the overhead of an IP packet on the link: preamble (8 B), Ethernet header and checksum (18
// B), gap (12 B).
const wireBytes = 38

// Window opens window n, counted from 0: the packets that begin between n and n+1 times Duration. Its times
// count from the start of the window. The network is empty before window 0. The Source needs memory for the
// active flows.
func (b Testbed) Window(n int) (*TestbedSource, error) {
	if b.Duration <= 0 || b.Duration > unit.Never/unit.Time(n+2) {
		return nil, fmt.Errorf("testbed trace: duration %v: want more than 0, and short enough that the window ends "+
			"within 106 days", b.Duration)
	}
	s := &TestbedSource{begin: unit.Time(n) * b.Duration, end: unit.Time(n+1) * b.Duration}
	var hosts []workloads.Host
	for i := range testbedHosts {
		hosts = append(hosts, workloads.Host{Node: topo.NodeID(i), Rate: testbedRate})
	}
	w := workloads.Workload{Seed: b.Seed, Parts: []workloads.Part{{
		Name: "0-poisson", Generator: workloads.Poisson{Sizes: workloads.WebSearch(), Load: b.Load, Duration: s.end},
	}}}
	var err error
	if s.flows, err = w.Stream(hosts); err != nil {
		return nil, fmt.Errorf("testbed trace: %w", err)
	}
	s.pending, s.more = s.flows.Next()
	return s, nil
}

// TestbedSource is one window of a Testbed trace.
type TestbedSource struct {
	begin, end unit.Time
	flows      *workloads.Stream
	pending    workloads.Flow // the next flow to start, if more is true
	more       bool
	links      [testbedHosts]link
}

// link is a host's link and its active flows in round robin order.
type link struct {
	free    unit.Time // start of the next packet
	sending []sending
}

// sending is an active flow.
type sending struct {
	tuple Tuple
	left  unit.Bytes
	seq   uint32
}

func (s *TestbedSource) Next(p *Packet) bool {
	for {
		at, from := unit.Never, -1
		for i := range s.links {
			if l := &s.links[i]; len(l.sending) > 0 && l.free < at {
				at, from = l.free, i
			}
		}
		if s.more && s.pending.Start <= at {
			s.start()
			continue
		}
		if from < 0 || at >= s.end {
			return false
		}
		s.links[from].send(p)
		if p.Time -= s.begin; p.Time >= 0 {
			return true
		}
	}
}

// start adds the pending flow to its host.
func (s *TestbedSource) start() {
	f := &s.pending
	l := &s.links[f.Src]
	if len(l.sending) == 0 {
		l.free = max(l.free, f.Start)
	}
	const network = 10 << 24 // 10.0.0.0/8
	l.sending = append(l.sending, sending{
		tuple: MakeTuple(network+1+uint32(f.Src), network+1+uint32(f.Dst), f.SrcPort, f.DstPort, TCP), left: f.Size,
	})
	s.pending, s.more = s.flows.Next()
}

// send sends a packet of the first flow and moves that flow to the end of the list, or removes it if it is
// complete.
func (l *link) send(p *Packet) {
	f := l.sending[0]
	payload := min(f.left, testbedMTU-ipv4Header-tcpHeader)
	*p = Packet{
		Time: l.free, Tuple: f.tuple, Size: int(payload) + ipv4Header + tcpHeader, Payload: int(payload),
		Seq: f.seq, Flags: ACK,
	}
	l.free += testbedRate.TxTime(unit.Bytes(p.Size) + wireBytes)
	f.left -= payload
	f.seq += uint32(payload)
	copy(l.sending, l.sending[1:])
	l.sending = l.sending[:len(l.sending)-1]
	if f.left > 0 {
		l.sending = append(l.sending, f)
	}
}

func (s *TestbedSource) Err() error { return s.flows.Err() }
