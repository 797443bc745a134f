package route

import (
	"fmt"

	"pintlab/internal/hash"
	"pintlab/netsim/topo"
)

// FlowKey holds what the network sees of a flow. Two flows with equal keys take
// the same path.
type FlowKey struct {
	SrcIP, DstIP     uint32
	SrcPort, DstPort uint16
}

// Reverse returns the key of the packets that go back, such as ACKs.
func (k FlowKey) Reverse() FlowKey {
	return FlowKey{SrcIP: k.DstIP, DstIP: k.SrcIP, SrcPort: k.DstPort, DstPort: k.SrcPort}
}

// HostIP returns the address of a host in the published HPCC simulators: 11.x.y.1, with the
// number of the host in x and y. They have room for 65536 nodes; addresses are distinct for
// numbers below 16 million.
func HostIP(id topo.NodeID) uint32 { return 0x0b000001 + uint32(id)<<8 }

// ECMP names the hash that chooses among equal-cost candidates.
type ECMP uint8

const (
	// Mix is a seeded 64-bit hash with a salt for each node.
	Mix ECMP = iota
	// Murmur is MurmurHash3 (x86, 32 bit) of the 12 bytes source address,
	// destination address, ports (source port in the low half), each
	// little-endian, seeded with the number of the node: the hash of the
	// published HPCC and PINT simulators. Options.Seed plays no part in it.
	Murmur
)

var ecmpNames = []string{Mix: "mix", Murmur: "murmur"}

func (e ECMP) String() string { return enumName(ecmpNames, int(e)) }

// MarshalText writes the name.
func (e ECMP) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText reads "mix" or "murmur".
func (e *ECMP) UnmarshalText(b []byte) error {
	i, err := enumParse(ecmpNames, "ECMP hash", string(b))
	if err == nil {
		*e = ECMP(i)
	}
	return err
}

// CandidateOrder is the order of the candidates at a node, which with the hash
// decides the path of a flow.
type CandidateOrder uint8

const (
	// Ascending is the order of the numbers of the neighbours.
	Ascending CandidateOrder = iota
	// Descending is the order of the published HPCC and PINT simulators: that in which a
	// breadth-first search from the destination reaches the neighbours, when it visits those
	// of each node by falling numbers. The candidates of a node have falling numbers, but
	// where they are of several layers, as on the way around a broken link.
	Descending
)

var orderNames = []string{Ascending: "ascending", Descending: "descending"}

func (o CandidateOrder) String() string { return enumName(orderNames, int(o)) }

// MarshalText writes the name.
func (o CandidateOrder) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads "ascending" or "descending".
func (o *CandidateOrder) UnmarshalText(b []byte) error {
	i, err := enumParse(orderNames, "candidate order", string(b))
	if err == nil {
		*o = CandidateOrder(i)
	}
	return err
}

func enumName(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("unknown(%d)", i)
}

func enumParse(names []string, what, s string) (int, error) {
	for i, n := range names {
		if n == s {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%s %q, want %s or %s", what, s, names[0], names[1])
}

// salts returns the per-node words that keep the choices of successive nodes
// independent.
func salts(seed uint64, nodes int) []uint64 {
	base := hash.Combine(hash.String("route/ecmp"), seed)
	s := make([]uint64, nodes)
	for i := range s {
		s[i] = hash.Combine(base, uint64(i))
	}
	return s
}

// index returns which of n candidates a flow takes at a node; n must be positive.
func (t *Table) index(at topo.NodeID, key FlowKey, n int) int {
	h := t.hashOf(at, key)
	if n&(n-1) == 0 { // a division takes as long as the rest
		return int(h & uint64(n-1))
	}
	return int(h % uint64(n))
}

// hashOf returns the hash of a flow at a node.
func (t *Table) hashOf(at topo.NodeID, key FlowKey) uint64 {
	if t.hash == Murmur {
		ports := uint32(key.SrcPort) | uint32(key.DstPort)<<16
		return uint64(hash.Murmur3(uint32(at), key.SrcIP, key.DstIP, ports))
	}
	h := hash.Combine(t.salt[at], uint64(key.SrcIP)<<32|uint64(key.DstIP))
	return hash.Combine(h, uint64(key.SrcPort)<<16|uint64(key.DstPort))
}
