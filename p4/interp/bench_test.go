package interp

import (
	"encoding/binary"
	"fmt"
	"testing"
)

// benchPipeline loads testdata/bench.p4 with full tables.
func benchPipeline(t testing.TB) *Pipeline {
	t.Helper()
	prog, err := Load("testdata/bench.p4", Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := prog.NewPipeline(Config{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	command := func(format string, args ...any) {
		t.Helper()
		if _, err := p.Command(fmt.Sprintf(format, args...)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 256 {
		for _, l := range []string{"log_time", "log_bytes", "log_u"} {
			command("table_add MyEgress.%s.mantissa MyEgress.%s.fraction %d => %d", l, l, i, i)
		}
		command("table_add power exp %d => %d", i, i*i)
		command("table_add route forward 10.0.%d.0/24 => %d", i, i)
	}
	return p
}

// benchPacket is an IPv4/UDP packet of 1000 bytes with a telemetry header.
func benchPacket(i int) []byte {
	b := make([]byte, 1000)
	copy(b[12:], "\x08\x00\x45")
	b[22], b[23] = 64, 17
	binary.BigEndian.PutUint16(b[18:], uint16(i))
	copy(b[26:], "\x0b\x00\x00\x01\x0a\x00")
	b[32], b[33] = byte(i), 1
	binary.BigEndian.PutUint16(b[36:], 9000)
	return b
}

func BenchmarkProcess(b *testing.B) {
	p := benchPipeline(b)
	var packets [64][]byte
	for i := range packets {
		packets[i] = benchPacket(i)
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		p.SetTime(uint64(i))
		outs, err := p.Process(i&15, packets[i&63])
		if err != nil || len(outs) != 1 {
			b.Fatal(len(outs), err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "packets/s")
}

// Once buffers have grown, parsing, tables, registers, hashes, checksums and output allocate nothing per packet.
func TestProcessAllocatesNothing(t *testing.T) {
	p := benchPipeline(t)
	packet := benchPacket(7)
	run := func() {
		if outs, err := p.Process(3, packet); err != nil || len(outs) != 1 || outs[0].Port != 7 {
			t.Fatal(outs, err)
		}
	}
	run()
	if n := testing.AllocsPerRun(100, run); n != 0 {
		t.Errorf("%v allocations per packet, want 0", n)
	}
}
