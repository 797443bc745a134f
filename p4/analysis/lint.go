package analysis

import (
	"cmp"
	"slices"
	"strings"

	"pintlab/p4/interp"
	"pintlab/p4/interp/ir"
	"pintlab/p4/targets"
)

// Lint lists what in a program a switch cannot compute (unless the target is software), what
// p4c 1.2.4 refuses or warns of, and why it does not fit a target (as Place says), in order of
// the source.
func Lint(p *interp.Program, t *targets.Target) []Finding {
	l := &linter{seen: map[Finding]bool{}}
	if t.Software == "" {
		ir.Walk(p.IR, l.expr)
		l.registers(p)
	}
	l.compiler(p)
	for _, f := range Place(p, t).Problems {
		if !l.seen[f] {
			l.seen[f] = true
			l.out = append(l.out, f)
		}
	}
	slices.SortStableFunc(l.out, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.Pos.File, b.Pos.File), a.Pos.Line-b.Pos.Line, a.Pos.Col-b.Pos.Col)
	})
	return l.out
}

type linter struct {
	out  []Finding
	seen map[Finding]bool
}

func (l *linter) add(x ir.Expr, rule, format string, args ...any) {
	l.at(x.Position(), rule, format, args...)
}

var forbidden = map[string]string{"*": "multiply", "/": "divide", "%": "modulo"}

// expr checks one expression. Constants have been folded, so that an operator is here
// only if something in it is known at run time alone.
func (l *linter) expr(x ir.Expr) {
	b, ok := x.(*ir.Binary)
	if !ok {
		return
	}
	if rule := forbidden[b.Op]; rule != "" {
		l.add(x, rule, "%s at run time: use a shift by a constant, logarithms or a table", b.Op)
	}
	if b.Op == "<<" || b.Op == ">>" {
		if _, constant := b.Y.(*ir.Const); !constant {
			l.add(x, "shift", "%s by a variable: use a table that chooses among shifts by constants", b.Op)
		}
	}
}
