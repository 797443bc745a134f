package sketch

import (
	"fmt"
	"sort"

	"pintlab/netsim/unit"
)

// MemoryError reports a memory that a sketch cannot have.
type MemoryError struct {
	Kind   Kind
	Memory int // bytes
	Least  int // the least memory of such a sketch, 0 if there is too much of it
	err    error
}

func (e *MemoryError) Error() string {
	rule := e.err.Error()
	if e.Least > 0 {
		rule = "want at least " + unit.Bytes(e.Least).String()
	}
	return fmt.Sprintf("%s with %v: %s", e.Kind, unit.Bytes(e.Memory), rule)
}

func (e *MemoryError) Unwrap() error { return e.err }

// little is a memory that suffices for the smallest sketch of every kind, in bytes.
const little = 1 << 12

// explain makes an error of a sketch that cannot be made a MemoryError. again makes the sketch
// with other memory.
func explain(err error, k Kind, memory int, again func(memory int) error) error {
	if err == nil || again(little) != nil {
		return err // the memory is not to blame
	}
	e := &MemoryError{Kind: k, Memory: memory, err: err}
	if memory < little {
		e.Least = sort.Search(little, func(n int) bool { return again(n) == nil })
	}
	return e
}
