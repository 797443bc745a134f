package validate

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"pintlab/internal/number"
	"slices"

	"pintlab/internal/hash"
	"pintlab/internal/lists"
	"pintlab/netsim/unit"
	"pintlab/p4"
	"pintlab/p4/interp"
	"pintlab/pint/approx"
	"pintlab/pint/coding"
	"pintlab/pint/query"
)

// Settings of the chain of switches. TCP packets of several flows go through it.
const (
	chainProgram = "pint_combined"
	chainFlows   = 4
	chainPackets = 250 // packets of a flow
	firstTTL     = 64

	chainIn, chainOut, chainReports = 0, 1, 2 // ports of each switch
	chainSession                    = 7
)

// chainSwitches returns the five switches of the chain.
func chainSwitches() []uint32 { return []uint32{11, 23, 5, 42, 17} }

// ChainReport is the result of sending TCP packets through a chain of BMv2 switches. The first pass runs the program
// as an operator loads it. The times come from the machine's clock, so only paths are decoded. In the second pass
// the packets carry times and queues (-D OBSERVED), so that latency quantiles and U can also be compared with the
// truth.
type ChainReport struct {
	Program   string  `json:"program"`
	Switches  int     `json:"switches"`
	Packets   int     `json:"packets"` // packets of each pass
	Reports   int     `json:"reports"` // reports of the sink, in the first pass
	Paths     int     `json:"paths"`   // decoded paths of flows, in both passes
	Quantiles int     `json:"quantiles"`
	Loads     int     `json:"loads"`      // packets from which U was decoded
	LoadError float64 `json:"load_error"` // mean absolute value of the relative error of U
}

// chain sends the packets of several flows through a chain of BMv2 switches with pint_combined, and decodes the
// output with package pint. Every switch must send the same packets as the interpreter. In the first pass the byte
// that contains latency or U may differ, because its value depends on the machine's clock.
func (b *bmv2) chain(ctx context.Context, ids []uint32, seed uint64) (r ChainReport, err error) {
	p, err := Find(chainProgram)
	if err != nil {
		return r, err
	}
	r = ChainReport{Program: p.Name, Switches: len(ids)}
	c := &chain{b: b, ids: ids, r: &r}
	for _, pass := range []struct {
		name    string
		defines []string
		run     func(context.Context, uint64) error
	}{{"real", p.Defines, c.real}, {"observed", p.defines(), c.observed}} {
		c.program, err = b.compile(ctx, p, pass.defines)
		if err == nil {
			err = pass.run(ctx, seed)
		}
		if err != nil {
			return r, fmt.Errorf("%s through %d switches, %s packets: %w", p.Name, len(ids), pass.name, err)
		}
	}
	return r, nil
}

// chain is the state of a run of bmv2.chain.
type chain struct {
	b       *bmv2
	ids     []uint32
	r       *ChainReport
	program *compiled // program of the current pass
}

// hop sends packets through one switch and through the interpreter with the same configuration, and
// returns the output packets of each port. same reports whether two packets are equal.
func (b *bmv2) hop(
	ctx context.Context, c *compiled, commands []string, in [][]byte, out []int, same func(got, want []byte) bool,
) (map[int][][]byte, error) {
	pipe, err := c.prog.NewPipeline(interp.Config{})
	if err != nil {
		return nil, err
	}
	if err := obey(pipe, commands); err != nil {
		return nil, err
	}
	s := &bmv2Sample{commands: commands, out: map[int][]sentPacket{chainIn: nil}}
	for _, port := range out {
		s.out[port] = nil
	}
	for i, packet := range in {
		pipe.SetTime(uint64(1000 + i))
		sent, err := pipe.Process(chainIn, packet)
		if err != nil {
			return nil, err
		}
		s.record(packet, sent)
	}
	return b.same(ctx, c, s, same)
}

// real sends packets in the form in which a host sends them, through a source, transit hops and a sink.
func (c *chain) real(ctx context.Context, _ uint64) error {
	var sent [][]byte
	for n := range chainPackets {
		for flow := range chainFlows {
			sent = append(sent, tcpPacket(flow+1, n, unit.Bytes(120+20*flow)))
		}
	}
	c.r.Packets = len(sent)
	at := sent
	var reports [][]byte
	for n, id := range c.ids {
		commands := []string{
			fmt.Sprintf("table_set_default identity me %d", id),
			fmt.Sprintf("table_set_default plan agreed %d %d %d %d %d %#x", p4.Seed,
				p4.SeedOf(-1), p4.SeedOf(0), p4.SeedOf(1), p4.SeedOf(2), 0x10000-0x10000>>p4.HPCCShift),
			fmt.Sprintf("table_add forward to_port 10.1.0.0/16 => %d", chainOut),
		}
		if n == 0 {
			commands = append(commands, fmt.Sprintf("table_add sources begin %d =>", chainIn))
		}
		out := []int{chainOut}
		if n == len(c.ids)-1 {
			commands = append(commands, fmt.Sprintf("table_add sinks end %d => %d", chainOut, chainSession),
				fmt.Sprintf("mirroring_add %d %d", chainSession, chainReports))
			out = append(out, chainReports)
		}
		got, err := c.b.hop(ctx, c.program, commands, at, out, sameButClock)
		if err != nil {
			return fmt.Errorf("switch %d: %w", n+1, err)
		}
		at, reports = got[chainOut], got[chainReports]
	}
	for i, b := range at {
		want := bytes.Clone(sent[i])
		want[22] -= byte(len(c.ids))
		binary.BigEndian.PutUint16(want[24:], 0)
		binary.BigEndian.PutUint16(want[24:], ^onesSum(want[14:34]))
		if !bytes.Equal(b, want) {
			return fmt.Errorf("packet %d: the host receives %x, want %x", i, b, want)
		}
	}
	c.r.Reports = len(reports)
	list, err := lists.Try(reports, readReport)
	if err != nil {
		return err
	}
	return c.decode(list, nil)
}

// sameButClock reports whether two packets are equal except in the second byte of a digest. This byte contains the
// latency or U.
func sameButClock(got, want []byte) bool {
	const second = 14
	if len(got) != len(want) {
		return false
	}
	if len(want) <= second || binary.BigEndian.Uint16(want[12:]) != etherTypePINT {
		return bytes.Equal(got, want)
	}
	return bytes.Equal(got[:second], want[:second]) && bytes.Equal(got[second+1:], want[second+1:])
}

// chainTruth holds the times and queues that the packets of the second pass met.
type chainTruth struct {
	latencies map[[2]int][]uint32 // in ns, sorted; by flow and hop, both from 0
	loads     map[uint64]float64  // largest U by identifier
}

// observed sends packets that carry times and queues. These are the times and queues that the packets would have
// behind links of 100 Gb/s with jitter.
func (c *chain) observed(ctx context.Context, seed uint64) error {
	link, err := approx.NewLink(p4.Rate, p4.Horizon)
	if err != nil {
		return err
	}
	r := hash.Stream(seed, "p4/validate/chain")
	n := chainFlows * chainPackets
	list := make([]packet, n)
	arrive := make([]unit.Time, n)
	at := 2 * p4.Horizon
	for i := range list {
		list[i] = packet{ID: r.Uint64(), Size: uint32(200 + r.Uint64N(1200))}
		at += unit.Time(r.Uint64N(uint64(400 * unit.Nanosecond)))
		arrive[i] = at
	}
	truth := &chainTruth{latencies: map[[2]int][]uint32{}, loads: map[uint64]float64{}}
	for hop, id := range c.ids {
		leave := make([]unit.Time, n)
		last := unit.Time(0)
		for i, p := range list {
			jitter := unit.Time(0)
			if r.Uint64N(8) == 0 {
				jitter = unit.Time(r.Uint64N(uint64(2 * unit.Microsecond)))
			}
			last = max(last, arrive[i]) + p4.Rate.TxTime(unit.Bytes(p.Size)) + jitter
			leave[i] = last
		}
		load, before := 0.0, unit.Time(0)
		var in [][]byte
		next, queue := 0, unit.Bytes(0)
		for i := range list {
			p := &list[i]
			for ; next < n && arrive[next] <= leave[i]; next++ {
				queue += unit.Bytes(list[next].Size)
			}
			queue -= unit.Bytes(p.Size)
			ns := uint32((leave[i] - arrive[i]) / unit.Nanosecond)
			p.SwitchID, p.Queue, p.Hop = id, uint32(queue), uint8(hop)
			p.Egress = uint32(leave[i] / unit.Nanosecond)
			p.Ingress = p.Egress - ns
			in = append(in, p.append(nil))
			key := [2]int{i % chainFlows, hop}
			truth.latencies[key] = append(truth.latencies[key], ns)
			tau := p4.Horizon
			if before > 0 {
				tau = leave[i] - before
			}
			load, before = link.Update(load, tau, queue, unit.Bytes(p.Size)), leave[i]
			truth.loads[p.ID] = max(truth.loads[p.ID], load)
			arrive[i] = leave[i] + unit.Microsecond
		}
		got, err := c.b.hop(ctx, c.program, nil, in, []int{chainOut}, bytes.Equal)
		if err != nil {
			return fmt.Errorf("switch %d: %w", hop+1, err)
		}
		for i, b := range got[chainOut] {
			list[i].Digest = binary.BigEndian.Uint16(b[packetBytes-2:])
		}
	}
	var reports []reported
	for i, p := range list {
		src, dst := tcpFlow(i%chainFlows + 1)
		sent := query.Packet{ID: p.ID, Hops: len(c.ids), Flow: tuple(src, dst, 6)}
		reports = append(reports, reported{packet: sent, digest: uint64(p.Digest)})
	}
	for _, l := range truth.latencies {
		slices.Sort(l)
	}
	return c.decode(reports, truth)
}

// decode finds the path of every flow in the reports. If truth is not nil, it compares latency quantiles and U with
// the truth.
func (c *chain) decode(reports []reported, truth *chainTruth) error {
	spec := query.CombinedByHand()
	spec.Queries[0].Hashes = 1 // the program has one hash of 8 bits for the path
	plan, err := query.Compile(spec)
	if err != nil {
		return err
	}
	encoder, err := query.NewEncoder(plan, query.Options{Seed: p4.Seed, CRC: true})
	if err != nil {
		return err
	}
	recorder, err := query.NewRecorder(encoder, query.Memory{Total: 64 * unit.MiB}, 1)
	if err != nil {
		return err
	}
	for _, x := range reports {
		if err := recorder.Record(x.packet, x.digest); err != nil {
			return err
		}
		if truth == nil {
			continue
		}
		u, ok, err := encoder.PerPacket("hpcc", x.packet.ID, x.digest, x.packet.Hops, 0)
		if err != nil {
			return err
		}
		if ok {
			c.r.Loads++
			c.r.LoadError += math.Abs(u.Value/truth.loads[x.packet.ID] - 1)
		}
	}
	names := make([]uint64, 64)
	for i := range names {
		names[i] = uint64(i)
	}
	inference := query.NewInference(recorder)
	for flow := range chainFlows {
		src, dst := tcpFlow(flow + 1)
		id := query.FlowID{Flow: tuple(src, dst, 6), Hops: uint8(len(c.ids))}
		decoder, err := coding.NewFilter(encoder.Coding("path"), len(c.ids), names)
		if err != nil {
			return err
		}
		path, known, err := inference.Path("path", id, decoder)
		if err != nil {
			return fmt.Errorf("flow %d: %w", flow+1, err)
		}
		for i, want := range c.ids {
			if !known[i] || path[i] != uint64(want) {
				return fmt.Errorf("flow %d: hop %d is decoded as switch %d (known: %v), but it is switch %d",
					flow+1, i+1, path[i], known[i], want)
			}
		}
		c.r.Paths++
		for hop := range c.ids {
			if truth == nil {
				break
			}
			for _, phi := range []float64{0.5, 0.9} {
				if err := quantileFits(inference, id, hop+1, phi, truth.latencies[[2]int{flow, hop}]); err != nil {
					return fmt.Errorf("flow %d, hop %d: %w", flow+1, hop+1, err)
				}
				c.r.Quantiles++
			}
		}
	}
	if truth == nil {
		return nil
	}
	if c.r.Loads < len(reports)/32 {
		return fmt.Errorf("%d packets of %d give U", c.r.Loads, len(reports))
	}
	// The code rounds at random to a step of 5 %. This causes a mean error of a third of a step.
	if c.r.LoadError /= float64(c.r.Loads); c.r.LoadError > 0.03 {
		return fmt.Errorf("the mean error of U is too large: %s", number.Share(c.r.LoadError))
	}
	return nil
}

// quantileFits checks a latency quantile of package pint. The rank of the quantile among the true latencies (in ns,
// sorted) must be within its error bound.
func quantileFits(inference *query.Inference, id query.FlowID, hop int, phi float64, truth []uint32) error {
	e, err := inference.Quantile("latency", id, hop, phi, 1e-9)
	if err != nil {
		return err
	}
	// A code stands for values from one step of 4.4 % below the decoded value to one step above it.
	value := e.Value / float64(unit.Nanosecond)
	low, _ := slices.BinarySearch(truth, uint32(value*0.95))
	high, _ := slices.BinarySearch(truth, uint32(math.Ceil(value*1.05)))
	if n := float64(len(truth)); float64(high)/n < phi-e.RankError || float64(low)/n > phi+e.RankError {
		return fmt.Errorf("the %v-quantile is %v ns, rank %.3f to %.3f; error bound %.3f",
			phi, value, float64(low)/n, float64(high)/n, e.RankError)
	}
	return nil
}

// tcpFlow returns the addresses of flow number i.
func tcpFlow(i int) (src, dst netip.AddrPort) {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(i)}), uint16(40_000+i)),
		netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 1, 0, byte(i)}), 5001)
}

// tcpPacket returns packet number n of a flow in the form in which the host sends it.
func tcpPacket(flow, n int, size unit.Bytes) []byte {
	src, dst := tcpFlow(flow)
	b := []byte{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0}
	length := int(size) - 4 - len(b) // size includes the tag of 4 bytes that the packet has in the network
	b = append(b, 0x45, 0)
	b = binary.BigEndian.AppendUint16(b, uint16(length))
	b = binary.BigEndian.AppendUint16(b, uint16(n*7+flow))
	b = append(b, 0x40, 0, firstTTL, 6, 0, 0)
	b = append(b, src.Addr().AsSlice()...)
	b = append(b, dst.Addr().AsSlice()...)
	binary.BigEndian.PutUint16(b[24:], ^onesSum(b[14:34]))
	b = binary.BigEndian.AppendUint16(b, src.Port())
	b = binary.BigEndian.AppendUint16(b, dst.Port())
	b = binary.BigEndian.AppendUint32(b, uint32(n*1000)+0x12345678)
	b = binary.BigEndian.AppendUint32(b, 1)
	b = append(b, 0x50, 0x10, 0xff, 0xff, 0xab, 0xcd, 0, 0)
	for len(b) < 14+length {
		b = append(b, byte(len(b)+n))
	}
	return b
}

// onesSum returns the one's complement sum of the 16-bit words.
func onesSum(b []byte) uint16 {
	sum := uint32(0)
	for i := 0; i+1 < len(b); i += 2 {
		sum += uint32(binary.BigEndian.Uint16(b[i:]))
	}
	for sum > 0xffff {
		sum = sum&0xffff + sum>>16
	}
	return uint16(sum)
}

// reported is a report as a collector decodes it.
type reported struct {
	packet query.Packet
	digest uint64
}

func tuple(src, dst netip.AddrPort, protocol uint8) query.FiveTuple {
	return query.FiveTuple{Src: src.Addr().As16(), Dst: dst.Addr().As16(), SrcPort: src.Port(),
		DstPort: dst.Port(), Protocol: protocol}
}

// readReport reads Ethernet, the tag, IPv4 and TCP.
func readReport(b []byte) (r reported, err error) {
	if len(b) != 64 || binary.BigEndian.Uint16(b[12:]) != etherTypePINT || binary.BigEndian.Uint16(b[16:]) != 0x0800 {
		return r, errors.New("no report")
	}
	ip := b[18:]
	tcp := ip[20:]
	seq, id, port := binary.BigEndian.Uint32(tcp[4:]), binary.BigEndian.Uint16(ip[4:]), binary.BigEndian.Uint16(tcp)
	r.digest = uint64(binary.BigEndian.Uint16(b[14:]))
	r.packet.ID = uint64(seq)<<32 | uint64(id)<<16 | uint64(port)
	r.packet.Hops = int(firstTTL - ip[8])
	r.packet.Flow = tuple(
		netip.AddrPortFrom(netip.AddrFrom4([4]byte(ip[12:16])), port),
		netip.AddrPortFrom(netip.AddrFrom4([4]byte(ip[16:20])), binary.BigEndian.Uint16(tcp[2:])), ip[9])
	return r, nil
}
