package route

import (
	"fmt"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"pintlab/internal/hash"
	"pintlab/netsim/topo"
)

func TestHostIP(t *testing.T) {
	for _, tt := range []struct {
		id   topo.NodeID
		want string
	}{
		{0, "11.0.0.1"},
		{1, "11.0.1.1"},
		{255, "11.0.255.1"},
		{256, "11.1.0.1"},
		{319, "11.1.63.1"},
		{8191, "11.31.255.1"},
		{65536, "12.0.0.1"},
	} {
		ip := HostIP(tt.id)
		got := fmt.Sprintf("%d.%d.%d.%d", ip>>24, ip>>16&255, ip>>8&255, ip&255)
		if got != tt.want {
			t.Errorf("HostIP(%d) = %s, want %s", tt.id, got, tt.want)
		}
	}
}

func TestFlowKeyReverse(t *testing.T) {
	k := FiveTuple{Src: 1, Dst: 2, SrcPort: 3, DstPort: 4}
	if got, want := k.Reverse(), (FiveTuple{Src: 2, Dst: 1, SrcPort: 4, DstPort: 3}); got != want {
		t.Errorf("Reverse = %v, want %v", got, want)
	}
}

func TestNamesOfOptions(t *testing.T) {
	for _, h := range []ECMP{Mix, Murmur} {
		text, _ := h.MarshalText()
		back := ECMP(99)
		if err := back.UnmarshalText(text); err != nil || back != h {
			t.Errorf("%s reads back as %s, %v", h, back, err)
		}
	}
	for _, o := range []CandidateOrder{Ascending, Descending} {
		text, _ := o.MarshalText()
		back := CandidateOrder(99)
		if err := back.UnmarshalText(text); err != nil || back != o {
			t.Errorf("%s reads back as %s, %v", o, back, err)
		}
	}
	var h ECMP
	if got, want := fmt.Sprint(h.UnmarshalText([]byte("crc"))), `ECMP hash "crc", want mix or murmur`; got != want {
		t.Errorf("error %q, want %q", got, want)
	}
	var o CandidateOrder
	if got, want := fmt.Sprint(o.UnmarshalText([]byte("up"))),
		`candidate order "up", want ascending or descending`; got != want {
		t.Errorf("error %q, want %q", got, want)
	}
	if got, want := ECMP(7).String(), "unknown(7)"; got != want {
		t.Errorf("String = %q, want %q", got, want)
	}
}

// The nodes on the paths of the published simulator, with its hash and its order of candidates. They are worked out by
// hand from MODEL.md §3 and §4, with a separate program for MurmurHash3. In the first row the hash of the 12 bytes with
// seed 320 is 0x750e303d, modulo 4 this is 1, and the candidates of ToR 320 are 343, 342, 341 and 340. The third row is
// the reverse direction of the first; its path differs, as in the published simulator. The last row stays in one rack.
func TestMurmurPathsOfTheReference(t *testing.T) {
	tab := build320(t, Options{Order: Descending, Hash: Murmur})
	for _, tt := range []struct {
		src, dst     topo.NodeID
		sport, dport uint16
		want         []topo.NodeID
	}{
		{0, 319, 10000, 100, []topo.NodeID{320, 342, 369, 358, 339, 319}},
		{0, 319, 10001, 100, []topo.NodeID{320, 341, 366, 357, 339, 319}},
		{319, 0, 100, 10000, []topo.NodeID{339, 357, 367, 341, 320, 0}},
		{17, 42, 10000, 100, []topo.NodeID{321, 343, 322, 42}},
		{256, 5, 10003, 100, []topo.NodeID{336, 357, 367, 341, 320, 5}},
		{300, 299, 10000, 200, []topo.NodeID{338, 299}},
	} {
		key := FiveTuple{Src: tt.src, Dst: tt.dst, SrcPort: tt.sport, DstPort: tt.dport}
		if got := nodesOf(tab, tab.Path(nil, tt.src, tt.dst, key)); !slices.Equal(got, tt.want) {
			t.Errorf("path of %d:%d → %d:%d = %v, want %v", tt.src, tt.sport, tt.dst, tt.dport, got, tt.want)
		}
	}
}

// Near a broken link the candidates are in several layers. The published simulator orders them as its search from the
// destination reaches them. Without the link from ToR 320 to switch 341, the search from host 8 reaches the other pods
// before it returns to 341 and its cores. So at switch 349 the ToRs of its pod precede the cores. The recorded run of
// that simulator with this link down sends the ACKs of a flow over core 364, the last candidate.
func TestDescendingOrderAroundABrokenLink(t *testing.T) {
	g := sound(topo.DefaultFatTree320().Build())
	down := make([]bool, len(g.Links))
	for i, l := range g.Links {
		down[i] = min(l.A, l.B) == 320 && max(l.A, l.B) == 341
	}
	tab, err := NewExcluding(g, Options{Order: Descending, Hash: Murmur}, down)
	if err != nil {
		t.Fatal(err)
	}
	got, want := nodesOf(tab, tab.NextHops(349, 8)), []topo.NodeID{331, 330, 329, 328, 367, 366, 365, 364}
	if !slices.Equal(got, want) {
		t.Errorf("candidates of 349 towards 8 = %v, want %v", got, want)
	}
	key := FiveTuple{Src: 190, Dst: 8, SrcPort: 100, DstPort: 10000}
	if p, ok := tab.Pick(349, 8, key); !ok || p.To(g) != 364 {
		t.Errorf("the ACKs of 8 to 190 leave 349 for %d, want 364", p.To(g))
	}
}

// uplinkUse sends flows between pods of the 320-server tree. It counts, per ToR and per aggregation switch, how many
// flows leave through each of the 4 uplinks.
func uplinkUse(tab *Table, flows int) map[topo.NodeID]map[Port]int {
	r := hash.Stream(1, "route/uplink-use")
	use := make(map[topo.NodeID]map[Port]int)
	var buf []Port
	for range flows {
		src := topo.NodeID(r.IntN(320))
		dst := topo.NodeID((int(src)/64*64 + 64 + r.IntN(256)) % 320) // another pod of 64
		key := FiveTuple{Src: src, Dst: dst, SrcPort: uint16(10000 + r.IntN(1000)), DstPort: 100}
		buf = tab.Path(buf[:0], src, dst, key)
		for _, p := range buf[1:3] { // out of the ToR, out of the aggregation switch
			at := p.From(tab.Graph())
			if use[at] == nil {
				use[at] = make(map[Port]int)
			}
			use[at][p]++
		}
	}
	return use
}

// layerChi2 returns the chi-square statistic for uniform use of 4 uplinks, summed over the switches first..last, and
// the degrees of freedom of this sum.
func layerChi2(use map[topo.NodeID]map[Port]int, first, last topo.NodeID) (x float64, dof float64) {
	for sw := first; sw <= last; sw++ {
		total := 0
		for _, n := range use[sw] {
			total += n
		}
		if total == 0 {
			continue
		}
		mean := float64(total) / 4
		sum := float64(4-len(use[sw])) * mean // unused uplinks
		for _, n := range use[sw] {
			d := float64(n) - mean
			sum += d * d / mean
		}
		x, dof = x+sum, dof+3
	}
	return x, dof
}

// Some simulators have an ECMP hash without a salt per switch, which polarises. Here flows use the uplinks of every
// layer evenly. The test computes chi-square per layer over all of its switches, with 40 000 flows and so about 500 per
// uplink. There are two layers, and for each of them Murmur and 5 seeds of Mix. These are 12 tests at 1e-6 each, so a
// correct hash would fail with probability 1.2e-5. The seeds are fixed.
func TestUplinksOfEveryLayerAreUsedUniformly(t *testing.T) {
	options := []Options{{Hash: Murmur}}
	for seed := range uint64(5) {
		options = append(options, Options{Seed: seed})
	}
	for _, o := range options {
		use := uplinkUse(build320(t, o), 40_000)
		for _, layer := range []struct {
			name        string
			first, last topo.NodeID
		}{{"ToR", 320, 339}, {"aggregation", 340, 359}} {
			x, dof := layerChi2(use, layer.first, layer.last)
			if dof != 60 {
				t.Errorf("%s seed %d: %v degrees of freedom at the %s switches, want all 60",
					o.Hash, o.Seed, dof, layer.name)
			}
			if bound := (distuv.ChiSquared{K: dof}).Quantile(1 - 1e-6); x > bound {
				t.Errorf("%s seed %d: chi-square of the %s uplinks %.0f, want at most %.0f",
					o.Hash, o.Seed, layer.name, x, bound)
			}
		}
	}
}

// The flows are the same as in the previous test, but all switches have the same salt. The ToRs still use their uplinks
// evenly. But each aggregation switch uses only one of its four uplinks, because all flows that reach the switch have
// the same hash modulo 4.
func TestWithoutSaltTheUplinksPolarise(t *testing.T) {
	tab := build320(t, Options{})
	for i := range tab.salt {
		tab.salt[i] = tab.salt[0]
	}
	use := uplinkUse(tab, 40_000)
	x, dof := layerChi2(use, 320, 339)
	if bound := (distuv.ChiSquared{K: dof}).Quantile(1 - 1e-6); x > bound {
		t.Errorf("chi-square of the ToR uplinks %.0f, want at most %.0f", x, bound)
	}
	for sw := topo.NodeID(340); sw < 360; sw++ {
		if n := len(use[sw]); n != 1 {
			t.Errorf("aggregation switch %d uses %d uplinks without a salt, want 1", sw, n)
		}
	}
}

// Another seed changes the paths of Mix, but not of Murmur.
func TestSeedChangesThePathsOfMixOnly(t *testing.T) {
	for _, h := range []ECMP{Mix, Murmur} {
		a, b := build320(t, Options{Hash: h, Seed: 1}), build320(t, Options{Hash: h, Seed: 2})
		differ := 0
		for sport := range uint16(1000) {
			key := FiveTuple{Src: 0, Dst: 319, SrcPort: sport}
			if !slices.Equal(a.Path(nil, 0, 319, key), b.Path(nil, 0, 319, key)) {
				differ++
			}
		}
		// There are 16 paths, so 15/16 of 1000 flows change their path, which is 938 ± 8.
		if h == Mix && (differ < 900 || differ > 970) || h == Murmur && differ != 0 {
			t.Errorf("%s: %d of 1000 flows change path with the seed", h, differ)
		}
	}
}
