package ir

import (
	"math/big"

	"pintlab/p4/interp/syntax"
	"pintlab/p4/interp/types"
)

// Expr is an expression. Operands have the types that the operator works on, because implicit conversions have
// become Casts or were applied to constants.
type Expr interface {
	Type() types.Type
	Position() syntax.Pos
}

// Node is embedded in expressions.
type Node struct {
	T   types.Type
	Pos syntax.Pos
}

// Type returns the expression's type.
func (n *Node) Type() types.Type { return n.T }

// Position returns the position in the source.
func (n *Node) Position() syntax.Pos { return n.Pos }

type (
	// Const is a number, truth value, enum member, error or (Str) string.
	Const struct {
		Node
		Val *big.Int
		Str string
	}
	// Load reads an lvalue.
	Load struct {
		Node
		LValue *LValue
	}
	// Unary is one of - ~ !.
	Unary struct {
		Node
		Op string
		X  Expr
	}
	// Binary is any binary operator.
	Binary struct {
		Node
		Op   string
		X, Y Expr
	}
	// Cond is C ? X : Y.
	Cond struct {
		Node
		C, X, Y Expr
	}
	// Cast converts between scalar types.
	Cast struct {
		Node
		X Expr
	}
	// Slice is bits Hi..Lo of X.
	Slice struct {
		Node
		X      Expr
		Hi, Lo int
	}
	// IsValid is the validity of a header, or of any member of a union.
	IsValid struct {
		Node
		LValue *LValue
	}
	// LastIndex is nextIndex - 1 of a header stack.
	LastIndex struct {
		Node
		LValue *LValue
	}
	// Composite builds a struct, header, tuple or stack from its parts. A header built in this
	// way is valid. Missing stack elements are invalid.
	Composite struct {
		Node
		Elems []Expr
	}
	// Part is a field or element of a value that is not stored in a variable: Off words
	// from its beginning.
	Part struct {
		Node
		X   Expr
		Off int
	}
	// Zero is the default value of its type. A header in this value is invalid.
	Zero struct{ Node }
	// Call runs a function, action, parser or control. In and Out copy the arguments. Result contains the result of
	// a function.
	Call struct {
		Node
		In, Out []Stmt
		Result  *LValue // nil for void
		// One of these is the callee.
		Function *Function
		Action   *Action
		Parser   *Parser
		Control  *Control
	}
	// ExternCall calls an extern function or a method of an extern.
	ExternCall struct {
		Node
		Extern   string  // type of the object; "" for a function
		Instance *Extern // nil for functions and for packets
		Name     string
		Args     []Arg
	}
	// Apply applies a table and returns the part of the result that Want selects.
	Apply struct {
		Node
		Table *Table
		Want  Want
	}
)

// Want is the part of the result of applying a table that is used.
type Want uint8

// The parts of the result.
const (
	wantNothing Want = iota
	WantHit
	WantMiss
	WantAction // the index of the action in Table.Actions
)

// Arg is an argument of an extern call: a value or an lvalue to write.
type Arg struct {
	Name    string
	Type    types.Type
	In, Out bool
	Value   Expr    // if In
	LValue  *LValue // if Out
}

// LValue is a part of a variable.
type LValue struct {
	Var  *Var
	Off  int // words from the beginning of the variable
	Type types.Type
	Pos  syntax.Pos
	Text string // as in the source, with the variable's name first
	Dyn  []Dyn
	// Bits restricts an assignment to bits Hi..Lo; Type is then the type of the slice.
	Bits *BitRange
	// Siblings are the other members of a header union if the lvalue is one of its members. The siblings become
	// invalid when the lvalue becomes valid.
	Siblings []*LValue
}

// BitRange is a slice of a number of type Of.
type BitRange struct {
	Hi, Lo int
	Of     *types.Bit
}

// DynKind is a way to index a header stack at run time.
type DynKind uint8

// The ways to index a stack.
const (
	DynIndex DynKind = iota // [Index]
	DynNext                 // .next
	DynLast                 // .last
)

// Dyn is one run-time index into a stack. Element i is Stride*i words further.
type Dyn struct {
	Kind    DynKind
	Index   Expr // for DynIndex
	Stride  int
	Len     int
	Counter int // word of the frame with nextIndex, for DynNext and DynLast
}

// Static returns the first word of the lvalue, and reports whether this word is fixed.
func (p *LValue) Static() (slot int, ok bool) {
	return p.Var.Slot + p.Off, len(p.Dyn) == 0 && p.Bits == nil
}

// Extent returns the words that the lvalue may cover. They are exactly the words of the lvalue if it is static, and
// the whole stack if it is indexed.
func (p *LValue) Extent() (first, words int) {
	first = p.Var.Slot + p.Off
	words = types.Slots(p.Type)
	if p.Bits != nil {
		words = types.Slots(p.Bits.Of)
	}
	for _, d := range p.Dyn {
		words += d.Stride * (d.Len - 1)
	}
	return first, words
}
