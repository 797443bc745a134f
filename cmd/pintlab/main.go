// Command pintlab simulates data-centre networks packet by packet and compares
// what telemetry in their packets costs and gains. "pintlab help" lists what it
// does; README.md shows it.
//
// The commands only parse, call one function and print. Each is a file of this
// package and a line in commands.
package main

import "os"

// main hears signals until the process has gone, so that an interrupt after the last file does not kill a command
// that has ended.
func main() {
	os.Exit(newProgram(os.Stdout, os.Stderr).start(os.Args[1:], interrupts()))
}
