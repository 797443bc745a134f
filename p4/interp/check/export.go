package check

import "pintlab/p4/interp/types"

// Common returns the type to which the operands of ==, <, ?: and so on are brought, or
// nil if there is none.
func Common(a, b types.Type) types.Type { return common(a, b) }

// Arithmetic returns the type in which operators compute on a value of type t: for a
// serialisable enum, its base.
func Arithmetic(t types.Type) types.Type { return arithmetic(t) }

// Directed returns how many parameters of the action have a direction; they come first.
func (a *ActionObj) Directed() int { return directed(a) }
