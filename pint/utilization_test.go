package pint_test

import (
	"fmt"
	"math"
	"testing"

	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/pint"
	"pintlab/pint/approx"
	"pintlab/transport"
	"pintlab/transport/cctest"
)

// ledger is an Arithmetic that records its calls. Its U counts the updates, and the test sets the code that Encode
// returns.
type ledger struct {
	updates []string
	words   []uint64
	code    uint32
}

func (l *ledger) Update(u float64, tau unit.Time, qlen, size unit.Bytes) float64 {
	l.updates = append(l.updates, fmt.Sprintf("%v %v %d %d", u, tau, qlen, size))
	return u + 1
}

func (l *ledger) Encode(_ float64, word uint64) uint32 {
	l.words = append(l.words, word)
	return l.code
}

// slowChain returns a chain of switches whose last link has 10 Gb/s.
func slowChain(switches int) *topo.Graph {
	g := netsimtest.Chain(switches)
	for i := range g.Links {
		if l := &g.Links[i]; l.A == 1 || l.B == 1 {
			l.Rate = 10 * unit.Gbps
		}
	}
	return g
}

// lab runs flows from host 0 to host 1 with the tap. ledgers are by port.
func lab(t *testing.T, g *topo.Graph, o pint.UtilizationOptions, control func(*netsim.Network) transport.Factory,
	flows ...transport.Flow) (*cctest.Trial, map[netsim.PortID]*ledger, *pint.Utilization) {
	t.Helper()
	ledgers := map[netsim.PortID]*ledger{}
	var tap *pint.Utilization
	r := cctest.Lab{
		Graph: g, Transport: cctest.RDMA(), Control: control, Trace: true,
		Taps: func(n *netsim.Network) []netsim.Tap {
			tap = pint.NewUtilization(n.Ports(), func(p netsim.PortID) pint.Arithmetic {
				from, to := n.PortEnds(p)
				ledgers[p] = &ledger{code: uint32(10*from + to)}
				return ledgers[p]
			}, o)
			return []netsim.Tap{tap}
		},
	}.Run(t, flows...)
	return r, ledgers, tap
}

func check(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s:\ngot  %v\nwant %v", what, got, want)
	}
}

// Three packets of 1048 B reach the second switch 83.84 ns apart. Each takes 838.4 ns on the slow link. Each updates U
// with the time since the previous packet (Never for the first packet), the remaining queue, and the packet's size. In
// the other direction there are three ACKs of 60 B, 838.4 ns apart.
func TestUtilizationUpdatesWithEveryPacket(t *testing.T) {
	r, ledgers, tap := lab(t, slowChain(2), pint.UtilizationOptions{Mask: 255}, nil, cctest.Flow(0, 1, 3000))
	data, back := r.Between(3, 1), r.Between(2, 0)
	check(t, "data", ledgers[data].updates, "0 never 0 1048", "1 838.4ns 1048 1048", "2 838.4ns 0 1048")
	check(t, "ACKs", ledgers[back].updates, "0 never 0 60", "1 838.4ns 0 60", "2 838.4ns 0 60")
	if tap.U(data) != 3 || tap.U(back) != 3 {
		t.Errorf("U = %v and %v, want 3", tap.U(data), tap.U(back))
	}
}

// On a port with packets of both directions, data and ACKs mixed, the four ways to update are compared with a direct
// implementation of their definitions. With DataOnly, an ACK causes no update, but the next interval begins with the
// ACK, so the interval before the ACK is lost. With Previous an interval belongs to the packet at its beginning.
func TestWaysToUpdateUtilization(t *testing.T) {
	for _, o := range []pint.UtilizationOptions{
		{}, {DataOnly: true}, {Previous: true}, {DataOnly: true, Previous: true}} {
		o.Mask = 255
		g := slowChain(1)
		port := netsim.PortID(-1)
		var want []string
		last, size, n := unit.Time(-1), unit.Bytes(0), 0
		watch := tap(func(h *netsim.Hop) {
			if h.Port != port {
				return
			}
			now, own := h.Now, unit.Bytes(h.Packet.Size)
			if !o.DataOnly || h.Packet.Kind == netsim.Data {
				tau, charged := unit.Never, own
				if last >= 0 {
					tau = now - last
				}
				if o.Previous {
					tau, charged = now-max(last, 0), size
				}
				want = append(want, fmt.Sprintf("%d %v %d %d", n, tau, h.Queue, charged))
				n++
			}
			last, size = now, own
		})
		l := &ledger{}
		r := cctest.Lab{
			Graph: g, Transport: cctest.RDMA(),
			Taps: func(net *netsim.Network) []netsim.Tap {
				for p := range netsim.PortID(net.Ports()) {
					if from, to := net.PortEnds(p); from == 2 && to == 0 {
						port = p
					}
				}
				arith := func(p netsim.PortID) pint.Arithmetic {
					if p == port {
						return l
					}
					return &ledger{}
				}
				return []netsim.Tap{watch, pint.NewUtilization(net.Ports(), arith, o)}
			},
		}.Run(t, cctest.Flow(0, 1, 20_000), cctest.Flow(1, 0, 20_000))
		check(t, fmt.Sprintf("%+v", o), l.updates, want...)
		if data, all := r.Of(1).Packets, r.Of(0).Packets+r.Of(1).Packets; o.DataOnly && n != int(data) ||
			!o.DataOnly && n != int(all) {
			t.Errorf("%+v: %d updates for %d data packets and as many ACKs", o, n, data)
		}
	}
}

type tap func(*netsim.Hop)

func (f tap) Dequeue(h *netsim.Hop) { f(h) }

// Previous works like the published simulator: an interval belongs to the packet at its beginning, and the time from 0
// to the first packet counts as idle. The first packet is at the second switch after 2·1083.84 ns.
func TestUtilizationChargesThePreviousPacket(t *testing.T) {
	short := cctest.Flow(0, 1, 1001)
	r, ledgers, _ := lab(t, slowChain(2), pint.UtilizationOptions{Mask: 255, Previous: true}, nil, short)
	check(t, "data", ledgers[r.Between(3, 1)].updates, "0 2167.68ns 0 0", "1 838.4ns 0 1048")
}

// The code of a port is 10 times the number of its switch, plus the number of the next node. From host 0 over switches
// 2 to 5 to host 1, the codes are 23, 34, 45 and 51, and the largest is the last. In the other direction they are 54,
// 43, 32 and 20, and the largest is the first.
func TestPacketsCarryTheLargestCode(t *testing.T) {
	r, _, _ := lab(t, netsimtest.Chain(4), pint.UtilizationOptions{Mask: 255}, nil, cctest.Flow(0, 1, 2000),
		cctest.Flow(1, 0, 2000))
	for _, e := range r.Wire {
		if e.Sent {
			continue
		}
		want := uint64(51)
		if e.Packet.Flow == 1 {
			want = 54
		}
		if e.Packet.Digest != want { // an ACK echoes the digest of its data packet
			t.Errorf("flow %d, kind %d: digest %d, want %d", e.Packet.Flow, e.Packet.Kind, e.Packet.Digest, want)
		}
	}
}

// The code occupies some bits of the digest. The other bits belong to other queries.
func TestTheCodeKeepsToItsBits(t *testing.T) {
	// With a mask of 4 bits, 23 and 31 are 7 and 15.
	r, _, _ := lab(t, netsimtest.Chain(2), pint.UtilizationOptions{Shift: 8, Mask: 15}, nil, cctest.Flow(0, 1, 1000))
	for _, e := range r.Wire {
		if want := uint64(15 << 8); !e.Sent && e.Packet.Digest != want {
			t.Errorf("digest %#x, want %#x", e.Packet.Digest, want)
		}
	}
}

// The keys select half of the packets for the query. The other packets arrive without a code, but also update U. The
// sender finds out from an ACK whether a packet was selected, because the ACK has the key of its data packet.
func TestOnlyChosenPacketsCarryTheCode(t *testing.T) {
	const packets = 400
	var keys []uint64
	o := pint.UtilizationOptions{Mask: 255, Carries: func(key uint64) bool {
		keys = append(keys, key)
		return key%2 == 0
	}}
	p := &cctest.Puppet{}
	r, ledgers, _ := lab(t, netsimtest.Chain(1), o, cctest.Puppets(p), cctest.Flow(0, 1, packets*1000))
	if n := len(ledgers[r.Between(2, 1)].updates); n != packets || len(keys) != packets {
		t.Errorf("%d updates and %d choices, want %d", n, len(keys), packets)
	}
	carried := 0
	for i := range p.Acks {
		a := &p.Acks[i]
		if a.Key() != keys[i] {
			t.Fatalf("ACK %d has key %#x, its packet had %#x", i, a.Key(), keys[i])
		}
		want := uint64(0)
		if a.Key()%2 == 0 {
			want = 21
			carried++
		}
		if a.Digest != want {
			t.Errorf("ACK %d: digest %d, want %d", i, a.Digest, want)
		}
	}
	// For 400 fair coins, the number is 200 ± 10. It deviates by more than 4.5 standard deviations with probability
	// 7e-6.
	if carried < 155 || carried > 245 {
		t.Errorf("%d of %d packets carry the code", carried, packets)
	}
}

// The words that decide about rounding differ from packet to packet, from hop to hop and
// from seed to seed.
func TestWordsAreNotShared(t *testing.T) {
	seen := map[uint64]bool{}
	n := 0
	for seed := range uint64(2) {
		_, ledgers, _ := lab(t, netsimtest.Chain(3), pint.UtilizationOptions{Seed: seed, Mask: 255}, nil,
			cctest.Flow(0, 1, 50_000))
		for _, l := range ledgers {
			for _, w := range l.words {
				seen[w] = true
				n++
			}
		}
	}
	if n != 2*3*50 || len(seen) != n {
		t.Errorf("%d words for 300 hops, %d of them different", n, len(seen))
	}
}

// With exact arithmetic, a link that is always busy with an empty queue has U = 1. After n packets U is 1 -
// (1-τ/T)^(n-1)·(1-s/BT), with τ/T = s/BT = 1048/162500: each packet reduces the influence of the start by this share.
func TestUtilizationOfABusyLink(t *testing.T) {
	const T = 13 * unit.Microsecond
	line := 100 * unit.Gbps
	code, err := approx.New(approx.Utilization())
	if err != nil {
		t.Fatal(err)
	}
	arith, err := approx.NewExact(line, T, code)
	if err != nil {
		t.Fatal(err)
	}
	const packets = 1000
	var tap *pint.Utilization
	var digests []uint64
	r := cctest.Lab{
		Graph: netsimtest.Chain(1), Transport: cctest.RDMA(),
		Taps: func(n *netsim.Network) []netsim.Tap {
			tap = pint.NewUtilization(n.Ports(), func(netsim.PortID) pint.Arithmetic { return arith },
				pint.UtilizationOptions{Mask: 255})
			return []netsim.Tap{tap}
		},
		Drop: func(_ unit.Time, p *netsim.Packet) bool {
			if p.Kind == netsim.Data {
				digests = append(digests, p.Digest)
			}
			return false
		},
	}.Run(t, cctest.Flow(0, 1, packets*1000))
	const share = 1048.0 / 162_500
	want := 1 - math.Pow(1-share, packets)
	if got := tap.U(r.Between(2, 1)); math.Abs(got-want) > 1e-9 {
		t.Errorf("U = %.12f after %d packets, want %.12f", got, packets, want)
	}
	// Codes are within one step, a factor of 1.050625, of the U that the switch had.
	for i, d := range digests {
		u := 1 - math.Pow(1-share, float64(i+1))
		if got := code.Decode(uint32(d)); got > u*1.0507 || got < u/1.0507 {
			t.Fatalf("packet %d carries %v, the switch has U = %v", i, got, u)
		}
	}
}
