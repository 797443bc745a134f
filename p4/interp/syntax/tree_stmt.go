package syntax

// Stmt is a statement.
type Stmt interface {
	Node
	stmt()
}

// StmtAt is embedded in statements.
type StmtAt struct{ At }

func (StmtAt) stmt() {}

type (
	// Block is { ... }.
	Block struct {
		StmtAt
		Stmts []Stmt
		End   At
	}
	// DeclStmt is a variable, constant or instance declared among statements.
	DeclStmt struct {
		StmtAt
		Decl Decl
	}
	// Assign is Left = Right; Op is "=" or a compound operator such as "+=".
	Assign struct {
		StmtAt
		Op          string
		Left, Right Expr
	}
	// ExprStmt is a call as a statement.
	ExprStmt struct {
		StmtAt
		Call *Call
	}
	// If is if (Cond) Then else Else.
	If struct {
		StmtAt
		Cond Expr
		Then Stmt
		Else Stmt // or nil
	}
	// Switch is switch (X) { ... }.
	Switch struct {
		StmtAt
		X     Expr
		Cases []*SwitchCase
	}
	// Return is return X; X may be nil.
	Return struct {
		StmtAt
		X Expr
	}
	// Exit is exit;.
	Exit struct{ StmtAt }
	// empty is ;.
	empty struct{ StmtAt }
	// For is for (Init; Cond; Post) Body.
	For struct {
		StmtAt
		Init []Stmt
		Cond Expr
		Post []Stmt
		Body Stmt
	}
	// ForIn is for (T Var in Over) Body. Type is nil if the variable exists already.
	ForIn struct {
		StmtAt
		Type Type
		Var  Ident
		Over Expr
		Body Stmt
	}
	// Break is break;.
	Break struct{ StmtAt }
	// Continue is continue;.
	Continue struct{ StmtAt }
)

// SwitchCase is a label and its block; Body is nil if it falls through to the next.
type SwitchCase struct {
	At
	Label Expr // *Any for default
	Body  *Block
}
