// Package pintlab is the program pintlab. Main runs it.
//
// A command only parses its arguments, calls one function and prints the result. Each command consists of a file of
// this package, a file of help, and a line in commands.
package pintlab

import (
	"os"

	"pintlab/experiments/protocols"
)

// Main runs the program with a set of protocols and the arguments of the process, and returns its exit code. Main
// catches signals until the process exits. So an interrupt after the last file does not kill a command that has
// completed.
func Main(set *protocols.Set) int {
	return newProgram(set, os.Stdout, os.Stderr).start(os.Args[1:], interrupts())
}
