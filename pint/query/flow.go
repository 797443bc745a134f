package query

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"net/netip"
	"strings"
)

// FiveTuple identifies the connection of a packet. It is comparable and has no pointers. IPv4
// addresses are stored as IPv4-mapped IPv6 addresses.
type FiveTuple struct {
	Src, Dst         [16]byte
	SrcPort, DstPort uint16
	Protocol         uint8
}

// Connection returns the 5-tuple under which the connection with this key is recorded.
func Connection(key uint64) (t FiveTuple) {
	binary.BigEndian.PutUint64(t.Src[8:], key)
	return t
}

// String returns source, destination and protocol number. A field that is zero, because a flow
// definition leaves it out, is printed as an asterisk.
func (t FiveTuple) String() string {
	end := func(a [16]byte, port uint16) string {
		addr, p := "*", "*"
		if a != ([16]byte{}) {
			addr = netip.AddrFrom16(a).Unmap().String()
			if strings.Contains(addr, ":") {
				addr = "[" + addr + "]"
			}
		}
		if port != 0 {
			p = fmt.Sprint(port)
		}
		return addr + ":" + p
	}
	proto := "*"
	if t.Protocol != 0 {
		proto = fmt.Sprint(t.Protocol)
	}
	return end(t.Src, t.SrcPort) + ">" + end(t.Dst, t.DstPort) + "/" + proto
}

// FlowDef is a flow definition: the set of header fields that distinguish flows. The zero FlowDef
// is invalid; AllPackets puts every packet into one flow.
type FlowDef uint8

// The fields of a flow definition.
const (
	SrcIP FlowDef = 1 << iota
	DstIP
	SrcPort
	DstPort
	Protocol
	allPackets // marks the empty subset, because the zero value means "not given"

	ByFiveTuple   = SrcIP | DstIP | SrcPort | DstPort | Protocol
	BySource      = SrcIP
	ByDestination = DstIP
	ByHostPair    = SrcIP | DstIP
	AllPackets    = allPackets
)

var fieldNames = []string{"src_ip", "dst_ip", "src_port", "dst_port", "protocol"}

// flowNames are the short names of common definitions; other definitions are lists of fields.
var flowNames = []struct {
	name string
	def  FlowDef
}{
	{"5-tuple", ByFiveTuple},
	{"host-pair", ByHostPair},
	{"source", BySource},
	{"destination", ByDestination},
	{"all", AllPackets},
}

// parseFlow reads "5-tuple", "host-pair", "source", "destination", "all", or field
// names joined with "+", such as "src_ip+dst_port".
func parseFlow(s string) (FlowDef, error) {
	for _, f := range flowNames {
		if s == f.name {
			return f.def, nil
		}
	}
	return flowOf(strings.Split(s, "+"))
}

// flowOf returns the definition with the given fields.
func flowOf(fields []string) (FlowDef, error) {
	var d FlowDef
next:
	for _, s := range fields {
		for i, n := range fieldNames {
			if s == n {
				if d>>i&1 == 1 {
					return 0, fmt.Errorf("flow field %q occurs twice", s)
				}
				d |= 1 << i
				continue next
			}
		}
		return 0, fmt.Errorf("unknown flow %q (accepted: 5-tuple, host-pair, source, destination, all, or some of %s)",
			s, strings.Join(fieldNames, ", "))
	}
	if d == 0 {
		return 0, fmt.Errorf("flow without a field (accepted: all, or some of %s)", strings.Join(fieldNames, ", "))
	}
	return d, nil
}

// String returns the definition in the form that parseFlow reads.
func (d FlowDef) String() string {
	for _, f := range flowNames {
		if d == f.def {
			return f.name
		}
	}
	var names []string
	for i, n := range fieldNames {
		if d>>i&1 == 1 {
			names = append(names, n)
		}
	}
	if len(names) != bits.OnesCount8(uint8(d)) || len(names) == 0 {
		return fmt.Sprintf("FlowDef(%d)", uint8(d))
	}
	return strings.Join(names, "+")
}

// Key returns the flow of a packet: its tuple with the fields that d does not use set to zero. Keys
// of different definitions may coincide, so keep their stores separate.
func (d FlowDef) Key(t FiveTuple) FiveTuple {
	if d&SrcIP == 0 {
		t.Src = [16]byte{}
	}
	if d&DstIP == 0 {
		t.Dst = [16]byte{}
	}
	if d&SrcPort == 0 {
		t.SrcPort = 0
	}
	if d&DstPort == 0 {
		t.DstPort = 0
	}
	if d&Protocol == 0 {
		t.Protocol = 0
	}
	return t
}

// follows reports whether all packets of a flow can share one path. They need the same source and
// destination.
func (d FlowDef) follows() bool { return d&(SrcIP|DstIP) == SrcIP|DstIP }
