package types

import (
	"iter"

	"pintlab/internal/lists"
	"pintlab/p4/interp/syntax"
)

// Values live in a flat array of 64-bit words. Slots, Element and Elements define the layout:
//
//	bit<W>, int<W>   ceil(W/64) words, least significant first, unused bits zero
//	bool             one word, 0 or 1
//	enum, error      one word: index, or encoding of a serialisable enum
//	varbit<N>        one word with the length in bits, then ceil(N/64) words; the
//	                 value is right-aligned like a bit<length>
//	header           one word of validity (0 or 1), then the fields
//	struct, tuple    the fields
//	header_union     the members, each with its own validity
//	stack            one word with nextIndex, then the elements

// maxParts is the largest number of parts of a type. Each number, validity bit and empty struct in the type counts
// as a part.
const maxParts = 1 << 18

// extent is the size of a composite type. It is computed once, because types share their parts. Walking the shared
// parts again and again could take forever.
type extent struct {
	slots, parts int
}

func (e *extent) add(t Type) {
	e.slots += Slots(t)
	e.parts += parts(t)
	if e.parts > maxParts {
		e.parts = maxParts + 1
		e.slots = min(e.slots, 1<<30)
	}
}

// seal computes the size of the type once its fields are known.
func (t *Struct) seal() {
	var e extent
	if t.Kind == syntax.KindHeader {
		e.slots, e.parts = 1, 1
	}
	for _, f := range t.Fields {
		e.add(f.Type)
	}
	t.size = e
}

// NewTuple makes a tuple type.
func NewTuple(elems []Type) *Tuple {
	t := &Tuple{Elems: elems}
	for _, e := range elems {
		t.size.add(e)
	}
	return t
}

// parts returns the number of parts of a type, or a number above maxParts.
func parts(t Type) int {
	switch x := t.(type) {
	case *New:
		return parts(x.Under)
	case *Struct:
		return max(1, x.size.parts)
	case *Stack:
		return min(1+x.Size*parts(x.Elem), maxParts+1)
	case *Tuple:
		return max(1, x.size.parts)
	case *Bit, *Varbit:
		return Slots(t)
	}
	return 1
}

// Slots returns the number of words of a value of the type, 0 for types that exist only at compile
// time.
func Slots(t Type) int {
	switch x := t.(type) {
	case *Basic:
		if x == Bool || x == Error {
			return 1
		}
	case *Bit:
		return max(1, (x.Width+63)/64)
	case *Varbit:
		return 1 + (x.Max+63)/64
	case *Enum:
		if x.Base != nil {
			return Slots(x.Base)
		}
		return 1
	case *New:
		return Slots(x.Under)
	case *Struct:
		return x.size.slots
	case *Stack:
		return 1 + x.Size*Slots(x.Elem)
	case *Tuple:
		return x.size.slots
	}
	return 0
}

// Element returns the type of element k of a struct, tuple or stack, and its offset in a value. The
// type is nil if there is no such element.
func Element(t Type, k int) (Type, int) {
	switch t := t.(type) {
	case *Struct:
		n := 0
		if t.Kind == syntax.KindHeader {
			n = 1
		}
		if k >= 0 && k < len(t.Fields) {
			for _, f := range t.Fields[:k] {
				n += Slots(f.Type)
			}
			return t.Fields[k].Type, n
		}
	case *Tuple:
		if k >= 0 && k < len(t.Elems) {
			n := lists.Sum(t.Elems[:k], Slots)
			return t.Elems[k], n
		}
	case *Stack:
		if k >= 0 && k < t.Size {
			return t.Elem, 1 + k*Slots(t.Elem)
		}
	}
	return nil, 0
}

// Elements iterates over the elements of a struct, tuple or stack, with their offsets.
func Elements(t Type) iter.Seq2[Type, int] {
	return func(yield func(Type, int) bool) {
		for k := 0; ; k++ {
			if e, off := Element(t, k); e == nil || !yield(e, off) {
				return
			}
		}
	}
}

// Bits returns the number of bits of a value on the wire. A header counts with its fields, without validity. A
// varbit counts with its maximum; variable reports whether the type contains a varbit.
func Bits(t Type) (n int, variable bool) {
	switch x := t.(type) {
	case *Basic:
		if x == Bool {
			return 1, false
		}
	case *Bit:
		return x.Width, false
	case *Varbit:
		return x.Max, true
	case *Enum:
		if x.Base != nil {
			return x.Base.Width, false
		}
	case *New:
		return Bits(x.Under)
	case *Stack:
		w, v := Bits(x.Elem)
		return w * x.Size, v
	}
	for e := range Elements(t) {
		w, v := Bits(e)
		variable = variable || v
		if IsUnion(t) {
			n = max(n, w)
		} else {
			n += w
		}
	}
	return n, variable
}
