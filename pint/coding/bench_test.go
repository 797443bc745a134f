package coding

import (
	"fmt"
	"math"
	"math/bits"
	"testing"
	"time"

	"pintlab/internal/hash"
)

// The benchmark measures the mean time per packet while whole paths of 59 switches out of 754 are decoded.
func BenchmarkDecode(b *testing.B) {
	for _, c := range []struct {
		name string
		c    Config
	}{
		{"peeling/full", Config{Schemes: []Scheme{Interleaved(0.5, 1.0/59)}, Mode: Full, Bits: 32, Instances: 1,
			ValueBits: 32}},
		{"filtering/2x8", Config{Schemes: []Scheme{Interleaved(0.5, 0.1)}, Mode: Hash, Bits: 8, Instances: 2}},
		{"filtering/2x8-vectors", Config{
			Schemes: []Scheme{Interleaved(0.5, 0.125)}, Mode: Hash, Bits: 8, Instances: 2, VectorBits: 3}},
		{"filtering/1x4", Config{Schemes: []Scheme{Interleaved(0.5, 0.1)}, Mode: Hash, Bits: 4, Instances: 1}},
		{"filtering/1x1", Config{Schemes: []Scheme{Interleaved(0.5, 0.1)}, Mode: Hash, Bits: 1, Instances: 1}},
		{"elimination/2x8", Config{Schemes: []Scheme{XOR(1)}, Mode: Linear, Bits: 8, Instances: 2, ValueBits: 10}},
		{"elimination/1x4", Config{Schemes: []Scheme{XOR(1)}, Mode: Linear, Bits: 4, Instances: 1, ValueBits: 10}},
		{"elimination/1x1", Config{Schemes: []Scheme{XOR(1)}, Mode: Linear, Bits: 1, Instances: 1, ValueBits: 10}},
	} {
		b.Run(c.name, func(b *testing.B) {
			code, err := New(c.c)
			if err != nil {
				b.Fatal(err)
			}
			d, err := NewDecoder(code, 59, makeValues(754))
			if err != nil {
				b.Fatal(err)
			}
			packets, digests, starts := benchRuns(b, code, d, 59, 4096)
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				j := i % len(packets)
				if starts[j] {
					d.Reset()
				}
				if err := d.Add(packets[j], digests[j]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// benchRuns returns precomputed digests of at least the given number of packets, for complete paths over 754 switches,
// and reports which packets begin a path.
func benchRuns(b *testing.B, code *Code, d Decoder, hops, atLeast int) (packets, digests []uint64, starts []bool) {
	r := hash.Stream(1, "test/bench")
	for len(packets) < atLeast {
		path := make([]uint64, hops)
		for i := range path {
			path[i] = uint64(r.IntN(754))
		}
		d.Reset()
		for first := true; !d.Done(); first = false {
			id := r.Uint64()
			packets, starts = append(packets, id), append(starts, first)
			digests = append(digests, code.Encode(id, path))
			if err := d.Add(id, digests[len(digests)-1]); err != nil {
				b.Fatal(err)
			}
		}
	}
	return packets, digests, starts
}

// The benchmark measures the time to decode a path by its length k. If each hop draws separately, the collector
// computes k draws per packet. With AND-ed vectors, it computes about log k. Network coding solves k equations.
func BenchmarkDecodeLength(b *testing.B) {
	full := func(s Scheme, vectors int) Config {
		return Config{Schemes: []Scheme{s}, Mode: Full, Bits: 32, Instances: 1, ValueBits: 32, VectorBits: vectors}
	}
	for _, c := range []struct {
		name string
		of   func(k int) Config
	}{
		{"draws", func(k int) Config { return full(MultiLayer(k, defaultLayers(k)), 0) }},
		{"vectors", func(k int) Config { return full(MultiLayer(k, defaultLayers(k)), bits.Len(uint(k))-1) }},
		{"network-coding", func(int) Config { return full(LNC(), 0) }},
		{"hashing-2x8", func(k int) Config {
			return Config{Schemes: []Scheme{MultiLayer(k, defaultLayers(k))}, Mode: Hash, Bits: 8, Instances: 2}
		}},
	} {
		for k := 8; k <= 256; k *= 2 {
			b.Run(fmt.Sprintf("%s/k=%d", c.name, k), func(b *testing.B) {
				code, err := New(c.of(k))
				if err != nil {
					b.Fatal(err)
				}
				d, err := NewDecoder(code, k, makeValues(754))
				if c.name == "network-coding" {
					d, err = NewSolver(code, k)
				}
				if err != nil {
					b.Fatal(err)
				}
				packets, digests, starts := benchRuns(b, code, d, k, 40*k)
				paths := 0
				for _, first := range starts {
					if first {
						paths++
					}
				}
				fastest := time.Duration(math.MaxInt64) // fastest of the rounds, because other programs use the machine
				b.ResetTimer()
				for range b.N {
					began := time.Now()
					for j := range packets {
						if starts[j] {
							d.Reset()
						}
						if err := d.Add(packets[j], digests[j]); err != nil {
							b.Fatal(err)
						}
					}
					fastest = min(fastest, time.Since(began))
				}
				perPath := float64(fastest.Nanoseconds()) / float64(paths)
				b.ReportMetric(perPath/1000, "us/path")
				b.ReportMetric(perPath/float64(k), "ns/hop")
				b.ReportMetric(float64(len(packets))/float64(paths), "packets/path")
			})
		}
	}
}
