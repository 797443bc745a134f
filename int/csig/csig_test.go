package csig

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pintlab/hpcc"
	"pintlab/internal/errtest"
	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/schema"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
	"pintlab/transport/swift"
)

const (
	us   = unit.Microsecond
	line = 100 * unit.Gbps
)

// params returns the defaults with changes.
func params(edit func(*Params)) *Params {
	p := &Params{}
	(&schema.Language{}).Default(p)
	if edit != nil {
		edit(p)
	}
	return p
}

// The tag of FBOSS begins with 0x9900. Then follow T (3 bits), R (1 bit), S (5 bits) and LM (7 bits): T<<13 | R<<12 |
// S<<7 | LM. The wide tag has LM (16 bits), T (4 bits), S (20 bits) and R (8 bits).
func TestTagsByHand(t *testing.T) {
	for _, tt := range []struct {
		format *Format
		tag    Tag
		bits   uint64
	}{
		{&Compact, Tag{ABWShare, 0x16, 5}, 0x9900_2b05},
		{&Compact, Tag{Queue, 31, 127}, 0x9900_6fff},
		{&Wide, Tag{Delay, 0xabcde, 0x1234}, 0x9901_1234_2abc_de00},
	} {
		if got := tt.format.Encode(tt.tag); got != tt.bits {
			t.Errorf("%+v is %#x, want %#x", tt.tag, got, tt.bits)
		}
		if got, ok := tt.format.Decode(tt.bits); got != tt.tag || !ok {
			t.Errorf("%#x is %+v, %v; want %+v", tt.bits, got, ok, tt.tag)
		}
	}
	if _, ok := Compact.Decode(0x8100_2b05); ok {
		t.Error("a tag of another EtherType was decoded")
	}
	if got := Compact.Initial(ABW); got != 0x9900_0fff {
		t.Errorf("a source sends %#x, want all ones of bandwidth and no locator", got)
	}
	if got := Wide.Initial(Delay); got != 0x9901_ffff_2000_0000 {
		t.Errorf("a source sends %#x, want no delay and no locator", got)
	}
}

// A worse value replaces the value in the tag, together with its locator. If two values are equal, the value of the
// earlier hop remains.
func TestUpdateByHand(t *testing.T) {
	for _, tt := range []struct {
		signal       Signal
		values, want string // buckets of hops 1, 2, …; result as bucket and locator
	}{
		{ABW, "20 9 9 15", "9 at 2"},
		{ABWShare, "31 31", "31 at 127"},
		{Delay, "0 4 7 7 2", "7 at 3"},
		{Queue, "0 0", "0 at 127"},
	} {
		tag := Compact.Initial(tt.signal)
		for i, word := range strings.Fields(tt.values) {
			var v uint32
			if _, err := fmt.Sscan(word, &v); err != nil {
				t.Fatal(err)
			}
			tag = Compact.Update(tag, v, uint32(i+1))
		}
		got, _ := Compact.Decode(tag)
		if s := fmt.Sprintf("%d at %d", got.Value, got.Locator); s != tt.want || got.Signal != tt.signal {
			t.Errorf("%s: %s, want %s", tt.values, s, tt.want)
		}
	}
}

// Deployed switches have 7 thresholds for ABW/C, and 7 for ABW at 200 Gb/s. A share of 26 % belongs to the range that
// begins at 25 %. A delay of 0.1 µs belongs to the range that ends at 1 µs.
func TestRangesByHand(t *testing.T) {
	percent := strings.Fields("0.05 0.10 0.25 0.40 0.55 0.70 0.85")
	for _, tt := range []struct {
		share float64
		code  uint32
		says  float64 // utilisation
	}{{0, 0, 1}, {0.049, 0, 1}, {0.26, 3, 0.75}, {0.84, 6, 0.3}, {1, 7, 0.15}} {
		s, err := ranges(percent, ABWShare, 31)
		if err != nil {
			t.Fatal(err)
		}
		code := s.below(int64(tt.share * whole))
		if says := (loadCode{&s}).Decode(code); code != tt.code || math.Abs(says-tt.says) > 1e-8 {
			t.Errorf("%v free: code %d, U = %v; want %d, %v", tt.share, code, says, tt.code, tt.says)
		}
	}
	s, err := ranges(strings.Fields("40Gbps 80Gbps 120Gbps 160Gbps 180Gbps 190Gbps 198Gbps"), ABW, 31)
	if code := s.below(int64(185 * unit.Gbps)); err != nil || code != 5 || s.value(code) != int64(180*unit.Gbps) {
		t.Errorf("185 Gb/s: code %d, %v, %v", code, s.value(code), err)
	}
	s, err = ranges(strings.Fields("1us 2us 5us"), Delay, 31)
	for v, want := range map[unit.Time]uint32{
		0: 0, 100 * unit.Nanosecond: 1, us: 1, us + 1: 2, 5 * us: 3, unit.Second: 3} {
		if code := s.above(int64(v)); err != nil || code != want {
			t.Errorf("%v: code %d, want %d, %v", v, code, want, err)
		}
	}
	for words, want := range map[string]string{
		"2us 1us": `"1us": want ascending thresholds above 0`, "0us": `"0us"`, "1": "1",
		strings.Repeat("1us ", 32): "32 thresholds, want at most 31",
	} {
		if _, err := ranges(strings.Fields(words), Delay, 31); !errtest.Says(err, "… "+want) &&
			!errtest.Says(err, want) {
			t.Errorf("%s: %v", words, err)
		}
	}
	if _, err := ranges([]string{"5"}, ABWShare, 31); !errtest.Says(err, `"5": … share`) {
		t.Error(err)
	}
}

// With 20 bits, steps of 8 Mb/s reach 8.39 Tb/s, and steps of 128 ns reach 134 ms (draft, appendix A).
func TestReachOfTheDraft(t *testing.T) {
	s, err := params(nil).Buckets()
	if err != nil {
		t.Fatal(err)
	}
	s[ABW] = scale{step: int64(8 * unit.Mbps), top: 1<<20 - 1}
	s[Delay] = scale{step: int64(128 * unit.Nanosecond), top: 1<<20 - 1}
	if got := s[ABW].value(s[ABW].top); got != 8_388_600_000_000 {
		t.Errorf("ABW reaches %d", got)
	}
	if got := unit.Time(s[Delay].value(s[Delay].top)); got != 134_217_600*unit.Nanosecond {
		t.Errorf("delay reaches %v", got)
	}
}

// The value of a bucket is never better than the exact value. It is worse by less than a step, except for the largest
// code.
func TestQuantisationError(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := scale{step: rapid.Int64Range(1, 1<<40).Draw(t, "step"),
			top: uint32(rapid.SampledFrom([]int{31, 1<<20 - 1}).Draw(t, "top"))}
		v := rapid.Int64Range(0, 1<<50).Draw(t, "value")
		low, high := s.below(v), s.above(v)
		if got := s.value(low); got > v || low < s.top && v-got >= s.step {
			t.Fatalf("%d is at least %d in steps of %d", v, got, s.step)
		}
		if got := s.value(high); high < s.top && (got < v || got-v >= s.step) {
			t.Fatalf("%d is at most %d in steps of %d", v, got, s.step)
		}
	})
}

// At 100 Gb/s, 3.2 MB fit into a window of 256 µs, so 1.6 MB are half of the capacity. More bytes than the capacity
// count as the capacity, and a window without packets is idle.
func TestPortByHand(t *testing.T) {
	p := params(func(p *Params) { p.Window, p.RateStep = 256*us, 8*unit.Mbps })
	x := &tap{format: &Wide, window: p.Window}
	var err error
	if x.buckets, err = p.Buckets(); err != nil {
		t.Fatal(err)
	}
	var at port
	at.start(line, x)
	for i, tt := range []struct {
		now  unit.Time
		sent unit.Bytes
		abw  unit.Rate
		part float64
	}{
		{0, 0, line, 1},
		{255 * us, 1_500_000, line, 1}, // the first window has not ended
		{256 * us, 1_600_000, 50 * unit.Gbps, 0.5},
		{600 * us, 4_801_000, 0, 0},                       // the second window has one packet too many
		{1100 * us, 6_000_000, line, 1},                   // no packets since 768 µs
		{1280 * us, 6_400_000, 87_500 * unit.Mbps, 0.875}, // bytes sent since 1100 µs
	} {
		if tt.now >= at.until {
			at.turn(tt.now, tt.sent, x)
		}
		abw, part := x.buckets[ABW].value(at.free[ABW]), float64(x.buckets[ABWShare].value(at.free[ABWShare]))/whole
		if abw > int64(tt.abw) || int64(tt.abw)-abw >= int64(8*unit.Mbps) || part > tt.part ||
			tt.part-part > 1.0/(1<<20) {
			t.Errorf("row %d: %v and %v free, want %v and %v", i, unit.Rate(abw), part, tt.abw, tt.part)
		}
	}
}

// shadow is a slow tap that repeats the computation of the tags. It records all bytes of each port, and the worst value
// of each packet so far.
type shadow struct {
	t      *rapid.T
	p      *Params
	tap    *tap
	net    *netsim.Network
	sent   map[netsim.PortID][]sending
	worst  map[uint64]Tag
	checks int
}

type sending struct {
	at   unit.Time
	size unit.Bytes
}

// Dequeue computes the value again and compares the tag with the worst value so far.
func (s *shadow) Dequeue(h *netsim.Hop) {
	k := h.Packet
	defer func() { s.sent[h.Port] = append(s.sent[h.Port], sending{h.Now, unit.Bytes(k.Size)}) }()
	if k.Kind != netsim.Data {
		return
	}
	signal := s.p.signals()[k.ID%2]
	had, ok := s.worst[h.Key()]
	if h.Number == 0 {
		had, ok = Tag{signal, 0, s.tap.format.None()}, true
		if signal.least() {
			had.Value = s.tap.format.value.max()
		}
	}
	if s.tap.legacy != nil && s.tap.legacy[h.Switch] {
		if s.tap.strip {
			ok = false
		}
	} else if v := s.value(signal, h); ok && (signal.least() && v < had.Value || !signal.least() && v > had.Value) {
		had.Value, had.Locator = v, s.tap.ports[h.Port].locator
	}
	if delete(s.worst, h.Key()); ok {
		s.worst[h.Key()] = had
	}
	got, tagged := s.tap.format.Decode(k.Digest)
	if s.checks++; tagged != ok || ok && got != had {
		s.t.Fatalf("at %v, switch %d: tag %+v (%t), want %+v (%t)", h.Now, h.Switch, got, tagged, had, ok)
	}
	if want := unit.Bytes(k.Payload) + 48; ok != (unit.Bytes(k.Size) == want+s.p.Overhead()) {
		s.t.Fatalf("a packet of %d B with a tag: %t", k.Size, ok)
	}
}

// value returns the bucket of a port.
func (s *shadow) value(signal Signal, h *netsim.Hop) uint32 {
	scale := &s.tap.buckets[signal]
	switch signal {
	case Delay:
		return scale.above(int64(h.Now - h.Packet.At))
	case Queue:
		return scale.above(int64(h.Rate().TxTime(h.Queue)))
	}
	to := h.Now / s.p.Window * s.p.Window
	n := unit.Bytes(0)
	for _, x := range s.sent[h.Port] {
		if x.at >= to-s.p.Window && x.at < to {
			n += x.size
		}
	}
	all := h.Rate().In(s.p.Window)
	free := float64(max(0, all-n)) / float64(all)
	if signal == ABW {
		return scale.below(int64(free * float64(h.Rate())))
	}
	return scale.below(int64(free * whole))
}

// run sends flows through a fat tree of 16 hosts whose switches write tags. The function more adds another tap, unless
// it is nil. If the tags carry ABW/C, the flows are controlled by HPCC, which reads the tags.
func run(t netsimtest.TB, p *Params, workers int, more func(*tap, *netsim.Network) netsim.Tap) *cctest.Trial {
	g := netsimtest.KAry(4)
	l := cctest.Lab{Graph: g, Transport: cctest.RDMA(), Seed: 3}
	l.Transport.Telemetry, l.Transport.Echo = p.Overhead(), true
	var feedback telemetry.Feedback
	l.Taps = func(n *netsim.Network) []netsim.Tap {
		parts, err := p.Attach(&telemetry.Site{Graph: g, Net: n, MaxHops: 5})
		if err != nil {
			t.Fatalf("%v", err)
		}
		feedback = parts.Feedback
		taps := []netsim.Tap{parts.Tap}
		if more != nil {
			taps = append(taps, more(parts.Tap.(*tap), n))
		}
		return taps
	}
	if p.Signal == "abw_share" || p.Signal == "alternate" {
		l.Control = func(*netsim.Network) transport.Factory {
			d, err := feedback.Digest(telemetry.Utilisation)
			if err != nil {
				t.Fatalf("%v", err)
			}
			f, err := hpcc.New(hpcc.Config{Eta: 0.95, T: 13 * us, WAI: 80},
				func() hpcc.Gauge { return hpcc.NewDigest(*d) })
			if err != nil {
				t.Fatalf("%v", err)
			}
			return f
		}
	}
	var flows []transport.Flow
	for i := range netsim.NodeID(12) {
		flows = append(flows, cctest.Flow(i, (i*7+5)%16, unit.Bytes(20_000+7000*int(i))))
	}
	for i, f := range flows {
		if f.Src == f.Dst {
			flows[i].Dst = (f.Dst + 1) % 16
		}
	}
	if workers == 0 {
		return l.Run(t, flows...)
	}
	return l.RunParts(t, workers, flows...)
}

// After every switch, the tag contains the worst value of the hops that support CSIG, with the locator of the first
// such hop.
func TestTheTagIsTheWorstHop(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := params(func(p *Params) {
			p.Tag = rapid.SampledFrom([]string{"compact", "wide"}).Draw(t, "tag")
			p.Signal = rapid.SampledFrom([]string{"abw", "abw_share", "delay", "queue", "alternate"}).Draw(t, "signal")
			p.Window = rapid.SampledFrom([]unit.Time{us, 3 * us, 50 * us}).Draw(t, "window")
			p.RateStep = 100 * unit.Mbps
			p.TimeStep = rapid.SampledFrom([]unit.Time{10 * unit.Nanosecond, us}).Draw(t, "step")
			p.Locator = rapid.SampledFrom([]string{"none", "layer", "switch"}).Draw(t, "locator")
			p.Legacy = rapid.SampledFrom([]string{"none", "pass", "strip"}).Draw(t, "legacy")
			places := [][]string{{"core"}, {"aggregation"}, {"edge"}, {"16", "core"}}
			p.LegacyAt = rapid.SampledFrom(places).Draw(t, "legacy_at")
		})
		s := &shadow{t: t, p: p, sent: map[netsim.PortID][]sending{}, worst: map[uint64]Tag{}}
		run(t, p, 0, func(x *tap, n *netsim.Network) netsim.Tap {
			s.tap, s.net = x, n
			return s
		})
		if s.checks < 100 {
			t.Fatalf("%d tags", s.checks)
		}
	})
}

// HPCC with CSIG has the same records on any number of workers.
func TestSameBytesOnAnyNumberOfWorkers(t *testing.T) {
	p := params(func(p *Params) { p.Signal = "alternate" })
	want := fmt.Sprint(run(t, p, 1, nil).Records)
	for _, workers := range []int{2, 3} {
		if got := fmt.Sprint(run(t, p, workers, nil).Records); got != want {
			t.Errorf("%d workers: other records", workers)
		}
	}
}

// contest returns how two flows share a link of 100 Gb/s, under a control that reads the tags.
func contest(t *testing.T, p *Params, control transport.Control) cctest.Contest {
	t.Helper()
	g := netsimtest.Star(3)
	for i := range g.Links {
		g.Links[i].Delay = 2440 * unit.Nanosecond
	}
	var parts *telemetry.Parts
	l := cctest.Lab{Graph: g, Transport: cctest.RDMA()}
	l.Transport.Telemetry, l.Transport.Echo = p.Overhead(), true
	l.Taps = func(n *netsim.Network) []netsim.Tap {
		var err error
		if parts, err = p.Attach(&telemetry.Site{Graph: g, Net: n, MaxHops: 1}); err != nil {
			t.Fatal(err)
		}
		return []netsim.Tap{parts.Tap}
	}
	l.Control = func(n *netsim.Network) transport.Factory {
		s := &transport.Setting{
			HostRate: line, MaxHops: 1, Packet: 1048, Payload: 1000, PortRate: n.PortRate, Feedback: parts.Feedback,
			Farthest: func() (unit.Time, unit.Bytes) { return 10 * us, 125_000 },
		}
		if c, ok := control.(transport.FromNetwork); ok {
			c.Choose(s, &transport.Choices{})
		}
		f, err := control.New(s)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	return l.Share(t, 2, 50*us, 400*us, 900*us)
}

// HPCC reads 1 - ABW/C and fills a share η of a link without a queue. Swift reads the delay of the worst hop and keeps
// its target of 18 + 2 = 20 µs. This includes 10 µs in the queue, which then contains 125 000 B.
func TestControls(t *testing.T) {
	for _, tag := range []string{"wide", "compact"} {
		for name, control := range map[string]transport.Control{
			"hpcc": defaults(&hpcc.Params{}),
			"swift": defaults(&swift.Params{}, func(s *swift.Params) {
				s.Signal, s.Base, s.Hop, s.Range = "hop", 18*us, 2*us, 0
			}),
		} {
			p := params(func(p *Params) {
				if p.Tag, p.Window, p.TimeStep = tag, 8*us, 128*unit.Nanosecond; name == "swift" {
					p.Signal = "delay"
				}
				if tag == "compact" {
					p.TimeStep = us
				}
			})
			c := contest(t, p, control)
			low, high := unit.Bytes(0), unit.Bytes(10_000)
			least := 88e9 // 0.95 · 100 Gb/s · 1000/1056 with wide tags, minus a bucket of 1/32 with compact tags
			if name == "swift" {
				low, high, least = 115_000, 135_000, 94e9
			}
			if c.Jain < 0.999 || c.Total < least || c.Queue < low || c.Queue > high || c.Drops > 0 {
				t.Errorf("%s, %s: %+v", tag, name, c)
			}
		}
	}
}

func defaults[T any](p *T, edit ...func(*T)) *T {
	(&schema.Language{}).Default(p)
	for _, e := range edit {
		e(p)
	}
	return p
}

func TestWhatTagsCannotGive(t *testing.T) {
	g := netsimtest.KAry(6)
	net := netsimtest.New(t, g, netsimtest.Options{})
	site := &telemetry.Site{Graph: g, Net: net.Net, MaxHops: 5}
	parts, err := params(nil).Attach(site)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []telemetry.Quantity{telemetry.Power, telemetry.RoundTrip, telemetry.HopDelay, telemetry.PerHop} {
		if _, err := parts.Feedback.Digest(q); !errtest.Says(err, "tags hold no "+string(q)) {
			t.Errorf("%s: %v", q, err)
		}
	}
	for want, edit := range map[string]func(*Params){
		`telemetry.legacy_at: "spine" is no switch; … (edge, aggregation, core)`: func(p *Params) {
			p.Legacy, p.LegacyAt = "pass", []string{"spine"}
		},
		`telemetry.legacy_at: "3" is no switch; … (edge, aggregation, core)`: func(p *Params) {
			p.Legacy, p.LegacyAt = "strip", []string{"3"}
		},
		`telemetry.locator = port: … 7 bits`: func(p *Params) {
			p.Tag, p.Locator = "compact", "port"
		},
	} {
		if _, err := params(edit).Attach(site); !errtest.Says(err, want) {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	g.Nodes[60] = topo.Node{Kind: topo.Switch, Layer: -1}
	if _, err := params(func(p *Params) { p.Locator = "layer" }).Attach(site); !errtest.Says(err,
		"telemetry.locator = layer: … unknown; want none, switch or port") {
		t.Error(err)
	}
}

// The test checks the feedback that a sender reads from each tag. Without a tag, or with the other signal, there is no
// feedback. 40 steps of 128 ns are 5.12 us in addition to the base RTT. If a quarter of a link is free, U = 0.75.
func TestFeedbackByHand(t *testing.T) {
	net := netsimtest.New(t, netsimtest.Star(2), netsimtest.Options{})
	parts, err := params(func(p *Params) {
		p.Signal, p.TimeStep = "alternate", 128*unit.Nanosecond
	}).Attach(&telemetry.Site{Graph: net.Graph, Net: net.Net, MaxHops: 1})
	if err != nil {
		t.Fatal(err)
	}
	trips, err := (&transport.Setting{Feedback: parts.Feedback}).RoundTrips("hop")
	if err != nil {
		t.Fatal(err)
	}
	d, err := parts.Feedback.Digest(telemetry.Utilisation)
	if err != nil {
		t.Fatal(err)
	}
	gauge := hpcc.NewDigest(*d)
	gauge.Start(transport.FlowInfo{}, 13*us, 100_000)
	for _, tt := range []struct {
		tag uint64
		rtt unit.Time // 0: none
		u   float64   // 0: none
	}{
		{Wide.Encode(Tag{Delay, 40, 3}), 15_120 * unit.Nanosecond, 0}, {Wide.Initial(Delay), 10 * us, 0},
		{Wide.Encode(Tag{ABWShare, 1 << 18, 3}), 0, 0.75}, {0, 0, 0}, {Wide.Encode(Tag{Queue, 40, 3}), 0, 0},
	} {
		a := &transport.Ack{Digest: tt.tag, RTT: 99 * us, HasRTT: true, Next: 1000}
		if rtt, ok := trips.Of(a, 10*us); ok != (tt.rtt > 0) || ok && rtt != tt.rtt {
			t.Errorf("%#x: a round trip of %v (%t), want %v", tt.tag, rtt, ok, tt.rtt)
		}
		if u, _, ok := gauge.Utilisation(0, a); ok != (tt.u > 0) || ok && u != tt.u {
			t.Errorf("%#x: U = %v (%t), want %v", tt.tag, u, ok, tt.u)
		}
	}
}

// hops returns packets as a tap sees them.
func hops(tb testing.TB, p *Params) (*tap, []netsim.Hop) {
	g := netsimtest.KAry(4)
	net := netsimtest.New(tb, g, netsimtest.Options{})
	parts, err := p.Attach(&telemetry.Site{Graph: g, Net: net.Net, MaxHops: 5})
	if err != nil {
		tb.Fatal(err)
	}
	var list []netsim.Hop
	k := &netsim.Packet{Size: 1056, Payload: 1000}
	for i := range 1000 {
		list = append(list, netsim.Hop{Now: unit.Time(i) * 85 * unit.Nanosecond, Switch: 16, Port: netsim.PortID(i % 8),
			Number: i % 5, Sent: unit.Bytes(132 * i), Queue: unit.Bytes(i), Packet: k})
	}
	return parts.Tap.(*tap), list
}

func TestNoAllocationPerPacket(t *testing.T) {
	x, list := hops(t, params(func(p *Params) { p.Signal = "alternate" }))
	if n := testing.AllocsPerRun(10, func() {
		for i := range list {
			x.Dequeue(&list[i])
		}
	}); n != 0 {
		t.Errorf("%v allocations for %d packets", n, len(list))
	}
}

func BenchmarkTag(b *testing.B) {
	for _, signal := range []string{"abw_share", "delay"} {
		b.Run(signal, func(b *testing.B) {
			x, list := hops(b, params(func(p *Params) { p.Signal = signal }))
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				x.Dequeue(&list[i])
				i = (i + 1) % len(list)
			}
		})
	}
}
