package validate

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"pintlab/internal/input"
	"pintlab/internal/number"
	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/ns3"
)

// ackLine is a line of acks.txt: an acknowledgement, or a timer of a congestion control, and the state of the flow's
// control after that step.
type ackLine struct {
	Kind   string    // first word
	Time   unit.Time // whole nanoseconds
	Node   int32     // sender of the flow
	Port   uint16    // source port of the flow
	Values []float64 // by the columns of its line format
	Hops   []ackHop  // hops of INT
}

// ackHop contains the fields that one switch wrote into the packet, in the units of INT.
type ackHop struct {
	Time  unit.Time // whole nanoseconds
	Sent  unit.Bytes
	Queue unit.Bytes
}

// take fills the line from a step of our run. It returns false if the format has no line for such a step.
func (l *ackLine) take(f *ackFormat, now unit.Time, s *transport.Step) bool {
	kind := f.Of(s)
	if kind == nil {
		return false
	}
	l.Kind, l.Time = kind.Word, now/unit.Nanosecond*unit.Nanosecond
	l.Node, l.Port = int32(s.Flow.Src), s.Flow.SrcPort
	l.Values, l.Hops = l.Values[:0], l.Hops[:0]
	for i := range kind.Columns {
		v := 0.0
		if ours := kind.Columns[i].Ours; ours != nil {
			v = ours(s)
		}
		l.Values = append(l.Values, v)
	}
	if f.Hops {
		for _, h := range s.Ack.Hops {
			l.Hops = append(l.Hops, hopOf(h))
		}
	}
	return true
}

func hopOf(h netsim.PortSample) ackHop {
	return ackHop{Time: h.TS / unit.Nanosecond * unit.Nanosecond, Sent: h.Sent, Queue: unit.Bytes(h.Queue)}
}

// field is a value of a line, as text in the format of the file.
type field struct{ name, text string }

// named is the number of columns at the beginning of every line that are written without their names.
const named = 3

// fields returns the columns of a line. Real numbers have the given number of significant digits.
func (f *ackFormat) fields(l *ackLine, digits int) []field {
	list := []field{
		{"time", fmt.Sprint(l.Time.Nanoseconds())}, {"node", fmt.Sprint(l.Node)}, {"port", fmt.Sprint(l.Port)},
	}
	for i, c := range f.kind(l.Kind).Columns {
		if c.Real {
			list = append(list, field{c.Name, strconv.FormatFloat(l.Values[i], 'g', digits, 64)})
		} else {
			list = append(list, field{c.Name, strconv.FormatFloat(l.Values[i], 'f', -1, 64)})
		}
	}
	for i, h := range l.Hops {
		value := fmt.Sprintf("%d/%d/%d", h.Time.Nanoseconds(), int64(h.Sent), int64(h.Queue))
		list = append(list, field{fmt.Sprintf("hop%d", i), value})
	}
	return list
}

// text returns a line in the format of acks.txt. Real numbers have the given number of significant digits.
func (f *ackFormat) text(l *ackLine, digits int) string {
	var b strings.Builder
	b.WriteString(l.Kind)
	for i, x := range f.fields(l, digits) {
		if i < named {
			b.WriteString(" " + x.text)
		} else {
			b.WriteString(" " + x.name + "=" + x.text)
		}
	}
	return b.String()
}

// equal reports whether two lines are equal when real numbers are rounded to the given number of significant digits.
// It is called for every line of a trace, so it allocates nothing.
func (f *ackFormat) equal(a, b *ackLine, digits int) bool {
	if a.Kind != b.Kind || a.Time != b.Time || a.Node != b.Node || a.Port != b.Port || !slices.Equal(a.Hops, b.Hops) {
		return false
	}
	for i, c := range f.kind(a.Kind).Columns {
		if c.Ours != nil && a.Values[i] != b.Values[i] && (!c.Real || !same(a.Values[i], b.Values[i], digits)) {
			return false
		}
	}
	return true
}

func same(x, y float64, digits int) bool {
	var p, q [32]byte
	return bytes.Equal(strconv.AppendFloat(p[:0], x, 'g', digits, 64), strconv.AppendFloat(q[:0], y, 'g', digits, 64))
}

// parse reads a line of acks.txt. digits is the largest number of significant digits of a real number in the line.
func (f *ackFormat) parse(line string) (l ackLine, digits int, err error) {
	p := lineParser{words: strings.Fields(line), format: f.Name}
	if len(p.words) == 0 || f.kind(p.words[0]) == nil {
		return ackLine{}, 0, fmt.Errorf("want %s, time, node, source port and the further columns of the format %s",
			f.words(), f.Name)
	}
	l.Kind, p.words = p.words[0], p.words[1:]
	l.Time = unit.Nanosecond * unit.Time(p.whole("time", "", 0, maxNanoseconds))
	l.Node = int32(p.whole("node", "", 0, math.MaxInt32))
	l.Port = uint16(p.whole("source port", "", 0, math.MaxUint16))
	for _, c := range f.kind(l.Kind).Columns {
		l.Values = append(l.Values, p.value(&c))
	}
	for i := 0; f.Hops && p.err == nil && len(p.words) > 0; i++ {
		l.Hops = append(l.Hops, p.hop(fmt.Sprintf("hop%d", i)))
	}
	if p.err == nil && len(p.words) > 0 {
		p.err = fmt.Errorf("%q is one value too many", p.words[0])
	}
	return l, p.digits, p.err
}

const maxNanoseconds = int64(unit.Never-1) / int64(unit.Nanosecond)

// lineParser parses the words of a line one after another and stores the first error.
type lineParser struct {
	words  []string
	format string
	digits int
	err    error
}

// take returns the text after the prefix of the next word.
func (p *lineParser) take(name, prefix string) string {
	switch {
	case p.err != nil:
		return ""
	case len(p.words) == 0:
		p.err = fmt.Errorf("%s is missing", name)
		return ""
	case !strings.HasPrefix(p.words[0], prefix):
		p.err = fmt.Errorf("%q, want %s, as with %s", p.words[0], prefix, p.format)
		return ""
	}
	text := p.words[0][len(prefix):]
	p.words = p.words[1:]
	return text
}

func (p *lineParser) value(c *ns3.Column) float64 {
	if !c.Real {
		return float64(p.whole(c.Name, c.Name+"=", int64(c.Min), int64(c.Max)))
	}
	return p.real(c.Name, c.Name+"=", c.Min < 0)
}

func (p *lineParser) whole(name, prefix string, min, max int64) int64 {
	text := p.take(name, prefix)
	if p.err != nil {
		return 0
	}
	v, err := strconv.ParseUint(text, 10, 63)
	if err != nil || int64(v) < min || int64(v) > max {
		p.err = fmt.Errorf("%s = %q, want a whole number between %d and %d", name, text, min, max)
	}
	return int64(v)
}

func (p *lineParser) real(name, prefix string, negative bool) float64 {
	text := p.take(name, prefix)
	if p.err != nil {
		return 0
	}
	v, err := strconv.ParseFloat(text, 64)
	odd := strings.ContainsAny(text, "xXpP_+") && !strings.Contains(text, "e+")
	if err != nil || math.IsNaN(v) || math.Abs(v) > math.MaxFloat64 || odd || !negative && math.Signbit(v) {
		want := "a decimal number"
		if !negative {
			want += " that is not negative"
		}
		p.err = fmt.Errorf("%s = %q, want %s", name, text, want)
		return 0
	}
	mantissa, _, _ := strings.Cut(strings.TrimPrefix(text, "-"), "e")
	mantissa = strings.TrimLeft(strings.Replace(mantissa, ".", "", 1), "0")
	p.digits = max(p.digits, min(len(mantissa), 17))
	return v
}

func (p *lineParser) hop(name string) ackHop {
	text := p.take(name, name+"=")
	parts := strings.Split(text, "/")
	if p.err == nil && len(parts) != 3 {
		p.err = fmt.Errorf("%s = %q, want time/bytes/queue", name, text)
	}
	if p.err != nil {
		return ackHop{}
	}
	q := lineParser{words: parts}
	h := ackHop{
		Time:  unit.Nanosecond * unit.Time(q.whole(name+", time", "", 0, maxNanoseconds)),
		Sent:  unit.Bytes(q.whole(name+", bytes", "", 0, math.MaxInt64)),
		Queue: unit.Bytes(q.whole(name+", queue", "", 0, math.MaxInt64)),
	}
	p.err = q.err
	return h
}

// ackReader reads an acks.txt line by line. Empty lines are skipped.
type ackReader struct {
	lines  *bufio.Scanner
	format *ackFormat
	name   string
	line   int
}

// newAckReader reads lines of a format from r. Error messages contain name, the name of the file.
func newAckReader(r io.Reader, f *ackFormat, name string) *ackReader {
	return &ackReader{lines: bufio.NewScanner(r), format: f, name: name}
}

// Next returns the next line; ok is false at the end.
func (r *ackReader) Next() (l ackLine, digits int, ok bool, err error) {
	for r.lines.Scan() {
		r.line++
		if strings.TrimSpace(r.lines.Text()) == "" {
			continue
		}
		l, digits, err = r.format.parse(r.lines.Text())
		if err != nil {
			return ackLine{}, 0, false, fmt.Errorf("%s:%d: %w", r.name, r.line, err)
		}
		return l, digits, true, nil
	}
	if err := input.LineError(r.lines.Err(), bufio.MaxScanTokenSize); err != nil {
		return ackLine{}, 0, false, fmt.Errorf("%s:%d: %w", r.name, r.line+1, err)
	}
	return ackLine{}, 0, false, nil
}

// ackFile is an open acks.txt or acks.txt.gz.
type ackFile struct {
	*ackReader
	file *os.File
}

func openAcks(path string, format *ackFormat) (*ackFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(path, ".gz") {
		return &ackFile{newAckReader(f, format, path), f}, nil
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return &ackFile{newAckReader(z, format, path), f}, nil
}

func (f *ackFile) Close() error { return f.file.Close() }

// AckResult is the outcome of a comparison of traces.
type AckResult struct {
	File  string `json:"file"`
	Lines int    `json:"lines"` // lines of the file
	Same  int    `json:"same"`  // number of compared lines before the two runs diverge
	// First is the line at which the runs diverge; nil if they agree.
	First *AckDifference `json:"first,omitempty"`
}

// AckDifference is the first line that differs between the two runs.
type AckDifference struct {
	Line   int    `json:"line"` // number in the file; one past its end if only we have more
	Kind   string `json:"kind"` // first word of the line
	Time   int64  `json:"time_ns"`
	Node   int32  `json:"node"`
	Port   uint16 `json:"source_port"`
	Field  string `json:"field"`  // first field that differs, or "end" if one run has no more lines
	Ours   string `json:"ours"`   // our value, or the whole line
	Theirs string `json:"theirs"` // the same
}

// ackComparison compares the steps of a run with a file while the simulation runs.
type ackComparison struct {
	AckResult
	format *ackFormat
	file   *ackFile
	digits int
	ours   ackLine
	err    error
}

// compareAcks prepares a comparison. It reads the whole file once before the run, to find errors in the file and the
// precision of the numbers.
func compareAcks(path string, format *ackFormat) (*ackComparison, error) {
	f, err := openAcks(path, format)
	if err != nil {
		return nil, err
	}
	c := &ackComparison{AckResult: AckResult{File: path}, format: format, digits: 1}
	for {
		_, digits, ok, err := f.Next()
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		if !ok {
			break
		}
		c.Lines++
		c.digits = max(c.digits, digits)
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	if c.Lines == 0 {
		return nil, fmt.Errorf("%s: no acknowledgements", path)
	}
	c.file, err = openAcks(path, format)
	return c, err
}

// take compares one step of our run.
func (c *ackComparison) take(now unit.Time, s *transport.Step) {
	if c.First != nil || c.err != nil || !c.ours.take(c.format, now, s) {
		return
	}
	theirs, _, ok, err := c.file.Next()
	switch {
	case err != nil:
		c.err = err
	case !ok:
		c.First = differ(&c.ours, c.file.line+1)
		c.First.Field, c.First.Ours = "end", c.format.text(&c.ours, c.digits)
	case c.format.equal(&c.ours, &theirs, c.digits):
		c.Same++
	default:
		c.First = differ(&theirs, c.file.line)
		c.First.Field, c.First.Ours, c.First.Theirs = c.format.firstDifference(&c.ours, &theirs, c.digits)
	}
}

func differ(l *ackLine, number int) *AckDifference {
	return &AckDifference{Line: number, Kind: l.Kind, Time: l.Time.Nanoseconds(), Node: l.Node, Port: l.Port}
}

// firstDifference returns the first column that differs between two lines.
func (f *ackFormat) firstDifference(a, b *ackLine, digits int) (name, ours, theirs string) {
	if a.Kind != b.Kind {
		return "kind", a.Kind, b.Kind
	}
	x, y, columns := f.fields(a, digits), f.fields(b, digits), f.kind(a.Kind).Columns
	for i := range max(len(x), len(y)) {
		switch k := i - named; {
		case k >= 0 && k < len(columns) && columns[k].Ours == nil:
		case i >= len(x):
			return y[i].name, "none", y[i].text
		case i >= len(y):
			return x[i].name, x[i].text, "none"
		case x[i] != y[i]:
			return y[i].name, x[i].text, y[i].text
		}
	}
	return "", "", ""
}

// finish checks whether the file has more lines than the run.
func (c *ackComparison) finish() (*AckResult, error) {
	if c.err == nil && c.First == nil {
		theirs, _, ok, err := c.file.Next()
		c.err = err
		if ok {
			c.First = differ(&theirs, c.file.line)
			c.First.Field, c.First.Theirs = "end", c.format.text(&theirs, c.digits)
		}
	}
	return &c.AckResult, errors.Join(c.err, c.file.Close())
}

// String returns the result in one line.
func (r *AckResult) String() string {
	d := r.First
	switch {
	case d == nil:
		return number.Plural(r.Lines, "the only line of the trace agrees",
			fmt.Sprintf("all %d lines of the trace agree", r.Lines))
	case d.Field == "end" && d.Theirs == "":
		return fmt.Sprintf("%s %s; then the trace ends, and our run continues with %q", number.Count(r.Same, "line"),
			number.Plural(r.Same, "agrees", "agree"), d.Ours)
	case d.Field == "end":
		return fmt.Sprintf("%s %s; then our run ends, and the trace continues in line %d with %q",
			number.Count(r.Same, "line"), number.Plural(r.Same, "agrees", "agree"), d.Line, d.Theirs)
	}
	return fmt.Sprintf("%d of %s of the trace %s; line %d is the first that differs: %s at %d ns, node %d, source "+
		"port %d: %s is %s, in our run %s", r.Same, number.Count(r.Lines, "line"),
		number.Plural(r.Same, "agrees", "agree"), d.Line, d.Kind, d.Time, d.Node, d.Port, d.Field, d.Theirs, d.Ours)
}
