package pintlab

import (
	"bytes"
	"strings"
	"testing"
)

// On a terminal words and cells wrap, wide tables go on below, and nothing is lost. Commands stay whole.
func TestFit(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"short": {"a  b\n", "a  b\n"},
		"label": {"note         the text goes on below its first word\n",
			"note         the text goes on below\n             its first word\n"},
		"colour": {"\x1b[1mnote  \x1b[0m one two three four five six seven\n",
			"\x1b[1mnote  \x1b[0m one two three four five six\n       seven\n"},
		"percent": {"as many words as needed for about 50 % of it\n",
			"as many words as needed for about\n  50 % of it\n"},
		"command": {"reproduce  pintlab run two-flows --set workload.0.load=0.5\n",
			"reproduce  pintlab run two-flows --set workload.0.load=0.5\n"},
		"table": {"name                 size (B)  can a switch do it?\n" +
			"───────────────────  ────────  ──────────────────────────\n" +
			"first of the schemes        1  yes: a hash and a compare\n", ""},
		"blocks": {"name   number one  number two  number three\n─────  ──────────  ──────────  ────────────\n" +
			"a      1000000000  2000000000  300000000000\n", "" +
			"name   number one  number two\n─────  ──────────  ──────────\na      1000000000  2000000000\n\n" +
			"name   number three\n─────  ────────────\na      300000000000\n"},
	} {
		var b bytes.Buffer
		out := &output{w: &b, width: 36}
		begin, end, _ := strings.Cut(tt.text, " ")
		out.Write([]byte(begin))
		out.Write([]byte(" " + end))
		out.flush()
		got := b.String()
		if tt.want != "" && got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, tt.want)
		}
		for line := range strings.Lines(got) {
			if n := shown(strings.TrimSuffix(line, "\n")); n > out.width && name != "command" {
				t.Errorf("%s: a line of %d columns: %q", name, n, line)
			}
		}
		for _, word := range strings.Fields(tt.text) {
			if !strings.Contains(word, "─") && !strings.Contains(got, word) {
				t.Errorf("%s: %q is lost in\n%s", name, word, got)
			}
		}
	}
}
