// Command pintlab simulates data-centre networks packet by packet and compares
// what telemetry in their packets costs and gains. "pintlab help" lists what it
// does; README.md shows it.
//
// The commands only parse, call one function and print. Each is a file of this
// package and a line in commands.
package main

import "os"

func main() { os.Exit(Main(os.Args[1:], os.Stdout, os.Stderr)) }
