package validate

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/unit"
	"pintlab/p4"
	"pintlab/p4/interp"

	"pintlab/pint/approx"
	"pintlab/pint/coding"
	"pintlab/pint/query"
)

// TCP over IPv4 goes from one pod of a fat tree to another pod. The path has five switches. Each of them runs
// pint_combined as an operator would load it, with clocks and queues of the simulator. The sink restores the sent
// packet for the host. From the reports at the collector, package pint decodes paths, latency quantiles and U.

// The ports at which packets enter and leave the network.
const (
	sourcePort    = 500
	transitPort   = 501
	collectorPort = 502
	reportSession = 7
)

// passed is a packet at a switch of the simulation.
type passed struct {
	key, flow     uint64
	at            netsim.NodeID
	port          netsim.PortID
	hop           int // switches before this one
	arrived, left unit.Time
	queue, size   unit.Bytes
}

// tcpTraffic runs the simulator: eight hosts send to one host through at most five switches, in bursts that fill the
// queues.
func tcpTraffic(t *testing.T) (hops []passed, switches int) {
	t.Helper()
	g := netsimtest.KAry(4)
	tap := tapFunc(func(h *netsim.Hop) {
		hops = append(hops, passed{key: uint64(h.Packet.Seq), flow: h.FlowKey(), at: h.Switch, port: h.Port,
			hop:     h.Number,
			arrived: h.Packet.At, left: h.Now, queue: h.Queue, size: unit.Bytes(h.Packet.Size)})
	})
	n := netsimtest.New(t, g, netsimtest.Options{Taps: func(*netsim.Network) []netsim.Tap { return []netsim.Tap{tap} }})
	hosts := g.Hosts()
	var sends []netsimtest.Send
	for i := range 500 {
		for k, src := range hosts[:8] {
			at := 2*p4.Horizon + unit.Time(i)*680*unit.Nanosecond + unit.Time(k*k)*7*unit.Nanosecond
			if i%20 < 4 { // these come close together
				at -= unit.Time(i%20) * 500 * unit.Nanosecond
			}
			sends = append(sends, netsimtest.Send{At: at, Src: src, Dst: hosts[15], Size: unit.Bytes(900 + 20*k)})
		}
	}
	netsimtest.Play(t, n, sends)
	n.CheckEnd(t)
	return hops, len(g.Nodes)
}

// capture writes packets to a file and reads them back.
func capture(t *testing.T, name string, packets [][]byte) [][]byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := writeCapture(file, packets); err != nil {
		t.Fatal(err)
	}
	read, err := readCapture(file)
	if err != nil || len(read) != len(packets) {
		t.Fatalf("%s: %d packets of %d, %v", name, len(read), len(packets), err)
	}
	return read
}

// moment is the time at which a packet enters a switch or leaves its queue.
type moment struct {
	at     unit.Time
	leaves bool
	hop    int // index
}

// throughSwitches sends the packets of the flows through the switches of the simulation. Each switch is a separate
// pipeline whose tables are filled by commands. It returns the packets that hosts and the collector receive.
func throughSwitches(
	t *testing.T, hops []passed, packets map[uint64][]byte, flows map[uint64]int,
) (delivered map[uint64][]byte, reports [][]byte) {
	t.Helper()
	prog, err := interp.LoadFS(p4.Sources(), "pint_combined.p4",
		interp.Options{Defines: []string{"TICK_SHIFT=0", "QUEUE_SHIFT=6"}})
	if err != nil {
		t.Fatal(err)
	}
	last := map[uint64]int{} // index of the hop by which a packet leaves the network
	for i, h := range hops {
		if k, ok := last[h.key]; !ok || hops[k].hop < h.hop {
			last[h.key] = i
		}
	}
	pipes := map[netsim.NodeID]*interp.Pipeline{}
	known := map[string]bool{}
	command := func(p *interp.Pipeline, at netsim.NodeID, line string) {
		if key := fmt.Sprint(at, line); !known[key] {
			known[key] = true
			if _, err := p.Command(line); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, h := range hops {
		p := pipes[h.at]
		if p == nil {
			if p, err = prog.NewPipeline(interp.Config{}); err != nil {
				t.Fatal(err)
			}
			pipes[h.at] = p
			command(p, h.at, fmt.Sprintf("table_set_default identity me %d", h.at))
			command(p, h.at, fmt.Sprintf("table_set_default plan agreed %d %d %d %d %d %#x", p4.Seed,
				p4.SeedOf(-1), p4.SeedOf(0), p4.SeedOf(1), p4.SeedOf(2), 0x10000-0x10000>>p4.HPCCShift))
			command(p, h.at, fmt.Sprintf("table_add sources begin %d =>", sourcePort))
			command(p, h.at, fmt.Sprintf("mirroring_add %d %d", reportSession, collectorPort))
		}
		_, dst := tcpFlow(flows[h.flow])
		command(p, h.at, fmt.Sprintf("table_add forward to_port %s/32 => %d", dst.Addr(), h.port))
		if last[h.key] == i {
			command(p, h.at, fmt.Sprintf("table_add sinks end %d => %d", h.port, reportSession))
		}
	}
	var agenda []moment
	for i, h := range hops {
		agenda = append(agenda, moment{h.arrived, false, i}, moment{h.left, true, i})
	}
	// If a switch receives and sends packets at the same time, it receives first.
	slices.SortStableFunc(agenda, func(a, b moment) int {
		switch {
		case a.at != b.at:
			return int(min(max(a.at-b.at, -1), 1))
		case a.leaves == b.leaves:
			return 0
		case b.leaves:
			return -1
		}
		return 1
	})
	delivered = map[uint64][]byte{}
	waiting := map[int]*interp.Queued{}
	for _, m := range agenda {
		h := &hops[m.hop]
		dev := pipes[h.at].Device()
		dev.SetTime(uint64(m.at / unit.Nanosecond))
		if !m.leaves {
			port := transitPort
			if h.hop == 0 {
				port = sourcePort
			}
			qs, err := dev.Arrive(port, packets[h.key])
			if err != nil || len(qs) != 1 || qs[0].Port != int(h.port) {
				t.Fatalf("hop %+v: %v, %v", h, qs, err)
			}
			waiting[m.hop] = qs[0]
			continue
		}
		q := waiting[m.hop]
		delete(waiting, m.hop)
		if q.Bytes != int(h.size) {
			t.Fatalf("hop %+v: the packet has %d bytes", h, q.Bytes)
		}
		outs, clones, err := dev.Leave(q,
			interp.Departure{Enqueued: uint64(h.arrived / unit.Nanosecond), DeqDepth: uint64(h.queue+63) / 64})
		if err != nil || len(outs) != 1 || outs[0].Port != int(h.port) {
			t.Fatalf("hop %+v: %v, %v", h, outs, err)
		}
		packets[h.key] = bytes.Clone(outs[0].Data)
		if last[h.key] != m.hop {
			if len(clones) != 0 {
				t.Fatalf("hop %+v: a report in the middle", h)
			}
			continue
		}
		delivered[h.key] = packets[h.key]
		for _, c := range clones {
			outs, _, err := dev.Leave(c, interp.Departure{})
			if err != nil || len(outs) != 1 || outs[0].Port != collectorPort {
				t.Fatalf("report: %v, %v", outs, err)
			}
			reports = append(reports, bytes.Clone(outs[0].Data))
		}
	}
	return delivered, reports
}

func TestRealPacketsThroughFiveSwitches(t *testing.T) {
	if testing.Short() {
		t.Skip("needs a second, for it simulates a network and sends all its packets through switches: not with -short")
	}
	hops, switches := tcpTraffic(t)
	flows := map[uint64]int{}          // number of a flow
	counts := map[uint64]int{}         // packets of a flow
	sent := map[uint64][]byte{}        // by key
	ids := map[uint64]uint64{}         // key by identifier
	paths := map[uint64]map[int]int{}  // switch by flow and hop
	latencies := map[[2]int][]uint32{} // ns by flow and hop
	loads := map[uint64]float64{}      // largest U by key
	var order []uint64
	link, err := approx.NewLink(p4.Rate, p4.Horizon)
	if err != nil {
		t.Fatal(err)
	}
	type portState struct {
		u    float64
		left unit.Time
	}
	states := map[netsim.PortID]*portState{}
	byTime := slices.Clone(hops)
	slices.SortStableFunc(byTime, func(a, b passed) int { return int(min(max(a.left-b.left, -1), 1)) })
	for _, h := range byTime {
		if _, ok := flows[h.flow]; !ok {
			flows[h.flow] = len(flows) + 1
			paths[h.flow] = map[int]int{}
		}
		if h.hop == 0 {
			n := counts[h.flow]
			counts[h.flow]++
			b := tcpPacket(flows[h.flow], n, h.size)
			sent[h.key] = b
			order = append(order, h.key)
			seq, id := binary.BigEndian.Uint32(b[38:]), binary.BigEndian.Uint16(b[18:])
			port := binary.BigEndian.Uint16(b[34:])
			ids[uint64(seq)<<32|uint64(id)<<16|uint64(port)] = h.key
		}
		paths[h.flow][h.hop] = int(h.at)
		at := [2]int{flows[h.flow], h.hop}
		latencies[at] = append(latencies[at], uint32((h.left-h.arrived)/unit.Nanosecond))
		s := states[h.port]
		if s == nil {
			s = &portState{}
			states[h.port] = s
		}
		tau := p4.Horizon
		if s.left > 0 {
			tau = h.left - s.left
		}
		s.u, s.left = link.Update(s.u, tau, h.queue, h.size), h.left
		loads[h.key] = max(loads[h.key], s.u)
	}
	if len(ids) != len(sent) {
		t.Fatalf("%d identifiers of %d packets", len(ids), len(sent))
	}

	// The packets are written to capture files and read back, as an operator would process them.
	var list [][]byte
	for _, k := range order {
		list = append(list, sent[k])
	}
	packets := map[uint64][]byte{}
	for i, b := range capture(t, "sent.pcap", list) {
		packets[order[i]] = b
	}
	delivered, reports := throughSwitches(t, hops, packets, flows)
	if len(reports) != len(sent) {
		t.Fatalf("%d reports of %d packets", len(reports), len(sent))
	}

	// The host receives the packet as it was sent, except for the TTL and the checksum.
	for k, b := range sent {
		got := delivered[k]
		want := bytes.Clone(b)
		passes := byte(0)
		if len(got) == len(want) {
			passes = firstTTL - got[22]
			want[22] -= passes
			binary.BigEndian.PutUint16(want[24:], 0)
			binary.BigEndian.PutUint16(want[24:], ^onesSum(want[14:34]))
		}
		if passes == 0 || passes > 5 || !bytes.Equal(got, want) {
			t.Fatalf("sent %x\ngot %x", b, got)
		}
	}

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
	recorder, err := query.NewRecorder(encoder, query.Memory{Total: 64 * unit.MiB}, 1)
	if err != nil {
		t.Fatal(err)
	}
	var errs []float64 // relative errors of U
	for _, b := range capture(t, "reports.pcap", reports) {
		r, err := readReport(b)
		if err != nil {
			t.Fatal(err)
		}
		if err := recorder.Record(r.packet, r.digest); err != nil {
			t.Fatalf("%+v: %v", r, err)
		}
		u, ok, err := encoder.PerPacket("hpcc", r.packet.ID, r.digest, r.packet.Hops, 0)
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			truth := loads[ids[r.packet.ID]]
			errs = append(errs, u.Value/truth-1)
		}
	}
	names := make([]uint64, switches)
	for i := range names {
		names[i] = uint64(i)
	}
	inference := query.NewInference(recorder)
	five := 0
	for flow, number := range flows {
		source, dst := tcpFlow(number)
		id := query.FlowID{Flow: tuple(source, dst, 6), Hops: uint8(len(paths[flow]))}
		if id.Hops == 5 {
			five++
		}
		decoder, err := coding.NewFilter(encoder.Coding("path"), int(id.Hops), names)
		if err != nil {
			t.Fatal(err)
		}
		path, known, err := inference.Path("path", id, decoder)
		if err != nil {
			t.Fatalf("flow %d: %v", number, err)
		}
		for i := range path {
			if !known[i] || int(path[i]) != paths[flow][i] {
				t.Errorf("flow %d: hop %d is switch %d (%v), want %d", number, i+1, path[i], known[i], paths[flow][i])
			}
		}
		for hop := range paths[flow] {
			truth := latencies[[2]int{number, hop}]
			slices.Sort(truth)
			for _, phi := range []float64{0.5, 0.9} {
				if err := quantileFits(inference, id, hop+1, phi, truth); err != nil {
					t.Errorf("flow %d, hop %d: %v", number, hop+1, err)
				}
			}
		}
	}
	if five < 4 || len(errs) < len(sent)/32 {
		t.Errorf("%d flows over five switches, %d packets with U of %d", five, len(errs), len(sent))
	}
	mean := 0.0
	for _, e := range errs {
		mean += math.Abs(e) / float64(len(errs))
	}
	// The code rounds at random to a step of 5 %. This causes a mean error of a third of a step.
	if worst := slices.Max(errs); mean > 0.03 || worst > 0.12 || slices.Min(errs) < -0.12 {
		t.Errorf("U: mean error %.4f, %.4f to %.4f", mean, slices.Min(errs), worst)
	}
	t.Logf("%d packets, %d of %d flows over five switches, U of %d packets with a mean error of %.4f",
		len(sent), five, len(flows), len(errs), mean)
}
