// Package sidebyside puts every telemetry system on one network, on the same flows and paths, and asks all of them
// the same questions (package experiments/measure/answers): what each costs, and what it tells.
//
// The papers each measure themselves against INT on a testbed of their own. Here INT in HPCC's format, standard INT,
// CSIG, INT with a collector by passports and by postcards, PINT with 8 and 16 bits, SketchINT, LightGuardian and
// fridges are on the 320-server fat tree of PINT §6.1, with web search and Hadoop at three loads, with HPCC
// and with DCTCP.
//
// HPCC reads INT that costs no bytes (telemetry.format = free), so that the bytes of a system are its
// own; where INT or CSIG is the system that is compared, HPCC reads it with its bytes. With DCTCP, whose senders read
// nothing, the bytes of INT are on the packets all the same, and its answers are those of the hosts.
//
// Two tables compare systems at equal budgets: at most this many bytes for each data packet, on it and about it; and so
// much memory in a switch. Each system has one knob for either (within, knob.memory). A system that
// cannot keep a budget is not in its table.
//
// Intervals of a large network's short window are not those for which sketches were made. So a fourth table has all
// systems on the testbed of LightGuardian and SketchINT, with LightGuardian's periods over a hundred and sketches as
// much smaller.
//
// A fifth table is about silent faults: a network of 16 hosts with one fault, which all systems watch at once and at no
// cost (faults.go, package experiments/measure/guard). Hosts that compare their flows locate most faults without any
// telemetry; the row of none has that, and what a system adds is the difference to it.
//
// laptop.csv and, once it has been run, paper.csv are the rows of these scales; docs/side-by-side.md quotes those of
// the larger one, and a test compares it with them.
package sidebyside
