package validate

import (
	"encoding/binary"
	"fmt"
	"testing"

	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/unit"
	"pintlab/p4"
	"pintlab/p4/fixedpoint"
	"pintlab/p4/interp"
	"pintlab/pint"
	"pintlab/pint/deploy"
	"pintlab/pint/query"
)

// The combined plan runs in the simulator. Every packet that leaves a switch of the simulation is also processed by
// the program and its Go twin. Each switch has a pipeline of the program, and each port a twin.

// replayed is a packet that left a port of a switch.
type replayed struct {
	at     netsim.NodeID
	port   netsim.PortID
	packet packet // before the switch
	digest uint16 // after it
}

// recorder records how other taps change packets. before must be the first tap, and after the last.
type recorder struct {
	ids     []uint64
	packets []replayed
}

func (r *recorder) before(h *netsim.Hop) {
	r.packets = append(r.packets, replayed{at: h.Switch, port: h.Port, packet: packet{
		SwitchID: uint32(r.ids[h.Switch]), Ingress: uint32(h.Packet.At / fixedpoint.Tick),
		Egress: uint32(h.Now / fixedpoint.Tick),
		Queue:  uint32(h.Queue), Size: uint32(h.Packet.Size), ID: h.Key(), Hop: uint8(h.Number),
		Digest: uint16(h.Packet.Digest),
	}})
}

func (r *recorder) after(h *netsim.Hop) { r.packets[len(r.packets)-1].digest = uint16(h.Packet.Digest) }

// tapFunc is a function that implements a tap.
type tapFunc func(*netsim.Hop)

func (f tapFunc) Dequeue(h *netsim.Hop) { f(h) }

// combinedPorts contains a twin for each port of a network. The twins share their tables.
type combinedPorts struct {
	fresh combinedTwin
	ports map[netsim.PortID]*combinedTwin
}

func newCombinedPorts(t *testing.T) *combinedPorts {
	t.Helper()
	twin, err := newCombinedTwin(fixedpoint.Difference)()
	if err != nil {
		t.Fatal(err)
	}
	return &combinedPorts{fresh: *twin.(*combinedTwin), ports: map[netsim.PortID]*combinedTwin{}}
}

// process returns the digest of the twin.
func (c *combinedPorts) process(r *replayed) uint16 {
	t := c.ports[r.port]
	if t == nil {
		t = new(combinedTwin)
		*t = c.fresh
		c.ports[r.port] = t
	}
	t.p = r.packet
	t.bytes()
	b := t.expect()
	return binary.BigEndian.Uint16(b[packetBytes-2:])
}

// record runs bursts of packets from all hosts to four hosts of a fat tree. The function make returns the tap that
// writes digests.
func record(t *testing.T, make func(n *netsim.Network, r *recorder) netsim.Tap) []replayed {
	t.Helper()
	g := netsimtest.KAry(4)
	r := &recorder{ids: netIDs(len(g.Nodes))}
	n := netsimtest.New(t, g, netsimtest.Options{Taps: func(n *netsim.Network) []netsim.Tap {
		return []netsim.Tap{tapFunc(r.before), make(n, r), tapFunc(r.after)}
	}})
	var sends []netsimtest.Send
	hosts := g.Hosts()
	for i := range 60 {
		for k, src := range hosts {
			if dst := hosts[(k*5)%4]; src != dst {
				// The first packet leaves after a time T, as the programs require.
				at := 2*p4.Horizon + unit.Time(i*i)*20*unit.Nanosecond + unit.Time(k)*unit.Nanosecond
				sends = append(sends, netsimtest.Send{At: at, Src: src, Dst: dst, Size: unit.Bytes(900 + 50*k)})
			}
		}
	}
	netsimtest.Play(t, n, sends)
	n.CheckEnd(t)
	if len(r.packets) < 2*len(sends) {
		t.Fatalf("%d packets left switches, of %d sent", len(r.packets), len(sends))
	}
	return r.packets
}

func netIDs(nodes int) []uint64 {
	ids := make([]uint64, nodes)
	for i := range ids {
		ids[i] = uint64(i)
	}
	return ids
}

// throughProgram sends the packets through the program and passes on its digests.
func throughProgram(t *testing.T, packets []replayed, use func(i int, digest uint16)) {
	t.Helper()
	prog, err := find(t, "pint_combined").loadAlone()
	if err != nil {
		t.Fatal(err)
	}
	pipes := map[netsim.NodeID]*interp.Pipeline{}
	routed := map[netsim.PortID]bool{}
	for i, r := range packets {
		pipe := pipes[r.at]
		if pipe == nil {
			if pipe, err = prog.NewPipeline(interp.Config{}); err != nil {
				t.Fatal(err)
			}
			pipes[r.at] = pipe
		}
		// The destination address selects the output port.
		in := r.packet.append(nil)
		binary.BigEndian.PutUint32(in[2:], uint32(r.port))
		if !routed[r.port] {
			routed[r.port] = true
			if _, err := pipe.Command(fmt.Sprintf("table_add forward to_port %#x => %d",
				0x0200<<32|uint64(r.port), r.port)); err != nil {
				t.Fatal(err)
			}
		}
		outs, err := pipe.Process(0, in)
		if err != nil || len(outs) != 1 || outs[0].Port != int(r.port) || len(outs[0].Data) != packetBytes {
			t.Fatalf("packet %d, to port %d: %v, %v", i, r.port, outs, err)
		}
		use(i, binary.BigEndian.Uint16(outs[0].Data[packetBytes-2:]))
	}
}

// The switches of the simulator use the twin. Every packet then has the same digest after every hop as with the
// program, bit for bit. This covers all hops of paths and the registers of ports.
func TestProgramEqualsTheSimulator(t *testing.T) {
	twins := newCombinedPorts(t)
	packets := record(t, func(_ *netsim.Network, r *recorder) netsim.Tap {
		return tapFunc(func(h *netsim.Hop) { h.Packet.Digest = uint64(twins.process(&r.packets[len(r.packets)-1])) })
	})
	hops := 0
	throughProgram(t, packets, func(i int, digest uint16) {
		r := &packets[i]
		hops = max(hops, int(r.packet.Hop)+1)
		if digest != r.digest {
			t.Fatalf("packet %d, %+v: the program writes %04x, the simulator %04x", i, r.packet, digest, r.digest)
		}
	})
	if hops != 5 {
		t.Errorf("paths of up to %d hops, want 5", hops)
	}
}

// The simulator's encoder computes latencies and loads in float64 (here U has the arithmetic of switches). It shares
// hash functions, coding and plan with the program, so the digests of path tracing and the choices of query set and
// hop are equal. Codes are equal or adjacent, because half a cell of a code table and a nanosecond of the clock are
// less than a step of 4 to 5 %.
func TestProgramAgreesWithTheSimulatorsEncoder(t *testing.T) {
	spec := query.CombinedByHand()
	spec.Queries[0].Hashes = 1 // the program has one hash of 8 bits for the path
	plan, err := query.Compile(spec)
	if err != nil {
		t.Fatal(err)
	}
	encoder, err := query.NewEncoder(plan, query.Options{Seed: p4.Seed, CRC: true})
	if err != nil {
		t.Fatal(err)
	}
	shared, err := p4.Utilization(fixedpoint.Difference)
	if err != nil {
		t.Fatal(err)
	}
	packets := record(t, func(n *netsim.Network, r *recorder) netsim.Tap {
		s, err := deploy.NewSwitches(n, encoder, deploy.Config{IDs: r.ids, Load: func(p netsim.PortID) pint.Arithmetic {
			if n.PortRate(p) != p4.Rate {
				t.Fatalf("a port of %v, the program's constants are for %v", n.PortRate(p), p4.Rate)
			}
			port, err := shared.NewPort(p4.Rate, p4.Horizon)
			if err != nil {
				t.Fatal(err)
			}
			return port
		}})
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
	twins := newCombinedPorts(t)
	kept, next, sets := 0, 0, [2]int{}
	throughProgram(t, packets, func(i int, digest uint16) {
		r := &packets[i]
		set := encoder.Set(r.packet.ID)
		sets[set]++
		if twin := twins.process(r); digest != twin {
			t.Fatalf("packet %d, %+v: the program writes %04x, its twin %04x", i, r.packet, digest, twin)
		}
		if byte(digest) != byte(r.digest) {
			t.Fatalf("packet %d, %+v: path digest %02x of the program, %02x of the simulator",
				i, r.packet, byte(digest), byte(r.digest))
		}
		old, a, b := int(r.packet.Digest>>8), int(digest>>8), int(r.digest>>8)
		if set == 0 && b == old && a == old {
			kept++
		}
		if a != b {
			next++
		}
		if a-b > 1 || b-a > 1 {
			t.Fatalf("packet %d, %+v, query set %d: code %d of the program, %d of the simulator",
				i, r.packet, set, a, b)
		}
	})
	if n := len(packets); sets[0] < n/2 || sets[1] < n/50 || kept < n/10 || next > n/5 {
		t.Errorf("%d packets: %v in the query sets, %d kept the latency they had, %d codes next to the simulator's",
			n, sets, kept, next)
	}
}
