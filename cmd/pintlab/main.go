// Command pintlab simulates data-centre networks packet by packet and compares the cost and benefit of
// in-band telemetry. "pintlab help" lists its commands; README.md introduces them.
//
// A command only parses its arguments, calls one function and prints the result. Each command is a file of
// this package, a file of help, and a line in commands.
package main

import "os"

// main catches signals until the process exits, so that an interrupt after the last file does not kill a
// command that has completed.
func main() {
	os.Exit(newProgram(os.Stdout, os.Stderr).start(os.Args[1:], interrupts()))
}
