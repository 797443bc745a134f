package p4

import (
	"slices"

	"pintlab/p4"
	"pintlab/p4/fixedpoint"
)

// member is one way to compute U.
type member struct {
	fixedpoint.Config
	// Number of successive tables that a logarithm of a time, any other logarithm and a power take.
	time, load, power int
}

// paths returns the ways to take logarithms and powers by tables.
func paths() []member {
	var list []member
	for _, time := range []int{1, 2} {
		for _, load := range []int{1, 2} {
			for _, power := range []int{1, 2} {
				list = append(list, member{time: time, load: load, power: power})
			}
		}
	}
	return list
}

// count returns the number of configs.
func count(bits []int) int { return 2 * len(fixedpoint.Forms()) * len(bits) * len(bits) * len(bits) }

// configs returns the forms, roundings and sizes of tables.
func configs(bits []int) []fixedpoint.Config {
	list := make([]fixedpoint.Config, 0, count(bits))
	for _, form := range fixedpoint.Forms() {
		for _, middle := range []bool{false, true} {
			for _, time := range bits {
				for _, load := range bits {
					for _, power := range bits {
						c := fixedpoint.ConfigOf(form, load)
						c.Middle, c.TimeBits, c.PowerBits = middle, time, power
						list = append(list, c)
					}
				}
			}
		}
	}
	return list
}

// frontShipped returns the member that the program of a form is.
func frontShipped(form fixedpoint.Form) member {
	q := form.TableBits()
	m := member{Config: fixedpoint.ConfigOf(form, q), time: 2, load: 2, power: 2}
	m.TimeBits, m.PowerBits = q, q
	if form == fixedpoint.Difference {
		m.time, m.load, m.power = 1, 1, 1
	}
	return m
}

// stages returns how many match-action stages a member takes with code and write. A number is the
// stage in which something is computed, 0 for what the packet brings; it can be used from the
// next stage on, and the last table of a logarithm adds what is there by then.
func (m member) stages() int {
	const tau, register, queue, size = 1, 1, 1, 0 // queues are counted in cells, so they are shifted
	log := func(x, addend, tables int) int { return max(x+tables, addend+1) }
	var u int
	if m.Form == fixedpoint.Difference {
		share := log(tau, 0, m.time)
		u = log(max(register, queue)+1, share, m.load) + m.power + 1
		return u + 2
	}
	terms := []int{
		log(tau, log(queue, 0, m.load), m.time) + m.power,
		log(size, 0, m.load) + m.power,
	}
	switch m.Form {
	case fixedpoint.AppendixB:
		terms = append(terms, log(tau+1, log(register, 0, m.load), m.time)+m.power)
		slices.Sort(terms)
		u = max(terms[1]+1, terms[2]) + 1
	case fixedpoint.Decrement:
		less := log(register, log(tau, 0, m.time), m.load) + m.power
		u = max(max(terms[0], terms[1])+1, less+1) + 1
	}
	return u + 2
}

// memory returns the size of the entries of all tables, in bytes. Tables that run side by side are one
// each.
func (m member) memory() int {
	times, loads, powers := 1, 3, 3 // τ; U, queue, packet; their terms
	signs := 1
	switch m.Form {
	case fixedpoint.Difference:
		loads, powers, signs = 1, 1, 2
	case fixedpoint.AppendixB:
		times = 2 // and T-τ
	}
	ticks := uint64(p4.Horizon / fixedpoint.Tick)
	return times*logMemory(m.TimeBits, m.time, ticks, 1) +
		loads*logMemory(m.TableBits, m.load, 1<<(33-signs), signs) +
		powers*powerMemory(m.PowerBits, m.power)
}

const word = 4 // bytes of a number

// logMemory returns the size of a logarithm of numbers below a limit, of one sign or two.
func logMemory(q, tables int, limit uint64, signs int) int {
	if tables == 1 {
		return signs * prefixes(q, limit) * 3 * word // value, mask and data
	}
	return 32*2*word + 1<<q*(1+word)*signs
}

// prefixes returns how many cells there are of numbers from 1 up to a limit.
func prefixes(q int, limit uint64) int {
	n := 0
	for from := uint64(1); from < limit; n++ {
		size := uint64(1)
		for size<<(q+1) <= from {
			size <<= 1
		}
		from += size
	}
	return n
}

// powerMemory returns the size of a power: 32 whole parts with fractions, or fractions and 42 masks for
// shifts.
func powerMemory(q, tables int) int {
	if tables == 1 {
		return 32 << q * (2 + word)
	}
	return 1<<q*(1+word) + 42*2*2
}
