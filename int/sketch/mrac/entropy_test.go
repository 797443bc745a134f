package mrac

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Four flows of two packets each have an entropy of two bits; one flow has none.
func TestExamples(t *testing.T) {
	var s EntropySum
	s.Add(2, 4)
	if got := s.Value(); math.Abs(got-2) > 1e-12 {
		t.Error(got)
	}
	var one OnlineEntropy
	for n := range uint64(100) {
		one.Insert(1, n, n+1)
	}
	if got := one.Value(); math.Abs(got) > 1e-12 {
		t.Error(got)
	}
	if (&OnlineEntropy{}).Value() != 0 || (&EntropySum{}).Value() != 0 {
		t.Error("the entropy of nothing is not 0")
	}
}

// With exact sizes the incrementally updated entropy equals the definition, −Σ (n/N)·log₂(n/N).
func TestOnlineIsTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := map[int]uint64{}
		var o OnlineEntropy
		stream := rapid.SliceOfN(rapid.IntRange(0, 20), 1, 300).Draw(t, "stream")
		for _, k := range stream {
			o.Insert(1, sizes[k], sizes[k]+1)
			sizes[k]++
		}
		want := 0.0
		var s EntropySum
		for _, n := range sizes {
			p := float64(n) / float64(len(stream))
			want -= p * math.Log2(p)
			s.Add(n, 1)
		}
		if math.Abs(o.Value()-want) > 1e-9 || math.Abs(s.Value()-want) > 1e-9 {
			t.Fatalf("online %v, sum %v, want %v", o.Value(), s.Value(), want)
		}
	})
}
