package sim

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/netsim"
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

// Computed by hand: a packet has 48 B of headers, and an ACK has 60 B. With INT, headers have 90 B, and an ACK has 88
// B.
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
		{"flows of 1 B", append([]string{star, source("poisson, sizes: fixed, size: 1B, load: 0.005")}, plain...),
			0.005, 0.005 * 49, 0.005 * 109, false},
		{"flows of 1 B, ten times as many",
			append([]string{star, source("poisson, sizes: fixed, size: 1B, load: 0.05")}, plain...), 0.05, 0.05 * 49,
			0.05 * 109, true},
		{"flows of 1000 B", append([]string{star, source("poisson, sizes: fixed, size: 1000B, load: 0.5")}, plain...),
			0.5, 0.524, 0.554, false},
		{"with INT", []string{star, source("poisson, sizes: fixed, size: 1000B, load: 0.5")}, 0.5, 0.545, 0.589, false},
		// Data alone fits on a link, and so do ACKs. Together, in both directions, they do not.
		{"ACKs of the other direction",
			append([]string{star, source("poisson, sizes: fixed, size: 1000B, load: 0.87")}, plain...), 0.87, 0.91176,
			0.96396, true},
		{"four packets an ACK",
			append([]string{star, source("poisson, sizes: fixed, size: 4KB, load: 0.87"), "transport.ack_every=4",
				"transport.ack_delay=10us"}, plain...), 0.87, 0.91176, 0.92481, false},
		// One host receives a fifth of the load of five links.
		{"incast",
			append([]string{star, source("incast, repeat: load, load: 0.15, senders: 4, receiver: 4, size: 10KB")},
				plain...), 0.15, 0.1572, 0.786, false},
		// 4 flows of 100 KB in 40 us are 80 Gb/s, out of 5 links of 100 Gb/s; the last round begins but does not fill
		// its interval.
		{"incast at intervals",
			append([]string{star,
				source("incast, repeat: interval, interval: 40us, senders: 4, receiver: 4, size: 100KB")}, plain...),
			0.16, 0.16768, 0.8384, false},
		{"incast at an interval beyond its end",
			append([]string{star,
				source("incast, repeat: interval, interval: 1ms, senders: 4, receiver: 4, size: 100KB")}, plain...),
			0.0064, 0.0067072, 0.033536, false},
		{"incast that is too much",
			append([]string{star, source("incast, repeat: load, load: 0.19, senders: 4, receiver: 4, size: 10KB")},
				plain...), 0.19, 0.19912, 0.9956, true},
		{"incast to anyone",
			append([]string{star, source("incast, repeat: load, load: 0.15, senders: 4, size: 10KB")}, plain...), 0.15,
			0.1572, 0.1662, false},
		// The middle link of a dumbbell carries 2/3 of the data that the two hosts on each side send, plus ACKs.
		{"bottleneck",
			append([]string{"topology={kind: dumbbell}", source("poisson, sizes: fixed, size: 1000B, load: 0.6")},
				plain...), 0.6, 0.6288, 0.6 * 1.108 * 4 / 3, false},
		{"full bottleneck",
			append([]string{"topology={kind: dumbbell}", source("poisson, sizes: fixed, size: 1000B, load: 0.7")},
				plain...), 0.7, 0.7336, 0.7 * 1.108 * 4 / 3, true},
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
		notes := loadNotes(l, "", "")
		if warned := len(notes) == 2 && strings.Contains(notes[1], " is offered "); warned != tt.warns {
			t.Errorf("%s: %v", tt.name, notes)
		}
	}
	// Two sources follow each other. The loads apply to the first, and are not a mean over the time of both.
	poisson := "{kind: poisson, sizes: fixed, size: 1000B, duration: 1ms, "
	for peak, of := range map[string]string{
		"":           poisson + "load: 0.5}",
		"0s to 1ms":  poisson + "load: 0.5}, " + poisson + "load: 0.2, start: 5ms}",
		"5ms to 6ms": poisson + "load: 0.2}, " + poisson + "load: 0.5, start: 5ms}",
	} {
		note := loadNotes(loadsOf(t, append(plain, star, "workload=["+of+"]")...), "", "")[0]
		want := "offered load at its peak, in " + peak + ": payload takes 50 % of the capacity of the host links"
		if peak == "" {
			want = "offered load: payload takes 50 % of the capacity of the host links"
		}
		if !strings.HasPrefix(note, want) {
			t.Errorf("%q, want %q", note, want)
		}
	}
	if l := loadsOf(t, star, "workload=[{kind: incast, senders: 4, receiver: 4}]"); l != nil {
		t.Errorf("an incast that happens once has a load: %+v", l)
	}
}

// Computed by hand: data has 48 B of headers, and an ACK has 46 B and the telemetry that the packet has collected. With
// INT-MD a packet has 16 B, and 24 B more after each switch. Three of the seven peers of a host are behind the same
// switch, and the others behind three. So a host receives (3*40 + 4*88)/7 B of telemetry with each packet and with each
// ACK on average. IFA has 8 B and 32 B for each switch. IOAM has 16 B and 20 B for each switch, in multiples of 8 B, or
// 120 B from the start.
func TestLoadsOfGrowingTelemetry(t *testing.T) {
	mean := func(one, three float64) float64 { return (3*one + 4*three) / 7 / 1000 }
	for _, tt := range []struct {
		telemetry, fabric      string
		source, received, link float64 // telemetry at the source and at the receivers, and load of the busiest link
		name                   string
	}{
		{"{kind: md}", "100Gbps", 0.016, mean(40, 88), 0.3 * (1.048 + 0.046 + 2*mean(40, 88)), "leaf0 to h0"},
		{"{kind: ifa}", "100Gbps", 0.008, mean(40, 104), 0.3 * (1.048 + 0.046 + 2*mean(40, 104)), "leaf0 to h0"},
		{"{kind: ioam}", "100Gbps", 0.016, mean(40, 80), 0.3 * (1.048 + 0.046 + 2*mean(40, 80)), "leaf0 to h0"},
		{"{kind: ioam, trace: preallocated}", "100Gbps", 0.120, 0, 0.3 * (1.048 + 0.046 + 2*0.120), "h0 to leaf0"},
		// The four hosts of a rack send 4/7 of 100 Gb/s across, after two switches with 64 B. ACKs have 46 + 88 B.
		{"{kind: md}", "25Gbps", 0.016, mean(40, 88), 0.3 * 4 * 4 / 7 * (1.048 + 0.064 + 0.134), "spine0 to leaf0"},
	} {
		l := loadsOf(t, "topology={kind: leafspine, leaves: 2, spines: 1, hosts_per_leaf: 4, host_rate: 25Gbps, "+
			"fabric_rate: "+tt.fabric+"}", "cc.kind=hpcc", "telemetry="+tt.telemetry,
			"workload=[{kind: poisson, sizes: fixed, size: 20KB, load: 0.3, duration: 10us}]")
		want := store.Loads{Payload: 0.3, Wire: 0.3 * (1.048 + tt.source), Busiest: tt.link, Link: tt.name}
		if tt.received > 0 {
			want.Received = 0.3 * (1.048 + tt.received)
		}
		for i, x := range [][2]float64{{l.Payload, want.Payload}, {l.Wire, want.Wire}, {l.Received, want.Received},
			{l.Busiest, want.Busiest}} {
			if math.Abs(x[0]-x[1]) > 1e-9 || l.Link != want.Link {
				t.Errorf("%s, number %d: %+v, want %+v", tt.telemetry, i, *l, want)
			}
		}
	}
}

// The load in a scenario does not refer to links inside servers. Such links carry the traffic within a server: 3 of the
// 15 peers of a host are in its own server.
func TestLoadsOfServers(t *testing.T) {
	l := loadsOf(t,
		"topology={kind: rail, servers: 4, rails: 4, spines: 4, host_rate: 100Gbps, fabric_rate: 100Gbps, "+
			"server_rate: 3600Gbps}",
		"telemetry.kind=none", "cc.kind=fixed",
		"workload=[{kind: poisson, sizes: fixed, size: 1000B, load: 0.1, duration: 20us}]")
	if want := 0.1 * 1.108 * 12 / 15; math.Abs(l.Busiest-want) > 1e-9 || math.Abs(l.Payload-0.1) > 1e-9 {
		t.Errorf("%+v, want payload of 0.1 and %v of the busiest link", l, want)
	}
}

// The load of the key applies to the host that sends or receives most. A Poisson source in the same workload adds its
// load.
func TestLoadsOfRacks(t *testing.T) {
	const racks = "{kind: racks, matrix: web, rack_hosts: 4, sizes: fixed, size: 1000B, load: 0.4, duration: 20us}"
	const poisson = "{kind: poisson, sizes: fixed, size: 1000B, load: 0.3, duration: 20us}"
	set := []string{
		"topology={kind: leafspine, leaves: 4, spines: 4, hosts_per_leaf: 4, host_rate: 100Gbps, fabric_rate: 100Gbps}",
		"telemetry.kind=none", "cc.kind=fixed", "transport.ack_min=1B", "transport.ack_header=0B",
	}
	l := loadsOf(t, append(set, "workload=["+racks+"]")...)
	if l == nil || math.Abs(l.Busiest-0.4*1.048) > 0.001 || l.Payload >= 0.4 {
		t.Fatalf("%+v, want %v of the busiest link", l, 0.4*1.048)
	}
	both := loadsOf(t, append(set, "workload=["+poisson+", "+racks+"]")...)
	if math.Abs(both.Busiest-0.7*1.048) > 0.001 || math.Abs(both.Payload-l.Payload-0.3) > 1e-9 {
		t.Errorf("with a Poisson source %+v", both)
	}
	// with ACKs
	heavy := loadsOf(t, append(set[:3:3], "workload=["+racks+", "+strings.Replace(poisson, "0.3", "0.5", 1)+"]")...)
	if n := loadNotes(heavy, "", ""); len(n) != 2 || !strings.Contains(n[1], " is offered ") {
		t.Errorf("no warning: %q", n)
	}
}

// On a fat tree, all links of a layer have the same load. Of 320 hosts of 100 Gb/s, 304 are in other racks, and a rack
// of 16 has 4 links of 400 Gb/s.
func TestLoadsOfAFatTree(t *testing.T) {
	l := loadsOf(t, "telemetry.kind=none", "cc.kind=fixed",
		"workload=[{kind: poisson, sizes: fixed, size: 1000B, load: 0.5, duration: 20us}]")
	if want := 0.5 * 1.108; math.Abs(l.Busiest-want) > 1e-6 || math.Abs(l.Payload-0.5) > 1e-9 {
		t.Errorf("%+v, want a link of a host with %v", l, want)
	}
}

// starFile writes a star of 4 hosts with links of the given rates, without names. The switch is node 4.
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

// Computed by hand: a host sends in proportion to its rate, equally to the three others. So a host of 1 Gb/s receives a
// third of the traffic of the hosts of 10, 10 and 1 Gb/s, and ACKs for its own traffic. The link has no name, so the
// note names its nodes by kind and number.
func TestLoadsOfUnlikeHosts(t *testing.T) {
	star := starFile(t, "10Gbps", "1Gbps", "10Gbps", "1Gbps")
	l := loadsOf(t, star, "telemetry.kind=none", "cc.kind=fixed",
		"workload=[{kind: poisson, sizes: fixed, size: 10KB, load: 0.14, duration: 10ms}]")
	if want := 0.14*(10+10+1)/3*1.048 + 0.14*0.06; math.Abs(l.Busiest-want) > 1e-9 || l.Link != "switch 4 to host 1" {
		t.Errorf("%.5f of %q, want %.5f of the link from switch 4 to host 1", l.Busiest, l.Link, want)
	}
	// Hosts of 1 Gb/s acknowledge the data of hosts of 10 Gb/s. These ACKs take more capacity than the ACKs of their
	// own flows.
	l = loadsOf(t, star, "telemetry.kind=none", "cc.kind=fixed", "transport.ack_min=1500B",
		"workload=[{kind: poisson, sizes: fixed, size: 10KB, load: 0.1, duration: 10ms}]")
	if want := 0.1*1.048 + 0.1*(10+10+1)/3*1.5; math.Abs(l.Busiest-want) > 1e-9 || l.Link != "host 1 to switch 4" {
		t.Errorf("%.5f of %q, want %.5f of the link from host 1 to switch 4", l.Busiest, l.Link, want)
	}
}

// One of two links between a rack and the core is down. The other link carries the traffic of both.
func TestLoadsGoAroundLinksThatAreDown(t *testing.T) {
	set := []string{"topology={kind: leafspine, leaves: 2, spines: 2, hosts_per_leaf: 4, fabric_rate: 10Gbps}",
		"telemetry.kind=none", "cc.kind=fixed", "transport.timer=true",
		"workload=[{kind: poisson, sizes: fixed, size: 1000B, load: 0.3, duration: 20us}]"}
	both := 0.3 * 1.108 * 4 * 4 / 7 // four hosts send four sevenths of their traffic to the other rack
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

// Four hosts of a rack offer 0.45 x 100 Gb/s and send four sevenths of this to the other rack: 25.7 Gb/s of payload, or
// 28.5 Gb/s with headers and ACKs. They cross one link of 12.5 Gb/s and one of 25 Gb/s. Equal shares are 114 % of the
// slower link. Shares of 1/3 and 2/3 are 76 % of both. Balancers that leave slow paths begin with equal shares.
func TestLoadsFollowTheBalancer(t *testing.T) {
	across := 0.45 * 100 * 4 / 7 * 1.108
	even, byRate := across/2/12.5, across/37.5
	for kind, want := range map[string][2]float64{
		"ecmp": {even, 0}, "wcmp": {byRate, 0}, "spray": {even, 0}, "permute": {even, 0}, "oblivious": {even, 0},
		"letflow": {even, byRate}, "bitmap": {even, byRate}, "reps": {even, byRate}, "mixed": {even, byRate},
	} {
		l := loadsOf(t, "topology={kind: leafspine, leaves: 2, spines: 2, hosts_per_leaf: 4, host_rate: 25Gbps, "+
			"fabric_rate: 25Gbps, degraded: 1, degraded_share: 0.5}", "telemetry.kind=none", "cc.kind=fixed",
			"transport.kind=irn", "network.ecn.enabled=true", "network.balancing.kind="+kind,
			"workload=[{kind: poisson, sizes: fixed, size: 20KB, load: 0.45, duration: 10us}]")
		if math.Abs(l.Busiest-want[0]) > 1e-9 || math.Abs(l.ByRate-want[1]) > 1e-9 {
			t.Errorf("%s: %+v, want %v", kind, l, want)
		}
		isOverload := func(n string) bool { return strings.HasPrefix(n, Overload) }
		overload := slices.ContainsFunc(loadNotes(l, "", ""), isOverload)
		if overload != (want == [2]float64{even, 0}) {
			t.Errorf("%s: overload warning %v", kind, overload)
		}
	}
}

// Notes report the traffic that the loads leave out.
func TestLoadNotesSayWhatTheyLeaveOut(t *testing.T) {
	for _, tt := range []struct{ set, want string }{
		{"run.until=1s", ""},
		{"monitors=[{kind: pint, record: collector}]", ""},
		{"monitors=[{kind: lightguardian}]", "reports of lightguardian"},
		{"faults=[{kind: host-pause, host: 3, at: 0s}]", "faults other than links that are down from 0 s on"},
		{"faults=[{kind: link-down, a: 0, b: 5, at: 0s}]", ""},
	} {
		sc, err := scenario.Default().With("topology={kind: star, hosts: 5}",
			"workload=[{kind: poisson, sizes: fixed, size: 1000B, load: 0.3, duration: 20us}]", tt.set)
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

// Loads include the reports on their way to the collector. The network is a star of 5 hosts with 1000 B per packet and
// a load of 50 %. Each of the 4 other hosts receives 0.5 x 100 Gb/s / 8000 packets per second. It reports half of them,
// with 67 + 8 B for each packet and 12 B for the switch. With postcards the switch reports every packet.
func TestLoadsOfReports(t *testing.T) {
	set := []string{
		"topology={kind: star, hosts: 5}", "telemetry.kind=none", "cc.kind=fixed",
		"workload=[{kind: poisson, sizes: fixed, size: 1000B, load: 0.3, duration: 20us}]",
	}
	for _, tt := range []struct {
		monitor string
		want    float64
	}{
		{"{kind: int, share: 0.5, collector: 2}", 0.3*1.108 + 0.3*0.020 + 4*0.3/1000*0.5*87},
		{"{kind: int, share: 0.5, mode: postcard, collector: 2}", 0.3*1.108 + 5*0.3/1000*0.5*87},
		{"{kind: pint, record: collector, share: 0.25, report_header: 67B, wire_bytes: 2B, collector: 2}",
			0.3*1.108 + 0.3*0.002 + 4*0.3/1000*0.25*(67+5+2)},
	} {
		l := loadsOf(t, append(slices.Clone(set), "monitors=["+tt.monitor+"]")...)
		if math.Abs(l.Busiest-tt.want) > 1e-6 || l.Link != "sw0 to h2" {
			t.Errorf("%s: %.6f of %s, want %.6f", tt.monitor, l.Busiest, l.Link, tt.want)
		}
	}
}

// If equal hosts are grouped, the loads are the same as if each host is computed separately. dual has hosts with links
// to two switches, hosts with two links to one switch, and hosts with one link.
func TestLoadsOfNeighboursAreThoseOfHosts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dual.txt")
	const dual = "9 4 15\n6 7 8 5\n0 6 100Gbps 0.001ms 0\n0 7 100Gbps 0.001ms 0\n1 6 100Gbps 0.001ms 0\n" +
		"1 7 100Gbps 0.001ms 0\n2 7 100Gbps 0.001ms 0\n2 8 100Gbps 0.001ms 0\n" +
		"3 7 100Gbps 0.001ms 0\n3 8 100Gbps 0.001ms 0\n4 8 100Gbps 0.001ms 0\n6 5 40Gbps 0.001ms 0\n" +
		"7 5 40Gbps 0.001ms 0\n8 5 40Gbps 0.001ms 0\n6 7 10Gbps 0.001ms 0\n7 8 10Gbps 0.001ms 0\n4 5 40Gbps 0.001ms 0\n"
	if err := os.WriteFile(path, []byte(dual), 0o600); err != nil {
		t.Fatal(err)
	}
	const wcmp = "network.balancing.kind=wcmp"
	for _, set := range [][]string{
		{"topology={kind: file, path: " + path + "}"}, {"topology={kind: file, path: " + path + "}", wcmp},
		{"topology={kind: fattree, k: 4}"}, {"topology={kind: fattree, k: 4}", wcmp},
		{"topology={kind: leafspine, leaves: 4, spines: 3, hosts_per_leaf: 2}"},
		{"topology={kind: leafspine, leaves: 4, spines: 3, hosts_per_leaf: 2, degraded: 2}", wcmp},
		{"topology={kind: dumbbell, left: 3}"},
	} {
		sc, err := scenario.Default().With(
			append(set, "workload=[{kind: poisson, sizes: fixed, size: 10KB, load: 0.1, duration: 10us}]")...)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Build(sc, Options{}, func(*transport.Record) {})
		if err != nil {
			t.Fatal(err)
		}
		w, err := s.pathsAt(0, false)
		if err != nil {
			t.Fatal(err)
		}
		from, to := make([]float64, len(s.hosts)), make([]float64, len(s.hosts))
		for h := range s.hosts {
			from[h], to[h] = float64(1+h*h), 1/float64(1+h)
		}
		// Packets whose sizes depend on the path are added length by length.
		var sizes []float64
		for n := range w.routes.MaxHops() + 1 {
			sizes = append(sizes, float64(1+n*n))
		}
		spread := func(sizes ...float64) (list [3][]float64) {
			data, acks := newLoad(s.Net.Ports(), sizes, false), newLoad(s.Net.Ports(), sizes, true)
			if err := w.spread(data, acks, from, to); err != nil {
				t.Fatal(err)
			}
			list[0] = data.payload
			for p := range netsim.PortID(s.Net.Ports()) {
				list[1], list[2] = append(list[1], data.on(p)), append(list[2], acks.on(p))
			}
			return list
		}
		same := func(what string, got, want []float64) {
			for p := range want {
				if math.Abs(got[p]-want[p]) > 1e-9*(1+want[p]) {
					t.Errorf("%v: %s of port %d: %v and %v", set, what, p, got[p], want[p])
				}
			}
		}
		groups, pods := len(w.groups), len(w.pods)
		if pods > groups || pods == groups && strings.Contains(set[0], "fattree") {
			t.Errorf("%v: %d pods of %d groups", set, pods, groups)
		}
		if groups >= len(s.hosts) {
			t.Errorf("%v: %d groups of %d hosts", set, groups, len(s.hosts))
		}
		grouped, byLength := spread(1), spread(sizes...)
		same("payload together and by length", byLength[0], grouped[0])
		w.groups, w.pods = nil, nil
		for h := range s.hosts {
			w.groups, w.pods = append(w.groups, []int{h}), append(w.pods, []int{h})
		}
		single, singles := spread(1), spread(sizes...)
		for i, what := range []string{"payload", "data", "ACKs"} {
			same(what+" of neighbours together and one by one", grouped[i], single[i])
			same(what+" by length, of neighbours together and one by one", byLength[i], singles[i])
		}
	}
}

// Adding up loads stops when the context ends.
func TestLoadsStop(t *testing.T) {
	var text strings.Builder
	const n = 200 // each host has a separate switch
	fmt.Fprintf(&text, "%d %d %d\n", 2*n+1, n+1, 2*n)
	for i := range n + 1 {
		fmt.Fprint(&text, n+i, " ")
	}
	for i := range n {
		fmt.Fprintf(&text, "\n%d %d 100Gbps 0.001ms 0\n%d %d 100Gbps 0.001ms 0", i, n+i, n+i, 2*n)
	}
	path := filepath.Join(t.TempDir(), "wide.txt")
	if err := os.WriteFile(path, []byte(text.String()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	sc, err := scenario.Default().With("topology={kind: file, path: "+path+"}",
		"workload=[{kind: poisson, sizes: fixed, size: 10KB, load: 0.1, duration: 10us}]")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Build(sc, Options{}, func(*transport.Record) {})
	if err != nil {
		t.Fatal(err)
	}
	s.stop = func() error { return os.ErrDeadlineExceeded }
	if _, err := s.wireLoads(); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}
