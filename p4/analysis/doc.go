// Package analysis asks of a P4 program what hardware would: how many match-action stages its
// dependencies take (Stages), whether it fits the stages of a switch (Place), and what in it
// a switch cannot compute at all (Lint). All work on the program graph of package ir, that
// is on the code and not on labels in it. Package targets has the limits of switches.
//
// # The model of a pipeline
//
// A pipeline is a row of stages as in RMT (Bosshart et al., "Forwarding Metamorphosis",
// SIGCOMM 2013). At the beginning of a stage every field of the packet and its metadata
// can be read; what the stage computes can be read from the next stage on. In one stage
// any number of things happen side by side, each at most one step deep:
//
//   - an ALU operation: + - |+| |-| & | ^ ~ and unary -, a shift by a constant, a comparison
//     or logical expression whose truth value is stored, c ? x : y, the larger or smaller
//     of two numbers (if (a > b) b = a), and a conditional move;
//   - a hash or random number; the hash units are in front of the ALUs, which can use
//     the result in the same stage, as can the registers of the stage for their index,
//     but not its tables, gateways and other hashes;
//   - a counter;
//   - a table: its keys are matched, and in the same stage the chosen action runs, whose
//     operations are ALU operations of that stage;
//   - a register: one cell is read, changed and written.
//
// Free, since it is wiring: constants, slices, ++, casts, and moves that always happen (the
// producer might as well write there). A shift in front of an adder is a step of its own.
// Free, since a stage has gateways for it: deciding an if or switch by logic over
// comparisons, of a field, masked or not, with a constant for which a few ternary entries
// do, and for equality with another field. Any other comparison is an operation.
//
// # Dependencies
//
//   - data: an operation, key or index that reads a value comes in a later stage than
//     what computed it;
//   - control: what stands under an if or switch comes in a later stage than what
//     computed the fields that the condition reads, even if it could be computed in
//     advance; what follows a conditional return or exit likewise;
//   - successor: what depends only on hit, miss or action_run of a table may share its
//     stage (Jose et al., "Compiling Packet Programs to Reconfigurable Switches", NSDI
//     2015, section 3), since tables of a stage can predicate each other;
//   - output: a conditional write of a field comes in a later stage than the operation
//     that computed the value it may leave in place. A value that is overwritten in any
//     case matters to nobody;
//   - action: a table is one unit. It is placed so that each operation of its actions
//     finds its inputs; operations of an action that depend on each other take
//     successive stages, from that of the table on;
//   - register: all accesses to a register are in the one stage that holds it. What is
//     computed between reading and writing it happens inside that stage, in its stateful
//     ALU: comparisons of what was read, and as many operations in a row as the target
//     allows. A second ALU may compute what leaves the register: the one operation on what
//     was read, if nothing else takes it. Longer updates, and updates through a table,
//     hash or other register, are reported as problems.
//
// Stages is the length of the longest chain under these rules, as if a stage had room for
// everything. Calls are expanded where they stand, and a local variable of a branch exists
// only there. Parsers, deparsers and checksums are outside the pipeline. Loops are refused.
//
// # Room
//
// Place puts everything into the first stage that comes late enough and has room for it, the
// longest chains first; ingress and egress share the stages. A stage has
//
//   - logical tables, of which the operations outside of tables take one for each branch of
//     the program that they are in, and gateways for those that a condition decides about;
//   - addresses of actions;
//   - TCAM for ternary and lpm tables, SRAM for exact ones (with four bits of overhead for an
//     entry), for action data and for registers (with a block to spare);
//   - bits of hash that are distributed: to data, 16 for an index of a register;
//   - bytes of keys.
//
// Fields that a pipeline uses, and variables where there are most of them at once, take the
// packet header vector. It is not modelled that containers have sizes of their own, that
// action data comes over buses, nor that a compiler may split a table over stages.
//
// A target in software has no stages: registers and operations are as the program says. Stages
// are then the length of the longest chain, and nothing more.
//
// # Lint
//
// Run-time * / % and shifts by a variable, anywhere in the program; and registers that
// one packet accesses otherwise than by one read and one write of the same cell. Paths
// are followed branch by branch, without asking whether two conditions exclude each
// other. A pass of a recirculated packet counts as a packet of its own. Whatever Place
// finds. And what p4c 1.2.4 refuses or warns of while the specification allows it: names that hide
// others (p4c counts the properties of a table as names: a parameter named size and a table
// with a size do not go together), tables, instances and parameters of actions without use, a
// size beside constant entries, tables that are applied at two places, explicit transitions to
// reject, a direct_counter of no table, and loops and compound assignments, which version 1.2.5
// brought; and a default action that stands before the list of actions, where the specification
// (section 14.2.1.3) refuses what p4c accepts.
package analysis
