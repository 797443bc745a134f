package syntax

// Expr is an expression or a keyset.
type Expr interface {
	Node
	expr()
}

// ExprAt is embedded in expressions.
type ExprAt struct{ At }

func (ExprAt) expr() {}

type (
	// IntLit is an integer literal; Text as written, with width and base.
	IntLit struct {
		ExprAt
		Text string
	}
	// BoolLit is true or false.
	BoolLit struct {
		ExprAt
		Value bool
	}
	// StringLit is a string.
	StringLit struct {
		ExprAt
		Value string
	}
	// Name is an identifier; Global means written with a leading dot.
	Name struct {
		ExprAt
		Name   string
		Global bool
	}
	// TypeName is a type in the position of an expression: E.member, C.apply(), T(args).
	TypeName struct {
		ExprAt
		Type Type
	}
	// Member is X.Name.
	Member struct {
		ExprAt
		X       Expr
		Name    string
		NamePos At
	}
	// Index is X[I].
	Index struct {
		ExprAt
		X, I Expr
	}
	// Slice is X[Hi:Lo].
	Slice struct {
		ExprAt
		X, Hi, Lo Expr
	}
	// Unary is Op X.
	Unary struct {
		ExprAt
		Op string
		X  Expr
	}
	// Binary is X Op Y.
	Binary struct {
		ExprAt
		Op   string
		X, Y Expr
	}
	// Cond is C ? X : Y.
	Cond struct {
		ExprAt
		C, X, Y Expr
	}
	// Cast is (Type) X.
	Cast struct {
		ExprAt
		Type Type
		X    Expr
	}
	// Call is a function, method, action or constructor call.
	Call struct {
		ExprAt
		Fun      Expr
		TypeArgs []Type
		Args     []*Arg
	}
	// ListExpr is { a, b, ... }; Rest is set if it ends in "...".
	ListExpr struct {
		ExprAt
		Elems []Expr
		Rest  bool
	}
	// RecordExpr is { name = value, ... }.
	RecordExpr struct {
		ExprAt
		Names  []Ident
		Values []Expr
		Rest   bool
	}
	// InvalidExpr is {#}: an invalid header or union.
	InvalidExpr struct{ ExprAt }
	// DefaultExpr is "..." alone: the default value of the expected type.
	DefaultExpr struct{ ExprAt }
	// Mask is X &&& Y in a keyset.
	Mask struct {
		ExprAt
		X, Y Expr
	}
	// Range is X .. Y in a keyset or a loop.
	Range struct {
		ExprAt
		X, Y Expr
	}
	// Any is "default" or "_" in a keyset.
	Any struct{ ExprAt }
)

// Type is a type as written.
type Type interface {
	Node
	typ()
}

// TypeAt is embedded in types.
type TypeAt struct{ At }

func (TypeAt) typ() {}

type (
	// BaseType is bool, int, bit, string, error, match_kind, void without a width.
	BaseType struct {
		TypeAt
		Name string
	}
	// SizedType is bit<W>, int<W> or varbit<W>.
	SizedType struct {
		TypeAt
		Name  string
		Width Expr
	}
	// NamedType is a type name with its arguments, if any.
	NamedType struct {
		TypeAt
		Name   string
		Global bool
		Args   []Type
	}
	// TupleType is tuple<...>.
	TupleType struct {
		TypeAt
		Elems []Type
	}
	// ListType is list<T>.
	ListType struct{ TypeAt }
	// StackType is T[n].
	StackType struct {
		TypeAt
		Elem Type
		Size Expr
	}
	// AnyType is "_" in a type argument list: to be inferred.
	AnyType struct{ TypeAt }
)

// Text writes an expression for names and messages. Kinds of expressions that rarely occur there become "...".
func Text(e Expr) string {
	switch e := e.(type) {
	case *IntLit:
		return e.Text
	case *Name:
		if e.Global {
			return "." + e.Name
		}
		return e.Name
	case *Member:
		return Text(e.X) + "." + e.Name
	case *Index:
		return Text(e.X) + "[" + Text(e.I) + "]"
	case *Slice:
		return Text(e.X) + "[" + Text(e.Hi) + ":" + Text(e.Lo) + "]"
	case *Call:
		if m, ok := e.Fun.(*Member); ok && m.Name == "isValid" {
			return Text(m.X) + ".$valid$"
		}
		return Text(e.Fun) + "(...)"
	case *TypeName:
		if n, ok := e.Type.(*NamedType); ok {
			return n.Name
		}
	case *Cast:
		return Text(e.X)
	case *Unary:
		return e.Op + Text(e.X)
	case *Binary:
		return Text(e.X) + " " + e.Op + " " + Text(e.Y)
	}
	return "..."
}
