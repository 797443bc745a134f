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
	chain := form.Chain()
	m := member{Config: fixedpoint.ConfigOf(form, q), time: chain.Time, load: chain.Load, power: chain.Power}
	m.TimeBits, m.PowerBits = q, q
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

// memory returns the size of all table entries in bytes. Each copy of a table counts.
func (m member) memory() int {
	return m.Config.Bytes(fixedpoint.Chain{Time: m.time, Load: m.load, Power: m.power}, p4.Horizon)
}
