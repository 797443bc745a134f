// Package interp loads P4_16 programs and runs packets through them.
//
//	prog, err := interp.Load("p4/src/hpcc_util.p4", interp.Options{})
//	pipe, err := prog.NewPipeline(interp.Config{Seed: 1})
//	err = interp.RunCommands("setup.txt", file, os.Stdout, pipe.Command)
//	outs, err := pipe.Process(0, packet)
//
// # From text to execution
//
//	syntax     preprocessor, tokens, syntax tree
//	types      names, types and constants; several errors in one run
//	ir         the program graph: instances with their storage
//	exec       closures over a flat frame; tables, registers, counters
//	v1model    the architecture: blocks, externs, what happens between them
//
// Analyses (package p4/analysis) work on Program.IR, where every expression knows its
// type and storage.
//
// # Source
//
// P4_16 Language Specification, version 1.2.4 (P4.org, 2023), with the loops and
// compound assignments of 1.2.5. Where it leaves behaviour to the target, package exec
// and package v1model say what happens.
//
// # Speed
//
// A pipeline is closures over a flat frame of words. It allocates nothing per packet
// (TestProcessAllocatesNothing). BenchmarkPrograms in package p4/validate measures packets that
// the programs forward; docs/performance.md has the results.
//
// # Not supported, and reported as errors
//
// Abstract extern methods and instances with a body, list<> types, keys that are
// not single numbers, and architectures other than v1model. Meters are accepted with a warning and always
// return green.
package interp
