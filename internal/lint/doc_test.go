// Package lint checks rules of the repository that a compiler cannot check: which folders may import which, which
// functions are forbidden where, and which words texts must not contain. Its tests run the checks over the whole
// module, so that a contributor needs only "go test ./...".
//
//	Layers     folders import only what is below them
//	Imports    packages and functions that some folders must not use
//	Comments   exported things have comments
//	Names      comments of functions and types begin with their name
//	Wide       lines of Go have at most 120 columns
//	Texts      no paths of one machine, no private hosts, no marks of unfinished work
//	Links      relative links of the documentation lead somewhere
//
// Each check is a function from data to complaints, and has a test with violations.
package lint
