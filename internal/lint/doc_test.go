// Package lint checks the rules of the repository that a compiler does not: which
// folder may import which, what must not be used where, what texts must not say.
// Its tests run the checks over the whole module, so that "go test ./..." is all
// that a contributor has to know.
//
//	Layers     folders import only what is below them (DESIGN: rooms)
//	Imports    packages and functions that some folders must not use
//	Comments   exported things have comments
//	Names      comments of functions and types begin with their name
//	Wide       lines of Go have at most 120 columns
//	Texts      no paths of one machine, no private hosts, no unfinished business
//	Links      relative links of the documentation lead somewhere
//
// Each check is a function from data to complaints, and has tests of its own with
// something to complain about.
package lint
