package analysis

import (
	"fmt"
	"slices"
	"sort"

	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/p4/interp"
	"pintlab/p4/interp/ir"
	"pintlab/p4/interp/syntax"
)

// Finding is a problem at a position in the program.
type Finding struct {
	Pos  syntax.Pos
	Rule string // a word, such as "multiply", "register" or "target"
	Msg  string
}

// MarshalText returns the text of String, which is how JSON shows a finding.
func (f Finding) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

func (f Finding) String() string {
	if f.Pos == (syntax.Pos{}) {
		return fmt.Sprintf("%s: %s", f.Rule, f.Msg)
	}
	return fmt.Sprintf("%s: %s: %s", f.Pos, f.Rule, f.Msg)
}

// Item is something that a stage does.
type Item struct {
	Stage int // from 1
	Label string
	Pos   syntax.Pos
}

func (i Item) String() string { return fmt.Sprintf("%d: %s, %s", i.Stage, i.Pos, i.Label) }

// MarshalText returns the text of String, which is how JSON shows an item.
func (i Item) MarshalText() ([]byte, error) { return []byte(i.String()), nil }

// Pipeline is a control laid out in stages.
type Pipeline struct {
	Name string `json:"pipeline"`
	// Stages is the number of stages that the pipeline needs.
	Stages int `json:"stages"`
	// Items lists the operations and tables of the stages. They are in the order of the stages and, within a stage,
	// of the program. Operations of a table's action that share the table's stage are omitted.
	Items []Item `json:"-"`
	// Chain is one of the longest chains of dependencies, one item for each stage.
	Chain []Item `json:"chain"`
	// Problems are the reasons why this layout is not possible; Stages is then a lower bound.
	Problems []Finding `json:"-"`
}

// Stages lays out each pipeline of a program as if stages had unlimited room. The pipelines of v1model are ingress
// and egress.
func Stages(p *interp.Program, t *Target) []Pipeline {
	return lists.Map(p.Pipelines(), func(c *ir.Control) Pipeline { return newSolver(c, t).result(c.Name) })
}

// newSolver finds the earliest stage of each node of a control.
func newSolver(c *ir.Control, t *Target) *solver {
	g := newGraph(t.GatewayEntries.Limit)
	g.block(c.Init)
	g.block(c.Body)
	s := &solver{g: g, target: t, stage: make([]int, len(g.nodes)), because: make([]int, len(g.nodes))}
	s.constraints()
	if t.Software == "" {
		s.registers()
	}
	s.solve()
	return s
}

// edge demands stage[to] >= stage[from] + gap.
type edge struct{ from, to, gap int }

type solver struct {
	g       *graph
	target  *Target
	ties    [][]int // groups of nodes around a register, each in one stage
	edges   []edge
	stage   []int
	because []int // the node that determines the stage, or -1
}

// constraints makes the edges from the inputs of each node to the node, and the edges that make a table late enough
// for the operations of its actions.
func (s *solver) constraints() {
	for id, n := range s.g.nodes {
		for _, d := range n.data {
			s.edges = append(s.edges, edge{d.node, id, d.gap})
		}
		if n.table >= 0 {
			s.edges = append(s.edges, edge{id, n.table, -n.depth})
		}
	}
}

// registers puts all accesses of a register, and the operations between them, into one stage.
func (s *solver) registers() {
	accesses := map[*ir.Extern][]int{}
	for id, n := range s.g.nodes {
		if n.kind == registerNode {
			accesses[n.reg] = append(accesses[n.reg], id)
		}
	}
	for id, n := range s.g.nodes { // in the order of the program
		if of := accesses[n.reg]; len(of) > 0 && of[0] == id {
			s.register(n.reg, of)
			s.output(of)
		}
	}
}

// output lets the second ALU of a register do one operation on the cell that was read, if nothing else uses the
// cell. The result leaves the register.
func (s *solver) output(accesses []int) {
	for _, id := range accesses {
		if s.g.nodes[id].write {
			continue
		}
		takes := func(d dep) bool { return d.node == id }
		user, users := -1, 0
		for u, n := range s.g.nodes {
			if slices.ContainsFunc(n.data, takes) && !slices.Contains(accesses, u) {
				user = u
				users++
			}
		}
		if users != 1 || s.g.nodes[user].kind != opNode || s.g.lasting(id) {
			continue
		}
		for i := range s.edges {
			if e := &s.edges[i]; e.from == id && e.to == user {
				e.gap = 0
			}
		}
	}
}

func (s *solver) register(r *ir.Extern, accesses []int) {
	inside := s.between(accesses)
	if !s.atomic(r, accesses, inside) {
		return
	}
	tie := append(inside, accesses...)
	slices.Sort(tie)
	for i := range s.edges {
		if e := &s.edges[i]; slices.Contains(tie, e.from) && slices.Contains(tie, e.to) && e.gap > 0 {
			e.gap = 0
		}
	}
	s.ties = append(s.ties, tie)
	first := accesses[0]
	for _, id := range tie {
		if id != first {
			s.edges = append(s.edges, edge{first, id, 0}, edge{id, first, 0})
		}
	}
}

// between returns the nodes that depend on one access and on which another access depends.
func (s *solver) between(accesses []int) []int {
	n := len(s.g.nodes)
	after, before := make([]bool, n), make([]bool, n)
	isAccess := func(id int) bool { return slices.Contains(accesses, id) }
	for id := range n { // inputs have smaller numbers
		for _, d := range s.g.nodes[id].data {
			after[id] = after[id] || after[d.node] || isAccess(d.node)
		}
	}
	for id := n - 1; id >= 0; id-- {
		if before[id] || isAccess(id) {
			for _, d := range s.g.nodes[id].data {
				before[d.node] = true
			}
		}
	}
	var out []int
	for id := range n {
		if after[id] && before[id] && !isAccess(id) {
			out = append(out, id)
		}
	}
	return out
}

// atomic reports whether the ALU of a register can do the operations between its accesses. If it cannot, atomic adds
// the reason to the findings. The ALU compares the value that was read with values of the packet, and does
// successive operations that these comparisons select.
func (s *solver) atomic(r *ir.Extern, accesses, inside []int) bool {
	longest := map[int]int{} // operations on a chain that ends here
	deepest := 0
	for _, id := range inside {
		n := s.g.nodes[id]
		if n.kind != opNode && n.kind != moveNode {
			s.g.found.at(n.pos, "register",
				"%s comes between reading and writing register %s, but both must happen in one stage", n.label, r.Name)
			return false
		}
		depth := 0
		for _, d := range n.data {
			depth = max(depth, longest[d.node])
		}
		switch {
		case n.kind == opNode && logical(n.label) && depth > 0:
			s.g.found.at(n.pos, "register",
				"a comparison of a result comes between reading and writing register %s: its stage can only compare "+
					"the value that it has read", r.Name)
			return false
		case n.kind == opNode && !logical(n.label):
			depth++
		}
		longest[id] = depth
		deepest = max(deepest, depth)
	}
	if most := s.target.RegisterOperations.Limit; deepest > most {
		last := accesses[len(accesses)-1]
		s.g.found.at(s.g.nodes[last].pos, "register", "%s %s between reading and writing register %s, but its stage "+
			"can do only %d", number.Count(deepest, "dependent operation"), number.Plural(deepest, "lies", "lie"),
			r.Name, most)
		return false
	}
	return true
}

// solve finds the smallest stages that satisfy all edges.
func (s *solver) solve() {
	for i := range s.because {
		s.because[i] = -1
	}
	settled := s.relax(func(e edge) bool {
		t := s.stage[e.from] + e.gap
		later := t > s.stage[e.to]
		if later {
			s.stage[e.to], s.because[e.to] = t, e.from
		}
		return later
	})
	if !settled {
		s.g.found.at(syntax.Pos{}, "register",
			"registers depend on each other in a circle: no order of stages satisfies these dependencies")
	}
}

// relax goes through all edges again and again, until no edge changes anything. It returns false if the changes do
// not end.
func (s *solver) relax(change func(edge) bool) bool {
	for range len(s.g.nodes) + 1 {
		changed := false
		for _, e := range s.edges {
			changed = change(e) || changed
		}
		if !changed {
			return true
		}
	}
	return false
}

func (s *solver) item(id int) Item {
	n := s.g.nodes[id]
	return Item{Stage: s.stage[id] + 1, Label: n.label, Pos: n.pos}
}

func (s *solver) result(name string) Pipeline {
	p := Pipeline{Name: name, Problems: s.g.found.out}
	last := -1
	for id, n := range s.g.nodes {
		if last < 0 || s.stage[id] > s.stage[last] {
			last = id
		}
		if n.table >= 0 && s.stage[id] == s.stage[n.table] {
			continue
		}
		p.Items = append(p.Items, s.item(id))
	}
	sort.SliceStable(p.Items, func(i, j int) bool { return p.Items[i].Stage < p.Items[j].Stage })
	if last < 0 {
		return p
	}
	p.Stages = s.stage[last] + 1
	for id, n := last, 0; id >= 0 && n <= len(s.g.nodes); id, n = s.because[id], n+1 {
		p.Chain = append(p.Chain, s.item(id))
	}
	slices.Reverse(p.Chain)
	// Keep one item for each stage, the first.
	p.Chain = slices.CompactFunc(p.Chain, func(a, b Item) bool { return a.Stage == b.Stage })
	return p
}
