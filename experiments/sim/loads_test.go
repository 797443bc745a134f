package sim

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/transport"
)

func loadsOf(t *testing.T, set ...string) *store.Loads {
	t.Helper()
	sc, err := scenario.Default().With(set...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Build(sc, Options{}, func(*transport.Record) {})
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.wireLoads()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// By hand. A byte of payload has 48 B of headers and an ACK of 60 B; with INT 90 B, and ACKs of 88 B.
func TestLoadsAreOfTheWire(t *testing.T) {
	star := "topology={kind: star, hosts: 5}"
	plain := []string{"telemetry.kind=none", "cc.kind=fixed"}
	source := func(s string) string { return "workload=[{kind: " + s + ", duration: 100us}]" }
	for _, tt := range []struct {
		name                   string
		set                    []string
		payload, wire, busiest float64
		warns                  bool
	}{
		{"flows of 1 B", append([]string{star, source("poisson, sizes: fixed, size: 1B, load: 0.005")}, plain...), 0.005, 0.005 * 49, 0.005 * 109, false},
		{"flows of 1 B, ten times as many", append([]string{star, source("poisson, sizes: fixed, size: 1B, load: 0.05")}, plain...), 0.05, 0.05 * 49, 0.05 * 109, true},
		{"flows of 1000 B", append([]string{star, source("poisson, sizes: fixed, size: 1000B, load: 0.5")}, plain...), 0.5, 0.524, 0.554, false},
		{"with INT", []string{star, source("poisson, sizes: fixed, size: 1000B, load: 0.5")}, 0.5, 0.545, 0.589, false},
		// Data and ACKs alone have room on a link; together, in both directions, they have not.
		{"ACKs of the other direction", append([]string{star, source("poisson, sizes: fixed, size: 1000B, load: 0.87")}, plain...), 0.87, 0.91176, 0.96396, true},
		{"four packets an ACK", append([]string{star, source("poisson, sizes: fixed, size: 4KB, load: 0.87"), "transport.ack_every=4", "transport.ack_delay=10us"}, plain...), 0.87, 0.91176, 0.92481, false},
		// A fifth of the load of five links goes to one.
		{"incast", append([]string{star, source("incast, repeat: load, load: 0.15, senders: 4, receiver: 4, size: 10KB")}, plain...), 0.15, 0.1572, 0.786, false},
		// 4 flows of 100 KB in 40 us are 80 Gb/s, of links of 5 x 100 Gb/s; the last round begins but does not fill its interval.
		{"incast at intervals", append([]string{star, source("incast, repeat: interval, interval: 40us, senders: 4, receiver: 4, size: 100KB")}, plain...), 0.16, 0.16768, 0.8384, false},
		{"incast at an interval beyond its end", append([]string{star, source("incast, repeat: interval, interval: 1ms, senders: 4, receiver: 4, size: 100KB")}, plain...), 0.0064, 0.0067072, 0.033536, false},
		{"incast that is too much", append([]string{star, source("incast, repeat: load, load: 0.19, senders: 4, receiver: 4, size: 10KB")}, plain...), 0.19, 0.19912, 0.9956, true},
		{"incast to anyone", append([]string{star, source("incast, repeat: load, load: 0.15, senders: 4, size: 10KB")}, plain...), 0.15, 0.1572, 0.1662, false},
		// The link in the middle of a dumbbell carries 2/3 of what two hosts of each side send, and ACKs.
		{"bottleneck", append([]string{"topology={kind: dumbbell}", source("poisson, sizes: fixed, size: 1000B, load: 0.6")}, plain...), 0.6, 0.6288, 0.6 * 1.108 * 4 / 3, false},
		{"full bottleneck", append([]string{"topology={kind: dumbbell}", source("poisson, sizes: fixed, size: 1000B, load: 0.7")}, plain...), 0.7, 0.7336, 0.7 * 1.108 * 4 / 3, true},
	} {
		l := loadsOf(t, tt.set...)
		if l == nil {
			t.Fatalf("%s: no loads", tt.name)
		}
		for _, x := range []struct {
			what      string
			got, want float64
		}{{"payload", l.Payload, tt.payload}, {"wire", l.Wire, tt.wire}, {"busiest", l.Busiest, tt.busiest}} {
			if math.Abs(x.got-x.want) > 1e-3*x.want {
				t.Errorf("%s: %s %.5f of %s, want %.5f", tt.name, x.what, x.got, l.Link, x.want)
			}
		}
		notes := loadNotes(l, "")
		if warned := len(notes) == 2 && strings.HasPrefix(notes[1], Warning); warned != tt.warns {
			t.Errorf("%s: %v", tt.name, notes)
		}
	}
	if l := loadsOf(t, star, "workload=[{kind: incast, senders: 4, receiver: 4}]"); l != nil {
		t.Errorf("an incast that happens once has a load: %+v", l)
	}
}

// On a fat tree with links that are alike by layer the loads are those of the layers: of 320 hosts of 100
// Gb/s, 304 are in other racks; a rack of 16 has 4 links of 400 Gb/s.
func TestLoadsOfAFatTree(t *testing.T) {
	l := loadsOf(t, "telemetry.kind=none", "cc.kind=fixed", "workload=[{kind: poisson, sizes: fixed, size: 1000B, load: 0.5, duration: 20us}]")
	if want := 0.5 * 1.108; math.Abs(l.Busiest-want) > 1e-6 || math.Abs(l.Payload-0.5) > 1e-9 {
		t.Errorf("%+v, want a link of a host with %v", l, want)
	}
}

// starFile is a star of 4 hosts with links of the given rates, without names, and its switch as node 4.
func starFile(t *testing.T, rates ...string) string {
	t.Helper()
	text := fmt.Sprintf("%d 1 %d\n%d\n", len(rates)+1, len(rates), len(rates))
	for i, r := range rates {
		text += fmt.Sprintf("%d %d %s 0.001ms 0\n", i, len(rates), r)
	}
	path := filepath.Join(t.TempDir(), "star.txt")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return "topology={kind: file, path: " + path + "}"
}

// By hand: a host sends in proportion to its rate, to the three others alike, so that a host of 1 Gb/s gets
// a third of what those of 10, 10 and 1 Gb/s send, and nothing of its own; and acknowledges that, and gets ACKs of
// what it sends. The link has no name, so that its nodes have kinds and numbers.
func TestLoadsOfUnlikeHosts(t *testing.T) {
	star := starFile(t, "10Gbps", "1Gbps", "10Gbps", "1Gbps")
	l := loadsOf(t, star, "telemetry.kind=none", "cc.kind=fixed", "workload=[{kind: poisson, sizes: fixed, size: 10KB, load: 0.14, duration: 10ms}]")
	if want := 0.14*(10+10+1)/3*1.048 + 0.14*0.06; math.Abs(l.Busiest-want) > 1e-9 || l.Link != "switch 4 to host 1" {
		t.Errorf("%.5f of %q, want %.5f of the link from switch 4 to host 1", l.Busiest, l.Link, want)
	}
	// Hosts of 1 Gb/s acknowledge what those of 10 send: more than the ACKs of their own flows.
	l = loadsOf(t, star, "telemetry.kind=none", "cc.kind=fixed", "transport.ack_min=1500B", "workload=[{kind: poisson, sizes: fixed, size: 10KB, load: 0.1, duration: 10ms}]")
	if want := 0.1*1.048 + 0.1*(10+10+1)/3*1.5; math.Abs(l.Busiest-want) > 1e-9 || l.Link != "host 1 to switch 4" {
		t.Errorf("%.5f of %q, want %.5f of the link from host 1 to switch 4", l.Busiest, l.Link, want)
	}
}

// Of two links between a rack and the core one is down: the other carries what both would.
func TestLoadsGoAroundLinksThatAreDown(t *testing.T) {
	set := []string{"topology={kind: leafspine, leaves: 2, spines: 2, hosts_per_leaf: 4, fabric_rate: 10Gbps}", "telemetry.kind=none", "cc.kind=fixed", "transport.timer=true",
		"workload=[{kind: poisson, sizes: fixed, size: 1000B, load: 0.3, duration: 20us}]"}
	both := 0.3 * 1.108 * 4 * 4 / 7 // four hosts send four sevenths of all to the other rack
	for _, tt := range []struct {
		fault string
		want  float64
	}{
		{"[]", both / 2},
		{"[{kind: link-down, a: 8, b: 10, at: 0s}]", both},
		{"[{kind: link-down, a: 8, b: 10, at: 10us}]", both / 2}, // comes later
	} {
		if l := loadsOf(t, append(slices.Clone(set), "faults="+tt.fault)...); math.Abs(l.Busiest-tt.want) > 1e-6 {
			t.Errorf("faults %s: %.5f of %s, want %.5f", tt.fault, l.Busiest, l.Link, tt.want)
		}
	}
}

// What is left out is said.
func TestLoadNotesSayWhatTheyLeaveOut(t *testing.T) {
	for _, tt := range []struct{ set, want string }{
		{"run.until=1s", ""},
		{"monitors=[{kind: pint, record: collector}]", "reports of monitors"},
		{"faults=[{kind: host-pause, host: 3, at: 0s}]", "faults other than links that are down from 0 s on"},
		{"faults=[{kind: link-down, a: 0, b: 5, at: 0s}]", ""},
	} {
		sc, err := scenario.Default().With("topology={kind: star, hosts: 5}", "workload=[{kind: poisson, sizes: fixed, size: 1000B, load: 0.3, duration: 20us}]", tt.set)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Build(sc, Options{}, func(*transport.Record) {})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.unloaded(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.set, got, tt.want)
		}
	}
}
