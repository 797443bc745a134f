// Package ir defines the program graph: a checked P4 program in which every parser, control, table and extern is
// instantiated, every name is resolved to storage and every constant is folded. Elaborate makes the graph: it
// instantiates everything that can be reached from the package instance main. The executor compiles the graph, and
// the analyses walk it.
//
// # Storage
//
// P4 has no recursion, so each variable and parameter has fixed words in a frame of 64-bit words (package types
// defines the layout). An LValue is a part of a variable. If the variable is a header stack that is indexed at run
// time, the LValue also contains the index expressions.
//
// # Calls
//
// A call copies its arguments in, runs the body and copies results out, as the
// specification requires (1.2.4, section 6.8). The copies are ordinary statements of the
// call node. Parsers and controls that are applied once with arguments that cannot
// overlap use the caller's storage instead, which has the same effect.
package ir

import (
	"math/big"

	"pintlab/p4/interp/syntax"
	"pintlab/p4/interp/types"
)

// Program is a whole program.
type Program struct {
	Args []PackageArg // arguments of the package that main instantiates

	Parsers   []*Parser
	Controls  []*Control
	Tables    []*Table
	Actions   []*Action
	Functions []*Function
	Externs   []*Extern
	ValueSets []*ValueSet
	Vars      []*Var

	// Shared is the storage that several blocks share, because the architecture requests it. The key is the
	// architecture's name for the storage.
	Shared map[string]*LValue

	FrameSize int      // words
	Errors    []string // members of type error; the value of a member is its index
}

// PackageArg is an argument of the package: a parser, a control, or something else.
type PackageArg struct {
	Name    string
	Parser  *Parser
	Control *Control
}

// Var is a variable, parameter or temporary.
type Var struct {
	Name string // as in the source; temporaries have names that no source can have
	Pos  syntax.Pos
	Type types.Type
	Slot int // first word in the frame
}

// Block is a sequence of statements.
type Block struct{ Stmts []Stmt }

// Parser is one instance of a parser.
type Parser struct {
	Init   *Block // locals, run on entry
	States []*State
	Start  *State
}

// State is a parser state. Next is nil for accept and reject.
type State struct {
	Pos   syntax.Pos
	Index int // in Parser.States; Accept and Reject have no index
	Body  *Block
	Next  *Select
}

// The two final states.
var (
	accept = &State{Index: -1}
	Reject = &State{Index: -2}
)

// Select is a transition to the target of the first case whose sets all match. A Select without keys takes the first
// case. If no case matches, it raises the error NoMatch.
type Select struct {
	Keys  []Expr
	Cases []SelectCase
}

// SelectCase is one case. Sets is empty if it always matches.
type SelectCase struct {
	Sets     []Set
	ValueSet *ValueSet // instead of Sets
	Target   *State
}

// SetKind is the kind of a keyset.
type SetKind uint8

// The kinds of sets.
const (
	SetAny SetKind = iota
	SetValue
	SetMask  // X &&& Y
	SetRange // X .. Y
	SetValueSet
)

// Set is a set of values of one key.
type Set struct {
	Kind     SetKind
	X, Y     Expr
	ValueSet *ValueSet
}

// ValueSet is a parser value set, filled at run time.
type ValueSet struct {
	Name  string
	Pos   syntax.Pos
	Types []types.Type // types of the keys
	Size  int
}

// Control is one instance of a control.
type Control struct {
	Name   string
	Init   *Block // locals, run on entry
	Body   *Block
	Tables []*Table
}

// Param is a parameter of a parser, control, action or function. LValue is its storage; nil for
// packets and other externs.
type Param struct {
	Name   string
	Dir    syntax.Direction
	Type   types.Type
	LValue *LValue
}

// Action is an action of one control instance, or an action that is declared outside controls.
type Action struct {
	Name   string // control-plane name
	Local  string // as written
	Pos    syntax.Pos
	Params []Param
	Body   *Block
	// Data are the parameters without direction, in adjacent words from DataSlot.
	Data      []*Var
	DataSlot  int
	DataWords int
}

// Function is a function instantiated with its type arguments.
type Function struct {
	Params []Param
	Result *Var // nil for void
	Body   *Block
}

// MatchKind of a table key.
type MatchKind string

// The match kinds known to the executor.
const (
	Exact    MatchKind = "exact"
	LPM      MatchKind = "lpm"
	Ternary  MatchKind = "ternary"
	Range    MatchKind = "range"
	Optional MatchKind = "optional"
	Selector MatchKind = "selector"
)

// Table is one instance of a table.
type Table struct {
	Name    string // control-plane name
	Local   string
	Pos     syntax.Pos
	Keys    []Key
	Actions []*ActionUse
	Default EntryAction
	// ConstDefault means that the default action cannot be changed at run time.
	ConstDefault bool
	Entries      []*Entry
	// ConstEntries means that the entries cannot be changed at run time.
	ConstEntries bool
	// SmallestPriorityWins means that among entries with priorities the smallest priority wins.
	SmallestPriorityWins bool
	PriorityDelta        int // distance from the previous priority, for an entry without a priority
	Size                 int // 0 if not given
	// Properties holds the properties that the language does not define. Their values are constants and extern
	// instances. The architecture interprets them.
	Properties []Property
}

// Key is one key of a table.
type Key struct {
	Name  string
	Pos   syntax.Pos
	Expr  Expr
	Match MatchKind
}

// ActionUse is an action in a table's list. In and Out copy the arguments of parameters
// with a direction.
type ActionUse struct {
	Action      *Action
	In, Out     []Stmt
	DefaultOnly bool
	TableOnly   bool
}

// EntryAction is an action with its data: the parameters without direction, in the order of their layout.
type EntryAction struct {
	Use   int // index in Table.Actions, or -1
	Words []uint64
}

// Entry is an entry written in the program.
type Entry struct {
	Pos         syntax.Pos
	Const       bool
	Keys        []EntryKey
	Priority    int
	HasPriority bool
	// Rank is the value of the annotation @priority, or 0 without this annotation. Among entries without "priority ="
	// the smallest rank wins. For this comparison, an entry without the annotation counts as i if it is the i-th
	// entry, counted from 1.
	Rank   int
	Action EntryAction
}

// EntryKey is the set of values of one key that an entry matches: one value, the values that agree
// with X where the mask Y has ones, the values between X and Y, or any value.
type EntryKey struct {
	Kind SetKind
	X, Y *big.Int // value; value and mask; low and high
}

// Property is a table property such as "implementation".
type Property struct {
	Name   string
	Pos    syntax.Pos
	Value  Expr
	Extern *Extern
}

// Extern is an instance of an extern object.
type Extern struct {
	Name     string // control-plane name
	Local    string
	Type     string // name of the extern
	Pos      syntax.Pos
	TypeArgs []types.Type
	Args     []Expr // constructor arguments, all constant
}
