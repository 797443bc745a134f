// Package validate compares the P4 programs with their Go twins, bit for bit, and the twins with
// exact arithmetic. The command pintlab p4 validate runs it. Package experiments/internal/validate instead
// compares the simulator with recorded runs of published simulators.
//
//	programs.go  the programs and their twins
//	packets.go   packets as the programs parse them
//	pint.go      twins of the PINT programs: pint/coding, pint/loops, p4/fixedpoint
//	int.go       twin of INT-MD: package int
//	flows.go     twins of the programs for TCP flows: TowerSketch, int/fridge
//	sumax.go     twin of a switch that carries sketchlets of int/sketch/sumax
//	equal.go     random and exhaustive vectors through program and twin
//	bmv2.go      the same packets through p4c-bm2-ss and simple_switch, where installed;
//	             bmv2_switch.go runs these, chain.go joins five switches to a chain
//	recorded.go  error of U over the packets of a recorded run of the simulator
//	errors.go    error statistics of logarithm, power, product, quotient, code, U, factors
//
// The programs run in package p4/interp, so that the comparison works everywhere.
package validate
