// Package src holds the P4 programs: P4_16 for v1model, with comments on what would
// change on TNA. Their tables and constants are generated from their Go twins (package
// p4/gen); package p4/validate compares the programs with the twins.
package src

import "embed"

// FS holds the programs and the files that they include.
//
//go:embed *.p4 include
var FS embed.FS
