package exec

import (
	"pintlab/p4/interp/ir"
	"pintlab/p4/interp/source"
)

// Architecture is what surrounds the programmable blocks of a target: the declarations
// that programs include, the package that main instantiates, its externs and the
// device that moves packets between the blocks. Adding a target means implementing this
// interface; package v1model is the example.
type Architecture interface {
	// Includes has the text of the files that #include <...> finds, by name.
	Includes() map[string]string
	// Defines are macros that are set for every program.
	Defines() []string
	// Package is the name of the package type of main.
	Package() string
	// Share names the storage of a parameter of one of the package's blocks. Parameters
	// with the same name are the same storage, so that headers and metadata need not be
	// copied from block to block. "" means storage of its own.
	Share(arg, param int) string
	// Pipelines returns the controls of the program that run as match-action pipelines,
	// in the order in which a packet meets them.
	Pipelines(p *ir.Program) []*ir.Control
	// New makes a device that runs the program. Problems go to errs.
	New(p *ir.Program, cfg Config, errs *source.List) Device
}

// Config is what a device needs besides the program.
type Config struct {
	// Seed is for the random extern and the like.
	Seed uint64
	// Log receives the messages of log_msg; nil discards them.
	Log func(msg string)
	// Steps bounds the work for one packet; 0 stands for MaxSteps.
	Steps int
	// Words bounds the registers and counters together; 0 stands for MaxState.
	Words int
}

// Output is a packet that leaves the device. Data is valid until the next packet is
// processed.
type Output struct {
	Port int
	Data []byte
}

// Device is a program running on an architecture. It is not safe for concurrent use;
// make one for each goroutine.
type Device interface {
	// Process handles one packet and returns what comes out, in order. An error means
	// that the packet, or a copy of it, could not be handled at all; the outputs are
	// still good.
	Process(port int, packet []byte) ([]Output, error)
	// SetTime sets the clock that timestamps show, in microseconds.
	SetTime(us uint64)
	// Core gives access to the tables and value sets.
	Core() *Core
	// Objects are the registers, counters and so on, in order of declaration.
	Objects() []Object
	// Commands are the control-plane commands that are particular to the architecture, by name.
	Commands() map[string]Command
}

// Command is a command of the control plane.
type Command struct {
	Usage    string
	Min, Max int // number of arguments; Max is -1 for any number
	Run      func(args []string) (reply string, err error)
}

// Object is an extern instance with state.
type Object struct {
	Name  string // control-plane name
	Def   *ir.Extern
	State any // *Register, *Counter or a type of the architecture
}
