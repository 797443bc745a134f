package fixedpoint

import (
	"cmp"

	"pintlab/netsim/unit"
)

// Chain contains the numbers of successive tables, 1 or 2, for the logarithm of a time, for other logarithms, and for
// a power. A single table of a logarithm has prefixes as keys. Of two tables, the first finds the first set bit, and
// the second has the bits after it as keys.
type Chain struct{ Time, Load, Power int }

// Chain returns the successive tables of the program that computes U in this form.
func (f Form) Chain() Chain {
	if f.inBytes() {
		return Chain{1, 1, 1}
	}
	return Chain{2, 2, 2}
}

// word is the size of a number in bytes.
const word = 4

// Bytes returns the memory, in bytes, of the tables that compute U: keys, masks and data of all entries. If a
// program has several copies of a table, each copy counts. The table of the code of U is not included. The form is
// Difference, AppendixB or Decrement.
func (c Config) Bytes(t Chain, horizon unit.Time) int {
	time, power := cmp.Or(c.TimeBits, c.TableBits), cmp.Or(c.PowerBits, c.TableBits)
	ticks := uint64(horizon / Tick)
	switch one := logBytes(time, t.Time, ticks, 1); c.Form {
	case Difference: // the logarithms of τ/T and of a number with a sign, and a power
		return one + logBytes(c.TableBits, t.Load, 1<<31, 2) + powerBytes(power, t.Power)
	case AppendixB: // the logarithms of τ, T-τ, U, queue and packet, and the powers of three terms
		return 2*one + 3*logBytes(c.TableBits, t.Load, 1<<32, 1) + 3*powerBytes(power, t.Power)
	default:
		// As in appendix B, but without T-τ. The last table of log τ occurs twice: one copy adds to the logarithm of
		// the queue, and one to the logarithm of U.
		again := one
		if t.Time == 2 {
			again -= firstBitBytes
		}
		return one + again + 3*logBytes(c.TableBits, t.Load, 1<<32, 1) + 3*powerBytes(power, t.Power)
	}
}

// firstBitBytes is the memory, in bytes, of the table that finds the first set bit: 32 values with masks.
const firstBitBytes = 32 * 2 * word

// logBytes returns the memory, in bytes, for the logarithm of numbers below a limit, for one sign or for both signs.
func logBytes(q, tables int, limit uint64, signs int) int {
	if tables == 1 {
		n := 0
		for range cells(uint(q), limit) {
			n++
		}
		return signs * n * 3 * word // value, mask and data
	}
	return firstBitBytes + 1<<q*(1+word)*signs
}

// powerBytes returns the memory, in bytes, for a power. A single table has an entry for each of 32 whole parts and
// each fraction. Two successive tables have an entry for each fraction, and 42 masks for shifts.
func powerBytes(q, tables int) int {
	if tables == 1 {
		return 32 << q * (2 + word)
	}
	return 1<<q*(1+word) + 42*2*2
}
