// Package unit has the quantities of the simulator: instants and spans of time
// in picoseconds, rates in bits per second and sizes in bytes.
//
// All three are 64-bit integers, so that equal inputs give equal event times on
// every machine. Only Rate.TxTime and Rate.In cross between them, each with a
// stated rounding. Values are written and read with their unit ("100Gbps",
// "1.5us", "32MiB"); a bare number is refused because its unit would be a guess.
package unit
