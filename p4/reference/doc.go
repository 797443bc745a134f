// Package reference judges the arithmetic of a P4 program against exact numbers: it draws the inputs, writes
// them into packets and registers, runs the packets, and compares a field or register of the program with an
// expression or with what a Python file prints.
//
// # Inputs
//
// An input is a field of a header, whose bits are found in a packet by parsing it with each bit changed, or a
// cell of a register, which is written before each packet. If all combinations of inputs are at most as many as
// the packets, each is tried once. Otherwise the first packets have the ends of all ranges; of the others one
// half is uniform and one half has uniform numbers of bits, so that small numbers occur. Registers that are no
// inputs keep what earlier packets left. Only the inputs change in a packet, not its checksums or lengths.
//
// # Expressions
//
// An expression has the spelling of Go with + - * / and parentheses, on the names of the inputs and numbers. Its
// arithmetic is real, with 256 bits; / does not round. floor, round, min, max and abs are exact; log2, exp2,
// sqrt and pow have the precision of float64.
//
// # Python files
//
// A file gets a line of inputs for each packet, separated by spaces in the order in which they were named, and
// prints a number for each.
package reference
