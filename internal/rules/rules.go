// Package rules collects all rules that a description breaks, so that one error lists
// them all.
package rules

import (
	"errors"
	"fmt"
)

// Broken is a list of broken rules.
type Broken []error

// If appends an error, formatted as by fmt.Errorf, if the condition holds.
func (b *Broken) If(holds bool, format string, args ...any) {
	if holds {
		*b = append(*b, fmt.Errorf(format, args...))
	}
}

// Err joins all errors into one that begins with what, the name of the description. It
// returns nil if there are none.
func (b Broken) Err(what string) error {
	if err := errors.Join(b...); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
