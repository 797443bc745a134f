package query

import (
	"testing"

	"pintlab/netsim/unit"
)

func mustEncoder(t testing.TB, s Spec, o Options) *Encoder {
	t.Helper()
	p, err := Compile(s)
	if err != nil {
		t.Fatal(err)
	}
	e, err := NewEncoder(p, o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// alone returns a plan for one query.
func alone(q Query) Spec {
	return Spec{Bits: q.Bits, Hops: 5, HashBits: 16, Queries: []Query{q}}
}

var someHop = Observation{
	SwitchID: 417, IngressPort: 3, EgressPort: 9, IngressTime: 77 * unit.Microsecond, HopLatency: 3 * unit.Microsecond,
	TxUtilization: 0.7, QueueOccupancy: 40_000, QueueCongestion: 0.02, Load: 0.83,
}

func BenchmarkEncode(b *testing.B) {
	for _, c := range []struct {
		name string
		s    Spec
		o    Options
	}{
		{"combined", Combined(), Options{}},
		{"combined/crc", Combined(), Options{CRC: true}},
		{"path8", alone(PathQuery(8, 1, 1000)), Options{}},
		{"path2x8", alone(PathQuery(16, 2, 1000)), Options{}},
		{"path2x8/crc", alone(PathQuery(16, 2, 1000)), Options{CRC: true}},
		{"latency", alone(LatencyQuery(8, 1000)), Options{}},
		{"hpcc", alone(HPCCQuery()), Options{}},
	} {
		b.Run(c.name, func(b *testing.B) {
			e := mustEncoder(b, c.s, c.o)
			o := someHop
			b.ReportAllocs()
			packet, hop, digest := uint64(0), 0, uint64(0)
			for b.Loop() {
				if hop++; hop > 5 {
					hop = 1
					packet++
				}
				o.HopLatency = 1000*unit.Nanosecond + unit.Time(packet&0xffff)*100
				digest = e.Encode(packet, hop, digest, &o)
			}
		})
	}
}

// The benchmark records packets of the combined plan at a sink that already knows their 100 flows.
func BenchmarkRecord(b *testing.B) {
	e := mustEncoder(b, Combined(), Options{})
	r, err := NewRecorder(e, Memory{Total: unit.MB}, 1)
	if err != nil {
		b.Fatal(err)
	}
	flows := make([]FiveTuple, 100)
	for i := range flows {
		flows[i] = tuple(i)
	}
	digests := make([]uint64, 1<<12)
	for packet := range digests {
		for hop := 1; hop <= 5; hop++ {
			digests[packet] = e.Encode(uint64(packet), hop, digests[packet], &someHop)
		}
	}
	b.ReportAllocs()
	packet := 0
	for b.Loop() {
		id := packet & (len(digests) - 1)
		if err := r.Record(Packet{ID: uint64(id), Hops: 5, Flow: flows[packet%len(flows)]}, digests[id]); err != nil {
			b.Fatal(err)
		}
		packet++
	}
}
