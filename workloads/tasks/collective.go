package tasks

import (
	"fmt"

	"pintlab/netsim/unit"
)

// Operations and algorithms of a Collective.
const (
	AllReduce     = "allreduce"
	AllGather     = "allgather"
	ReduceScatter = "reducescatter"
	AllToAll      = "alltoall"
	Broadcast     = "broadcast"
	SendRecv      = "sendrecv"

	Ring            = "ring"
	HalvingDoubling = "halving-doubling"
	Tree            = "tree"

	Linear   = "linear"
	Pairwise = "pairwise"
	Windowed = "windowed"
)

// Collective is a collective operation of some ranks.
type Collective struct {
	Operation string
	// Algorithm of an all-reduce (ring, halving-doubling, tree) or of an all-to-all: each rank sends to all
	// others at once (linear), to one at a time while it receives from one (pairwise), or to Window of them
	// at a time (windowed). All-gather and reduce-scatter use rings, a broadcast uses a binary tree, and
	// sendrecv a chain.
	Algorithm string
	// Size is the size as NCCL defines it: the larger of each rank's input and output.
	Size   unit.Bytes
	Chunks int // number of successive pieces on a tree or chain
	Window int
}

// busShare returns the ratio of NCCL's bus bandwidth to its algorithm bandwidth. The algorithm bandwidth is Size
// divided by the time.
func (c Collective) busShare(ranks int) float64 {
	n := float64(ranks)
	switch c.Operation {
	case AllReduce:
		return 2 * (n - 1) / n
	case AllGather, ReduceScatter, AllToAll:
		return (n - 1) / n
	}
	return 1
}

// Messages returns an upper bound of the number of messages.
func (c Collective) Messages(ranks int) int64 {
	n := int64(ranks)
	switch c.Operation {
	case AllToAll, AllGather, ReduceScatter:
		return n * (n - 1)
	case AllReduce:
		return 2 * (n - 1) * max(n, int64(c.Chunks))
	}
	return (n - 1) * int64(c.Chunks)
}

// Group returns the group under which the collective is reported.
func (c Collective) Group(ranks, step int) Group {
	return Group{Name: c.Operation, Step: step, Bytes: c.Size, Ranks: ranks, Bus: c.busShare(ranks)}
}

// weave is the state while the tasks of a collective are added.
type weave struct {
	Collective
	g     *Graph
	ranks []int32
	begin []int32 // task after which each rank begins; less than 0 for none
	group int32
	last  [][]wait // events that the end of each rank waits for
}

// Add adds the messages of the collective to a graph, for the given ranks. Rank i begins when task begin[i]
// is done. Add returns for each rank a task that is done when the rank has received and sent everything.
func (c Collective) Add(g *Graph, ranks, begin []int32, group int32) (done []int32, err error) {
	w := &weave{c, g, ranks, begin, group, make([][]wait, len(ranks))}
	n := len(ranks)
	switch {
	case n == 1:
	case c.Operation == AllReduce && c.Algorithm == HalvingDoubling:
		if n&(n-1) != 0 {
			return nil, fmt.Errorf("%d ranks, want a power of two for halving and doubling", n)
		}
		w.halve()
	case c.Operation == AllReduce && c.Algorithm == Tree:
		w.tree(true)
	case c.Operation == AllReduce:
		w.ring(2 * (n - 1))
	case c.Operation == AllGather, c.Operation == ReduceScatter:
		w.ring(n - 1)
	case c.Operation == AllToAll:
		w.exchange()
	case c.Operation == Broadcast:
		w.tree(false)
	case c.Operation == SendRecv:
		w.chain()
	default:
		return nil, fmt.Errorf("operation %q is not built", c.Operation)
	}
	for i := range ranks {
		gate := g.Add(Task{Kind: Gate, Rank: ranks[i], Group: group})
		if begin[i] >= 0 {
			g.Wait(gate, begin[i], Done)
		}
		for _, x := range w.last[i] {
			g.Wait(gate, x.from, x.event)
		}
		done = append(done, gate)
	}
	return done, nil
}

// part returns the size of the i-th of n parts, at least a byte.
func (w *weave) part(i, n int) unit.Bytes { return w.parts(i, i+1, n) }

// parts returns the size of some of n parts together: of those from the first to the one before end, at least a byte.
func (w *weave) parts(first, end, n int) unit.Bytes {
	before := func(i int) unit.Bytes {
		return w.Size/unit.Bytes(n)*unit.Bytes(i) + w.Size%unit.Bytes(n)*unit.Bytes(i)/unit.Bytes(n)
	}
	return max(1, before(end)-before(first))
}

// send adds a message between two ranks of the collective. The message waits until its source has begun, and for other
// events.
func (w *weave) send(from, to int, size unit.Bytes, after ...wait) int32 {
	m := w.g.Add(Task{Kind: Send, Rank: w.ranks[from], Peer: w.ranks[to], Size: size, Group: w.group})
	if w.begin[from] >= 0 {
		w.g.Wait(m, w.begin[from], Done)
	}
	for _, x := range after {
		w.g.Wait(m, x.from, x.event)
	}
	return m
}

// ends makes the ends of both ranks wait for a message: the source for Done, the destination for Arrived.
func (w *weave) ends(from, to int, m int32) {
	w.last[from] = append(w.last[from], wait{from: m, event: Done})
	w.last[to] = append(w.last[to], wait{from: m, event: Arrived})
}

// after returns the events that a message waits for after the first step: the source's previous message has
// left, because messages of one connection follow each other, and another rank's message has arrived.
func after(own, other int32) []wait {
	return []wait{{from: own, event: Left}, {from: other, event: Arrived}}
}

// ring adds the messages of a ring: in each step every rank sends a part to the next rank once the part has
// arrived.
func (w *weave) ring(steps int) {
	n := len(w.ranks)
	before := make([]int32, n)
	now := make([]int32, n)
	for step := range steps {
		for i := range n {
			var waits []wait
			if step > 0 {
				waits = after(before[i], before[(i+n-1)%n])
			}
			now[i] = w.send(i, (i+1)%n, w.part(((i-step)%n+n)%n, n), waits...)
			if step == steps-1 {
				w.ends(i, (i+1)%n, now[i])
			}
		}
		before, now = now, before
	}
}

// halve adds the messages of recursive halving, which leaves each rank with a part of the sum, and then of recursive
// doubling. Ranks at a distance d exchange d parts. In the halving a rank sends the parts of the ranks on the other
// side; in the doubling it sends all parts that it has.
func (w *weave) halve() {
	n := len(w.ranks)
	var distances []int
	for d := n / 2; d > 0; d /= 2 {
		distances = append(distances, d)
	}
	for d := 1; d < n; d *= 2 {
		distances = append(distances, d)
	}
	before := make([]int32, n)
	for step, d := range distances {
		now := make([]int32, n)
		for i := range n {
			var waits []wait
			if step > 0 {
				waits = after(before[i], before[i^distances[step-1]])
			}
			first := i / d * d
			if step < len(distances)/2 {
				first = (i ^ d) / d * d
			}
			now[i] = w.send(i, i^d, w.parts(first, first+d, n), waits...)
			if step == len(distances)-1 {
				w.ends(i, i^d, now[i])
			}
		}
		before = now
	}
}

// tree adds the messages of a binary tree with rank 0 as its root: up the tree if the data is reduced, and
// then down.
func (w *weave) tree(reduced bool) {
	n := len(w.ranks)
	up := make([][]int32, w.Chunks)
	down := make([][]int32, w.Chunks)
	for c := range w.Chunks {
		up[c], down[c] = make([]int32, n), make([]int32, n)
		for i := n - 1; i > 0 && reduced; i-- {
			var after []wait
			for _, child := range []int{2*i + 1, 2*i + 2} {
				if child < n {
					after = append(after, wait{from: up[c][child], event: Arrived})
				}
			}
			if c > 0 {
				after = append(after, wait{from: up[c-1][i], event: Left})
			}
			up[c][i] = w.send(i, (i-1)/2, w.part(c, w.Chunks), after...)
		}
		for i := 1; i < n; i++ { // the message to i
			parent := (i - 1) / 2
			var after []wait
			if parent > 0 {
				after = append(after, wait{from: down[c][parent], event: Arrived})
			} else if reduced {
				for child := 1; child <= min(2, n-1); child++ {
					after = append(after, wait{from: up[c][child], event: Arrived})
				}
			}
			if c > 0 {
				after = append(after, wait{from: down[c-1][i], event: Left})
			}
			down[c][i] = w.send(parent, i, w.part(c, w.Chunks), after...)
			w.ends(parent, i, down[c][i])
		}
	}
}

// exchange adds the messages of an all-to-all.
func (w *weave) exchange() {
	n := len(w.ranks)
	messages := make([][]int32, n) // by step
	for step := 1; step < n; step++ {
		messages[step] = make([]int32, n)
		for i := range n {
			var waits []wait
			switch {
			case w.Algorithm == Pairwise && step > 1:
				waits = after(messages[step-1][i], messages[step-1][(i+n-step+1)%n])
			case w.Algorithm == Windowed && step > w.Window:
				waits = []wait{{from: messages[step-w.Window][i], event: Done}}
			}
			m := w.send(i, (i+step)%n, w.part((i+step)%n, n), waits...)
			messages[step][i] = m
			w.ends(i, (i+step)%n, m)
		}
	}
}

// chain adds the messages of a chain: each rank passes chunks to the next rank.
func (w *weave) chain() {
	before := make([][]int32, w.Chunks)
	for c := range w.Chunks {
		before[c] = make([]int32, len(w.ranks))
		for i := range len(w.ranks) - 1 {
			var after []wait
			if i > 0 {
				after = append(after, wait{from: before[c][i-1], event: Arrived})
			}
			if c > 0 {
				after = append(after, wait{from: before[c-1][i], event: Left})
			}
			before[c][i] = w.send(i, i+1, w.part(c, w.Chunks), after...)
			w.ends(i, i+1, before[c][i])
		}
	}
}
