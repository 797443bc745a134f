// Package p4 contains switch programs and their parameters. The programs are P4_16 for v1model; their comments
// explain what would change on TNA. The package and its folders answer two questions. Can a switch compute this? How
// large are the errors of the approximations?
//
//	src/         the programs; Go writes their tables and constants (generate_test.go)
//	interp/      runs P4_16 programs for v1model
//	replay/      runs capture files and packet tests, through a program or a network of switches
//	analysis/    derives match-action stages and checks what hardware cannot do
//	fixedpoint/  the bit-exact Go twin of the programs' arithmetic
//	validate/    compares the programs with their twins and BMv2
//
// interp and analysis do not depend on the programs in src: they take any program.
package p4
