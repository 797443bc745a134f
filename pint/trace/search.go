package trace

import (
	"math/bits"
	"slices"

	"pintlab/pint/coding"
)

var _ coding.Decoder = (*Decoder)(nil)

// search lists all simple paths that agree with all digests, by meeting in the middle. It lists the
// walks from the first hop to a middle layer, and the walks from there to the last hop, each with
// the XOR of its contributions to up to 64 digest bits. It joins two walks if together they yield
// the digests. A search among N walks costs about √N times the number of states in the middle.
//
// Lists share memory: a state with one predecessor uses its predecessor's list with another offset.
// Lists are copied only at states where walks merge.
type search struct {
	equations []equation // equations of several hops each

	used  []equation // equations that fit in 64 bits
	width int
	keys  []uint64 // memory of the lists
	limit int      // largest length of keys

	heads, tails []piece  // by position in scratch.states
	place        []int32  // by state: position in the neighbouring layer, plus one
	contrib      []uint64 // by switch, for one layer

	chains, next []int32 // hash table of join
	path         []int32
	stamp        []int32 // by switch
	mark         int32
	matches      int
	found        []int32
}

// piece is a list: keys[from:to], each XORed with offset. It is the concatenation of the lists of
// the predecessors (successors) in their order, on which unrank relies.
type piece struct {
	from, to int32
	offset   uint64
}

func (p piece) len() int { return int(p.to - p.from) }

// maxMatches limits the joined walks that are checked against all packets.
const maxMatches = 4 * maxPaths

// ending is the reason why a search ended.
type ending uint8

const (
	complete  ending = iota // all paths are listed
	costly                  // more work than Options.Effort
	ambiguous               // too many paths
)

// run returns the paths, one after another. If the ending is complete, no path is missing.
func (q *search) run(d *Decoder, s *scratch) ([]int32, ending) {
	middle, cost := s.middle()
	if cost > float64(d.t.opt.Effort) {
		return nil, costly
	}
	q.prepare(d, s)
	target := uint64(0)
	for t := range q.used {
		target |= q.used[t].rest << (t * q.width)
	}
	for j := 0; j <= middle; j++ {
		if !q.forward(d.t.m, s, j) {
			return nil, costly
		}
	}
	for j := s.n - 1; j >= middle; j-- {
		if !q.backward(d.t.m, s, j) {
			return nil, costly
		}
	}
	for i := s.at[middle]; i < s.at[middle+1]; i++ {
		if !q.join(d, s, middle, i, target) {
			return nil, ambiguous
		}
	}
	return append([]int32{}, q.found...), complete
}

// middle returns the layer that makes the lists of both sides together shortest.
func (s *scratch) middle() (layer int, cost float64) {
	for j := range s.n {
		c := 0.0
		for i := s.at[j]; i < s.at[j+1]; i++ {
			c += s.prefix[i] + s.suffix[i]
		}
		if j == 0 || c < cost {
			layer, cost = j, c
		}
	}
	return layer, cost
}

func (q *search) prepare(d *Decoder, s *scratch) {
	q.width = d.t.code.Config().Bits
	// With about twenty bits more than log2 of the walks, wrong walks rarely match.
	n := min(len(q.equations), 64/q.width, (int(s.bits)+20)/q.width+1)
	q.used = append(q.used[:0], q.equations[len(q.equations)-n:]...)
	q.keys = append(q.keys[:0], 0) // the empty walk
	q.limit = 4*d.t.opt.Effort + 64
	q.heads = slices.Grow(q.heads[:0], len(s.states))[:len(s.states)]
	q.tails = slices.Grow(q.tails[:0], len(s.states))[:len(s.states)]
	if q.place == nil {
		q.place = make([]int32, len(d.t.m.head))
		q.contrib = make([]uint64, d.t.m.Len())
		q.stamp = make([]int32, d.t.m.Len())
	}
	q.path = slices.Grow(q.path[:0], s.n)[:s.n]
	q.matches, q.found = 0, q.found[:0]
}

// places records the positions of a layer's states, or clears them.
func (q *search) places(s *scratch, j int, note bool) {
	for i := s.at[j]; i < s.at[j+1]; i++ {
		if note {
			q.place[s.states[i]] = int32(i) + 1
		} else {
			q.place[s.states[i]] = 0
		}
	}
}

// contributions computes the bits that the switches of layer j contribute to the used digests.
func (q *search) contributions(m *Map, s *scratch, j int) {
	q.mark++
	for _, a := range s.layer(j) {
		sw := m.head[a]
		if q.stamp[sw] == q.mark {
			continue
		}
		q.stamp[sw] = q.mark
		c := uint64(0)
		for t := range q.used {
			if u := &q.used[t]; u.set.Has(j + 1) {
				c |= u.hasher.Digest(j+1, m.values[sw]) << (t * q.width)
			}
		}
		q.contrib[sw] = c
	}
}

// forward makes the head lists of layer j. They contain the walks up to and including layer j.
// forward returns false if the lists are too long.
func (q *search) forward(m *Map, s *scratch, j int) bool {
	q.contributions(m, s, j)
	if j == 0 {
		for i := s.at[0]; i < s.at[1]; i++ {
			q.heads[i] = piece{0, 1, q.contrib[m.head[s.states[i]]]}
		}
		return true
	}
	q.places(s, j-1, true)
	for i := s.at[j]; i < s.at[j+1]; i++ {
		a := s.states[i]
		var list piece
		for _, p := range m.pred.of(a) {
			if at := q.place[p]; at != 0 {
				list = q.concat(list, q.heads[at-1])
			}
		}
		list.offset ^= q.contrib[m.head[a]]
		q.heads[i] = list
	}
	q.places(s, j-1, false)
	return len(q.keys) <= q.limit
}

// backward makes the tail lists of layer j. They contain the walks after layer j. backward returns false if the lists
// are too long.
func (q *search) backward(m *Map, s *scratch, j int) bool {
	if j == s.n-1 {
		for i := s.at[j]; i < s.at[j+1]; i++ {
			q.tails[i] = piece{0, 1, 0}
		}
		return true
	}
	q.contributions(m, s, j+1)
	q.places(s, j+1, true)
	for i := s.at[j]; i < s.at[j+1]; i++ {
		var list piece
		for _, b := range m.succ.of(s.states[i]) {
			if at := q.place[b]; at != 0 {
				more := q.tails[at-1]
				more.offset ^= q.contrib[m.head[b]]
				list = q.concat(list, more)
			}
		}
		q.tails[i] = list
	}
	q.places(s, j+1, false)
	return len(q.keys) <= q.limit
}

// concat returns list followed by more. If list is empty, the result shares more. Otherwise both
// are copied to the end of the arena, unless list is there already.
func (q *search) concat(list, more piece) piece {
	if list.len() == 0 {
		return more
	}
	if len(q.keys) > q.limit { // too costly: the caller gives up after this layer
		return list
	}
	if int(list.to) != len(q.keys) || list.offset != 0 {
		from := len(q.keys)
		q.copy(list)
		list = piece{int32(from), int32(len(q.keys)), 0}
	}
	q.copy(more)
	list.to = int32(len(q.keys))
	return list
}

// copy appends a list to the arena.
func (q *search) copy(p piece) {
	n := len(q.keys)
	q.keys = slices.Grow(q.keys, p.len())[:n+p.len()]
	to := q.keys[n:]
	for i, k := range q.keys[p.from:p.to] {
		to[i] = k ^ p.offset
	}
}

// join finds the walks through the state at a position of the middle layer. It returns false if
// there are too many walks.
func (q *search) join(d *Decoder, s *scratch, middle, at int, target uint64) bool {
	head, tail := q.heads[at], q.tails[at]
	want := target ^ head.offset ^ tail.offset
	short, long := q.keys[head.from:head.to], q.keys[tail.from:tail.to]
	swapped := len(short) > len(long)
	if swapped {
		short, long = long, short
	}
	match := func(inShort, inLong int) bool {
		if swapped {
			inShort, inLong = inLong, inShort
		}
		return q.check(d, s, middle, at, inShort, inLong)
	}
	if len(short) <= 4 {
		for i, x := range short {
			for k, y := range long {
				if x^y == want && !match(i, k) {
					return false
				}
			}
		}
		return true
	}
	shift := 64 - bits.Len(uint(len(short))) // there are at most twice as many chains as keys
	size := 1 << (64 - shift)
	q.chains = slices.Grow(q.chains[:0], size)[:size]
	clear(q.chains)
	q.next = slices.Grow(q.next[:0], len(short))[:len(short)]
	const golden = 0x9e3779b97f4a7c15
	for i := len(short) - 1; i >= 0; i-- { // backwards, so that chains are in ascending order
		c := &q.chains[short[i]*golden>>shift]
		q.next[i], *c = *c, int32(i)+1
	}
	for k, y := range long {
		x := y ^ want
		for i := q.chains[x*golden>>shift]; i != 0; i = q.next[i-1] {
			if short[i-1] == x && !match(int(i-1), k) {
				return false
			}
		}
	}
	return true
}

// check keeps a joined walk if it is a simple path that agrees with every packet. It returns false
// if there are too many paths.
func (q *search) check(d *Decoder, s *scratch, middle, at, head, tail int) bool {
	if q.matches++; q.matches > maxMatches {
		return false
	}
	q.unrank(d.t.m, s, middle, at, head, tail)
	q.mark++
	for _, sw := range q.path {
		if q.stamp[sw] == q.mark {
			return true // visits a switch twice
		}
		q.stamp[sw] = q.mark
	}
	for _, r := range d.packets {
		if d.encode(r.packet, q.path) != r.digest {
			return true
		}
	}
	q.found = append(q.found, q.path...)
	return len(q.found) <= maxPaths*s.n
}

// unrank writes the walk with these entries of the head and tail lists of a middle state into path.
// It relies on the order of the lists.
func (q *search) unrank(m *Map, s *scratch, middle, at, head, tail int) {
	i := at
	for j := middle; j > 0; j-- {
		a := s.states[i]
		q.path[j] = m.head[a]
		for _, p := range m.pred.of(a) {
			k := s.find(j-1, p)
			if k < 0 {
				continue
			}
			if n := q.heads[k].len(); head >= n {
				head -= n
				continue
			}
			i = k
			break
		}
	}
	q.path[0] = m.head[s.states[i]]
	i = at
	for j := middle; j < s.n-1; j++ {
		for _, b := range m.succ.of(s.states[i]) {
			k := s.find(j+1, b)
			if k < 0 {
				continue
			}
			if n := q.tails[k].len(); tail >= n {
				tail -= n
				continue
			}
			i = k
			break
		}
		q.path[j+1] = m.head[s.states[i]]
	}
}

// find returns the position of a state in a layer, or -1 if the layer does not contain it.
func (s *scratch) find(j int, a int32) int {
	if i, ok := slices.BinarySearch(s.layer(j), a); ok {
		return s.at[j] + i
	}
	return -1
}
