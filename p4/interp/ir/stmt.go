package ir

import "pintlab/p4/interp/syntax"

// Stmt is a statement.
type Stmt interface{ Position() syntax.Pos }

// At is embedded in statements.
type At struct{ Pos syntax.Pos }

// Position returns the position in the source.
func (a At) Position() syntax.Pos { return a.Pos }

type (
	// Assign stores a value.
	Assign struct {
		At
		Dst *LValue
		Src Expr
		// Decl marks the first assignment of a variable, parameter or temporary. The variable, parameter or
		// temporary lives only until the end of the block or call that contains the assignment.
		Decl bool
		// Reset marks an assignment that clears a variable without initial value or an out parameter. Clearing makes
		// runs repeatable. The assignment does not count as a use of the value.
		Reset bool
	}
	// Eval evaluates a call for its effect.
	Eval struct {
		At
		X Expr
	}
	// If branches.
	If struct {
		At
		Cond       Expr
		Then, Else *Block // Else may be nil
	}
	// Switch runs the body of the case with the value of X. Cases that fall through in
	// the source share a body.
	Switch struct {
		At
		X     Expr
		Cases []SwitchCase
	}
	// SetValid makes a header valid or invalid.
	SetValid struct {
		At
		LValue *LValue
		Valid  bool
	}
	// Shift is push_front or pop_front on a stack.
	Shift struct {
		At
		LValue *LValue
		Push   bool
		Count  int
	}
	// Nested is a block in a block.
	Nested struct {
		At
		Block *Block
	}
	// Return leaves the function, action or control.
	Return struct{ At }
	// Exit ends the processing of the packet in this pipeline.
	Exit struct{ At }
	// Loop runs Body and Post while Cond holds.
	Loop struct {
		At
		Cond Expr
		Body *Block
		Post *Block
	}
	// Break leaves the loop.
	Break struct{ At }
	// Continue jumps to Post.
	Continue struct{ At }
)

// SwitchCase is one body with its labels.
type SwitchCase struct {
	Values  []*Const
	Default bool
	Body    *Block
}
