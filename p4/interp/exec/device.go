package exec

import (
	"strings"

	"pintlab/p4/interp/ir"
)

// Config holds what a device needs besides the program.
type Config struct {
	// Seed is the seed of random externs.
	Seed uint64
	// Log receives the messages of log_msg; nil discards them.
	Log func(msg string)
	// Steps bounds the work for one packet; 0 stands for 2^24 statements and expressions.
	Steps int
	// Words bounds the registers and counters together; 0 stands for MaxState.
	Words int
}

// Output is a packet that leaves the device. Data is valid until the next packet is
// processed.
type Output struct {
	Port   int
	Data   []byte
	Length int // bytes on the wire: Data and the bytes that the input lacked
}

// Command is a command of the control plane.
type Command struct {
	Usage    string
	Min, Max int // number of arguments
	Run      Handler
}

// Handler runs a command.
type Handler = func(args []string) (reply string, err error)

// Many is the Max of a command with any number of arguments.
const Many = -1

// Commands holds commands by name.
type Commands map[string]Command

// Add adds a command. Its name is the first word of its usage.
func (c Commands) Add(usage string, min, max int, run Handler) {
	name, _, _ := strings.Cut(usage, " ")
	c[name] = Command{usage, min, max, run}
}

// Object is an extern instance with state.
type Object struct {
	Name  string // control-plane name
	Def   *ir.Extern
	State any // *Register, *Counter or a type of the architecture
}
