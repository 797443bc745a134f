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
	Least  int // smallest memory of such a sketch; 0 if Memory is too large, not too small
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

// sized makes a sketch with the given memory. If the memory is the reason for an error, the error is a MemoryError.
func sized[S any](k Kind, memory int, made func(memory int) (S, error)) (S, error) {
	s, err := made(memory)
	if err == nil {
		return s, nil
	}
	fits := func(memory int) bool {
		_, err := made(memory)
		return err == nil
	}
	if !fits(little) {
		return s, fmt.Errorf("%s: %w", k, err)
	}
	e := &MemoryError{Kind: k, Memory: memory, err: err}
	if memory < little {
		e.Least = sort.Search(little, fits)
	}
	return s, e
}
