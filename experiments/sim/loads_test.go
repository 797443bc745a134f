package sim

import (
	"math"
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
		notes := loadNotes(l)
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
