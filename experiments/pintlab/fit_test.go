package pintlab

import (
	"bytes"
	"io"
	"os/signal"
	"regexp"
	"strings"
	"testing"

	"pintlab/experiments/protocols"
)

// On a terminal, text and cells wrap, and wide tables continue below. No part of them is lost. Commands are not
// wrapped.
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

// columnGaps match the blanks between the columns of a line.
var columnGaps = regexp.MustCompile(`\S   *`)

// invokeFitting runs a pintlab command like invoke. It also checks the output on a terminal of 80 columns. No line may
// be longer, except a command, an address, a path, or a word that is too long. If a table has no rule, its cells cannot
// wrap, so it must fit unchanged.
func invokeFitting(t *testing.T, args []string, stdout, stderr io.Writer) int {
	t.Helper()
	const width = 80
	signals := interrupts()
	defer signal.Stop(signals)
	var text bytes.Buffer
	p := newProgram(protocols.Standard(), io.MultiWriter(stdout, &text), stderr)
	p.stdout.width = 1 << 20
	code := p.start(args, signals)
	if p.stdout.width == 0 { // a document
		return code
	}
	fitted := fit(text.String(), width)
	for line := range strings.Lines(fitted) {
		line = strings.TrimRight(line, "\n")
		words := strings.Fields(line)
		if shown(line) > width && !strings.Contains(line, "pintlab ") && shown(words[len(words)-1]) < width/2 {
			t.Errorf("pintlab %q: %d columns: %s", args, shown(line), line)
		}
	}
	for line := range strings.Lines(text.String()) {
		gaps := len(columnGaps.FindAllString(strings.TrimSpace(line), -1))
		if shown(line) > width && gaps >= 3 && !strings.Contains(fitted, "─") {
			t.Errorf("pintlab %q: a table of %d columns: %s", args, shown(line), line)
		}
	}
	return code
}
