package exec

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pintlab/p4/interp/ir"
	"pintlab/p4/interp/syntax"
	"pintlab/p4/interp/types"
)

// testTable makes a table with the given keys and one action without data.
func testTable(t interface{ Fatal(...any) }, size int, keys ...ir.Key) *Table {
	var errs syntax.List
	tb := newTable(&ir.Table{Name: "t", Keys: keys, Size: size,
		Actions: []*ir.ActionUse{{Action: &ir.Action{Name: "a"}}}, Default: ir.EntryAction{Use: 0}}, &errs)
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	return tb
}

func key(kind ir.MatchKind, w int, signed bool) ir.Key {
	return ir.Key{Name: fmt.Sprintf("%s%d", kind, w), Match: kind,
		Expr: &ir.Const{Node: ir.Node{T: &types.Bit{Width: w, Signed: signed}}, Val: new(big.Int)}}
}

// rule is an entry for the oracle.
type rule struct {
	handle, priority int
	matches          []ir.EntryKey
	prefix           int
}

func (r rule) fits(values []*big.Int) bool {
	for i, m := range r.matches {
		v := values[i]
		switch m.Kind {
		case ir.SetValue:
			if v.Cmp(m.X) != 0 {
				return false
			}
		case ir.SetMask:
			a, b := new(big.Int).And(v, m.Y), new(big.Int).And(m.X, m.Y)
			if a.Cmp(b) != 0 {
				return false
			}
		case ir.SetRange:
			if v.Cmp(m.X) < 0 || v.Cmp(m.Y) > 0 {
				return false
			}
		}
	}
	return true
}

// Every kind of index finds the same entry as a search that tries all entries one by one: the longest prefix, the
// smallest priority, or the first entry.
func TestLookupAgainstTryingAll(t *testing.T) {
	shapes := [][]ir.Key{
		{key(ir.Exact, 8, false)},
		{key(ir.Exact, 40, false)},
		{key(ir.Exact, 6, false), key(ir.Exact, 100, false)},
		{key(ir.LPM, 10, false)},
		{key(ir.LPM, 70, false), key(ir.Exact, 3, false)},
		{key(ir.Ternary, 9, false)},
		{key(ir.Ternary, 5, false), key(ir.Range, 6, false), key(ir.Exact, 2, false)},
		{key(ir.Optional, 4, false), key(ir.LPM, 6, false)},
		{key(ir.Range, 67, false)},
	}
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SampledFrom(shapes).Draw(t, "shape")
		tb := testTable(t, 0, keys...)
		value := func(w int) *big.Int { // few values, so that many keys match an entry
			v := new(big.Int).SetUint64(rapid.Uint64Range(0, 7).Draw(t, "value"))
			if w > 3 && rapid.Bool().Draw(t, "high") {
				v.Lsh(v, uint(w-3))
			}
			return v.And(v, prefixMask(w, w))
		}
		var rules []rule
		for range rapid.IntRange(0, 30).Draw(t, "entries") {
			r := rule{priority: rapid.IntRange(0, 3).Draw(t, "priority"), prefix: -1}
			for i := range keys {
				kind, w := tb.Key(i)
				x := value(w)
				var m ir.EntryKey
				switch kind {
				case ir.LPM:
					n := rapid.IntRange(0, w).Draw(t, "length")
					m, r.prefix = Prefix(x, n, w), n
				case ir.Ternary:
					m = masked(x, value(w))
				case ir.Range:
					y := value(w)
					if x.Cmp(y) > 0 {
						x, y = y, x
					}
					m = between(x, y)
				case ir.Optional:
					m = exactly(x)
					if rapid.Bool().Draw(t, "any") {
						m = anything
					}
				default:
					m = exactly(x)
				}
				r.matches = append(r.matches, m)
			}
			h, err := tb.Add(r.matches, 0, nil, r.priority)
			if errors.Is(err, errDuplicate) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			r.handle = h
			rules = append(rules, r)
			if len(rules) > 3 && rapid.IntRange(0, 5).Draw(t, "delete") == 0 {
				k := rapid.IntRange(0, len(rules)-1).Draw(t, "which")
				if err := tb.Delete(rules[k].handle); err != nil {
					t.Fatal(err)
				}
				rules = slices.Delete(rules, k, k+1)
			}
		}
		for range 20 {
			var values []*big.Int
			var words []uint64
			for i := range keys {
				_, w := tb.Key(i)
				v := value(w)
				values = append(values, v)
				words = append(words, wordsOf(v, w)...)
			}
			best := -1
			for i, r := range rules {
				if !r.fits(values) {
					continue
				}
				switch {
				case best < 0,
					tb.NeedsPriority() && r.priority < rules[best].priority,
					!tb.NeedsPriority() && r.prefix > rules[best].prefix:
					best = i
				}
			}
			got := tb.lookup(words)
			switch {
			case got == nil && best >= 0:
				t.Fatalf("%v: nothing found, want entry %d", values, rules[best].handle)
			case got != nil && (best < 0 || got.Handle != rules[best].handle):
				t.Fatalf("%v: found entry %d, want index %d of %v", values, got.Handle, best, rules)
			}
		}
	})
}

func wordsOf(v *big.Int, w int) []uint64 {
	e := &Entry{value: make([]uint64, (w+63)/64), mask: make([]uint64, (w+63)/64)}
	f := keyField{words: (w + 63) / 64, width: w, match: ir.Exact}
	if err := e.set(f, exactly(v)); err != nil {
		panic(err)
	}
	return e.value
}

func TestSignedRangeKey(t *testing.T) {
	tb := testTable(t, 0, key(ir.Range, 8, true))
	if _, err := tb.Add([]ir.EntryKey{between(big.NewInt(-5), big.NewInt(5))}, 0, nil, 1); err != nil {
		t.Fatal(err)
	}
	for v, want := range map[uint64]bool{0xfb: true, 0xfa: false, 0: true, 5: true, 6: false, 0x80: false} {
		if got := tb.lookup([]uint64{v}) != nil; got != want {
			t.Errorf("%#x: %v, want %v", v, got, want)
		}
	}
}

func TestTableErrors(t *testing.T) {
	tb := testTable(t, 1, key(ir.LPM, 8, false))
	bad := func(want error, err error) {
		t.Helper()
		if err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("error %v, want %v", err, want)
		}
	}
	_, err := tb.Add([]ir.EntryKey{masked(big.NewInt(1), big.NewInt(0x0f))}, 0, nil, 0)
	bad(nil, err) // not a prefix
	_, err = tb.Add([]ir.EntryKey{exactly(big.NewInt(256))}, 0, nil, 0)
	bad(nil, err)
	_, err = tb.Add(nil, 0, nil, 0)
	bad(nil, err)
	_, err = tb.Add([]ir.EntryKey{anything}, 5, nil, 0)
	bad(nil, err)
	_, err = tb.Add([]ir.EntryKey{anything}, 0, []uint64{1}, 0)
	bad(nil, err)
	h, err := tb.Add([]ir.EntryKey{anything}, 0, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = tb.Add([]ir.EntryKey{exactly(big.NewInt(1))}, 0, nil, 0)
	bad(errFull, err)
	bad(errNoEntry, tb.Delete(h+1))
	bad(errNoEntry, tb.Modify(h+1, 0, nil))
	if err := tb.Clear(); err != nil || tb.Len() != 0 {
		t.Errorf("%v, %d entries", err, tb.Len())
	}
}

func BenchmarkLookup(b *testing.B) {
	for _, kind := range []ir.MatchKind{ir.Exact, ir.LPM, ir.Ternary} {
		b.Run(string(kind), func(b *testing.B) {
			tb := testTable(b, 0, key(kind, 32, false))
			for i := range 64 {
				m := exactly(big.NewInt(int64(i) << 20))
				if kind == ir.LPM {
					m = Prefix(big.NewInt(int64(i)<<20), 12, 32)
				}
				if _, err := tb.Add([]ir.EntryKey{m}, 0, nil, i); err != nil {
					b.Fatal(err)
				}
			}
			k := []uint64{0}
			b.ReportAllocs()
			for i := range b.N {
				k[0] = uint64(i&63) << 20
				if tb.lookup(k) == nil {
					b.Fatal(i)
				}
			}
		})
	}
}

var anything = ir.EntryKey{Kind: ir.SetAny}

func exactly(v *big.Int) ir.EntryKey { return ir.EntryKey{Kind: ir.SetValue, X: v} }
func masked(v, mask *big.Int) ir.EntryKey {
	return ir.EntryKey{Kind: ir.SetMask, X: v, Y: mask}
}
func between(lo, hi *big.Int) ir.EntryKey { return ir.EntryKey{Kind: ir.SetRange, X: lo, Y: hi} }
