package analysis

import (
	"cmp"
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"pintlab/p4/interp"
	"pintlab/p4/interp/ir"
	"pintlab/p4/interp/types"
)

// Resource is something that a stage has a limited number of.
type Resource int

// The resources of a stage.
const (
	Tables Resource = iota
	TernaryTables
	Gateways
	IngressActions
	EgressActions
	HashBits
	StatefulALUs
	SRAM
	TCAM
	ExactBytes
	TernaryBytes
	resources
)

var resourceNames = [resources]string{
	"tables", "ternary tables", "gateways", "ingress actions", "egress actions", "hash bits", "register ALUs",
	"SRAM blocks", "TCAM blocks", "exact bytes", "ternary bytes",
}

// String returns the name of a resource, "" if there is no such resource.
func (r Resource) String() string {
	if r < 0 || r >= resources {
		return ""
	}
	return resourceNames[r]
}

// Use is how much of each resource of a stage is taken.
type Use [resources]int

// limits returns the limits of a stage of a target.
func limits(t *Target) Use {
	return Use{
		t.Tables.Limit, t.TernaryTables.Limit, t.Gateways.Limit, t.Actions.Limit, t.Actions.Limit, t.HashBits.Limit,
		t.StatefulALUs.Limit, t.SRAMBlocks.Limit, t.TCAMBlocks.Limit, t.ExactBytes.Limit, t.TernaryBytes.Limit,
	}
}

func (u Use) plus(v Use) Use {
	for r := range u {
		u[r] += v[r]
	}
	return u
}

// over returns the first resource above its limit, or -1.
func (u Use) over(limit Use) Resource {
	for r := range u {
		if u[r] > limit[r] {
			return Resource(r)
		}
	}
	return -1
}

// Layout is a program laid out in the stages of a target, which ingress and egress share.
type Layout struct {
	Stages int   // number of stages in use
	Use    []Use // by stage
	Limit  Use
	PHV    int // bits of the used fields, plus the most bits of variables that are live at once
	// Problems are the reasons why the program does not run on the target.
	Problems []Finding
}

// InUse returns, for each stage, how much of each resource is in use and the limit of the resource. The key is the
// name of the resource. A limit of 0 stands for no limit.
func (l *Layout) InUse() []map[string][2]int {
	list := []map[string][2]int{}
	for _, u := range l.Use {
		use := map[string][2]int{}
		for r, n := range u {
			if limit := l.Limit[r]; n > 0 && limit == noLimit {
				use[Resource(r).String()] = [2]int{n, 0}
			} else if n > 0 {
				use[Resource(r).String()] = [2]int{n, limit}
			}
		}
		list = append(list, use)
	}
	return list
}

// Fits reports whether there are no problems.
func (l *Layout) Fits() bool { return len(l.Problems) == 0 }

// mostStages bounds the search for room.
const mostStages = 256

// LayOut lays out a program in the stages of a target. Each operation is in the first stage that comes late enough
// for its dependencies and has room for it. The longest chains are placed first.
func LayOut(p *interp.Program, t *Target) *Layout {
	l := &Layout{Limit: limits(t)}
	if t.Software == "" {
		l.Problems = impossible(p)
	}
	pk := &packer{layout: l, target: t}
	for i, c := range p.Pipelines() {
		s := newSolver(c, t)
		pk.solvers = append(pk.solvers, s)
		pk.collect(i)
	}
	pk.pack()
	for _, s := range pk.solvers {
		l.Problems = append(l.Problems, s.g.found.out...)
		l.PHV += s.phv()
	}
	l.Problems = append(l.Problems, pk.found.out...)
	if most := t.Stages.Limit; l.Stages > most {
		l.Problems = append(l.Problems,
			Finding{Rule: "target", Msg: fmt.Sprintf("the program needs %d stages, but %s has "+
				"%d", l.Stages, t.Title, most)})
	}
	if most := t.PHVBits.Limit; l.PHV > most {
		l.Problems = append(l.Problems,
			Finding{Rule: "target", Msg: fmt.Sprintf("%d bits of fields and variables are in use at once, but %s "+
				"has %d",
				l.PHV, t.Title, most)})
	}
	return l
}

// group holds nodes whose stages have fixed distances from each other: a table and its actions, or a register and
// the operations on it.
type group struct {
	pipeline int
	members  []member
	before   []edge // dependencies on nodes of other groups; each edge ends at a member of this group
	height   int    // the smallest number of stages that follow
	packed   bool
}

type member struct{ node, offset int }

// packer puts the groups of all pipelines into stages.
type packer struct {
	layout  *Layout
	target  *Target
	solvers []*solver
	groups  []*group
	taken   []map[section]bool // by stage: the sections that have a table there
	found   linter
}

// section is code that takes one logical table in a stage. It consists of the operations of one branch, or of those
// operations in the actions of one table that come in a later stage than the table.
type section struct{ pipeline, branch, table int }

func (p *packer) collect(pipeline int) {
	s := p.solvers[pipeline]
	n := len(s.g.nodes)
	offset := make([]int, n)
	parent := make([]int, n)
	for id := range parent {
		parent[id] = id
	}
	var find func(int) int
	find = func(id int) int {
		if parent[id] != id {
			parent[id] = find(parent[id])
		}
		return parent[id]
	}
	for id, nd := range s.g.nodes {
		if nd.table >= 0 {
			offset[id] = nd.depth
			parent[find(id)] = find(nd.table)
		}
	}
	for _, tie := range s.ties {
		for _, id := range tie {
			parent[find(id)] = find(tie[0])
		}
	}
	index := map[int]*group{}
	for id := range s.g.nodes {
		root := find(id)
		if index[root] == nil {
			index[root] = &group{pipeline: pipeline}
			p.groups = append(p.groups, index[root])
		}
		index[root].members = append(index[root].members, member{id, offset[id]})
	}
	for _, e := range s.edges {
		if to := index[find(e.to)]; to != index[find(e.from)] {
			to.before = append(to.before, e)
		}
	}
	height := s.heights()
	for _, g := range index {
		for _, m := range g.members {
			g.height = max(g.height, height[m.node]+m.offset)
		}
	}
}

// heights returns the least number of stages that follow each node.
func (s *solver) heights() []int {
	h := make([]int, len(s.g.nodes))
	s.relax(func(e edge) bool {
		v := h[e.to] + e.gap
		higher := v > h[e.from]
		h[e.from] = max(h[e.from], v)
		return higher
	})
	return h
}

// pack fills the stages in order with the groups that are ready.
func (p *packer) pack() {
	slices.SortStableFunc(p.groups, func(a, b *group) int { return cmp.Compare(b.height, a.height) })
	owner := make([]map[int]*group, len(p.solvers))
	for i := range owner {
		owner[i] = map[int]*group{}
	}
	for _, g := range p.groups {
		for _, m := range g.members {
			owner[g.pipeline][m.node] = g
		}
	}
	left := len(p.groups)
	for stage := 0; left > 0 && stage < mostStages; stage++ {
		for again := true; again; {
			again = false
			for _, g := range p.groups {
				if !g.packed && p.ready(g, owner[g.pipeline], stage) && p.put(g, stage) {
					left--
					again = true
				}
			}
		}
	}
	p.layout.Stages = len(p.layout.Use)
}

// ready reports whether all dependencies of a group come early enough for a stage.
func (p *packer) ready(g *group, owner map[int]*group, stage int) bool {
	s := p.solvers[g.pipeline]
	for _, e := range g.before {
		if !owner[e.from].packed {
			return false
		}
		for _, m := range g.members {
			if m.node == e.to && s.stage[e.from]+e.gap > stage+m.offset {
				return false
			}
		}
	}
	return true
}

// put packs a group if its stages have room for it. A group that needs more room than a whole stage has is packed
// regardless of the limit, and is reported as a problem.
func (p *packer) put(g *group, stage int) bool {
	s := p.solvers[g.pipeline]
	need, sections := p.needs(g, stage)
	for at, u := range need {
		var used Use
		if at < len(p.layout.Use) {
			used = p.layout.Use[at]
		}
		if r := used.plus(u).over(p.layout.Limit); r >= 0 {
			alone := u.over(p.layout.Limit)
			if alone < 0 {
				return false
			}
			first := s.g.nodes[g.members[0].node]
			p.found.at(first.pos, "target", "%s needs %d %s, but a stage of %s has %d",
				first.label, u[alone], alone, p.target.Title, p.layout.Limit[alone])
		}
	}
	for at, u := range need {
		for len(p.layout.Use) <= at {
			p.layout.Use = append(p.layout.Use, Use{})
			p.taken = append(p.taken, map[section]bool{})
		}
		p.layout.Use[at] = p.layout.Use[at].plus(u)
		for _, x := range sections[at] {
			p.taken[at][x] = true
		}
	}
	for _, m := range g.members {
		s.stage[m.node] = stage + m.offset
	}
	g.packed = true
	return true
}

// needs returns, for a group whose first stage is stage, what the group takes in each stage and the sections that
// begin there.
func (p *packer) needs(g *group, stage int) (map[int]Use, map[int][]section) {
	s := p.solvers[g.pipeline]
	need, sections := map[int]Use{}, map[int][]section{}
	registers := map[*ir.Extern]bool{}
	for _, m := range g.members {
		n := &s.g.nodes[m.node]
		at := stage + m.offset
		u := need[at]
		if x := (section{g.pipeline, n.branch, -1}); n.match == nil {
			if n.table >= 0 { // one table for all actions
				x = section{g.pipeline, s.g.nodes[n.table].branch, n.table}
			}
			begun := slices.Contains(sections[at], x) || at < len(p.taken) && p.taken[at][x]
			if !begun && (n.table < 0 || m.offset > 0) {
				sections[at] = append(sections[at], x)
				u[Tables]++
				u[IngressActions+Resource(g.pipeline)]++
				if n.branch > 0 {
					u[Gateways]++
				}
			}
		}
		switch n.kind {
		case tableNode:
			u = u.plus(tableUse(n, IngressActions+Resource(g.pipeline)))
		case hashNode:
			u = u.plus(s.hashUse(m.node))
		case registerNode:
			if !registers[n.reg] {
				registers[n.reg] = true
				u = u.plus(p.registerUse(n))
			}
		}
		need[at] = u
	}
	return need, sections
}

// tableUse returns what a table takes. An exact table takes SRAM for its keys, for four bits of overhead per entry,
// and for action data. Other tables take TCAM for keys and SRAM for action data.
func tableUse(n *node, actions Resource) Use {
	t := n.match
	u := Use{Tables: 1}
	if n.branch > 0 {
		u[Gateways] = 1
	}
	data := 0
	for _, a := range t.Actions {
		wide := 0
		for _, d := range a.Action.Data {
			bits, _ := types.Bits(d.Type)
			wide += bits
		}
		data = max(data, wide)
		if a.Action.Body != nil && len(a.Action.Body.Stmts) > 0 {
			u[actions]++
		}
	}
	key, ternary := 0, false
	for _, k := range t.Keys {
		bits, _ := types.Bits(k.Expr.Type())
		key += bits
		ternary = ternary || k.Match != ir.Exact
	}
	if len(t.Keys) == 0 {
		return u
	}
	entries := max(t.Size, len(t.Entries), 1)
	which := bits.Len(uint(len(t.Actions) - 1))
	if ternary {
		u[TernaryTables] = 1
		u[TernaryBytes] = (key + 7) / 8
		u[TCAM] = ceil(entries, tcamWords) * ceil(key, tcamWidth)
		u[SRAM] = sramBlocks(entries, data+which)
	} else {
		u[ExactBytes] = (key + 7) / 8
		u[SRAM] = sramBlocks(entries, key+4+data+which)
	}
	return u
}

func ceil(a, b int) int { return (a + b - 1) / b }

// sramBlocks returns how many blocks hold the given number of entries of the given bits. If an entry fits into a
// word, a word holds as many whole entries as fit. Otherwise an entry takes several words.
func sramBlocks(entries, bits int) int {
	if bits == 0 {
		return 0
	}
	if bits > sramWidth {
		return ceil(entries, sramWords) * ceil(bits, sramWidth)
	}
	return ceil(entries, sramWords*(sramWidth/bits))
}

// hashUse returns what a hash takes: the bytes of its input and the bits of its result. The bits do not count if the
// result is only an index of registers. A random number takes nothing.
func (s *solver) hashUse(id int) Use {
	n := &s.g.nodes[id]
	u := Use{ExactBytes: n.bytes}
	if n.bytes == 0 {
		return u
	}
	data := s.g.lasting(id)
	for _, v := range s.g.nodes {
		if v.kind != registerNode && slices.ContainsFunc(v.data, func(d dep) bool { return d.node == id }) {
			data = true
		}
	}
	if data {
		u[HashBits] = n.bits
	}
	return u
}

// registerUse returns what a register takes: an ALU, SRAM with one spare block, and 16 bits of hash results if an
// index is not constant.
func (p *packer) registerUse(n *node) Use {
	u := Use{StatefulALUs: 1}
	cell, _ := types.Bits(n.reg.TypeArgs[0])
	size := registerSize(n.reg)
	wide := 1 << bits.Len(uint(cell-1)) // 1, 2, 4, … bits
	if wide > 1 && wide < 8 {
		wide = 8
	}
	blocks := sramBlocks(size, min(wide, sramWidth)) + 1
	t := p.target
	if most := t.RegisterBits.Limit; cell > most {
		p.found.at(n.reg.Pos, "target",
			"a cell of register %s has %d bits, but on %s at most %d are possible", n.reg.Name, cell, t.Title, most)
	}
	if most := t.RegisterBlocks.Limit; blocks > most {
		p.found.at(n.reg.Pos, "target", "register %s needs %d blocks of SRAM (one of them spare), but on %s a "+
			"register has at most %d",
			n.reg.Name, blocks, t.Title, most)
	}
	u[SRAM] = blocks
	if !n.free {
		u[HashBits] = 16
	}
	return u
}

// registerSize returns the number of cells of a register.
func registerSize(r *ir.Extern) int {
	if len(r.Args) > 0 {
		if c, ok := r.Args[0].(*ir.Const); ok {
			return int(c.Val.Int64())
		}
	}
	return 1
}

// phv returns the bits of the fields that a pipeline uses, plus the most bits of variables that are live at once.
func (s *solver) phv() int {
	fields := 0
	for _, bits := range s.g.fields {
		fields += bits
	}
	last := make([]int, len(s.g.nodes)) // stage of the last use
	stages := 0
	for id, n := range s.g.nodes {
		last[id] = max(last[id], s.stage[id])
		stages = max(stages, s.stage[id]+1)
		for _, d := range n.data {
			last[d.node] = max(last[d.node], s.stage[id])
		}
	}
	most := 0
	for at := range stages {
		live := map[int]int{}
		for id, n := range s.g.nodes {
			if s.stage[id] < at && at <= last[id] {
				maps.Copy(live, n.out)
			}
		}
		sum := 0
		for _, bits := range live {
			sum += bits
		}
		most = max(most, sum)
	}
	return fields + most
}
