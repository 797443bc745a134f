// Package shell quotes command lines for POSIX shells.
package shell

import "strings"

// plain are the characters of words that need no quotes.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./_-"

// Line returns a command line that a shell splits into the given words.
func Line(words ...string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		if w == "" || strings.Trim(w, plain) != "" {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		quoted[i] = w
	}
	return strings.Join(quoted, " ")
}
