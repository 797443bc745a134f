package netsim

import "pintlab/internal/mem"

// ring holds events in order. A new event mostly goes to the end or near it, because packets on
// links of one rate mostly have the same size.
type ring struct {
	list     []due // its length is a power of two
	from, to uint32
}

func (r *ring) empty() bool { return r.from == r.to }

// at returns event i; the events are numbered from r.from to r.to - 1.
func (r *ring) at(i uint32) *due { return mem.At(r.list, i&uint32(len(r.list)-1)) }

func (r *ring) first() *due { return r.at(r.from) }

// pop removes the first event and returns it.
func (r *ring) pop() due {
	r.from++
	return *r.at(r.from - 1)
}

// insert inserts an event at its place in the order, starting from the nearer end.
func (r *ring) insert(x due) {
	n := r.to - r.from
	if int(n) == len(r.list) {
		r.grow()
	}
	i := r.to
	switch {
	case n == 0 || r.at(i-1).before(&x):
		r.to++
	case r.at(r.from + n/2).before(&x):
		for r.to++; !r.at(i - 1).before(&x); i-- {
			*r.at(i) = *r.at(i - 1)
		}
	default:
		r.from--
		for i = r.from; r.at(i + 1).before(&x); i++ {
			*r.at(i) = *r.at(i + 1)
		}
	}
	*r.at(i) = x
}

// grow makes room for more events.
func (r *ring) grow() {
	list := make([]due, max(8, 2*len(r.list)))
	n := uint32(0)
	for ; r.from != r.to; n++ {
		list[n] = r.pop()
	}
	*r = ring{list, 0, n}
}

// remove removes the event of a slot, if there is one.
func (r *ring) remove(x slot) {
	for i := r.from; i != r.to; i++ {
		if r.at(i).slot == x {
			for r.to--; i != r.to; i++ {
				*r.at(i) = *r.at(i + 1)
			}
			return
		}
	}
}

// all returns the events in their order.
func (r *ring) all() (list []due) {
	for i := r.from; i != r.to; i++ {
		list = append(list, *r.at(i))
	}
	return list
}
