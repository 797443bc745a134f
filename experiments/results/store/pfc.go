package store

import (
	"bufio"
	"fmt"
	"io"

	"pintlab/netsim/unit"
)

// Frame is a line of pfc.txt, the PFC frames of the HPCC simulators:
//
//	time_ns node type interface pause
//
// It records the arrival of a frame at a node; the type is 0 for a host and 1 for a switch. Interfaces
// count from 1 in the order of the links in the topology file.
type Frame struct {
	At        unit.Time
	Node      int32
	Switch    bool
	Interface int
	Pause     bool // false: resume
}

// WritePFC writes frames in order.
func WritePFC(w io.Writer, frames []Frame) error {
	b := bufio.NewWriter(w)
	digit := map[bool]int{true: 1}
	for _, f := range frames {
		fmt.Fprintln(b, f.At.Nanoseconds(), f.Node, digit[f.Switch], f.Interface, digit[f.Pause])
	}
	return b.Flush()
}
