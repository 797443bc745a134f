package packets

import (
	"fmt"

	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/workloads"
)

// Testbed describes the packets that the hosts of SketchINT's testbed send (§VII-A, §VII-C): eight
// hosts with links of 40 Gb/s and an MTU of 9000 B, and flows between them with the sizes of DCTCP's web
// search. Flows start by Poisson processes; they are those of preset sketchint with the same seed and load.
//
// The SketchINT paper records its network; here there is none. A host sends at the rate of its link, a packet of
// each of its flows in turn. So packets of a flow are as far apart as the number of flows demands, but no
// queue of the network delays them, no congestion control holds them back, and none is sent again.
// Acknowledgements are left out: they carry no INT layer.
type Testbed struct {
	Load     float64   // of each host's link, more than 0 and at most 1
	Duration unit.Time // of a window
	Seed     uint64
}

// DefaultTestbed makes about as many flows as the SketchINT paper counts, 73 000 in 5 s. They have about 13.6 M
// packets, where the SketchINT paper has about 16 M.
func DefaultTestbed() Testbed { return Testbed{Load: 0.625, Duration: 5 * unit.Second} }

// The testbed of §VII-A.
const (
	testbedHosts = 8
	testbedRate  = 40 * unit.Gbps
	testbedMTU   = 9000
)

// wireBytes is what a packet takes on the link besides the IP packet: preamble (8 B), Ethernet header
// and checksum (18 B), gap (12 B).
const wireBytes = 38

// Window opens window number n, from 0: the packets that begin between n and n+1 times Duration. Its times are
// since the beginning of that window. The network is empty before window 0. The Source needs memory for the
// flows that are under way.
func (b Testbed) Window(n int) (*TestbedSource, error) {
	if b.Duration <= 0 || b.Duration > unit.Never/unit.Time(n+2) {
		return nil, fmt.Errorf("testbed trace: duration %v, want more than 0, and windows that end within 106 days", b.Duration)
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
	pending    workloads.Flow // starts next, if there is more
	more       bool
	links      [testbedHosts]link
}

// link is a host's link and the flows that it serves in turn.
type link struct {
	free    unit.Time // when the next packet can begin
	sending []sending
}

// sending is a flow under way.
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

// start gives the pending flow to its host.
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

// send sends a packet of the flow whose turn it is, which then is the last in the round, or done.
func (l *link) send(p *Packet) {
	f := l.sending[0]
	payload := min(f.left, testbedMTU-ipv4Header-tcpHeader)
	*p = Packet{
		Time: l.free, Tuple: f.tuple, Size: int(payload) + ipv4Header + tcpHeader, Payload: int(payload), Seq: f.seq, Flags: ACK,
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
