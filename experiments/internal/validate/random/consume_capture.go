package random

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/gopacket/gopacket"

	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/netsim/route"
	"pintlab/netsim/topo"
	"pintlab/workloads/packets"
)

// traffic counts the packets that a captured port has sent.
type traffic struct {
	packets, bytes int64
	flows          map[name]bool // flows whose data packets the port has sent
	hidden         bool          // run.capture.snap has cut off the ports of some packets
}

// name identifies a flow by the addresses and ports in the headers of its data packets.
type name struct {
	src, dst         uint32
	srcPort, dstPort uint16
}

func nameOf(f *store.FlowRecord) name {
	return name{route.HostIP(topo.NodeID(f.Src)), route.HostIP(topo.NodeID(f.Dst)), f.SrcPort, f.DstPort}
}

// wires reads the capture and counts the packets of each interface. It returns nil if the run has no capture.
func (s *stored) wires() (map[string]*traffic, error) {
	if !s.has(scenario.OutputCapture) {
		return nil, nil
	}
	file, err := s.read(scenario.OutputCapture)
	if err != nil {
		return nil, err
	}
	r, err := packets.OpenPcapng(bufio.NewReader(bytes.NewReader(file)))
	if err != nil {
		return nil, err
	}
	list := map[string]*traffic{}
	for {
		data, info, err := r.ZeroCopyReadPacketData()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		at, err := r.Interface(info.InterfaceIndex)
		if err != nil {
			return nil, err
		}
		w := list[at.Name]
		if w == nil {
			w = &traffic{flows: map[name]bool{}}
			list[at.Name] = w
		}
		if r.Unsent {
			continue
		}
		w.packets++
		w.bytes += int64(info.Length)
		w.see(data, info)
	}
}

// see records to which flow a packet belongs.
func (w *traffic) see(data []byte, info gopacket.CaptureInfo) {
	ip, _, err := packets.Network(packets.LinkOf(info), data)
	word, half := binary.BigEndian.Uint32, binary.BigEndian.Uint16
	switch {
	case err == nil && len(ip) >= 24 && ip[0] == 0x45:
		l4 := ip[20:]
		if ip[9] != packets.TCP && ip[9] != packets.UDP && len(l4) >= 8 {
			l4 = l4[4:] // IFA's header is before the transport header
		}
		w.flows[name{word(ip[12:]), word(ip[16:]), half(l4), half(l4[2:])}] = true
	case err == nil && len(ip) >= 48 && ip[0]>>4 == 6: // an IPv6 address ends with the IPv4 address (package wire)
		l4 := ip[40:]
		if skip := 8 + 8*int(l4[1]); ip[6] == 0 {
			if w.hidden = w.hidden || len(l4) < skip+4; w.hidden {
				return
			}
			l4 = l4[skip:]
		}
		w.flows[name{word(ip[20:]), word(ip[36:]), half(l4), half(l4[2:])}] = true
	} // else a PFC frame
}

// whole reports whether the capture selects its nodes by one of these words and contains every packet that the
// selected nodes have sent.
func (s *stored) whole(nodes ...string) bool {
	x := &s.run.Scenario.Run.Capture
	return x.Enabled && slices.Contains(nodes, x.Nodes[0]) && x.Flows[0] == "all" &&
		!slices.ContainsFunc(s.run.Manifest.Notes, func(n string) bool {
			return strings.Contains(n, "run.capture.ring")
		})
}

// capture checks the number of captured packets against the counters of ports, and the paths of flows.
func (s *stored) capture() error {
	list, err := s.wires()
	if err != nil || list == nil || !s.whole(scenario.All) {
		return err
	}
	var sent int64
	for _, w := range list {
		sent += w.packets
	}
	equal(s, "number of packets sent", sent, s.r.Counters.PacketHops)
	if s.complete() {
		for at, last := range s.final() {
			var packets int64
			if w := list[at.String()]; w != nil {
				packets = w.packets
			}
			equal(s, "number of packets sent by port "+at.String(), packets, last.Packets)
		}
	}
	if !s.single() {
		return nil
	}
	passed := map[name]int{} // ports, including the source's
	for _, w := range list {
		if w.hidden {
			return nil
		}
		for n := range w.flows {
			passed[n]++
		}
	}
	names := map[name]int{}
	for i := range s.flows {
		names[nameOf(&s.flows[i])]++
	}
	for i := range s.flows {
		f := &s.flows[i]
		if n := nameOf(f); f.Outcome == store.Finished && names[n] == 1 && passed[n] != int(f.Hops)+1 {
			s.wrong("flow %d has passed %d switches, its record has %d", f.ID, passed[n]-1, f.Hops)
		}
	}
	return nil
}

// single reports whether all data of a flow always takes the same path.
func (s *stored) single() bool {
	sc := &s.run.Scenario
	return sc.Network.Balancing.Balancer().Splits() == route.Flows && len(sc.Faults) == 0
}
