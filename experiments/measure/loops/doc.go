// Package loops measures PINT's loop detection (appendix A.4 of the PINT paper, package
// pint/loops): how often a packet on a path without a loop is reported, and how soon the
// first packet is reported when a wrong route sends a flow round and round in the
// simulator.
package loops
