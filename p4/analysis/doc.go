// Package analysis checks whether hardware can run a P4 program: how many match-action stages its
// dependencies take (Stages), whether it fits the stages of a switch (LayOut), and what in it
// a switch cannot compute at all (Lint). All work on the program graph of package ir: on the
// code, not on its annotations. A Target has the limits of a switch.
//
// # The model of a pipeline
//
// A pipeline is a row of stages as in RMT (Bosshart et al., "Forwarding Metamorphosis",
// SIGCOMM 2013). At the beginning of a stage every field of the packet and its metadata
// can be read; a result of the stage can be read from the next stage on. A stage does any
// number of things in parallel, each at most one step deep:
//
//   - an ALU operation: + - |+| |-| & | ^ ~ and unary -, a shift by a constant, a comparison
//     or logical expression whose truth value is stored, c ? x : y, the larger or smaller
//     of two numbers (if (a > b) b = a), and a conditional move;
//   - a hash or random number; the hash units are in front of the ALUs, so the ALUs of the
//     same stage can use the result, and its registers can use it as an index, but not its
//     tables, gateways and other hashes;
//   - a counter;
//   - a table: its keys are matched, and the chosen action runs in the same stage; the action's
//     operations are ALU operations of that stage;
//   - a register: one cell is read, changed and written.
//
// Wiring is free: constants, slices, ++, casts, and moves that always happen (the producer
// might as well write there). A shift in front of an adder is a step of its own. Gateways are
// free: they decide an if or switch by logic over comparisons. A comparison must be of a field,
// masked or not, with a constant, as far as a few ternary entries express it, or for equality
// with another field. Any other comparison is an operation.
//
// # Dependencies
//
//   - data: an operation, key or index that reads a value comes in a later stage than the
//     operation that computed it;
//   - control: code under an if or switch comes in a later stage than the operations that
//     computed the fields in the condition, even if it could be computed in advance. The same
//     holds for code after a conditional return or exit;
//   - successor: code that depends only on hit, miss or action_run of a table may share its
//     stage (Jose et al., "Compiling Packet Programs to Reconfigurable Switches", NSDI
//     2015, section 3), because tables of a stage can predicate each other;
//   - output: a conditional write of a field comes in a later stage than the operation
//     that computed the value it may leave in place. A value that is always overwritten does
//     not count;
//   - action: a table is one unit. Its stage is such that each operation of its actions finds its
//     inputs; operations of an action that depend on each other take successive stages, beginning
//     with the table's;
//   - register: all accesses to a register are in the one stage that holds it. Operations between
//     the read and the write happen inside that stage, in its stateful ALU: comparisons of the
//     value read, and as many successive operations as the target allows. A second ALU may compute
//     what leaves the register: one operation on the value read, if nothing else uses its operand.
//     Longer updates, and updates through a table, hash or other register, are reported as
//     problems.
//
// Stages is the length of the longest chain under these rules, as if a stage had unlimited
// room. Calls are expanded in place, and a local variable of a branch exists only in that
// branch. Parsers, deparsers and checksums are outside the pipeline. Loops are refused.
//
// # Room
//
// LayOut puts each operation and table into the first stage that comes late enough and has room
// for it, the longest chains first. Ingress and egress share the stages. A stage has
//
//   - logical tables; operations outside of tables take one for each branch of the program that
//     contains them;
//   - gateways, for the logical tables that a condition selects;
//   - addresses of actions;
//   - TCAM for ternary and lpm tables, SRAM for exact tables (with four bits of overhead for an
//     entry), for action data and for registers (with a spare block);
//   - bits of hash results: the bits of hashed data, and 16 for an index of a register;
//   - bytes of keys.
//
// The fields that a pipeline uses, and the largest set of variables that live at once, take the
// packet header vector. The model omits that containers have fixed sizes, that action data
// comes over buses, and that a compiler may split a table over stages.
//
// A target in software has no stages and no limit on registers and operations. Stages is then only
// the length of the longest chain.
//
// # Lint
//
// Lint reports run-time * / % and shifts by a variable, anywhere in the program, and registers that
// one packet accesses otherwise than by one read and one write of the same cell. It follows paths
// branch by branch, and does not ask whether two conditions exclude each other. A pass of a
// recirculated packet counts as a packet of its own. Lint also reports what LayOut finds, and code
// that p4c 1.2.4 refuses or warns of while the specification allows it (compiler.go).
package analysis
