package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pintlab/p4/interp"
	"pintlab/p4/interp/ir"
	"pintlab/p4/interp/syntax"
)

// Lint lists findings in the order of the source: code that a switch cannot compute (unless the target is software),
// code that p4c 1.2.4 refuses or warns of, and the reasons why the program does not fit the target (see LayOut).
func Lint(p *interp.Program, t *Target) []Finding {
	l := &linter{}
	l.compiler(p)
	for _, f := range LayOut(p, t).Problems {
		l.once(f)
	}
	slices.SortStableFunc(l.out, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.Pos.File, b.Pos.File), a.Pos.Line-b.Pos.Line, a.Pos.Col-b.Pos.Col)
	})
	return l.out
}

// impossible lists code that no switch can compute, even with unlimited room.
func impossible(p *interp.Program) []Finding {
	l := &linter{}
	ir.Walk(p.IR, l.expr)
	l.registers(p)
	return l.out
}

// linter collects findings.
type linter struct {
	out  []Finding
	seen map[Finding]bool
}

// at adds a finding, once.
func (l *linter) at(pos syntax.Pos, rule, format string, args ...any) {
	l.once(Finding{Pos: pos, Rule: rule, Msg: fmt.Sprintf(format, args...)})
}

func (l *linter) once(f Finding) {
	if l.seen == nil {
		l.seen = map[Finding]bool{}
	}
	if !l.seen[f] {
		l.seen[f] = true
		l.out = append(l.out, f)
	}
}

var forbidden = map[string]string{"*": "multiply", "/": "divide", "%": "modulo"}

// expr checks one expression. Constants have been folded, so a remaining operator has an operand that
// is known only at run time.
func (l *linter) expr(x ir.Expr) {
	b, ok := x.(*ir.Binary)
	if !ok {
		return
	}
	if rule := forbidden[b.Op]; rule != "" {
		l.at(b.Pos, rule, "%s at run time: use a shift by a constant, logarithms or a table", b.Op)
	}
	if b.Op == "<<" || b.Op == ">>" {
		if _, constant := b.Y.(*ir.Const); !constant {
			l.at(b.Pos, "shift", "%s by a variable: use a table that chooses among shifts by constants", b.Op)
		}
	}
}
