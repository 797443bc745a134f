package route

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pintlab/internal/errtest"
	"pintlab/netsim/schema"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// sound returns a network with valid parameters.
func sound(g *topo.Graph, err error) *topo.Graph {
	if err != nil {
		panic(err)
	}
	return g
}

func build320(t testing.TB, o Options) *Table {
	t.Helper()
	tab, err := New(sound(topo.DefaultFatTree320().Build()), o)
	if err != nil {
		t.Fatal(err)
	}
	return tab
}

func nodesOf(t *Table, ports []Port) []topo.NodeID {
	var ids []topo.NodeID
	for _, p := range ports {
		ids = append(ids, p.To(t.Graph()))
	}
	return ids
}

// graph returns switches 0..switches-1, then hosts, and links of 1 Gb/s.
func graph(switches, hosts int, links ...[2]topo.NodeID) *topo.Graph {
	g := &topo.Graph{}
	for i := range switches + hosts {
		kind := topo.Switch
		if i >= switches {
			kind = topo.Host
		}
		g.Nodes = append(g.Nodes, topo.Node{Kind: kind})
	}
	for _, l := range links {
		g.Links = append(g.Links, topo.Link{A: l[0], B: l[1], Rate: unit.Gbps})
	}
	return g
}

func TestPort(t *testing.T) {
	g := graph(2, 0, [2]topo.NodeID{0, 1}, [2]topo.NodeID{1, 0})
	for _, tt := range []struct {
		p        Port
		link     int
		from, to topo.NodeID
	}{{0, 0, 0, 1}, {1, 0, 1, 0}, {2, 1, 1, 0}, {3, 1, 0, 1}} {
		if tt.p.Link() != tt.link || tt.p.From(g) != tt.from || tt.p.To(g) != tt.to {
			t.Errorf("port %d: link %d from %d to %d, want %v", tt.p, tt.p.Link(), tt.p.From(g), tt.p.To(g), tt)
		}
		if r := tt.p.Reverse(); r.Reverse() != tt.p || r.From(g) != tt.to || r.To(g) != tt.from {
			t.Errorf("port %d: the reverse %d does not lead back", tt.p, r)
		}
	}
}

// MODEL.md of the reference lists these candidates for the published simulator.
func TestReferenceCandidateOrder(t *testing.T) {
	for _, tt := range []struct {
		order CandidateOrder
		want  []topo.NodeID
	}{
		{Descending, []topo.NodeID{343, 342, 341, 340}},
		{Ascending, []topo.NodeID{340, 341, 342, 343}},
	} {
		tab := build320(t, Options{Order: tt.order})
		if got := nodesOf(tab, tab.NextHops(320, 319)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: candidates of ToR 320 = %v, want %v", tt.order, got, tt.want)
		}
	}
}

// In some simulators a host with two network cards forwards traffic. Host 4 is linked to switches 0 and 2 and would be
// a shortcut from 3 to 5. The path crosses switches 0, 1 and 2 instead.
//
//	3 - 0 - 1 - 2 - 5
//	     \     /
//	      - 4 -
func TestMultiHomedHostDoesNotRoute(t *testing.T) {
	g := graph(3, 3, [2]topo.NodeID{3, 0}, [2]topo.NodeID{0, 1}, [2]topo.NodeID{1, 2}, [2]topo.NodeID{2, 5},
		[2]topo.NodeID{4, 0}, [2]topo.NodeID{4, 2})
	tab, err := New(g, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := nodesOf(tab, tab.Path(nil, 3, 5, FiveTuple{})),
		[]topo.NodeID{0, 1, 2, 5}; !slices.Equal(got, want) {
		t.Errorf("path 3 → 5 over %v, want %v", got, want)
	}
	// Host 4 uses the uplink with the shorter path: to host 3 over switch 0, to host 5 over switch 2.
	for _, tt := range []struct{ dst, via topo.NodeID }{{3, 0}, {5, 2}} {
		if got := nodesOf(tab, tab.NextHops(4, tt.dst)); !slices.Equal(got, []topo.NodeID{tt.via}) {
			t.Errorf("host 4 to %d over %v, want %d", tt.dst, got, tt.via)
		}
	}
}

// Without the middle switch only the two-homed host connects both sides, and it does not forward.
func TestUnreachableHostsAreNamed(t *testing.T) {
	g := graph(2, 4, [2]topo.NodeID{2, 0}, [2]topo.NodeID{3, 0}, [2]topo.NodeID{4, 1}, [2]topo.NodeID{5, 0},
		[2]topo.NodeID{5, 1})
	g.Nodes[2].Name = "web"
	_, err := New(g, Options{})
	want := "route: 2 pairs … hosts … reach … (hosts … forward): host 2 (web) … host 4; host 3 … host 4"
	if !errtest.Says(err, want) {
		t.Errorf("error %v\nwant  %s", err, want)
	}
	tab, err := NewExcluding(g, Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := tab.NextHops(2, 4); got != nil {
		t.Errorf("NextHops over a gap = %v", got)
	}
	if got := tab.Path(make([]Port, 1, 4), 2, 4, FiveTuple{}); len(got) != 1 {
		t.Errorf("Path over a gap = %v, want nothing appended", got)
	}
}

// Two hosts on one cable need no switch.
func TestHostsOnOneLink(t *testing.T) {
	tab, err := New(graph(0, 2, [2]topo.NodeID{0, 1}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := tab.Path(nil, 1, 0, FiveTuple{}); !slices.Equal(got, []Port{1}) || tab.MaxHops() != 0 {
		t.Errorf("path %v over at most %d switches, want [1] over 0", got, tab.MaxHops())
	}
}

// A host with two equally short uplinks spreads its flows over both.
func TestMultiHomedHostUsesBothUplinks(t *testing.T) {
	g := graph(3, 2, [2]topo.NodeID{3, 0}, [2]topo.NodeID{3, 1}, [2]topo.NodeID{0, 2}, [2]topo.NodeID{1, 2},
		[2]topo.NodeID{2, 4})
	for _, h := range []ECMP{Mix, Murmur} {
		tab, err := New(g, Options{Hash: h})
		if err != nil {
			t.Fatal(err)
		}
		first := 0
		for sport := range uint16(1000) {
			p := tab.Path(nil, 3, 4, FiveTuple{SrcPort: sport})
			if p[0].To(g) == 0 {
				first++
			}
		}
		// The number is binomial, 1000 × 1/2. The bounds 500 ± 80 are five standard deviations away, which has
		// probability 6e-7.
		if first < 420 || first > 580 {
			t.Errorf("%s: %d of 1000 flows over the first uplink, want about 500", h, first)
		}
	}
}

func TestLinkFailure(t *testing.T) {
	g := sound(topo.DefaultFatTree320().Build())
	down := make([]bool, len(g.Links))
	down[320] = true // 320-340
	tab, err := NewExcluding(g, Options{}, down)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := nodesOf(tab, tab.NextHops(320, 319)), []topo.NodeID{341, 342, 343}; !slices.Equal(got, want) {
		t.Errorf("candidates of ToR 320 = %v, want %v", got, want)
	}
	// ToR 339 must not choose the plane of 340 either, because core 360 has no path of the same length down to ToR 320.
	if got, want := nodesOf(tab, tab.NextHops(339, 0)), []topo.NodeID{357, 358, 359}; !slices.Equal(got, want) {
		t.Errorf("candidates of ToR 339 = %v, want %v", got, want)
	}
	if n := tab.unreachable; n != 0 {
		t.Errorf("%d pairs unreachable, want 0", n)
	}

	down[7] = true // the only link of host 7
	for i := 320; i < 324; i++ {
		down[i] = true // all uplinks of ToR 320
	}
	tab, err = NewExcluding(g, Options{}, down)
	if err != nil {
		t.Fatal(err)
	}
	// Host 7 reaches no other host, and the 15 other hosts of its rack do not reach 304.
	if got, want := tab.unreachable, int64(319+15*304); got != want {
		t.Errorf("%d pairs unreachable, want %d", got, want)
	}
	if got, want := tab.withoutPath(2), [][2]topo.NodeID{{0, 7}, {0, 16}}; !slices.Equal(got, want) {
		t.Errorf("first pairs %v, want %v", got, want)
	}
	if tab.reachable(7, 0) || tab.reachable(0, 7) || !tab.reachable(0, 1) || !tab.reachable(7, 7) {
		t.Error("Reachable disagrees with the links that are down")
	}
}

func TestRefusals(t *testing.T) {
	g := sound(topo.DefaultFatTree320().Build())
	for _, tt := range []struct {
		name string
		g    *topo.Graph
		o    Options
		down []bool
		want string
	}{
		{"states", g, Options{}, make([]bool, 3), "route: 3 entries … 480 links"},
		{"hash", g, Options{Hash: 9}, nil,
			"route: order ascending, hash unknown(9), … [ascending descending] … [mix murmur]"},
		{"graph", graph(2, 0), Options{}, nil,
			"route: topology: not connected: 2 parts; not reachable from switch 0: switch 1"},
	} {
		if _, err := NewExcluding(tt.g, tt.o, tt.down); !errtest.Says(err, tt.want) {
			t.Errorf("%s: error %v\nwant %s", tt.name, err, tt.want)
		}
	}

	// A chain of 17 000 switches without hosts would need 289 million cells.
	long := graph(17_000, 0)
	for i := range 16_999 {
		long.Links = append(long.Links, topo.Link{A: topo.NodeID(i), B: topo.NodeID(i + 1), Rate: 1})
	}
	if _, err := New(long, Options{}); err == nil ||
		!strings.Contains(err.Error(), "289000000 table cells, want at most 268435456") {
		t.Errorf("a table that does not fit: error %v", err)
	}
}

func TestNoAllocs(t *testing.T) {
	tab := build320(t, Options{Order: Descending, Hash: Murmur})
	buf := make([]Port, 0, 6)
	key := FiveTuple{Src: 3, Dst: 319}
	for name, f := range map[string]func(){
		"NextHops, switch": func() { tab.NextHops(320, 319) },
		"NextHops, host":   func() { tab.NextHops(3, 319) },
		"Path":             func() { buf = tab.Path(buf[:0], 3, 319, key) },
		"Reachable":        func() { tab.reachable(3, 319) },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

// A caller that appends to the shared candidates must not write into them.
func TestCandidatesHaveNoSpareCapacity(t *testing.T) {
	tab := build320(t, Options{})
	for _, at := range []topo.NodeID{0, 320, 339, 340, 360} {
		if c := tab.NextHops(at, 319); len(c) != cap(c) {
			t.Errorf("candidates at %d: length %d, capacity %d", at, len(c), cap(c))
		}
	}
}

func TestSameInputSameTable(t *testing.T) {
	if !reflect.DeepEqual(build320(t, Options{Seed: 3}), build320(t, Options{Seed: 3})) {
		t.Error("two tables of the same graph differ")
	}
}

// The table of a tree of 8192 hosts is correct on the longest path, and small.
func TestTableOf8192HostsIsSmall(t *testing.T) {
	tab, err := New(k32(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if tab.MaxHops() != 5 || len(tab.NextHops(8192, 8191)) != 16 {
		t.Errorf("MaxHops %d, %d candidates at the first edge switch, want 5 and 16",
			tab.MaxHops(), len(tab.NextHops(8192, 8191)))
	}
	words := len(tab.cells) + len(tab.setStart) + len(tab.setPorts) + len(tab.group) + len(tab.row) +
		len(tab.arcs.start) + 3*len(tab.arcs.peer)
	bytes := 4*words + 8*len(tab.salt)
	if bytes > 4e6 {
		t.Errorf("the table takes %d bytes, want at most 4 MB", bytes)
	}
}

func k32(t testing.TB) *topo.Graph {
	c := schema.Default[topo.KAry]()
	c.K = 32
	g, err := c.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func BenchmarkNew(b *testing.B) {
	for _, g := range []*topo.Graph{sound(topo.DefaultFatTree320().Build()), k32(b)} {
		b.Run(g.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := New(g, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkNextHops(b *testing.B) {
	tab := build320(b, Options{})
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		tab.NextHops(topo.NodeID(320+i%56), topo.NodeID(i%320))
	}
}

func BenchmarkPath(b *testing.B) {
	for _, h := range []ECMP{Mix, Murmur} {
		b.Run(h.String(), func(b *testing.B) {
			tab := build320(b, Options{Hash: h})
			buf := make([]Port, 0, 8)
			key := FiveTuple{Src: 0, Dst: 319, DstPort: 100}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				key.SrcPort = uint16(i)
				buf = tab.Path(buf[:0], 0, 319, key)
			}
		})
	}
}
