package figures

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pintlab/plots/report"
)

// causes writes a table with the number of deviations for each cause.
func (c *claimsPages) causes(b *strings.Builder) {
	b.WriteString(`What explains the deviations: *input* if our trace or workload is not the paper's; *setting* if the
paper leaves something open that moves the number; *hardware* if switches and compilers are not the
paper's.

| claims that deviate |`)
	for _, cause := range report.Causes {
		fmt.Fprintf(b, " %s |", strings.Replace(string(cause), string(report.NothingKnown), "not explained yet", 1))
	}
	b.WriteString("\n|" + strings.Repeat("---|", 1+len(report.Causes)) + "\n")
	for _, kind := range kinds {
		fmt.Fprintf(b, "| %s |", kind)
		for _, cause := range report.Causes {
			fmt.Fprintf(b, " %d |", c.counts[kind+"cause"+string(cause)])
		}
		b.WriteString("\n")
	}
}

// Every claim that the stored rows contradict has a cause. If the cause relies on a measurement, the measurement is
// stored with the command that repeats it.
func TestCauses(t *testing.T) {
	for _, f := range Figures() {
		numbers, words, _ := claims(t, f)
		for _, c := range append(numbers, words...) {
			if c.verdict != string(report.Deviates) {
				continue
			}
			if c.cause == report.NoCause {
				t.Errorf("%s: %s: deviates, so its line needs a cause of %q (By in Go)", f.Name, c.text, report.Causes)
			}
			_, stored, ok := strings.Cut(c.why, "Stored measurement ")
			name, conditions, _ := strings.Cut(stored, ": ")
			if ok && !repeats.MatchString(conditions) {
				t.Errorf("%s: %s: no line of the measurement %s names a command that repeats it", f.Name, c.text, name)
			}
		}
	}
}

// repeats matches a description of how to repeat a measurement. The description names a command, a test, or the rows
// of a scale, which `pintlab reproduce` makes.
var repeats = regexp.MustCompile(`pintlab |go test |\bTest[A-Z]|\b(laptop|paper) scale\b|\bthese rows\b`)
