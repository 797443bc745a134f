package syntax

import (
	"fmt"
	"strconv"
	"strings"
)

// evalCondition evaluates the expression of #if or #elif, which has C's integer operators and defined(NAME). Macros
// are expanded. Unknown names count as 0.
func (p *preprocessor) evalCondition(name Token, rest []Token) bool {
	var toks []Token
	for i := 0; i < len(rest); i++ {
		t := rest[i]
		if !t.Is("defined") {
			toks = append(toks, t)
			continue
		}
		// The operand of defined must not be expanded, so replace it first.
		arg := i + 1
		if arg < len(rest) && rest[arg].Is("(") {
			arg++
		}
		if arg >= len(rest) || rest[arg].kind != tokenIdent ||
			arg == i+2 && (arg+1 >= len(rest) || !rest[arg+1].Is(")")) {
			p.errs.Errorf(t.Pos, "defined: expected NAME or (NAME)")
			return false
		}
		v := "0"
		if p.defined(rest[arg].Text) {
			v = "1"
		}
		toks = append(toks, Token{kind: tokenInt, Text: v, Pos: t.Pos})
		if arg == i+2 {
			arg++
		}
		i = arg
	}
	e := condExpr{toks: p.expand(toks)}
	v := e.ternary(0)
	if e.err == "" && e.i < len(e.toks) {
		e.err = fmt.Sprintf("found %s, expected an operator or the end of the line", e.toks[e.i].describe())
	}
	if e.err != "" {
		p.errs.Errorf(name.Pos, "#%s: %s", name.Text, e.err)
		return false
	}
	return v != 0
}

type condExpr struct {
	toks []Token
	i    int
	err  string
}

func (e *condExpr) fail(format string, args ...any) int64 {
	if e.err == "" {
		e.err = fmt.Sprintf(format, args...)
	}
	e.i = len(e.toks)
	return 0
}

func (e *condExpr) accept(op string) bool {
	if e.i < len(e.toks) && e.toks[e.i].kind == tokenOp && e.toks[e.i].Text == op {
		e.i++
		return true
	}
	return false
}

const maxCondDepth = 200

func (e *condExpr) ternary(depth int) int64 {
	if depth > maxCondDepth {
		return e.fail("expression is nested too deeply")
	}
	c := e.binary(0, depth)
	if !e.accept("?") {
		return c
	}
	x := e.ternary(depth + 1)
	if !e.accept(":") {
		return e.fail("expected ':'")
	}
	y := e.ternary(depth + 1)
	if c != 0 {
		return x
	}
	return y
}

// condOps lists the binary operators from the loosest to the tightest level.
var condOps = [][]string{{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<", "<=", ">", ">="}, {"<<", ">>"},
	{"+", "-"}, {"*", "/", "%"}}

func (e *condExpr) operator(level int) string {
	if e.i >= len(e.toks) || e.toks[e.i].kind != tokenOp {
		return ""
	}
	text := e.toks[e.i].Text
	if text == ">" && e.i+1 < len(e.toks) && e.toks[e.i+1].Is(">") && !e.toks[e.i+1].Spaced {
		text = ">>"
	}
	for _, op := range condOps[level] {
		if op == text {
			e.i++
			if text == ">>" {
				e.i++
			}
			return op
		}
	}
	return ""
}

func (e *condExpr) binary(level, depth int) int64 {
	if level == len(condOps) {
		return e.unary(depth)
	}
	x := e.binary(level+1, depth)
	for {
		op := e.operator(level)
		if op == "" {
			return x
		}
		y := e.binary(level+1, depth)
		x = e.apply(op, x, y)
	}
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func (e *condExpr) apply(op string, x, y int64) int64 {
	switch op {
	case "||":
		return truth(x != 0 || y != 0)
	case "&&":
		return truth(x != 0 && y != 0)
	case "|":
		return x | y
	case "^":
		return x ^ y
	case "&":
		return x & y
	case "==":
		return truth(x == y)
	case "!=":
		return truth(x != y)
	case "<":
		return truth(x < y)
	case "<=":
		return truth(x <= y)
	case ">":
		return truth(x > y)
	case ">=":
		return truth(x >= y)
	case "<<":
		return x << (uint64(y) & 63)
	case ">>":
		return x >> (uint64(y) & 63)
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	}
	if y == 0 {
		return 0 // the branch of && or || that is not taken may divide by zero
	}
	if op == "/" {
		return x / y
	}
	return x % y
}

func (e *condExpr) unary(depth int) int64 {
	if depth > maxCondDepth {
		return e.fail("expression is nested too deeply")
	}
	switch {
	case e.accept("!"):
		return truth(e.unary(depth+1) == 0)
	case e.accept("-"):
		return -e.unary(depth + 1)
	case e.accept("+"):
		return e.unary(depth + 1)
	case e.accept("~"):
		return ^e.unary(depth + 1)
	case e.accept("("):
		v := e.ternary(depth + 1)
		if !e.accept(")") {
			return e.fail("expected ')'")
		}
		return v
	}
	if e.i >= len(e.toks) {
		return e.fail("expected an expression")
	}
	t := e.toks[e.i]
	e.i++
	switch t.kind {
	case tokenIdent:
		return 0
	case tokenInt:
		text := strings.TrimRight(t.Text, "uUlL")
		v, err := strconv.ParseInt(text, 0, 64)
		if err != nil {
			return e.fail("%s is not a number the preprocessor can use", t.Text)
		}
		return v
	}
	return e.fail("found %s, expected a number or a name", t.describe())
}
