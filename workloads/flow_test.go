package workloads

import (
	"math"
	"strings"
	"testing"

	"pintlab/internal/errtest"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/schema"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// Each pair of hosts has its own count, whether its nodes have small or large numbers. The count begins again after
// 65535.
func TestSourcePorts(t *testing.T) {
	p := newPorts()
	for _, n := range []topo.NodeID{0, denseNodes - 2, denseNodes, math.MaxInt32 - 2} {
		for i, want := range []struct {
			src, dst topo.NodeID
			port     uint16
		}{{0, 1, 10000}, {0, 1, 10001}, {1, 0, 10000}, {0, 2, 10000}, {0, 1, 10002}} {
			if got := p.next(n+want.src, n+want.dst); got != want.port {
				t.Errorf("call %d: port %d of pair (%d, %d), want %d", i, got, n+want.src, n+want.dst, want.port)
			}
		}
		for port := 10003; port <= math.MaxUint16; port++ {
			if got := p.next(n, n+1); int(got) != port {
				t.Fatalf("port %d, want %d", got, port)
			}
		}
		if a, b := p.next(n, n+1), p.next(n, n+1); a != 10000 || b != 10001 {
			t.Errorf("ports %d, %d after the last, want 10000, 10001", a, b)
		}
	}
}

func TestClass(t *testing.T) {
	if s := ClassBackground.String() + " " + ClassIncast.String() + " " +
		Class(9).String(); s != "background incast Class(9)" {
		t.Error(s)
	}
	for port, want := range map[uint16]Class{100: ClassBackground, 200: ClassIncast, 0: ClassBackground,
		80: ClassBackground} {
		if got := classOfPort(port); got != want {
			t.Errorf("port %d is %v, want %v", port, got, want)
		}
	}
}

func TestHostsOf(t *testing.T) {
	g := &topo.Graph{
		Nodes: []topo.Node{{Kind: topo.Host}, {Kind: topo.Switch}, {Kind: topo.Host}},
		Links: []topo.Link{{A: 0, B: 1, Rate: 10 * unit.Gbps}, {A: 1, B: 2, Rate: 25 * unit.Gbps},
			{A: 2, B: 1, Rate: 25 * unit.Gbps}},
	}
	hosts, err := HostsOf(g)
	if err != nil || len(hosts) != 2 || hosts[0] != (Host{0, 10 * unit.Gbps}) || hosts[1] != (Host{2, 50 * unit.Gbps}) {
		t.Errorf("hosts %v, %v", hosts, err)
	}
	rail := schema.Default[topo.Rail]()
	rail.Planes, rail.HostRate, rail.ServerRate = 2, 100*unit.Gbps, 3600*unit.Gbps
	if servers, err := rail.Build(); err != nil {
		t.Fatal(err)
	} else if hosts, err := HostsOf(servers); err != nil || hosts[0].Rate != 200*unit.Gbps {
		t.Errorf("a host with two links into the network and one inside its server has %v, %v", hosts[0].Rate, err)
	}
	g.Nodes = append(g.Nodes, topo.Node{Kind: topo.Host})
	if _, err := HostsOf(g); !errtest.Says(err, "workloads: host 3 has no link") {
		t.Errorf("error %v", err)
	}
	if hosts, err := HostsOf(netsimtest.FatTree320()); err != nil || len(hosts) != 320 ||
		totalRate(hosts) != 32*unit.Tbps {
		t.Errorf("the 320-server fat tree has %d hosts, %v, %v", len(hosts), totalRate(hosts), err)
	}
}

// Every rule of a workload has a message. All messages have the same prefix.
func TestWorkloadErrors(t *testing.T) {
	good := Poisson{Sizes: WebSearch(), Load: 0.5, Duration: unit.Millisecond}
	poisson := func(edit func(*Poisson)) []Part {
		g := good
		edit(&g)
		return []Part{{Name: "p", Generator: g}}
	}
	incast := func(edit func(*Incast)) []Part {
		g := Incast{FanIn: 4, Sizes: Fixed(1000), Every: unit.Microsecond, Duration: unit.Millisecond}
		edit(&g)
		return []Part{{Name: "i", Generator: g}}
	}
	stairs := func(edit func(*Staircase)) []Part {
		g := Staircase{To: 9, From: []topo.NodeID{0, 1}, Step: unit.Millisecond, Size: 1000}
		edit(&g)
		return []Part{{Name: "s", Generator: g}}
	}
	trace := func(f ...Flow) []Part { return []Part{{Name: "t", Generator: Trace(f)}} }
	tests := []struct {
		parts []Part
		want  string
	}{
		{nil, "workload has no parts"},
		{[]Part{{Name: "a/b", Generator: good}}, `part 1: name "a/b", want letters, digits, '.', '_' or '-'`},
		{[]Part{{Name: "a", Generator: good}, {Name: "a", Generator: good}}, `part 2: name "a" is used twice`},
		{[]Part{{Name: "a"}}, `part "a": no generator`},
		{[]Part{{Name: "a", On: []topo.NodeID{3, 77}, Generator: good}},
			`part "a": node 77 … host here (10 hosts, 0 to 9)`},
		{[]Part{{Name: "a", On: []topo.NodeID{3, 4, 3}, Generator: good}}, `part "a": host 3 is listed twice`},
		{[]Part{{Name: "a", On: []topo.NodeID{3}, Generator: good}}, `part "a": 1 host, … 2`},
		{[]Part{{Name: "a", On: []topo.NodeID{}, Generator: good}}, `part "a": 0 hosts, … 2`},

		{[]Part{{Name: "a", Priority: 8, Generator: good}}, `part "a": priority 8, want 0 to 7`},
		{poisson(func(g *Poisson) { g.Sizes, g.Duration = Fixed(1), unit.Second }),
			"part \"p\": about 6.25e+10 flows … expected, … 2147483647"},

		{poisson(func(g *Poisson) { g.Load = 0 }), `part "p": load 0, … 0 < load <= 1`},
		{poisson(func(g *Poisson) { g.Load = -1 }), `part "p": load -1, … 0 < load <= 1`},
		{poisson(func(g *Poisson) { g.Load = 1.01 }), `part "p": load 1.01, … 0 < load <= 1`},
		{poisson(func(g *Poisson) { g.Load = math.NaN() }), `part "p": load NaN, … 0 < load <= 1`},
		{poisson(func(g *Poisson) { g.Sizes = nil }), `part "p": no size distribution`},
		{poisson(func(g *Poisson) { g.Sizes = Fixed(0) }), `part "p": fixed size 0 B, want 1 to 1125899906842624`},
		{poisson(func(g *Poisson) { g.Sizes = ownSizes(math.NaN()) }),
			`part "p": size distribution own … mean NaN B, … 0 … 1125899906842624`},
		{poisson(func(g *Poisson) { g.Duration = 0 }), `part "p": duration 0 ps, want > 0`},
		{poisson(func(g *Poisson) { g.Start, g.Duration = -1, -2 }),
			"part \"p\": start -1 ps, want >= 0\nduration -2 ps, want > 0"},
		{poisson(func(g *Poisson) { g.Start = unit.Never - 5 }),
			`part "p": start 9223372036854775.802ns + duration 1ms is beyond the end of time`},

		{incast(func(g *Incast) { g.FanIn = 0 }), `part "i": fan-in 0, want >= 1`},
		{incast(func(g *Incast) { g.FanIn = 10 }), `part "i": fan-in 10, … receiver … 9 … hosts … senders`},
		{incast(func(g *Incast) { g.To, g.From = []topo.NodeID{9}, []topo.NodeID{1, 2, 3} }),
			`part "i": fan-in 4, … receiver … 3 … hosts … senders`},
		{incast(func(g *Incast) { g.To = []topo.NodeID{} }), `part "i": no receivers`},
		{incast(func(g *Incast) { g.To, g.From = []topo.NodeID{10}, []topo.NodeID{-1} }),
			"part \"i\": receivers: node 10 is not a host here (10 hosts, 0 to 9)\nsenders: node -1 is not a host " +
				"here (10 hosts, 0 to 9)"},
		{incast(func(g *Incast) { g.Load = 0.1 }), `part "i": … time … events … load, … them`},
		{incast(func(g *Incast) { g.Every, g.Load = 0, 2 }), `part "i": load 2, … 0 < load <= 1`},
		{incast(func(g *Incast) { g.Every, g.Load = 0, math.NaN() }), `part "i": load NaN, … 0 < load <= 1`},
		{incast(func(g *Incast) { g.Every = 0 }), `part "i": … duration … Poisson events … time … events … load`},
		{incast(func(g *Incast) { g.Every = -1 }), `part "i": time … events -1 ps, … >= 0`},
		{incast(func(g *Incast) { g.Duration = 0 }), `part "i": duration 0 ps, want > 0`},
		{incast(func(g *Incast) { g.Sizes = nil }), `part "i": no size distribution`},

		{[]Part{{Name: "x", Generator: Permutation{Sizes: Fixed(1), Start: -1}}}, `part "x": start -1 ps, want >= 0`},
		{[]Part{{Name: "x", On: []topo.NodeID{1}, Generator: Permutation{Sizes: Fixed(1)}}}, `part "x": 1 host, … 2`},

		{stairs(func(g *Staircase) { g.From = nil }), `part "s": no senders`},
		{stairs(func(g *Staircase) { g.Step = 0 }), `part "s": step 0 ps, want > 0`},
		{stairs(func(g *Staircase) { g.Step = unit.Never / 2 }),
			`part "s": 4 steps of 4611686018427387.903ns last beyond the end of time`},
		{stairs(func(g *Staircase) { g.Size = 0 }), `part "s": want either a size or a rate to share`},
		{stairs(func(g *Staircase) { g.Rate = 1 }), `part "s": want either a size or a rate to share`},
		{stairs(func(g *Staircase) { g.Size = -1 }), `part "s": size -1 B, want 1 to 1125899906842624`},
		{stairs(func(g *Staircase) { g.Size, g.Rate = 0, -1 }), `part "s": rate -1 bit/s, want > 0`},
		{stairs(func(g *Staircase) { g.Size, g.Rate = 0, unit.Kbps }), `part "s": rate 1Kbps … byte … 2 flows … 1ms`},
		{stairs(func(g *Staircase) { g.Size, g.Rate, g.Step = 0, 1000*unit.Tbps, 1000*unit.Second }),
			`part "s": rate 1000Tbps … flow longer … 1048576GiB`},
		{stairs(func(g *Staircase) { g.To = 1 }), `part "s": host 1 … sender … receiver`},
		{stairs(func(g *Staircase) { g.From = []topo.NodeID{2, 2} }), `part "s": senders: host 2 is listed twice`},
		{stairs(func(g *Staircase) { g.To = 10 }), `part "s": receiver: node 10 … host here (10 hosts, 0 to 9)`},

		{trace(Flow{Src: 0, Dst: 0, Size: 1}), `part "t": flow 0: source … destination … 0`},
		{trace(Flow{Src: 0, Dst: 1, Size: 1, Start: 5}, Flow{Src: 0, Dst: 1, Size: 1}),
			`part "t": flow 1 starts … 0s, … previous … 5ps, … ascending start times`},
		{trace(Flow{Src: 0, Dst: 1}), `part "t": flow 0: size 0 B, want 1 to 1125899906842624`},
		{trace(Flow{Src: 0, Dst: 1, Size: 1, Priority: 8}), `part "t": flow 0: priority 8, want 0 to 7`},
		{trace(Flow{Src: 0, Dst: 1, Size: 1, Start: -1}), `part "t": flow 0: start -1 ps, want >= 0`},
		{trace(Flow{Src: 10, Dst: 1, Size: 1}), `part "t": flow 0: source 10 … host here (10 hosts, 0 to 9)`},
		{trace(Flow{Src: 1, Dst: -10, Size: 1}), `part "t": flow 0: destination -10 … host here (10 hosts, 0 to 9)`},

		{[]Part{{Name: "", Generator: good}, {Name: "b"}},
			"part 1: name \"\", want letters, digits, '.', '_' or '-'\npart \"b\": no generator"},
	}
	for _, tt := range tests {
		_, err := Workload{Parts: tt.parts}.Generate(someHosts(10))
		if want := "workloads: bad workload: " + tt.want; !errtest.Says(err, want) {
			t.Errorf("error\n%v\nwant\n%s", err, want)
		}
	}
}

// ownSizes is a distribution that is not defined in the package. The number is its mean.
type ownSizes float64

func (ownSizes) Name() string             { return "own" }
func (d ownSizes) Mean() float64          { return float64(d) }
func (d ownSizes) Size(uint64) unit.Bytes { return unit.Bytes(d) }

// Events with 1 B, which fill ten links of 1000 Tb/s, are 0.8 fs apart.
func TestIncastTooOften(t *testing.T) {
	hosts := someHosts(10)
	for i := range hosts {
		hosts[i].Rate = 1000 * unit.Tbps
	}
	w := Workload{Parts: []Part{{Name: "i", Generator: Incast{FanIn: 1, Sizes: Fixed(1), Load: 1, Duration: 1}}}}
	const want = `workloads: bad workload: part "i": events … 0.0008 ps, … 1 ps apart`
	if _, err := w.Stream(hosts); !errtest.Says(err, want) {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestBadHosts(t *testing.T) {
	w := Workload{Parts: []Part{{Name: "p", Generator: Permutation{Sizes: Fixed(1)}}}}
	for _, tt := range []struct {
		hosts []Host
		want  string
	}{
		{[]Host{{0, 1}, {0, 1}},
			"workloads: bad hosts: host 0 is listed after host 0, want ascending numbers, each once"},
		{[]Host{{0, 1}, {1, 0}}, "workloads: bad hosts: host 1 has rate 0 bit/s, want > 0"},
		{nil, "workloads: bad workload: part \"p\": 0 hosts, want at least 2"},
	} {
		if _, err := w.Stream(tt.hosts); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%v: error %v, want %s", tt.hosts, err, tt.want)
		}
		if _, err := w.Plan(tt.hosts); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%v: Plan: error %v, want %s", tt.hosts, err, tt.want)
		}
	}
}
