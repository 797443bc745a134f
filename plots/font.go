package plots

import (
	"strings"
	"unicode/utf8"

	"pintlab/plots/internal/canvas"
)

// Sizes of text, in points.
const (
	titleSize    = 9
	subtitleSize = 7.5
	panelSize    = 8
	labelSize    = 7.5
	tickSize     = 7
	legendSize   = 7.5
	noteSize     = 6.5
	footSize     = 6.25

	lineHeight = 1.25 // of text that runs over several lines, times its size
)

// textWidth is the width of a line of text in points.
func textWidth(s string, size float64, bold bool) float64 { return canvas.Width(s, size, bold) }

// wrapText breaks text into lines no wider than width: between words, and within
// a word that is wider than a line.
func wrapText(s string, width, size float64, bold bool) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		next := word
		if line != "" {
			next = line + " " + word
		}
		if textWidth(next, size, bold) <= width {
			line = next
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for textWidth(word, size, bold) > width && utf8.RuneCountInString(word) > 1 {
			cut := fitting(word, width, size, bold)
			lines = append(lines, word[:cut])
			word = word[cut:]
		}
		line = word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// fitting is how many bytes of the word fit the width, at least one character.
func fitting(word string, width, size float64, bold bool) int {
	cut := 0
	for i := range word {
		if i > 0 && textWidth(word[:i], size, bold) > width {
			break
		}
		cut = i
	}
	if cut == 0 {
		_, cut = utf8.DecodeRuneInString(word)
	}
	return cut
}
