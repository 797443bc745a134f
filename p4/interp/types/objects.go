package types

import (
	"math/big"

	"pintlab/p4/interp/syntax"
)

// Object is the meaning of a name.
type Object interface {
	Name() string
	Position() syntax.Pos
}

type obj struct {
	name string
	pos  syntax.Pos
}

func (o *obj) Name() string         { return o.name }
func (o *obj) Position() syntax.Pos { return o.pos }

type (
	// typeObj is a type name.
	typeObj struct {
		obj
		Type Type
	}
	// ConstObj is a constant. Value is set if the constant is a number.
	ConstObj struct {
		obj
		Type  Type
		Value *big.Int
		Decl  *syntax.ConstDecl
	}
	// VarObj is a variable. Type is the declared type.
	VarObj struct {
		obj
		Type Type
	}
	// ParamObj is a parameter of a function, action, parser or control. Ctor marks a constructor
	// parameter.
	ParamObj struct {
		obj
		Dir  syntax.Direction
		Type Type
		Ctor bool
	}
	// FuncObj is a function or an extern function.
	FuncObj struct {
		obj
		Sig    *Signature
		Params []*ParamObj
		Decl   *syntax.FuncDecl
	}
	// funcSet is the set of functions with the same name. The functions differ in their parameters.
	funcSet struct {
		obj
		Funcs []*FuncObj
	}
	// ActionObj is an action.
	ActionObj struct {
		obj
		Params []*ParamObj
		Sig    *Signature
		Decl   *syntax.ActionDecl
		Local  bool // declared in a control
	}
	// TableObj is a table.
	TableObj struct {
		obj
		Decl    *syntax.TableDecl
		Keys    []Type
		Actions []*TableAction
		// Default is the default action, or nil if the program specifies none. The default action is then NoAction.
		Default      *TableAction
		DefaultArgs  []syntax.Expr
		ConstDefault bool
		Entries      []*TableEntry
		Size         int // 0 if not given
		Properties   map[string]*syntax.Property
	}
	// TableAction is one action of a table's list.
	TableAction struct {
		Action *ActionObj
		Ref    *syntax.ActionRef
		// Args are the arguments of the parameters that have a direction. These parameters come first.
		Args []syntax.Expr
	}
	// TableEntry is an entry written in the program.
	TableEntry struct {
		Decl   *syntax.Entry
		Action *TableAction
		Args   []syntax.Expr // for the parameters without direction
	}
	// InstObj is an instance of an extern, parser, control or package.
	InstObj struct {
		obj
		Type Type
		Decl *syntax.Instance
		Ctor *Call
	}
	// StateObj is a parser state; Decl is nil for accept and reject.
	StateObj struct {
		obj
		Decl *syntax.StateDecl
	}
	// ValueSetObj is a parser value set.
	ValueSetObj struct {
		obj
		Elem Type
		Size int
		Decl *syntax.ValueSetDecl
	}
	// matchKindObj is a match kind.
	matchKindObj struct{ obj }
)

// CallKind is the kind of thing that a call calls.
type CallKind uint8

// The kinds of calls.
const (
	CallFunction CallKind = iota // a function of the program: Func
	CallExtern                   // an extern function: Func
	CallMethod                   // a method of an extern instance: Recv, Sig
	CallAction                   // an action: Action
	CallTable                    // table.apply(): Recv
	CallBlock                    // parser or control .apply(): Recv, or Type if it has no instance
	CallBuiltin                  // isValid, setValid, push_front ...: Recv, Name
	CallCtor                     // a constructor: Type
)

// Call holds the results of checking a call.
type Call struct {
	Kind   CallKind
	Name   string
	Func   *FuncObj
	Action *ActionObj
	Table  *TableObj
	Recv   syntax.Expr
	Type   Type // CallBlock: *types.Block; CallCtor: the type of the instance; CallMethod: *types.Extern
	// Sig is the signature before Bound is substituted.
	Sig   *Signature
	Bound Bindings
	// Args has one expression per parameter of Sig, nil for omitted arguments.
	Args []syntax.Expr
}

// scope is one level of names.
type scope struct {
	up    *scope
	names map[string]Object
	of    *syntax.BlockDecl // the control whose locals are in the scope
}

func (s *scope) lookup(name string) Object {
	for ; s != nil; s = s.up {
		if o := s.names[name]; o != nil {
			return o
		}
	}
	return nil
}
