package exec

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// text spells bytes as ones and zeros. It is the oracle for operations on single bits.
func text(data []byte) string {
	var b strings.Builder
	for _, x := range data {
		fmt.Fprintf(&b, "%08b", x)
	}
	return b.String()
}

func bitsOf(bits string) (v uint64) {
	for _, c := range bits {
		v = v<<1 | uint64(c-'0')
	}
	return v
}

func TestBitReaderAgainstText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "data")
		want := text(data)
		r := BitReader{Data: data}
		for r.Left() > 0 {
			w := rapid.IntRange(0, min(64, r.Left())).Draw(t, "w")
			at := r.Pos
			if got := r.word(w); got != bitsOf(want[at:at+w]) {
				t.Fatalf("%d bits at %d: %#x", w, at, got)
			}
		}
	})
}

func TestBitWriterAgainstText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w bitWriter
		want := ""
		for range rapid.IntRange(0, 20).Draw(t, "n") {
			n := rapid.IntRange(0, 150).Draw(t, "bits")
			words := make([]uint64, (n+63)/64)
			for i := range words {
				words[i] = rapid.Uint64().Draw(t, "word")
				if 64*(i+1) > n {
					words[i] &= mask(n - 64*i)
				}
			}
			s := ""
			for i := len(words) - 1; i >= 0; i-- {
				s += fmt.Sprintf("%064b", words[i])
			}
			want += s[len(s)-n:]
			if n <= 64 && n > 0 {
				w.word(words[0], n)
			} else {
				w.words(words, n)
			}
		}
		rest := rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "rest")
		skip := rapid.IntRange(0, 8*len(rest)).Draw(t, "skip")
		w.Rest(&BitReader{Data: rest, Pos: skip})
		want += text(rest)[skip:]
		if w.Len() != len(want) || !strings.HasPrefix(text(w.Bytes()), want) || len(w.Bytes()) != (len(want)+7)/8 {
			t.Fatalf("got  %s\nwant %s", text(w.Bytes()), want)
		}
		if tail := text(w.Bytes())[len(want):]; strings.Contains(tail, "1") {
			t.Fatalf("the last byte is filled with %s", tail)
		}
		w.Truncate(3)
		if w.Len() > 24 && len(w.Bytes()) > 3 {
			t.Fatal("not truncated")
		}
	})
}

func BenchmarkBitWriter(b *testing.B) {
	var w bitWriter
	b.ReportAllocs()
	for range b.N {
		w.Reset()
		w.word(4, 4)
		w.word(5, 4)
		w.word(0, 8)
		w.word(1500, 16)
		w.word(0x0a000001, 32)
		w.word(0x112233445566, 48)
	}
	if !bytes.HasPrefix(w.Bytes(), []byte{0x45}) {
		b.Fatal(w.Bytes())
	}
}
