// Package spelling finds the words that typing errors stand for.
package spelling

import (
	"fmt"
	"strings"
)

// Hint returns the end of an error about a word that is not among the candidates: a question with the closest
// candidate in quotes. It returns "" if no candidate is close (see Suggest).
func Hint(word string, candidates []string) string {
	if s := Suggest(word, candidates); s != "" {
		return fmt.Sprintf("; did you mean %q?", s)
	}
	return ""
}

// Suggest returns the candidate closest to word, or "" if no candidate is close. A candidate is close if it begins with
// word or word begins with it, or if at most a third of the letters differ, and at most three.
func Suggest(word string, candidates []string) string {
	if len(word) > 64 {
		return "" // too long for a typing error
	}
	word = strings.ToLower(word)
	best, bestDistance := "", min(3, (len(word)+2)/3)+1
	for _, c := range candidates {
		d := distance(word, c)
		if short := min(len(word), len(c)); short >= 3 && word[:short] == c[:short] {
			d = min(d, 1)
		}
		if d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// distance returns the optimal string alignment distance: the number of letters to insert, delete, replace
// or swap with their neighbour to turn a into b.
func distance(a, b string) int {
	// rows[i][j] is the distance between a[:i] and b[:j].
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
