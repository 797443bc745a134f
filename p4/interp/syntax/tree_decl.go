package syntax

// Node is any node of the tree; it has a position in the source.
type Node interface{ Position() Pos }

// At is embedded in every node.
type At struct{ Pos Pos }

// Position returns the start of the node.
func (a At) Position() Pos { return a.Pos }

// Program is a whole preprocessed program.
type Program struct{ Decls []Decl }

// Annotation is @name, @name(...) or @name[...]. Args holds the expressions if the body is a
// list of expressions.
type Annotation struct {
	At
	Name string
	Args []Expr
}

// Annotations are the annotations of one declaration.
type Annotations []Annotation

// Find returns the annotation of that name, or nil.
func (as Annotations) Find(name string) *Annotation {
	for i := range as {
		if as[i].Name == name {
			return &as[i]
		}
	}
	return nil
}

// StringArg returns the string of an annotation such as @name("x").
func (as Annotations) StringArg(name string) (string, bool) {
	a := as.Find(name)
	if a == nil || len(a.Args) != 1 {
		return "", false
	}
	s, ok := a.Args[0].(*StringLit)
	if !ok {
		return "", false
	}
	return s.Value, true
}

// Ident is a name with its position.
type Ident struct {
	At
	Name string
}

// Direction is the direction of a parameter.
type Direction uint8

// Directions. None is a parameter without direction (action data, externs).
const (
	None Direction = iota
	In
	Out
	InOut
)

func (d Direction) String() string { return [...]string{"directionless", "in", "out", "inout"}[d] }

// Param is a parameter of a declaration.
type Param struct {
	Named
	Dir     Direction
	Type    Type
	Default Expr // or nil
}

// Field is one field of a header, struct or header_union.
type Field struct {
	Named
	Type Type
}

// Decl is a declaration, at the top level or inside a parser, control or block.
type Decl interface {
	Node
	DeclName() string
}

// Named is embedded in declarations.
type Named struct {
	At
	Annotations Annotations
	Name        string
}

// DeclName returns the declared name.
func (n *Named) DeclName() string { return n.Name }

// The kinds of Aggregate and of BlockDecl.
const (
	KindStruct  = "struct"
	KindHeader  = "header"
	KindUnion   = "header_union"
	KindParser  = "parser"
	KindControl = "control"
)

type (
	// ConstDecl is "const T name = value;".
	ConstDecl struct {
		Named
		Type  Type
		Value Expr
	}
	// VarDecl is "T name;" or "T name = init;".
	VarDecl struct {
		Named
		Type Type
		Init Expr
	}
	// TypedefDecl is "typedef T name;" or, with New, "type T name;".
	TypedefDecl struct {
		Named
		New  bool
		Type Type
	}
	// Aggregate is a header, struct or header_union.
	Aggregate struct {
		Named
		Kind       string
		TypeParams []Ident
		Fields     []*Field
	}
	// EnumDecl is an enum; Base is the representation of a serialisable one.
	EnumDecl struct {
		Named
		Base    Type
		Members []EnumMember
	}
	// ErrorDecl adds members to the type error.
	ErrorDecl struct {
		Named
		Members []Ident
	}
	// MatchKindDecl adds match kinds.
	MatchKindDecl struct {
		Named
		Members []Ident
	}
	// ExternObject is an extern with constructors and methods.
	ExternObject struct {
		Named
		TypeParams []Ident
		Ctors      []*FuncDecl
		Methods    []*FuncDecl
	}
	// FuncDecl is a function, an extern function (no Body), a method or a constructor.
	FuncDecl struct {
		Named
		Extern     bool
		Abstract   bool
		TypeParams []Ident
		Result     Type // nil in a constructor
		Params     []*Param
		Body       *Block
	}
	// ActionDecl is an action.
	ActionDecl struct {
		Named
		Params []*Param
		Body   *Block
	}
	// BlockDecl is a parser or control, or the type of one if IsType is set.
	BlockDecl struct {
		Named
		Kind       string // KindParser or KindControl
		IsType     bool
		TypeParams []Ident
		Params     []*Param
		CtorParams []*Param
		Locals     []Decl
		States     []*StateDecl // states of a parser
		Body       *Block       // body of a control
	}
	// PackageDecl is a package type.
	PackageDecl struct {
		Named
		TypeParams []Ident
		Params     []*Param
	}
	// Instance is an instantiation "T(args) name;".
	Instance struct {
		Named
		Type    Type
		Args    []*Arg
		HasBody bool // = { ... } with method implementations
	}
	// ValueSetDecl is "value_set<T>(size) name;".
	ValueSetDecl struct {
		Named
		Elem Type
		Size Expr
	}
	// StateDecl is one parser state. Next is nil if there is no transition statement.
	StateDecl struct {
		Named
		Stmts []Stmt
		Next  *Transition
	}
	// TableDecl is a table.
	TableDecl struct {
		Named
		Keys       []*KeyElement
		HasKey     bool
		Actions    []*ActionRef
		Entries    []*Entry
		HasEntries bool
		// ConstEntries reports that the entries are "const entries".
		ConstEntries bool
		Properties   []*Property
	}
)

// EnumMember is one member of an enum; Value is set in serialisable enums.
type EnumMember struct {
	Ident
	Value Expr
}

// Transition is "transition name;" (Select nil) or "transition select(...) {...}".
type Transition struct {
	At
	Target Ident
	Select []Expr
	Cases  []*SelectCase
}

// SelectCase is one "keyset : state;".
type SelectCase struct {
	At
	Keys   []Expr // one per select expression; a lone default or _ may stand for all
	Target Ident
}

// KeyElement is "expr : match_kind;".
type KeyElement struct {
	At
	Annotations Annotations
	Expr        Expr
	MatchKind   Ident
}

// ActionRef names an action in a table or a default_action. Args are the arguments that are written there.
type ActionRef struct {
	At
	Annotations Annotations
	Name        Expr // *Name
	Args        []*Arg
}

// Entry is one entry of a table's entries list.
type Entry struct {
	At
	Annotations Annotations
	Const       bool
	Priority    Expr // or nil
	Keys        []Expr
	Action      *ActionRef
}

// Property is any other "name = value;" of a table. Action is set for default_action.
type Property struct {
	Named
	Const  bool
	Value  Expr
	Action *ActionRef
	Early  bool // written before the list of actions
}

// Arg is one argument of a call. Value is nil for "_".
type Arg struct {
	At
	Name  string // name of a named argument
	Value Expr
}
