package main

import (
	"strings"
	"testing"
)

// Lines have at most 80 columns, and all but the first are indented, however many words they have.
func TestWrap(t *testing.T) {
	text := "more      " + strings.Repeat("word ", 40) + "end"
	got := wrap(text, 10)
	for i, line := range strings.Split(got, "\n") {
		if len(line) > answerWidth || i > 0 && (!strings.HasPrefix(line, strings.Repeat(" ", 10)) || line[10] == ' ') {
			t.Errorf("line %d: %q", i, line)
		}
	}
	if strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(text), " ") {
		t.Errorf("%q has other words than %q", got, text)
	}
}

func TestSecondsInWords(t *testing.T) {
	for seconds, want := range map[float64]string{
		0.0123456: "0.0123 s",
		4.5:       "4.5 s",
		99.94:     "99.9 s",
		99.96:     "1 min 40 s",
		119.6:     "2 min 0 s",
		1680:      "28 min 0 s",
		3599.6:    "1 h 0 min 0 s",
		86399:     "23 h 59 min 59 s",
	} {
		if got := took(seconds); got != want {
			t.Errorf("%v: %q, want %q", seconds, got, want)
		}
	}
}
