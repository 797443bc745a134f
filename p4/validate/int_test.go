package validate

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	inband "pintlab/int"
	"pintlab/internal/hash"
	"pintlab/p4/interp"
)

// The random packets that the twins draw cause every possible action of a node.
func TestIntVectorsReachEveryOutcome(t *testing.T) {
	want := map[intRole][]inband.Action{
		intTransit: {inband.Absent, inband.Added, inband.OtherType, inband.NothingDue, inband.HopLimit,
			inband.MTULimit, inband.LengthLimit},
		intSource: {inband.Absent, inband.Added, inband.NoRoom},
		intSink:   {inband.Absent, inband.Removed},
	}
	for role, outcomes := range want {
		made, err := newIntTwin(role)()
		if err != nil {
			t.Fatal(err)
		}
		tw := made.(*intTwin)
		tw.clock = true
		r := hash.Stream(1, "test")
		seen := map[inband.Action]int{}
		full := 0
		for range 20_000 {
			_, in, _, ok := tw.frame.split(tw.draw(r))
			if !ok {
				continue
			}
			var o inband.Action
			var out []byte
			switch role {
			case intTransit:
				_, o, _ = tw.node.Transit(in, nil, intMTU)
			case intSource:
				out, o, err = tw.watched[0].Insert(bytes.Clone(in), &inband.Metadata{}, intMTU)
				if err == nil && o == inband.Added && len(out) == len(in)+inband.ShimSize+inband.HeaderSize {
					full++ // M: the packet has room for the headers but not for the hop
				}
			case intSink:
				_, o, _ = tw.node.Sink(in, &tw.msg)
			}
			seen[o]++
		}
		for _, o := range outcomes {
			if seen[o] < 20 {
				t.Errorf("role %d: %v met %d times in 20000", role, o, seen[o])
			}
		}
		if role == intSource && full < 20 {
			t.Errorf("a source without room for its hop met %d times", full)
		}
	}
}

// pipeline is a switch that runs one of the programs.
func pipeline(t *testing.T, name string) *interp.Pipeline {
	t.Helper()
	p, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	prog, err := p.Load(interp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	pipe, err := prog.NewPipeline(interp.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return pipe
}

// A packet crosses a source, a transit hop and a sink. The receiver gets the packet as it was sent, and the
// collector gets the hops of all three switches.
func TestIntFromSourceToSink(t *testing.T) {
	var pipes []*interp.Pipeline
	for i, name := range []string{"int_md-source", "int_md", "int_md-sink"} {
		pipe := pipeline(t, name)
		setup := []string{"table_set_default links link " + []string{"11", "12", "13"}[i] + " 1500"}
		if i == 2 {
			setup = append(setup, "mirroring_add 1 9")
		}
		for _, c := range setup {
			if _, err := pipe.Command(c); err != nil {
				t.Fatal(err)
			}
		}
		pipe.SetTime(uint64(1000 * (i + 1)))
		pipes = append(pipes, pipe)
	}
	for _, udp := range []bool{false, true} {
		f := intFrame{udp: udp, tos: 0x29, dst: 80, behind: 100}
		sent := f.append(nil)
		seal(sent[14:])
		at := sent
		for i, pipe := range pipes {
			outs, err := pipe.Process(0, at)
			if err != nil {
				t.Fatal(err)
			}
			if i < 2 {
				if len(outs) != 1 {
					t.Fatalf("switch %d sends %d packets", i, len(outs))
				}
				at = bytes.Clone(outs[0].Data)
				if !sealed(at[14:]) {
					t.Errorf("switch %d breaks a checksum: %x", i, at)
				}
				continue
			}
			if len(outs) != 2 || outs[0].Port != 9 || outs[1].Port != 1 {
				t.Fatalf("the sink sends %v", outs)
			}
			if !bytes.Equal(outs[1].Data, sent) {
				t.Errorf("received %x\nsent     %x", outs[1].Data, sent)
			}
			for i, md := range reportedHops(t, outs[0].Data[14:]) {
				want := inband.Instructions(intInstructions)
				if i == 2 {
					want = inband.NodeID | inband.Level1Interfaces | inband.IngressTime
				}
				if md.NodeID != uint32(11+i) || md.IngressTime != uint64(1000*(i+1)) || md.Egress1 != 1 ||
					md.Available != want {
					t.Errorf("hop %d: %+v", i, md)
				}
			}
		}
	}
}

// reportedHops are the three hops of an IP packet that a sink reports, in the order of the path.
func reportedHops(t *testing.T, ip []byte) (list [3]inband.Metadata) {
	t.Helper()
	if !sealed(ip) {
		t.Errorf("the report has a wrong checksum: %x", ip)
	}
	node := inband.Node{Mark: inband.Mark{Kind: inband.ByDSCP, DSCP: intDSCP}}
	var m inband.Message
	if _, o, err := node.Sink(bytes.Clone(ip), &m); o != inband.Removed || err != nil {
		t.Fatalf("the report: %v, %v", o, err)
	}
	hops, err := m.Hops(0)
	if err != nil || hops != len(list) {
		t.Fatalf("%d hops, %v", hops, err)
	}
	for k := range hops { // the newest is first
		if err := m.Hop(k, hops, &list[hops-1-k]); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// intRow sends packets through a source, a transit hop and a sink. Each is a BMv2 switch that must send the same
// bytes as the interpreter. The receiver gets the packets as they were sent, and the collector gets the hops of all
// three switches. In the first round all switches run the same program, tables define their roles, and hops report
// only values that do not depend on the clock. In the second round each switch runs the program of its role, and
// packets carry times and queues.
func intRow(t *testing.T, b *bmv2) {
	t.Helper()
	const packets, reports, session = 200, 2, 7
	byTables := [3][]string{
		{fmt.Sprintf("table_add watch_list begin 0&&&0 0&&&0 0&&&0 0&&&0 0&&&0 => %d 3 1",
			inband.NodeID|inband.Level1Interfaces)}, {},
		{fmt.Sprintf("table_add sinks end 1 => %d", session)},
	}
	for _, observed := range []bool{false, true} {
		var at, sent [][]byte
		r := hash.Stream(1, "test")
		head := 14
		if observed {
			head = 36
		}
		for i := range packets {
			f := intFrame{observed: observed, udp: i&1 == 1, tos: 0x29, dst: uint16(80 + i), behind: 100 + i}
			frame := f.append(nil)
			seal(frame[head:])
			sent = append(sent, bytes.Clone(frame))
		}
		at = sent
		var met [3][]packet // by packets at each hop
		var collected [][]byte
		for n, name := range []string{"int_md-source", "int_md", "int_md-sink"} {
			commands := byTables[n]
			if observed {
				commands = nil
			} else {
				name = "int_md"
			}
			commands = append(commands, fmt.Sprintf("table_set_default links link %d 1500", 11+n),
				fmt.Sprintf("mirroring_add %d %d", session, reports), fmt.Sprintf("mirroring_add 1 %d", reports))
			for i, frame := range at {
				p := packet{SwitchID: uint32(11 + n), Ingress: uint32(i) << 16, Queue: r.Uint32N(1 << 24),
					Size: uint32(len(frame))}
				p.Egress = p.Ingress + r.Uint32N(1<<20)
				met[n] = append(met[n], p)
				if observed {
					for k, v := range []uint32{p.SwitchID, p.Ingress, p.Egress, p.Queue, p.Size} {
						binary.BigEndian.PutUint32(frame[14+4*k:], v)
					}
				}
			}
			out := []int{1}
			if n == 2 {
				out = append(out, reports)
			}
			p := find(t, name)
			c, err := b.compile(t.Context(), p, p.Defines)
			if err != nil {
				t.Fatal(err)
			}
			got, err := b.hop(t.Context(), c, commands, at, out, bytes.Equal)
			if err != nil {
				t.Fatalf("observed: %v, switch %d: %v", observed, n+1, err)
			}
			at, collected = got[1], got[reports]
		}
		if len(at) != packets || len(collected) != packets {
			t.Fatalf("observed: %v: %d packets are received, %d reports, of %d",
				observed, len(at), len(collected), packets)
		}
		for i, frame := range at {
			if !bytes.Equal(frame[head:], sent[i][head:]) {
				t.Errorf("observed: %v: received %x\nsent %x", observed, frame, sent[i])
			}
			for n, md := range reportedHops(t, collected[i][head:]) {
				p := met[n][i]
				if md.NodeID != p.SwitchID || md.Egress1 != 1 || observed && md.IngressTime != uint64(p.Ingress) {
					t.Fatalf("observed: %v, hop %d: %+v, want %+v", observed, n, md, p)
				}
				// The report of a sink contains no values from the sink's egress.
				if observed && n < 2 && (md.HopLatency != p.Egress-p.Ingress || md.QueueOccupancy != p.Queue ||
					md.EgressTime != uint64(p.Egress)) {
					t.Fatalf("hop %d: %+v, want %+v", n, md, p)
				}
			}
		}
	}
}

// seal writes the checksums of an IPv4 packet without options, and sealed checks them.
func seal(ip []byte) {
	at := map[byte]int{6: 36, 17: 26}[ip[9]]
	ip[10], ip[11], ip[at], ip[at+1] = 0, 0, 0, 0
	binary.BigEndian.PutUint16(ip[10:], ^sumOf(ip[:20]))
	binary.BigEndian.PutUint16(ip[at:], ^pseudoSum(ip))
}

func sealed(ip []byte) bool {
	return sumOf(ip[:20]) == 0xffff && pseudoSum(ip) == 0xffff
}

func pseudoSum(ip []byte) uint16 {
	pseudo := append([]byte{0, ip[9], 0, 0}, ip[12:20]...)
	binary.BigEndian.PutUint16(pseudo[2:], uint16(len(ip)-20))
	return sumOf(append(pseudo, ip[20:]...))
}

func sumOf(b []byte) uint16 {
	s := uint32(0)
	for i, c := range b {
		s += uint32(c) << (8 * (1 - i&1))
	}
	for s > 0xffff {
		s = s>>16 + s&0xffff
	}
	return uint16(s)
}

// For any packet, a switch in each role acts like package int.
func FuzzInt(f *testing.F) {
	var all []*comparison
	for _, name := range []string{"int_md", "int_md-source", "int_md-sink"} {
		p, err := Find(name)
		if err != nil {
			f.Fatal(err)
		}
		prog, err := p.Load(interp.Options{})
		if err != nil {
			f.Fatal(err)
		}
		c := &comparison{p: p}
		if c.pipe, err = prog.NewPipeline(interp.Config{}); err != nil {
			f.Fatal(err)
		}
		if c.twin, err = p.twin(); err != nil {
			f.Fatal(err)
		}
		if err := c.twin.(*intTwin).configure(c.pipe); err != nil {
			f.Fatal(err)
		}
		all = append(all, c)
		r := hash.Stream(1, "fuzz")
		for range 10 {
			f.Add(bytes.Clone(c.twin.draw(r)))
		}
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		for _, c := range all {
			tw := c.twin.(*intTwin)
			tw.frame = intFrame{}
			tw.b = append(tw.b[:0], frame...)
			tw.readPort()
			if err := c.next(t.Context(), tw.b); err != nil {
				t.Error(err)
			}
		}
	})
}
