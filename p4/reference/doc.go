// Package reference compares the arithmetic of a P4 program with exact numbers. It draws the inputs, writes them
// into packets and registers, and runs the packets. It then compares a field or register of the program with the
// value of an expression or with the numbers that a Python file prints.
//
// # Inputs
//
// An input is a field of a header or a cell of a register. To find the bits of a field in a packet, the package
// changes each bit of the packet and parses it again. A register cell is written before each packet. If there are at
// most as many combinations of inputs as packets, each combination is tried once. Otherwise the first packets have
// the ends of all ranges (with fewer than 16 inputs). Of the other packets, one half has uniform numbers. The other
// half has numbers with uniform lengths in bits, so that small numbers occur. Registers that are not inputs keep the
// values that earlier packets left. Only the inputs change in a packet, not its checksums or lengths.
//
// # Expressions
//
// An expression is written as in Go, with + - * / and parentheses, from numbers and the names of the inputs. It is
// computed in real numbers with 256 bits, so / does not round to an integer. floor, round, min, max and abs are
// exact; log2, exp2, sqrt and pow have the precision of float64.
//
// # Python files
//
// The Python program reads a line for each packet. The line contains the inputs in the order in which they were
// named, separated by spaces. The program prints a number for each line.
package reference
