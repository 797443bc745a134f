package types

import (
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pintlab/internal/errtest"
)

func TestLiteral(t *testing.T) {
	tests := []struct {
		text, value, typ string
		large            bool
		err              string
	}{
		{"0", "0", "int", false, ""},
		{"007", "7", "int", false, ""},
		{"1_000", "1000", "int", false, ""},
		{"0xFf", "255", "int", false, ""},
		{"0B101", "5", "int", false, ""},
		{"0o17", "15", "int", false, ""},
		{"0d9", "9", "int", false, ""},
		{"8w255", "255", "bit<8>", false, ""},
		{"8w256", "0", "bit<8>", true, ""},
		{"8s127", "127", "int<8>", false, ""},
		{"8s0xff", "-1", "int<8>", true, ""},
		{"0w0", "0", "bit<0>", false, ""},
		{"128w0xffffffffffffffffffffffffffffffff", "340282366920938463463374607431768211455", "bit<128>", false, ""},
		{"0s0", "", "", false, "0s0 has no bits: int<0> does not exist"},
		{"65537w1", "", "", false, "width of 65537w1 is more than 65536 bits"},
		{"0x", "", "", false, "0x is not a number in base 16"},
		{"0b2", "", "", false, "0b2 is not a number in base 2"},
		{"9a", "", "", false, "9a is not a number in base 10"},
		{"8w", "", "", false, "8w is not a number in base 10"},
		{strings.Repeat("9", 40000), "", "", false, "number has too many digits"},
	}
	for _, tt := range tests {
		v, typ, large, err := Literal(tt.text)
		if err != nil || tt.err != "" {
			if !errtest.Says(err, tt.err) {
				t.Errorf("%.20s: error %v, want %s", tt.text, err, tt.err)
			}
			continue
		}
		if v.String() != tt.value || typ.String() != tt.typ || large != tt.large {
			t.Errorf("%s: %s %s %v, want %s %s %v", tt.text, v, typ, large, tt.value, tt.typ, tt.large)
		}
	}
}

// The cases are examples for sections 8.5 to 8.8.
func TestArithmetic(t *testing.T) {
	u8, s8 := Unsigned(8), &Bit{Width: 8, Signed: true}
	tests := []struct {
		op   string
		x, y int64
		t    Type
		want int64
		err  string
	}{
		{"+", 250, 10, u8, 4, ""},
		{"-", 3, 5, u8, 254, ""},
		{"*", 100, 3, u8, 44, ""},
		{"+", 100, 100, s8, -56, ""},
		{"|+|", 250, 10, u8, 255, ""},
		{"|-|", 3, 5, u8, 0, ""},
		{"|+|", 100, 100, s8, 127, ""},
		{"|-|", -100, 100, s8, -128, ""},
		{"/", 7, 2, u8, 3, ""},
		{"%", 7, 2, Int, 1, ""},
		{"/", 7, 0, Int, 0, "division by zero"},
		{"/", -7, 2, Int, 0, "division of a negative number"},
		{"<<", 1, 7, u8, 128, ""},
		{"<<", 1, 8, u8, 0, ""},
		{">>", -8, 1, s8, -4, ""},
		{">>", -8, 100, s8, -1, ""},
		{">>", 200, 3, u8, 25, ""},
		{"<<", 1, -1, u8, 0, "shift by a negative number"},
		{"&", -1, 0x0f, Int, 0x0f, ""},
		{"^", 0xff, 0x0f, u8, 0xf0, ""},
		{"|+|", 1, 1, Int, 0, "|+| needs a type with a width"},
		{"<<", 1, 1 << 40, Int, 0, "the number has more than 131072 bits"},
	}
	for _, tt := range tests {
		got, err := BinaryOp(tt.op, big.NewInt(tt.x), big.NewInt(tt.y), tt.t)
		if tt.err != "" {
			if !errtest.Says(err, tt.err) {
				t.Errorf("%d %s %d: error %v, want %s", tt.x, tt.op, tt.y, err, tt.err)
			}
			continue
		}
		if err != nil || got.Int64() != tt.want {
			t.Errorf("%d %s %d in %s = %v, %v, want %d", tt.x, tt.op, tt.y, tt.t, got, err, tt.want)
		}
	}
}

// FromWords is the inverse of Words, for signed values modulo 2^W.
func TestWordsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.IntRange(1, 300).Draw(t, "w")
		signed := rapid.Bool().Draw(t, "signed")
		raw := rapid.SliceOfN(rapid.Byte(), 1, 50).Draw(t, "raw")
		v := (&Bit{Width: w, Signed: signed}).Wrap(new(big.Int).SetBytes(raw))
		if !(&Bit{Width: w, Signed: signed}).Fits(v) {
			t.Fatalf("%s does not fit its own type", v)
		}
		words := Words(v, w)
		if len(words) != (w+63)/64 {
			t.Fatalf("%d words for %d bits", len(words), w)
		}
		back := (&Bit{Width: w, Signed: signed}).Wrap(FromWords(words))
		if back.Cmp(v) != 0 {
			t.Fatalf("%s became %s", v, back)
		}
	})
}
