// Package analysis checks whether hardware can run a P4 program: how many match-action stages its dependencies take
// (Stages), whether it fits the stages of a switch (LayOut), and which code no switch can compute (Lint). All three
// work on the program graph of package ir, so annotations in the source have no effect. A Target lists the limits of
// a switch.
//
// # The model of a pipeline
//
// A pipeline is a row of stages as in RMT (Bosshart et al., "Forwarding Metamorphosis", SIGCOMM 2013). At the
// beginning of a stage every field of the packet and its metadata can be read; a result of the stage can be read
// from the next stage on. A stage does any number of the following things in parallel. Each of them is at most one
// step deep:
//
//   - an ALU operation: + - |+| |-| & | ^ ~ and unary -, a shift by a constant, a comparison
//     or logical expression whose truth value is stored, c ? x : y, the larger or smaller
//     of two numbers (if (a > b) b = a), and a conditional move;
//   - a hash or random number. The hash units are in front of the ALUs, so the ALUs of the same stage can use the
//     result, and the registers of the stage can use it as an index. Its tables, gateways and other hashes cannot
//     use it;
//   - a counter;
//   - a table. Its keys are matched, and the chosen action runs in the same stage. The action's operations are ALU
//     operations of that stage;
//   - a register: one cell is read, changed and written.
//
// Wiring is free: constants, slices, ++, casts, and moves that always happen (the operation that produces the value
// might as well write it to the destination). A shift in front of an adder is a separate step. Gateways are free.
// They decide an if or switch by logic over comparisons. A gateway can compare a field, masked or not, with a
// constant, if a few ternary entries can express the comparison. It can also compare two fields for equality. Any
// other comparison is an operation.
//
// # Dependencies
//
//   - data: an operation, key or index that reads a value comes in a later stage than the
//     operation that computed it;
//   - control: code under an if or switch comes in a later stage than the operations that computed the fields in the
//     condition, even if the code could run before the condition is known. The same holds for code after a
//     conditional return or exit;
//   - successor: code that depends only on hit, miss or action_run of a table may share the stage of the table (Jose
//     et al., "Compiling Packet Programs to Reconfigurable Switches", NSDI 2015, section 3), because tables of a
//     stage can predicate each other;
//   - output: a conditional write of a field may leave the old value in place, so it comes in a later stage than the
//     operation that computed the old value. A value that is always overwritten does not count;
//   - action: a table is one unit. Its stage is late enough that the inputs of all operations of its actions are
//     computed. Operations of an action that depend on each other take successive stages. The first of these is the
//     table's stage;
//   - register: all accesses to a register are in the one stage that contains the register. Operations between the
//     read and the write happen inside that stage, in its stateful ALU. They are comparisons of the value that was
//     read, and as many successive operations as the target allows. A second ALU may do one operation on the value
//     that was read, if nothing else uses this value; its result leaves the register. Longer updates, and updates
//     through a table, hash or other register, are reported as problems.
//
// Stages computes the length of the longest chain under these rules, as if a stage had unlimited room. Calls are
// expanded in place, and a local variable of a branch exists only in that branch. Parsers, deparsers and checksums
// are outside the pipeline. Loops are refused.
//
// # Room
//
// LayOut puts each operation and table into the first stage that comes late enough and has room for it. It begins
// with the longest chains. Ingress and egress share the stages. A stage contains
//
//   - logical tables. Operations outside of tables also take a logical table, one for each branch of the program
//     that contains such operations;
//   - gateways, one for each logical table that runs under a condition;
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
// A target in software has no stages and no limit on registers and operations. The result of Stages is then only the
// length of the longest chain.
//
// # Lint
//
// Lint reports the operators * / % at run time and shifts by a variable, anywhere in the program. It also reports
// registers that one packet accesses in any other way than by one read and one write of the same cell. Lint follows
// paths branch by branch, and does not check whether two conditions exclude each other. Each pass of a recirculated
// packet counts as a separate packet. Lint also reports the problems that LayOut finds, and code that the
// specification allows but p4c 1.2.4 refuses or warns of (compiler.go).
package analysis
