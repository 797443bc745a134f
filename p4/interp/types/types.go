// Package types defines the types of P4_16 (specification 1.2.4, chapter 7), their layout in storage and
// compile-time arithmetic (chapter 8). It also checks programs (chapters 6 to 16).
//
// Check resolves names and finds the type of every expression. It does not change the tree; it returns its results
// in an Info. Some checks are left to elaboration (package ir), which sees each instance with the values of its
// constructor parameters. During elaboration, an int expression must have a value known at compile time.
//
// Constants are mathematical integers; a value of bit<W> or int<W> is always within its range.
// Booleans are 0 and 1.
package types

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"pintlab/p4/interp/syntax"
)

// MaxWidth is the largest W of bit<W>, int<W> and varbit<W>. The specification has no limit. The limit here prevents
// a mistyped width from taking all memory.
const MaxWidth = 1 << 16

// Type is a resolved type. Compare types with Identical, not with ==.
type Type interface {
	String() string
	typ()
}

type (
	// Basic is a type without parts: see the variables below.
	Basic struct{ name string }
	// Bit is bit<Width>, or int<Width> if Signed.
	Bit struct {
		Width  int
		Signed bool
	}
	// Varbit is varbit<Max>.
	Varbit struct{ Max int }
	// Enum is an enum. With a Base it is serialisable and Values holds the encodings;
	// otherwise the value of a member is its index.
	Enum struct {
		Name    string
		Members []string
		Base    *Bit
		Values  []*big.Int
	}
	// Struct is a struct, header or header_union (Kind is one of syntax.Kind...).
	Struct struct {
		Kind   string
		Name   string
		Fields []Field
		Params []*Var  // type parameters, if generic
		Origin *Struct // the generic struct that this is an instance of, or nil
		Args   []Type

		size extent
	}
	// Stack is Elem[Size].
	Stack struct {
		Elem *Struct
		Size int
	}
	// Tuple is tuple<...>, and the type of { a, b }.
	Tuple struct {
		Elems []Type

		size extent
	}
	// record is the type of { x = a, y = b } until it is converted to a struct.
	record struct {
		Names []string
		Elems []Type
	}
	// New is a type made by "type T name".
	New struct {
		Name  string
		Under Type
	}
	// Var is a type parameter.
	Var struct{ Name string }
	// Extern is an extern object type.
	Extern struct {
		Name    string
		Params  []*Var
		Ctors   []*Signature
		Methods []*Signature
		Origin  *Extern
		Args    []Type
	}
	// Block is a parser or control, or a type of parsers or controls.
	Block struct {
		Kind   string // "parser" or "control"
		Name   string
		Vars   []*Var
		Params []Param
		Ctor   []Param
		Decl   *syntax.BlockDecl // the declaration with the body, or nil for a type
		Origin *Block
		Args   []Type
	}
	// Package is a package type.
	Package struct {
		Name   string
		Vars   []*Var
		Params []Param
	}
	// Applied is the result of applying a table: hit, miss, action_run.
	Applied struct{ Table string }
	// ActionRun is the type of table.apply().action_run.
	ActionRun struct{ Actions []string }
	// Set is a set of Elem: the type of keysets and value sets.
	Set struct{ Elem Type }
)

// Field is a field of a struct, header or union.
type Field struct {
	Name string
	Type Type
	Pos  syntax.Pos
	// Lists are the numbers in the annotation @field_list(...).
	Lists []int
}

// Param is a parameter.
type Param struct {
	Name     string
	Dir      syntax.Direction
	Type     Type
	Default  syntax.Expr
	Optional bool
	Pos      syntax.Pos
}

// Signature is the type of a function, method or constructor.
type Signature struct {
	Name     string
	Vars     []*Var
	Params   []Param
	Result   Type
	Abstract bool
	Pos      syntax.Pos
}

// The basic types. Invalid is the type of an invalid expression. It fits every type, so that one mistake causes only
// one message.
var (
	Bool      = &Basic{"bool"}
	Int       = &Basic{"int"}
	String    = &Basic{"string"}
	Error     = &Basic{"error"}
	matchKind = &Basic{"match_kind"}
	Void      = &Basic{"void"}
	Default   = &Basic{"..."}
	NoHeader  = &Basic{"{#}"}
	Invalid   = &Basic{"unknown type"}
)

func (*Basic) typ()     {}
func (*Bit) typ()       {}
func (*Varbit) typ()    {}
func (*Enum) typ()      {}
func (*Struct) typ()    {}
func (*Stack) typ()     {}
func (*Tuple) typ()     {}
func (*record) typ()    {}
func (*New) typ()       {}
func (*Var) typ()       {}
func (*Extern) typ()    {}
func (*Block) typ()     {}
func (*Package) typ()   {}
func (*Applied) typ()   {}
func (*ActionRun) typ() {}
func (*Set) typ()       {}

func (t *Basic) String() string { return t.name }
func (t *Bit) String() string {
	if t.Signed {
		return fmt.Sprintf("int<%d>", t.Width)
	}
	return fmt.Sprintf("bit<%d>", t.Width)
}
func (t *Varbit) String() string    { return fmt.Sprintf("varbit<%d>", t.Max) }
func (t *Enum) String() string      { return t.Name }
func (t *Struct) String() string    { return t.Name + typeList(t.Args) }
func (t *Stack) String() string     { return fmt.Sprintf("%s[%d]", t.Elem, t.Size) }
func (t *Tuple) String() string     { return "tuple" + brackets(t.Elems) }
func (t *New) String() string       { return t.Name }
func (t *Var) String() string       { return t.Name }
func (t *Extern) String() string    { return t.Name + typeList(t.Args) }
func (t *Block) String() string     { return t.Kind + " " + t.Name + typeList(t.Args) }
func (t *Package) String() string   { return "package " + t.Name }
func (t *Applied) String() string   { return "result of " + t.Table + ".apply()" }
func (t *ActionRun) String() string { return "action of a table" }
func (t *Set) String() string       { return "set of " + t.Elem.String() }
func (t *record) String() string {
	var list []string
	for i, n := range t.Names {
		list = append(list, fmt.Sprintf("%s = %s", n, t.Elems[i]))
	}
	return "{" + strings.Join(list, ", ") + "}"
}

func typeList(args []Type) string {
	if len(args) == 0 {
		return ""
	}
	return brackets(args)
}

func brackets(args []Type) string {
	names := make([]string, len(args))
	for i, a := range args {
		names[i] = a.String()
	}
	return "<" + strings.Join(names, ", ") + ">"
}

// Unsigned returns bit<w>.
func Unsigned(w int) *Bit { return &Bit{Width: w} }

// FieldIndex returns the position of a field, or -1.
func (t *Struct) FieldIndex(name string) int {
	return slices.IndexFunc(t.Fields, func(f Field) bool { return f.Name == name })
}

// memberIndex returns the position of a member, or -1.
func (t *Enum) memberIndex(name string) int { return slices.Index(t.Members, name) }

// Is reports whether the type has the Go type T, such as *Bit.
func Is[T Type](t Type) bool {
	_, ok := t.(T)
	return ok
}

// IsHeader reports whether the type is a header.
func IsHeader(t Type) bool {
	s, ok := t.(*Struct)
	return ok && s.Kind == syntax.KindHeader
}

// IsUnion reports whether the type is a header union.
func IsUnion(t Type) bool {
	s, ok := t.(*Struct)
	return ok && s.Kind == syntax.KindUnion
}

// Strip returns the stored type of a value: it removes the names given by "type" and the encoding
// of serialisable enums.
func Strip(t Type) Type {
	for {
		switch x := t.(type) {
		case *New:
			t = x.Under
		case *Enum:
			if x.Base == nil {
				return t
			}
			return x.Base
		default:
			return t
		}
	}
}

// IsScalar reports whether values of the type are single numbers.
func IsScalar(t Type) bool {
	switch x := Strip(t).(type) {
	case *Bit, *Enum:
		return true
	case *Basic:
		return x == Bool || x == Error
	}
	return false
}

// Identical reports whether two types are the same type.
func Identical(a, b Type) bool {
	if a == b || a == Invalid || b == Invalid {
		return true
	}
	switch x := a.(type) {
	case *Bit:
		y, ok := b.(*Bit)
		return ok && *x == *y
	case *Varbit:
		y, ok := b.(*Varbit)
		return ok && *x == *y
	case *Tuple:
		y, ok := b.(*Tuple)
		return ok && identicalLists(x.Elems, y.Elems)
	case *Stack:
		y, ok := b.(*Stack)
		return ok && x.Size == y.Size && Identical(x.Elem, y.Elem)
	case *Struct:
		y, ok := b.(*Struct)
		return ok && x.Origin != nil && x.Origin == y.Origin && identicalLists(x.Args, y.Args)
	case *Extern:
		y, ok := b.(*Extern)
		return ok && x.Origin != nil && x.Origin == y.Origin && identicalLists(x.Args, y.Args)
	case *Set:
		y, ok := b.(*Set)
		return ok && Identical(x.Elem, y.Elem)
	case *Block:
		y, ok := b.(*Block)
		return ok && x.Origin != nil && x.Origin == y.Origin && identicalLists(x.Args, y.Args)
	}
	return false
}

func identicalLists(a, b []Type) bool { return slices.EqualFunc(a, b, Identical) }

// Leaves appends the types of the parts of a struct or tuple, and recursively the types of their parts. A type
// without parts is appended itself.
func Leaves(t Type, out []Type) []Type {
	switch t.(type) {
	case *Struct, *Tuple:
		for e := range Elements(t) {
			out = Leaves(e, out)
		}
		return out
	}
	return append(out, t)
}
