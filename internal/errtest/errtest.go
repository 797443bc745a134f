// Package errtest helps tests to look at error messages. It checks what a user needs of a message
// (the place, the key, the value and what is accepted) and leaves the sentence free.
package errtest

import "strings"

// Says reports whether err is an error whose message begins with the first part of want and contains
// the others after it, in this order. A gap between two parts is written "…". A want without a gap is
// the whole message.
func Says(err error, want string) bool {
	if err == nil {
		return false
	}
	message := err.Error()
	first, rest, gap := strings.Cut(want, "…")
	if !gap {
		return message == want
	}
	message, ok := strings.CutPrefix(message, strings.TrimRight(first, " "))
	for ok && gap {
		var part string
		part, rest, gap = strings.Cut(rest, "…")
		_, message, ok = strings.Cut(message, strings.TrimSpace(part))
	}
	return ok
}
