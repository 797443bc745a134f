// Package exec runs a program graph (package ir). Every expression and statement is
// compiled once to a Go closure over a flat frame of 64-bit words. Running a packet
// then looks up no names and allocates nothing.
//
// Numbers of up to 64 bits are computed in one word. Wider numbers, headers, structs and tuples are in runs of words
// of the frame. Expressions over such values write the result to given words of the frame. The words of temporaries
// are chosen at compile time.
//
// # What the specification leaves open
//
//	reading outside a header stack            zeros
//	writing outside a header stack            no effect
//	division by zero                          quotient all ones, remainder the dividend
//	variables and fields never written        zero
//	fields of an invalid header               keep what was last stored there
//	copying an invalid header                 copies the validity only
//	lastIndex of an empty stack               2^32 - 1
package exec

import (
	"errors"
	"fmt"

	"pintlab/p4/interp/syntax"
)

// maxSteps bounds the statements and expressions that run for one packet, in all its passes and copies, unless
// Config.Steps sets another bound. They take about a tenth of a second. A program that needs more steps may never
// end: forty functions, each of which calls the previous function twice, make 2^40 calls.
const maxSteps = 1 << 24

// errEndless is wrapped by the error of a packet that exceeds maxSteps or Config.Steps.
var errEndless = errors.New("the program does not end")

// signal is the reason why statements stop running in sequence.
type signal uint8

const (
	sigNone signal = iota
	sigReturn
	sigBreak
	sigContinue
	sigExit
	sigReject // the parser is in state reject
	sigFault  // the packet cannot be processed; Machine.Fault says why
)

// Machine is the state of one execution: a frame and the packet being handled. It is
// not safe for concurrent use.
type Machine struct {
	F []uint64 // the frame: first the program's variables, then temporaries

	In  BitReader // packet_in
	Out bitWriter // packet_out

	// Error is the parser error of the packet as an index into Program.Errors.
	Error uint64
	// Fault is set when the packet cannot be processed at all.
	Fault error
	// Bytes is scratch space for lists given to externs.
	Bytes bitWriter
	// Grown is how many bytes setValid and setInvalid have made the packet longer.
	Grown int
	// ZeroDivisions counts the divisions by zero of all packets.
	ZeroDivisions int

	sig    signal
	budget int // steps of a packet
	steps  int // steps left
	vars   int // words of F that are the program's variables
}

// Reset prepares for a packet: it clears variables and makes headers invalid.
func (m *Machine) Reset() {
	clear(m.F[:m.vars])
	m.Error, m.Grown = 0, 0
	m.Restart()
}

// Restart begins another block of the pipeline with the same variables.
func (m *Machine) Restart() {
	m.sig = sigNone
	m.Fault = nil
}

// Refill sets the steps of the next packet; 0 stands for maxSteps.
func (m *Machine) Refill(steps int) {
	if steps == 0 {
		steps = maxSteps
	}
	m.budget, m.steps = steps, steps
}

// Stopped reports whether statements are being skipped. Calls in expressions then have no effect.
func (m *Machine) Stopped() bool { return m.sig != sigNone }

// Rejected reports whether the parser ended in state reject.
func (m *Machine) Rejected() bool { return m.sig == sigReject }

// reject makes the parser fail with an error.
func (m *Machine) reject(err uint64) {
	if m.sig == sigNone {
		m.sig, m.Error = sigReject, err
	}
}

// dividedByZero counts a division whose result the specification leaves open.
func (m *Machine) dividedByZero() {
	if m.sig == sigNone {
		m.ZeroDivisions++
	}
}

// Fail gives up on the packet.
func (m *Machine) Fail(err error) {
	if m.Fault == nil {
		m.Fault = err
	}
	m.sig = sigFault
}

// spend counts the n steps of a parser state, loop iteration or call.
func (m *Machine) spend(n int, at syntax.Pos) {
	if m.steps -= n; m.steps < 0 {
		m.endless(at)
	}
}

// endless is a separate function so that spend can be inlined.
func (m *Machine) endless(at syntax.Pos) {
	m.Fail(fmt.Errorf("%s: %w: more than %d steps for one packet", at, errEndless, m.budget))
}

// Core is a program ready to run: compiled blocks, tables with their entries, and one
// machine.
type Core struct {
	Machine   *Machine
	Tables    []*Table
	ValueSets []*ValueSet

	bodies map[any]Do // bodies of parsers, controls, functions and actions
}

// Block returns the code of a parser or control. After a parser has run, Machine.Rejected reports how the parser
// ended.
func (c *Core) Block(of any) Do { return c.bodies[of] }
