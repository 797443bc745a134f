// Package rules collects the rules that a description breaks, so that an error names all of them and not
// only the first.
package rules

import (
	"errors"
	"fmt"
)

// Broken lists what is wrong.
type Broken []error

// If adds an error, made as fmt.Errorf does, if the condition holds.
func (b *Broken) If(holds bool, format string, args ...any) {
	if holds {
		*b = append(*b, fmt.Errorf(format, args...))
	}
}

// Err returns all errors as one that begins with the name of what is wrong, nil if there are none.
func (b Broken) Err(what string) error {
	if err := errors.Join(b...); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
