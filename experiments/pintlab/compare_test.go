package pintlab

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
