// Package errtest helps tests check error messages. It checks the parts that a user needs
// (the place, the key, the value and the accepted values) and leaves the rest of the
// sentence free.
package errtest

import "strings"

// Says reports whether err's message matches want, a list of parts separated by "…": the
// message must begin with the first part and contain the others after it, in this order.
// A want without "…" must equal the whole message.
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
