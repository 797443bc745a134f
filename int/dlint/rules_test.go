package dlint

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pintlab/netsim"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// text writes a header with the names that the authors' programs use.
func (h header) text() string {
	var words []string
	for _, s := range h {
		word := map[value]string{first: "INIT", reset: "RESET", blank: "BLANK", prepare: "PREPARE"}[s.value]
		if s.id() {
			word = fmt.Sprint(uint32(s.value))
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// of parses a header in the notation of text.
func of(text string) (h header) {
	for _, word := range strings.Fields(text) {
		v, known := map[string]value{"INIT": first, "RESET": reset, "BLANK": blank, "PREPARE": prepare}[word]
		if !known {
			var n uint32
			fmt.Sscan(word, &n)
			v = value(n)
		}
		h = append(h, slot{value: v})
	}
	return h
}

var cells = map[string]cell{"await": await, "ready": ready, "inserted": inserted, "setUp": setUp}

// Each rule of DLINT is applied by hand at switch 7, in the order of the rules. With one value, only the first rule
// that applies is used.
func TestRules(t *testing.T) {
	for _, c := range []struct {
		rule   string
		values int
		where  string // place of the switch on the path: first (from), last (to) or neither ("")
		header string
		f, r   string
		syn    bool
		want   string
		nowF   string
		nowR   string
	}{
		{"1: RESET reaches the source's switch",
			1, "to", "RESET", "inserted", "inserted", false, "RESET", "inserted", "await"},
		{"RESET passes other switches", 1, "", "RESET", "inserted", "inserted", false, "RESET", "inserted", "inserted"},
		{"RESET leaves a ready switch no room", 1, "", "RESET", "ready", "await", false, "RESET", "ready", "await"},
		{"2: RESET by the sink", 1, "from", "", "inserted", "inserted", false, "RESET", "inserted", "await"},
		{"2 before 4 and 5", 1, "from", "", "ready", "inserted", false, "RESET", "ready", "await"},
		{"no RESET elsewhere", 1, "", "", "await", "inserted", false, "", "await", "inserted"},
		{"3: INIT makes ready", 1, "", "INIT", "await", "await", false, "INIT", "ready", "await"},
		{"3: INIT also ends inserted", 1, "to", "INIT", "inserted", "await", false, "INIT", "ready", "await"},
		{"4: a ready switch adds its ID", 1, "", "", "ready", "await", false, "7", "inserted", "await"},
		{"4 at the first switch, before SYN", 1, "from", "", "ready", "await", true, "7", "inserted", "await"},
		{"4 waits for an empty packet", 1, "", "3", "ready", "await", false, "3", "ready", "await"},
		{"5: INIT by the first switch", 1, "from", "", "await", "await", false, "INIT", "ready", "await"},
		{"5: SYN begins again", 1, "from", "", "inserted", "await", true, "INIT", "ready", "await"},
		{"5 only there", 1, "", "", "await", "await", true, "", "await", "await"},
		{"silence until RESET", 1, "from", "", "inserted", "await", false, "", "inserted", "await"},
		{"6: repair", 1, "", "3", "await", "await", false, "3", "ready", "await"},
		{"6: repair of inserted", 1, "", "3", "inserted", "await", false, "3", "ready", "await"},
		{"6 at the sink", 1, "to", "3", "await", "await", false, "3", "inserted", "await"},
		{"6 not by its own ID", 1, "to", "7", "inserted", "await", false, "7", "inserted", "await"},

		{"5 with three values: inserted at once",
			3, "from", "", "await", "await", false, "INIT 7 BLANK", "inserted", "await"},
		{"4 with three values: the next BLANK",
			3, "", "INIT 3 BLANK", "await", "await", false, "INIT 3 7", "inserted", "await"},
		{"no BLANK left", 3, "", "INIT 3 4", "await", "await", false, "INIT 3 4", "ready", "await"},
		{"the next packet", 3, "", "", "ready", "await", false, "7 BLANK BLANK", "inserted", "await"},
		{"RESET takes slot 1", 3, "from", "", "ready", "inserted", false, "RESET 7 BLANK", "inserted", "await"},
		{"RESET alone", 3, "from", "", "inserted", "inserted", false, "RESET BLANK BLANK", "inserted", "await"},
		{"RESET behind INIT", 3, "from", "", "await", "inserted", false, "INIT RESET 7", "inserted", "await"},
		{"INIT and RESET fill two", 2, "from", "", "await", "inserted", false, "INIT RESET", "ready", "await"},
		{"RESET at the end, and an ID",
			3, "to", "RESET 3 BLANK", "ready", "inserted", false, "RESET 3 7", "inserted", "await"},
		{"6 with three values", 3, "", "3 4 5", "await", "await", false, "3 4 5", "ready", "await"},
	} {
		f, r := cells[c.f], cells[c.r]
		p := passing{header: of(c.header), values: c.values, own: 7,
			fromHost: c.where == "from", toHost: c.where == "to", syn: c.syn}
		p.apply(&f, &r)
		if p.text() != c.want || f != cells[c.nowF] || r != cells[c.nowR] {
			t.Errorf("%s: %q, f %d, r %d; want %q, %s, %s", c.rule, p.text(), f, r, c.want, c.nowF, c.nowR)
		}
	}
}

// The test checks the values that CLINT adds at switch 7.
func TestSetUp(t *testing.T) {
	for _, c := range []struct {
		what   string
		known  bool
		where  string
		header string
		f, r   string
		done   bool
		want   string
		nowF   string
	}{
		{"the source asks", true, "from", "", "setUp", "setUp", true, "PREPARE", "setUp"},
		{"a RESET goes first", true, "from", "", "setUp", "inserted", false, "", "setUp"},
		{"a switch without an entry", false, "", "PREPARE", "await", "await", true, "", "await"},
		{"it lets IDs pass", false, "", "3", "await", "await", true, "3", "await"},
		{"one with an entry", true, "", "PREPARE", "setUp", "setUp", true, "PREPARE", "setUp"},
		{"the sink", true, "to", "PREPARE", "setUp", "setUp", true, "PREPARE", "inserted"},
		{"then DLINT", true, "from", "", "await", "setUp", false, "", "await"},
		{"INIT also reaches set-up", true, "", "INIT", "setUp", "setUp", false, "INIT", "setUp"},
	} {
		f, r := cells[c.f], cells[c.r]
		p := passing{header: of(c.header), values: 1, own: 7, fromHost: c.where == "from", toHost: c.where == "to"}
		if done := p.prepared(c.known, &f, &r); done != c.done || p.text() != c.want || f != cells[c.nowF] {
			t.Errorf("%s: done %t, %q, f %d; want %t, %q, %s", c.what, done, p.text(), f, c.done, c.want, c.nowF)
		}
	}
}

// path contains switches 1…h, with a cell for each direction.
type path struct {
	values  int
	forward []cell
	back    []cell
}

func pathOf(hops, values int) *path {
	return &path{values, make([]cell, hops), make([]cell, hops)}
}

// send sends a packet and returns the values that the last switch removes. The packet is lost after switch lost; 0
// means that it is not lost.
func (x *path) send(reverse, syn bool, lost int) string {
	var h header
	f, r := x.forward, x.back
	if reverse {
		f, r = r, f
	}
	for i := range f {
		at := i
		if reverse {
			at = len(f) - 1 - i
		}
		p := passing{header: h, values: x.values, own: value(at + 1),
			fromHost: i == 0, toHost: i == len(f)-1, syn: syn}
		p.apply(&f[at], &r[at])
		if h = p.header; at+1 == lost {
			return "lost"
		}
	}
	return h.text()
}

// A cycle over five switches takes six packets: INIT and one for each switch. Then switches add nothing until an ACK
// has returned RESET. With N values on a packet, a cycle takes ⌈6/N⌉ packets.
func TestCycle(t *testing.T) {
	x := pathOf(5, 1)
	for round := range 2 {
		for i, want := range []string{"INIT", "1", "2", "3", "4", "5", "", ""} {
			if got := x.send(false, round == 0 && i == 0, 0); got != want {
				t.Errorf("round %d, packet %d: %q, want %q", round, i, got, want)
			}
		}
		if got := x.send(true, false, 0); got != "RESET" {
			t.Errorf("ACK: %q", got)
		}
	}
	for values, want := range map[int][]string{
		2: {"INIT 1", "2 3", "4 5", ""}, 3: {"INIT 1 2", "3 4 5", ""},
		5: {"INIT 1 2 3 4", "5 BLANK BLANK BLANK BLANK", ""},
	} {
		x := pathOf(5, values)
		for i, w := range want {
			if got := x.send(false, i == 0, 0); got != w {
				t.Errorf("%d values, packet %d: %q, want %q", values, i, got, w)
			}
		}
	}
}

// The INIT is lost after switch 2. Switch 1 continues. The ID of switch 1 repairs switches 3 and 4, but sets the sink
// to inserted, so the path lacks the sink's ID. The RESET of the next ACK begins a new cycle.
func TestLostInit(t *testing.T) {
	x := pathOf(5, 1)
	for i, c := range []struct {
		lost int
		want string
	}{{2, "lost"}, {0, "1"}, {0, "2"}, {0, "3"}, {0, "4"}, {0, ""}} {
		if got := x.send(false, i == 0, c.lost); got != c.want {
			t.Errorf("packet %d: %q, want %q", i, got, c.want)
		}
	}
	if got := x.send(true, false, 0); got != "RESET" {
		t.Errorf("ACK: %q", got)
	}
	if got := x.send(false, false, 0); got != "INIT" {
		t.Errorf("after RESET: %q", got)
	}
}

// A lost RESET ends tracing until the flow's first packet is sent again.
func TestLostReset(t *testing.T) {
	x := pathOf(3, 1)
	for i := range 4 {
		x.send(false, i == 0, 0)
	}
	x.send(true, false, 2) // the ACK with RESET is lost
	for range 3 {
		x.send(true, false, 0)
		if got := x.send(false, false, 0); got != "" {
			t.Errorf("after a lost RESET: %q", got)
		}
	}
	if got := x.send(false, true, 0); got != "INIT" {
		t.Errorf("first packet again: %q", got)
	}
}

// The largest random numbers that replace a pair are computed by hand. They are 33 of 100 at hop 3, and 14 of 100 at
// hop 7. With exact, the number at hop 3 is ⌊2^32/3⌋.
func TestReplace(t *testing.T) {
	for _, c := range []struct {
		hop    uint8
		exact  bool
		number uint64
		want   bool
	}{
		{3, false, 33, true}, {3, false, 34, false}, {7, false, 14, true}, {7, false, 15, false}, {2, false, 50, true},
		{3, true, 1431655765, true}, {3, true, 1431655766, false},
	} {
		p := passing{values: 1, own: 1}
		p.replace(1, c.exact, nil)
		p.own = 9
		if p.replace(c.hop, c.exact, func(int) uint64 { return c.number }); (p.header[0].value == 9) != c.want {
			t.Errorf("hop %d, exact %t: %d replaces: %t", c.hop, c.exact, c.number, p.header[0].value == 9)
		}
	}
}

// The first switch fills all pairs, and the others replace single pairs. The sink knows a path of five when it has
// received a pair of each hop. With probabilities 1/i, this takes 5·(1 + 1/2 + … + 1/5) = 11.42 packets on average. The
// mean of 20 000 flows has a standard deviation of 0.036, and the test allows five of these. With percentages the
// result is nearly the same.
func TestPacketsOfPLINT(t *testing.T) {
	const hops, flows = 5, 20_000
	r := rand.New(rand.NewPCG(1, 2))
	for _, exact := range []bool{true, false} {
		sum := 0
		for range flows {
			x := &traced{switches: map[netsim.NodeID]*seen{}}
			for x.path == nil {
				p := passing{values: 1}
				for hop := range hops {
					p.own = value(hop + 1)
					p.replace(uint8(hop+1), exact, func(int) uint64 {
						if exact {
							return uint64(r.Uint32())
						}
						return uint64(1 + r.IntN(100))
					})
				}
				x.packets++
				x.takePairs(0, p.header, hops)
				sum++
			}
		}
		if mean := float64(sum) / flows; math.Abs(mean-11.4167) > 0.18 {
			t.Errorf("exact %t: %.2f packets on average, want 11.42", exact, mean)
		}
	}
}

// A sink of DLINT receives the values of three cycles. The second is on another path, and the third lacks a switch.
func TestSinkOfCycles(t *testing.T) {
	x := &traced{switches: map[netsim.NodeID]*seen{}}
	for i, c := range []struct {
		h    string
		path string
	}{
		{"INIT",
			"[]"}, {"1", "[]"}, {"3", "[0 2]"}, {"INIT", "[0 2]"}, {"1", "[0 2]"}, {"2", "[0 2]"}, {"3", "[0 1 2]"},
		{"1 BLANK", "[0 1 2]"}, {"INIT 1 3", "[0 2]"},
	} {
		x.packets++
		x.take(unit.Time(i), of(c.h), 3)
		if got := fmt.Sprint(x.path); got != c.path {
			t.Errorf("after %q: %s, want %s", c.h, got, c.path)
		}
	}
	if x.paths != 3 || x.changes != 2 || x.after != 3 || x.changed != 9 {
		t.Errorf("%+v", x)
	}
}

// A sink of PLINT begins again when a pair contradicts the known hops, or when the number of hops changes.
func TestSinkOfPairs(t *testing.T) {
	x := &traced{switches: map[netsim.NodeID]*seen{}}
	for _, c := range []struct {
		id, hop uint32
		hops    uint8
		path    string
	}{
		{1, 1, 2, "[]"}, {1, 1, 2, "[]"}, {2, 2, 2, "[0 1]"}, {3, 2, 2, "[0 1]"}, {1, 1, 2, "[0 2]"},
		{4, 3, 3, "[0 2]"}, {1, 1, 3, "[0 2]"}, {3, 2, 3, "[0 2 3]"},
	} {
		x.packets++
		x.takePairs(0, header{{value(c.id), uint8(c.hop), 0}}, c.hops)
		if got := fmt.Sprint(x.path); got != c.path {
			t.Errorf("after %d at hop %d: %s, want %s", c.id, c.hop, got, c.path)
		}
	}
	if x.paths != 3 || x.changes != 2 {
		t.Errorf("%+v", x)
	}
}

// A path that is not the expected one counts as evidence from the time when it became known. Without a path, there is
// no evidence about a flow.
func TestEvidence(t *testing.T) {
	m := &monitor{nodes: make([]node, 4)}
	m.nodes[3].sink.flows = map[uint64]*traced{7: {switches: map[netsim.NodeID]*seen{}}, 8: {}}
	x := m.nodes[3].sink.flows[7]
	for i, ids := range [][]value{{1, 2, 4}, {1, 3, 4}} {
		h := of("INIT")
		for _, id := range ids {
			h = append(h, slot{value: id})
		}
		x.take(unit.Time(i+1), h, 4)
	}
	e, err := m.Evidence(telemetry.Scale{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		flow         uint64
		path         []netsim.NodeID
		other        []netsim.NodeID
		since        unit.Time
		known, asked int
	}{
		{7, []netsim.NodeID{0, 1, 3}, []netsim.NodeID{0, 2, 3}, 2, 1, 1},
		{7, []netsim.NodeID{0, 2, 3}, nil, 0, 1, 1},
		{8, []netsim.NodeID{0, 2, 3}, nil, 0, 0, 1},
		{9, []netsim.NodeID{0, 2, 3}, nil, 0, 0, 1},
	} {
		got := e.Facts(&telemetry.Flow{Key: c.flow, Path: c.path})
		want := telemetry.Facts{Stopped: -1, Other: c.other, Since: c.since, Known: c.known, Asked: c.asked}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("flow %d, path %v: %s", c.flow, c.path, diff)
		}
	}
}
