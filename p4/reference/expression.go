package reference

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"pintlab/internal/number"
)

const precision = 256

// expression is a parsed expression on inputs.
type expression struct {
	root   ast.Expr
	inputs map[string]int // identifiers in root
}

// functions lists the functions that an expression may call, with their number of arguments.
var functions = map[string]struct {
	args int
	call func(x []*big.Float) *big.Float
}{
	"floor": {1, func(x []*big.Float) *big.Float { return floor(x[0]) }},
	"round": {1, func(x []*big.Float) *big.Float { return floor(newFloat().Add(x[0], big.NewFloat(0.5))) }},
	"abs":   {1, func(x []*big.Float) *big.Float { return newFloat().Abs(x[0]) }},
	"min":   {2, func(x []*big.Float) *big.Float { return slices.MinFunc(x, (*big.Float).Cmp) }},
	"max":   {2, func(x []*big.Float) *big.Float { return slices.MaxFunc(x, (*big.Float).Cmp) }},
	"log2":  {1, func(x []*big.Float) *big.Float { return real1(math.Log2, x[0]) }},
	"exp2":  {1, func(x []*big.Float) *big.Float { return real1(math.Exp2, x[0]) }},
	"sqrt":  {1, func(x []*big.Float) *big.Float { return real1(math.Sqrt, x[0]) }},
	"pow": {2, func(x []*big.Float) *big.Float {
		y, _ := x[1].Float64()
		return real1(func(v float64) float64 { return math.Pow(v, y) }, x[0])
	}},
}

func newFloat() *big.Float { return new(big.Float).SetPrec(precision) }

func floor(x *big.Float) *big.Float {
	n, accuracy := x.Int(nil)
	if accuracy == big.Above { // Int rounds towards zero
		n.Sub(n, big.NewInt(1))
	}
	return newFloat().SetInt(n)
}

// real1 computes a function in float64. It returns nil if the result is not a finite number.
func real1(f func(float64) float64, x *big.Float) *big.Float {
	v, _ := x.Float64()
	if v = f(v); math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return newFloat().SetFloat64(v)
}

var identifier = regexp.MustCompile(`\b[A-Za-z_][A-Za-z0-9_.]*(\[\d+\][A-Za-z0-9_.]*)*`)

// parse reads an expression. The names of inputs may be words that are keywords of Go.
func parse(text string, names []string) (*expression, error) {
	e, unknown := &expression{inputs: map[string]int{}}, ""
	plain := identifier.ReplaceAllStringFunc(text, func(name string) string {
		i := slices.Index(names, name)
		if i < 0 {
			if functions[name].call == nil && unknown == "" {
				unknown = name
			}
			return name
		}
		word := fmt.Sprintf("input_%d", i)
		e.inputs[word] = i
		return word
	})
	if unknown != "" {
		return nil, fmt.Errorf("--reference %q: %s is neither an input (%s) nor a function (%s)", text, unknown,
			strings.Join(names, ", "), strings.Join(slices.Sorted(maps.Keys(functions)), ", "))
	}
	var err error
	if e.root, err = parser.ParseExpr(plain); err != nil {
		return nil, fmt.Errorf("--reference %q is not an expression: %w", text, err)
	}
	if err := e.check(e.root, names); err != nil {
		return nil, fmt.Errorf("--reference %q: %w", text, err)
	}
	return e, nil
}

// check returns an error for syntax that eval does not know.
func (e *expression) check(x ast.Expr, names []string) error {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return e.check(x.X, names)
	case *ast.UnaryExpr:
		if x.Op == token.SUB {
			return e.check(x.X, names)
		}
	case *ast.BinaryExpr:
		switch x.Op {
		case token.ADD, token.SUB, token.MUL, token.QUO:
			if err := e.check(x.X, names); err != nil {
				return err
			}
			return e.check(x.Y, names)
		}
		return fmt.Errorf("operator %s: expected +, -, * or /", x.Op)
	case *ast.BasicLit:
		if _, ok := newFloat().SetString(x.Value); ok {
			return nil
		}
	case *ast.Ident:
		if _, ok := e.inputs[x.Name]; ok {
			return nil
		}
	case *ast.CallExpr:
		name, _ := x.Fun.(*ast.Ident)
		if name == nil || functions[name.Name].call == nil {
			break
		}
		if n := functions[name.Name].args; len(x.Args) != n {
			return fmt.Errorf("%s has %s, expected %d", name.Name, number.Count(len(x.Args), "argument"), n)
		}
		for _, a := range x.Args {
			if err := e.check(a, names); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("expected numbers, the inputs %s, + - * /, parentheses and functions", strings.Join(names, ", "))
}

// eval computes the expression. It returns nil if the result is not a number, such as a quotient by zero.
func (e *expression) eval(x ast.Expr, inputs []uint64) *big.Float {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return e.eval(x.X, inputs)
	case *ast.UnaryExpr:
		if v := e.eval(x.X, inputs); v != nil {
			return newFloat().Neg(v)
		}
	case *ast.BasicLit:
		v, _ := newFloat().SetString(x.Value)
		return v
	case *ast.Ident:
		return newFloat().SetUint64(inputs[e.inputs[x.Name]])
	case *ast.BinaryExpr:
		a, b := e.eval(x.X, inputs), e.eval(x.Y, inputs)
		if a == nil || b == nil {
			return nil
		}
		switch x.Op {
		case token.ADD:
			return newFloat().Add(a, b)
		case token.SUB:
			return newFloat().Sub(a, b)
		case token.MUL:
			return newFloat().Mul(a, b)
		}
		if b.Sign() != 0 {
			return newFloat().Quo(a, b)
		}
	case *ast.CallExpr:
		var args []*big.Float
		for _, a := range x.Args {
			v := e.eval(a, inputs)
			if v == nil {
				return nil
			}
			args = append(args, v)
		}
		return functions[x.Fun.(*ast.Ident).Name].call(args)
	}
	return nil
}
