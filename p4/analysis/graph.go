package analysis

import (
	"math/big"
	"slices"

	"pintlab/p4/interp/ir"
	"pintlab/p4/interp/syntax"
	"pintlab/p4/interp/types"
)

// kind of a node.
type kind uint8

const (
	opNode kind = iota
	moveNode
	tableNode
	registerNode
	hashNode // hash and random: in front of the ALUs of the stage
	unitNode // counters and the like, which compute no value
)

// node is an operation that happens in one stage.
type node struct {
	kind  kind
	label string
	pos   syntax.Pos
	reg   *ir.Extern
	write bool // the register access is a write
	table int  // the table node whose action contains this node; -1 if there is none
	depth int  // length of the chain of operations before it in the same action
	data  []dep
	// What the node takes in a stage.
	branch int         // number of the branch of the program that contains the node; 0 for none
	match  *ir.Table   // the table, of a tableNode
	bytes  int         // bytes of the input of a hash
	bits   int         // bits of the hash
	free   bool        // the index is a constant
	out    map[int]int // variables that hold the node's result, and their bits
}

// dep is the rule that the depending node comes at least gap stages after node.
type dep struct{ node, gap int }

// value lists the nodes that may have computed a word of the frame. nil stands for a word that has its value from
// the beginning.
type value []dep

// union merges values, keeping the larger gap of equal nodes.
func union(vs ...value) value {
	var out value
	for _, v := range vs {
		for _, d := range v {
			i := slices.IndexFunc(out, func(o dep) bool { return o.node == d.node })
			if i < 0 {
				out = append(out, d)
			} else if d.gap > out[i].gap {
				out[i].gap = d.gap
			}
		}
	}
	slices.SortFunc(out, func(a, b dep) int { return a.node - b.node })
	return out
}

// maxNodes bounds the graph of one pipeline, in which calls are expanded.
const maxNodes = 200_000

// graph is built by walking a control in the order of execution.
type graph struct {
	*flow
	nodes       []node
	found       linter
	env         map[int]value // maps a word of the frame to where its value comes from
	born        map[int]int   // maps a word to the depth of branches at which it was declared
	depth       int           // depth of branches
	ctl         value         // what decides whether the current code runs
	table       int           // the table whose action is being walked, or -1
	escaped     value         // conditions under which the current body has been left
	exited      value         // conditions under which the block has been left
	branchStart int           // the first node of the current branch
	branch      int           // the number of the current branch, 0 for none
	branches    int           // number of branches so far
	entries     int           // the most entries that a gateway has; a condition that needs more is an operation
	fields      map[int]int   // used fields of the packet and its metadata, and their bits
}

func newGraph(entries int) *graph {
	g := &graph{env: map[int]value{}, born: map[int]int{}, table: -1, entries: entries, fields: map[int]int{}}
	g.flow = &flow{analysis: g}
	return g
}

// step bounds the work; it reports whether to go on.
func (g *graph) step(at syntax.Pos) bool {
	g.steps++
	if g.steps == maxNodes {
		g.found.at(at, "size",
			"the pipeline is too large to be laid out: more than %d steps with all calls expanded", maxNodes)
	}
	return g.steps < maxNodes
}

// add makes a node that comes after its inputs and after the conditions under which it runs.
func (g *graph) add(n node, inputs ...value) value {
	n.data = union(append(g.fed(n.kind, inputs), g.ctl, g.escaped, g.exited)...)
	n.table, n.branch = g.table, g.branch
	for _, d := range n.data {
		if p := g.nodes[d.node]; n.table >= 0 && p.table == n.table {
			n.depth = max(n.depth, p.depth+d.gap)
		}
	}
	g.nodes = append(g.nodes, n)
	return value{{len(g.nodes) - 1, 1}}
}

// fed returns the inputs of a node. ALUs and registers can use the hashes of the same stage, so an input from a hash
// has no gap for them.
func (g *graph) fed(k kind, inputs []value) []value {
	if k != opNode && k != moveNode && k != registerNode {
		return inputs
	}
	out := make([]value, 0, len(inputs)+3)
	for _, v := range inputs {
		w := slices.Clone(v)
		for i, d := range w {
			if g.nodes[d.node].kind == hashNode {
				w[i].gap = 0
			}
		}
		out = append(out, w)
	}
	return out
}

func (g *graph) op(at syntax.Pos, label string, inputs ...value) value {
	return g.add(node{kind: opNode, label: label, pos: at}, inputs...)
}

// note records the use of a field of the packet or its metadata. For a local variable, it records that the variable
// holds the node's result.
func (g *graph) note(p *ir.LValue, word int, v value) {
	_, n := p.Extent()
	bits, _ := types.Bits(p.Type)
	bits = (bits + n - 1) / n
	if _, local := g.born[word]; !local {
		g.fields[word] = max(g.fields[word], bits)
		return
	}
	for _, d := range v {
		n := &g.nodes[d.node]
		if len(n.out) > 0 && n.kind != tableNode {
			continue // a copy of a result that is in a variable already
		}
		if n.out == nil {
			n.out = map[int]int{}
		}
		n.out[word] = bits
	}
}

// read returns where the value of an lvalue comes from.
func (g *graph) read(p *ir.LValue) value {
	first, n := p.Extent()
	var vs []value
	for i := first; i < first+n; i++ {
		g.note(p, i, nil)
		if v := g.env[i]; v != nil {
			vs = append(vs, v)
		}
	}
	for _, d := range p.Dyn {
		if d.Index != nil {
			vs = append(vs, g.expr(d.Index))
		}
	}
	return union(vs...)
}

// store writes a value to an lvalue, word by word. parts contains one value for each word, or one value for all
// words.
func (g *graph) store(p *ir.LValue, parts []value) {
	first, n := p.Extent()
	_, exact := p.Static()
	for i := range n {
		v := parts[min(i, len(parts)-1)]
		if !exact { // the other words keep their values
			v = union(append(parts, g.env[first+i])...)
		}
		g.env[first+i] = v
		g.note(p, first+i, v)
	}
}

// declare marks an lvalue as private to the current branch.
func (g *graph) declare(p *ir.LValue) {
	first, n := p.Extent()
	for i := first; i < first+n; i++ {
		g.born[i] = g.depth
	}
}

// private reports whether the lvalue was declared in the current branch. Writing it then needs no
// condition.
func (g *graph) private(p *ir.LValue) bool {
	first, n := p.Extent()
	for i := first; i < first+n; i++ {
		if d, ok := g.born[i]; (!ok && g.depth > 0) || (ok && d < g.depth) {
			return false
		}
	}
	return true
}

// conditional reports whether a write to p at this point is conditional.
func (g *graph) conditional(p *ir.LValue) bool {
	return !g.private(p) || len(g.escaped) > 0 && !g.born0(p) || len(g.exited) > 0 && !g.born0(p)
}

// born0 reports whether the lvalue is a local variable.
func (g *graph) born0(p *ir.LValue) bool {
	_, ok := g.born[p.Var.Slot+p.Off]
	return ok
}

// lasting reports whether a node's result remains in the packet or its metadata at the end.
func (g *graph) lasting(id int) bool {
	for word, v := range g.env {
		if _, local := g.born[word]; !local && slices.ContainsFunc(v, func(d dep) bool { return d.node == id }) {
			return true
		}
	}
	return false
}

// wiring reports whether an expression costs nothing beyond its operands.
func wiring(x ir.Expr) bool {
	free := true
	switch x := x.(type) {
	case *ir.Const, *ir.Zero, *ir.Load, *ir.IsValid, *ir.LastIndex, *ir.Apply:
		return true
	case *ir.Call:
		return true // a variable has the value
	case *ir.Cast, *ir.Slice, *ir.Part, *ir.Composite:
	case *ir.Binary:
		free = wired(x)
	default:
		return false
	}
	ir.Parts(x, func(part ir.Expr) { free = free && wiring(part) })
	return free
}

// wired reports whether a binary operator costs nothing: ++, and a shift by 0.
func wired(x *ir.Binary) bool {
	k, ok := x.Y.(*ir.Const)
	return x.Op == "++" || (x.Op == "<<" || x.Op == ">>") && ok && k.Val.Sign() == 0
}

// logical reports whether the operator returns a truth value.
func logical(op string) bool {
	switch op {
	case "==", "!=", "<", "<=", ">", ">=", "&&", "||":
		return true
	}
	return false
}

// condition returns the inputs of a decision. Logic is free, and so are the comparisons that a gateway can do: of a
// field with a constant, or of two fields for equality.
func (g *graph) condition(x ir.Expr) value {
	switch x := x.(type) {
	case *ir.Binary:
		switch {
		case x.Op == "&&" || x.Op == "||":
			a := g.condition(x.X)
			return union(a, g.shortCircuit(x, a))
		case logical(x.Op):
			a := g.masked(x.X)
			b := g.masked(x.Y)
			if g.gateway(x) {
				return union(a, b)
			}
			return g.op(x.Pos, x.Op, a, b)
		}
	case *ir.Unary:
		if x.Op == "!" {
			return g.condition(x.X)
		}
	}
	return g.expr(x)
}

// gateway reports whether a comparison fits the few ternary entries of a gateway.
func (g *graph) gateway(x *ir.Binary) bool {
	if x.Op == "==" || x.Op == "!=" {
		return true
	}
	width, _ := types.Bits(x.X.Type())
	for i, e := range []ir.Expr{x.X, x.Y} {
		c, ok := e.(*ir.Const)
		if !ok {
			continue
		}
		// The comparison is x < limit or its opposite.
		limit := new(big.Int).Set(c.Val)
		if i == 1 && (x.Op == "<=" || x.Op == ">") || i == 0 && (x.Op == "<" || x.Op == ">=") {
			limit.Add(limit, big.NewInt(1))
		}
		return prefixesBelow(limit, width) <= g.entries
	}
	return false
}

// prefixesBelow returns how many prefixes separate the numbers below a limit from the others. To match the numbers
// below the limit, a table needs one prefix for each 1 bit of the limit. To match the others, it needs one for each
// 0 bit above the last 1 bit, and one more. The result is the smaller count.
func prefixesBelow(limit *big.Int, width int) int {
	if limit.Sign() <= 0 || limit.BitLen() > width {
		return 0
	}
	ones, zeros := 0, 0
	for i := int(limit.TrailingZeroBits()); i < width; i++ {
		if limit.Bit(i) == 1 {
			ones++
		} else {
			zeros++
		}
	}
	return min(ones, zeros+1)
}

// masked returns an operand of a comparison without its mask, because a mask costs nothing.
func (g *graph) masked(x ir.Expr) value {
	if b, ok := x.(*ir.Binary); ok && b.Op == "&" {
		if _, ok := b.Y.(*ir.Const); ok {
			return g.expr(b.X)
		}
	}
	return g.condition(x)
}

// shortCircuit walks the right side of && or ||. This side runs only if the left side does not decide the result.
func (g *graph) shortCircuit(x *ir.Binary, left value) value {
	old := g.ctl
	g.ctl = union(g.ctl, left)
	v := g.condition(x.Y)
	g.ctl = old
	return v
}

// expr returns where the value of an expression comes from, and adds the nodes that compute it.
func (g *graph) expr(x ir.Expr) value {
	at := x.Position()
	if !g.step(at) {
		return nil
	}
	switch x := x.(type) {
	case *ir.Load:
		return g.read(x.LValue)
	case *ir.IsValid:
		return g.readValidity(x.LValue)
	case *ir.LastIndex:
		return g.read(x.LValue)
	case *ir.Cast:
		return g.expr(x.X)
	case *ir.Slice:
		return g.expr(x.X)
	case *ir.Part:
		return g.expr(x.X)
	case *ir.Composite:
		return union(g.parts(x)...)
	case *ir.Unary:
		if x.Op == "!" {
			return g.op(at, "!", g.condition(x.X))
		}
		return g.op(at, x.Op, g.expr(x.X))
	case *ir.Binary:
		switch {
		case wired(x):
			return union(g.expr(x.X), g.expr(x.Y))
		case x.Op == "&&" || x.Op == "||":
			return g.op(at, x.Op, g.condition(x))
		}
		a := g.expr(x.X)
		return g.op(at, x.Op, a, g.expr(x.Y))
	case *ir.Cond:
		c := g.condition(x.C)
		a := g.expr(x.X)
		return g.op(at, "?:", c, a, g.expr(x.Y))
	case *ir.Call:
		g.call(x)
		if x.Result != nil {
			return g.read(x.Result)
		}
	case *ir.Apply:
		return g.apply(x)
	case *ir.ExternCall:
		return g.extern(x)
	}
	return nil
}

// readValidity returns where the validity of a header comes from.
func (g *graph) readValidity(p *ir.LValue) value {
	if types.IsUnion(p.Type) || len(p.Dyn) > 0 {
		return g.read(p)
	}
	v := *p
	v.Type = types.Bool
	return g.read(&v)
}

// parts returns the source of each word of x, in the order of the layout, or a single source if all words have the
// same source.
func (g *graph) parts(x ir.Expr) []value {
	switch x := x.(type) {
	case *ir.Load:
		if _, ok := x.LValue.Static(); !ok {
			break
		}
		first, n := x.LValue.Extent()
		out := make([]value, n)
		for i := range out {
			out[i] = g.env[first+i]
		}
		return out
	case *ir.Call:
		if x.Result != nil {
			g.call(x)
			return g.parts(&ir.Load{Node: x.Node, LValue: x.Result})
		}
	case *ir.Composite:
		_, stack := x.T.(*types.Stack)
		var out []value
		if types.IsHeader(x.T) {
			out = append(out, nil)
		}
		for _, e := range x.Elems {
			ps := g.parts(e)
			for i := range types.Slots(e.Type()) {
				out = append(out, ps[min(i, len(ps)-1)])
			}
		}
		if stack || len(out) == 0 {
			return []value{union(out...)}
		}
		return out
	}
	return []value{g.expr(x)}
}
