package types

import (
	"testing"

	"pintlab/p4/interp/syntax"
)

func header(name string, fields ...Field) *Struct {
	s := &Struct{Kind: syntax.KindHeader, Name: name, Fields: fields}
	s.seal()
	return s
}

func TestLayout(t *testing.T) {
	h := header("h", Field{Name: "a", Type: Unsigned(8)}, Field{Name: "b", Type: Unsigned(65)},
		Field{Name: "c", Type: &Varbit{Max: 80}})
	u := &Struct{Kind: syntax.KindUnion, Name: "u", Fields: []Field{{Name: "x", Type: h}, {Name: "y", Type: h}}}
	u.seal()
	s := &Struct{Kind: syntax.KindStruct, Name: "s",
		Fields: []Field{{Name: "f", Type: Bool}, {Name: "h", Type: h},
			{Name: "t", Type: NewTuple([]Type{Unsigned(1), Error})}}}
	s.seal()
	tests := []struct {
		t           Type
		slots, bits int
		variable    bool
	}{
		{Unsigned(0), 1, 0, false},
		{Unsigned(64), 1, 64, false},
		{Unsigned(65), 2, 65, false},
		{Bool, 1, 1, false},
		{&Enum{Members: []string{"A"}}, 1, 0, false},
		{&Enum{Members: []string{"A"}, Base: Unsigned(16)}, 1, 16, false},
		{&New{Under: Unsigned(100)}, 2, 100, false},
		{&Varbit{Max: 80}, 3, 80, true},
		{h, 1 + 1 + 2 + 3, 153, true},
		{u, 14, 153, true},
		{s, 1 + 7 + 2, 155, true},
		{&Stack{Elem: h, Size: 3}, 1 + 21, 459, true},
		{Int, 0, 0, false},
	}
	for _, tt := range tests {
		n, v := Bits(tt.t)
		if Slots(tt.t) != tt.slots || n != tt.bits || v != tt.variable {
			t.Errorf("%s: %d words, %d bits, %v; want %d, %d, %v",
				tt.t, Slots(tt.t), n, v, tt.slots, tt.bits, tt.variable)
		}
	}
	if _, got := Element(s, 2); got != 8 {
		t.Errorf("offset %d, want 8", got)
	}
}

// Types that double in size at every step are refused quickly, because the size is limited.
func TestHugeTypesAreMeasured(t *testing.T) {
	var x Type = Unsigned(8)
	for range 200 {
		x = NewTuple([]Type{x, x})
	}
	if parts(x) <= maxParts {
		t.Errorf("%d parts", parts(x))
	}
}

func TestGenericsAndIdentity(t *testing.T) {
	v := &Var{Name: "T"}
	g := &Struct{Kind: syntax.KindStruct, Name: "pair", Params: []*Var{v},
		Fields: []Field{{Name: "x", Type: v}, {Name: "y", Type: NewTuple([]Type{v, Bool})}}}
	g.seal()
	a, b, c := g.instantiate([]Type{Unsigned(8)}), g.instantiate([]Type{Unsigned(8)}),
		g.instantiate([]Type{Unsigned(9)})
	if !Identical(a, b) || Identical(a, c) || a.String() != "pair<bit<8>>" || Slots(a) != 3 {
		t.Errorf("%s %s %s %d", a, b, c, Slots(a))
	}
	bound := Bindings{}
	if !infer(g.instantiate([]Type{v}), c, []*Var{v}, bound) || !Identical(bound[v], Unsigned(9)) {
		t.Errorf("T is %v", bound[v])
	}
	// An integer literal adopts the width of another argument. Two different widths are an error.
	bound = Bindings{}
	if !infer(v, Int, []*Var{v}, bound) || !infer(v, Unsigned(8), []*Var{v}, bound) ||
		!infer(v, Int, []*Var{v}, bound) {
		t.Error("a literal does not agree with bit<8>")
	}
	if infer(v, Unsigned(9), []*Var{v}, bound) {
		t.Error("bit<8> agrees with bit<9>")
	}
	if Identical(&New{Name: "a", Under: Bool}, &New{Name: "a", Under: Bool}) {
		t.Error("two types of the same name are the same type")
	}
}
