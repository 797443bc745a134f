package stf

import (
	"bufio"
	"fmt"
	"io"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"time"

	"pintlab/p4/interp"
	"pintlab/p4/interp/exec"
	"pintlab/p4/interp/ir"
)

// silent lists commands without effect on packets. They appear in a test as comments.
var silent = []string{"help", "set_queue_depth", "set_queue_rate", "table_dump", "table_num_entries"}

// Recorder writes the commands, the input packets and the output packets of a pipeline as a test. Output
// packets become expectations of whole packets.
type Recorder struct {
	pipe *interp.Pipeline
	w    *bufio.Writer
	next interp.PcapWriter
}

// NewRecorder writes a test to w.
func NewRecorder(pipe *interp.Pipeline, w io.Writer) *Recorder {
	return &Recorder{pipe: pipe, w: bufio.NewWriter(w)}
}

// To sets another writer that also receives the output packets.
func (r *Recorder) To(next interp.PcapWriter) interp.PcapWriter {
	r.next = next
	return r
}

// Close writes buffered text.
func (r *Recorder) Close() error { return r.w.Flush() }

// Arrive writes an input packet.
func (r *Recorder) Arrive(port int, data []byte) error {
	_, err := fmt.Fprintf(r.w, "packet %d %x\n", port, data)
	return err
}

func (r *Recorder) WritePacket(port int, at time.Time, data []byte, length int) error {
	if _, err := fmt.Fprintf(r.w, "expect %d %x $\n", port, data); err != nil {
		return err
	}
	return r.next.WritePacket(port, at, data, length)
}

// Command runs a command and writes it as a statement.
func (r *Recorder) Command(line string) (string, error) {
	reply, err := r.pipe.Command(line)
	text, _, _ := strings.Cut(line, "#")
	words := strings.Fields(text)
	if err != nil || len(words) == 0 {
		return reply, err
	}
	statement, err := r.statement(words)
	if err != nil {
		return "", fmt.Errorf("%s: %w", words[0], err)
	}
	_, err = fmt.Fprintln(r.w, statement)
	return reply, err
}

// statement returns the statement for a command that has been run.
func (r *Recorder) statement(words []string) (string, error) {
	switch name := words[0]; {
	case slices.Contains(direct, name):
		return strings.Join(words, " "), nil
	case slices.Contains(silent, name):
		return "# " + strings.Join(words, " "), nil
	case name != "table_add" && name != "table_set_default":
		return "", fmt.Errorf("a packet test has no statement for this command: want table_add, table_set_default, %s",
			strings.Join(direct, ", "))
	}
	t, err := r.pipe.Table(words[1])
	if err != nil {
		return "", err
	}
	if words[0] == "table_set_default" {
		return "setdefault " + t.Def.Name + " " + call(t, t.Default()), nil
	}
	e := t.Entries()[t.Len()-1]
	statement := "add " + t.Def.Name
	if t.NeedsPriority() {
		if e.Rank() > largestPriority {
			return "", fmt.Errorf("priority %d: a packet test accepts priorities up to %d", e.Rank(), largestPriority)
		}
		statement += fmt.Sprint(" ", largestPriority-e.Rank())
	}
	for i, key := range keyNames(t) {
		kind, width := t.Key(i)
		x, y := t.Matched(e, i)
		value, err := spell(kind, width, x, y)
		key = index.ReplaceAllString(key, "$$$1")
		if err == nil && !plain.MatchString(key) {
			err = fmt.Errorf("the key has no plain name: want @name(\"...\") for it in the program")
		}
		if err != nil {
			return "", fmt.Errorf("key %s of table %s: %w", key, t.Def.Name, err)
		}
		if value != "" {
			statement += " " + key + ":" + value
		}
	}
	return statement + " " + call(t, e), nil
}

// plain matches a key that can be written as a name. index matches an index of a header stack. Such an index is
// written x$1.
var (
	plain = whole(name)
	index = regexp.MustCompile(`\[([0-9]+)\]`)
)

// call returns the action of an entry in the syntax of a statement.
func call(t *exec.Table, e *exec.Entry) string {
	a := t.Def.Actions[e.Use].Action
	var args []string
	for i, v := range interp.ActionData(a, e.Data) {
		args = append(args, fmt.Sprintf("%s:%#x", a.Data[i].Name, v))
	}
	return a.Name + "(" + strings.Join(args, ", ") + ")"
}

// spell returns the match of an entry in a key, in the syntax of a statement. It returns "" if the key can be
// omitted.
func spell(kind ir.MatchKind, width int, x, y *big.Int) (string, error) {
	switch kind {
	case ir.LPM:
		length := 0
		for length < width && y.Bit(width-1-length) == 1 {
			length++
		}
		return fmt.Sprintf("%#x/%d", x, length), nil
	case ir.Ternary:
		digits := make([]byte, width)
		for i := range digits {
			digits[i] = '*'
			if b := width - 1 - i; y.Bit(b) == 1 {
				digits[i] = '0' + byte(x.Bit(b))
			}
		}
		return "0b" + string(digits), nil
	case ir.Range:
		if full := y.Cmp(ones(width)) == 0; !full || x.Sign() != 0 {
			return "", fmt.Errorf("range %#x->%#x: a packet test cannot express ranges", x, y)
		}
		return "", nil
	case ir.Optional:
		if y.Sign() == 0 {
			return "", nil
		}
	}
	return fmt.Sprintf("%#x", x), nil
}
