package p4

import (
	"slices"

	"pintlab/p4"
	"pintlab/p4/fixedpoint"
)

// member is a way to compute U with integers and tables.
type member struct {
	fixedpoint.Config
	// Numbers of successive tables for the logarithm of a time, for other logarithms, and for powers.
	time, load, power int
}

// paths returns all combinations of one table or two successive tables for logarithms of times, other logarithms, and
// powers.
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

// configs returns all combinations of forms, roundings and sizes of tables.
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

// frontShipped returns the member that the program with the given form implements.
func frontShipped(form fixedpoint.Form) member {
	q := form.TableBits()
	m := member{Config: fixedpoint.ConfigOf(form, q), time: 2, load: 2, power: 2}
	m.TimeBits, m.PowerBits = q, q
	if form == fixedpoint.Difference {
		m.time, m.load, m.power = 1, 1, 1
	}
	return m
}

// stages returns the number of match-action stages of a member. This includes one stage that encodes U and one that
// writes the code. Each variable here is the stage that computes a value, or 0 if the packet contains the value.
// Later stages can use the value. The last table of a logarithm can also add values that are available by then.
func (m member) stages() int {
	const tau, register, queue, size = 1, 1, 1, 0 // queues are in cells, so one stage shifts them
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

// memory returns the size of all table entries in bytes. If several copies of a table are used in parallel, each copy
// counts.
func (m member) memory() int {
	times, loads, powers := 1, 3, 3 // logarithms of τ; logarithms of U, queue and packet; powers of the terms
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

// logMemory returns the memory, in bytes, for the logarithm of numbers below a limit, for one sign or for both signs.
func logMemory(q, tables int, limit uint64, signs int) int {
	if tables == 1 {
		return signs * prefixes(q, limit) * 3 * word // value, mask and data
	}
	return 32*2*word + 1<<q*(1+word)*signs
}

// prefixes returns the number of cells into which a table divides the numbers from 1 up to a limit.
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

// powerMemory returns the memory, in bytes, for a power. A single table has an entry for each of 32 whole parts and
// each fraction. Two successive tables have an entry for each fraction, and 42 masks for shifts.
func powerMemory(q, tables int) int {
	if tables == 1 {
		return 32 << q * (2 + word)
	}
	return 1<<q*(1+word) + 42*2*2
}
