package hash

import (
	"math/bits"
	"testing"
)

// Published test vectors of MurmurHash3_x86_32 for four-byte inputs.
func TestMurmur3(t *testing.T) {
	tests := []struct {
		seed  uint32
		words []uint32
		want  uint32
	}{
		{0, nil, 0},
		{1, nil, 0x514e28b7},
		{0xffffffff, nil, 0x81f16f39},
		{0, []uint32{0xffffffff}, 0x76293b50},
		{0, []uint32{0x87654321}, 0xf55b516b},
		{0x5082edee, []uint32{0x87654321}, 0x2362f9de},
		{0, []uint32{0}, 0x2362f9de},
	}
	for _, tt := range tests {
		if got := Murmur3(tt.seed, tt.words...); got != tt.want {
			t.Errorf("Murmur3(%#x, %#x) = %#x, want %#x", tt.seed, tt.words, got, tt.want)
		}
	}
}

// Flipping one input bit flips each output bit with probability 1/2. There are 64·64 cells with 4096 trials each. A
// cell is outside of 0.5 ± 0.05 (6.4 standard errors) with probability below 2e-10, and any of the 4096 cells with
// probability below 1e-6.
func TestMix64Avalanche(t *testing.T) {
	const trials = 4096
	var flips [64][64]int
	x := uint64(1)
	for range trials {
		x = Mix64(x + 0x9e3779b97f4a7c15)
		h := Mix64(x)
		for in := range 64 {
			d := h ^ Mix64(x^1<<in)
			for ; d != 0; d &= d - 1 {
				flips[in][bits.TrailingZeros64(d)]++
			}
		}
	}
	for in := range flips {
		for out, n := range flips[in] {
			if p := float64(n) / trials; p < 0.45 || p > 0.55 {
				t.Errorf("input bit %d flips output bit %d with probability %.3f", in, out, p)
			}
		}
	}
}

func TestCombineDependsOnOrder(t *testing.T) {
	if Combine(Combine(7, 1), 2) == Combine(Combine(7, 2), 1) {
		t.Error("Combine commutes")
	}
}

func TestUnitRange(t *testing.T) {
	if Unit(0) != 0 || Unit(^uint64(0)) >= 1 {
		t.Errorf("Unit spans [%v, %v], want [0, 1)", Unit(0), Unit(^uint64(0)))
	}
}
