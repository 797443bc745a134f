package workloads

import (
	"iter"
	"slices"
)

// Source returns flows in the order of compareStart. *Stream and *FlowReader are sources; Slice makes a source from a
// list.
type Source interface {
	// Next returns the next flow. At the end, or after an error, ok is false.
	Next() (f Flow, ok bool)
	// Err returns the error that ended the flows early, or nil if all of them have come out.
	Err() error
}

// Slice returns a Source of the flows of a list.
func Slice(flows []Flow) Source { return &slice{flows} }

type slice struct{ left []Flow }

func (s *slice) Next() (f Flow, ok bool) {
	if len(s.left) == 0 {
		return Flow{}, false
	}
	f, s.left = s.left[0], s.left[1:]
	return f, true
}

func (s *slice) Err() error { return nil }

// All iterates over the remaining flows of a source. The caller checks the source's Err afterwards.
func All(s Source) iter.Seq[Flow] {
	return func(yield func(Flow) bool) {
		for {
			f, ok := s.Next()
			if !ok || !yield(f) {
				return
			}
		}
	}
}

// Collect returns the remaining flows of a source as a list.
func Collect(s Source) ([]Flow, error) { return collect(s, nil) }

// collect appends the remaining flows of a source to a list.
func collect(s Source, flows []Flow) ([]Flow, error) {
	flows = slices.AppendSeq(flows, All(s))
	return flows, s.Err()
}
