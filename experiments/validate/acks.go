package validate

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// Ack is a line of acks.txt: an acknowledgement that set the rate of a flow.
type Ack struct {
	Time      unit.Time // whole nanoseconds
	Node      int32     // sender of the flow
	Port      uint16    // source port of the flow
	Seq       int64     // next byte that the receiver expects
	Next      int64     // first byte not sent yet
	Fast      bool      // between two moves of the reference
	Load      float64   // utilisation that scaled the reference
	Rate      unit.Rate // new
	Reference unit.Rate // that was scaled

	INT    bool      // else PINT
	Sample float64   // INT: load of the busiest link since the ACK before
	Span   unit.Time // INT: time of Sample, whole nanoseconds
	Hops   []AckHop  // INT
	Code   uint32    // PINT: code of Load
}

// AckHop is what a switch wrote into the packet, in the units of INT.
type AckHop struct {
	Time  unit.Time // whole nanoseconds
	Sent  unit.Bytes
	Queue unit.Bytes
}

// ackOf is the line that belongs to an acknowledgement of ours. Hops go to hops.
func ackOf(now unit.Time, t *transport.AckTrace, isINT bool, hops []AckHop) Ack {
	a := Ack{
		Time: now / unit.Nanosecond * unit.Nanosecond, Node: int32(t.Flow.Src), Port: t.Flow.SrcPort,
		Seq: t.Ack.Seq, Next: t.Ack.Next, Fast: t.Fast, Load: t.Load, Rate: t.Rate, Reference: t.Reference,
		INT: isINT, Code: t.Code,
	}
	if isINT {
		a.Sample, a.Span = t.Sample, t.Span/unit.Nanosecond*unit.Nanosecond
		a.Hops = hops[:0]
		for _, h := range t.Ack.Hops {
			a.Hops = append(a.Hops, hopOf(h))
		}
	}
	return a
}

func hopOf(h netsim.PortSample) AckHop {
	return AckHop{Time: h.TS / unit.Nanosecond * unit.Nanosecond, Sent: h.Sent, Queue: unit.Bytes(h.Queue)}
}

// field is a value as the file has it.
type field struct{ name, text string }

// fields are the columns of the line, reals with the given number of significant
// digits.
func (a *Ack) fields(digits int) []field {
	real := func(x float64) string { return strconv.FormatFloat(x, 'g', digits, 64) }
	fast := "0"
	if a.Fast {
		fast = "1"
	}
	list := []field{
		{"time", fmt.Sprint(a.Time.Nanoseconds())}, {"node", fmt.Sprint(a.Node)}, {"port", fmt.Sprint(a.Port)},
		{"ack", fmt.Sprint(a.Seq)}, {"nxt", fmt.Sprint(a.Next)}, {"fast", fast},
	}
	if a.INT {
		list = append(list, field{"Umax", real(a.Sample)}, field{"dt", fmt.Sprint(a.Span.Nanoseconds())}, field{"u", real(a.Load)})
	} else {
		list = append(list, field{"power", fmt.Sprint(a.Code)}, field{"U", real(a.Load)})
	}
	list = append(list, field{"rate", fmt.Sprint(int64(a.Rate))}, field{"cur", fmt.Sprint(int64(a.Reference))})
	for i, h := range a.Hops {
		list = append(list, field{fmt.Sprintf("hop%d", i), fmt.Sprintf("%d/%d/%d", h.Time.Nanoseconds(), int64(h.Sent), int64(h.Queue))})
	}
	return list
}

// Line is the line of acks.txt, reals with the given number of significant digits.
func (a *Ack) Line(digits int) string {
	var b strings.Builder
	b.WriteString("ACK")
	for i, f := range a.fields(digits) {
		if i < 3 {
			b.WriteString(" " + f.text)
		} else {
			b.WriteString(" " + f.name + "=" + f.text)
		}
	}
	return b.String()
}

// equal says whether two lines are the same with so many significant digits. It is
// the common case and allocates nothing.
func (a *Ack) equal(b *Ack, digits int) bool {
	return a.Time == b.Time && a.Node == b.Node && a.Port == b.Port && a.Seq == b.Seq && a.Next == b.Next &&
		a.Fast == b.Fast && a.INT == b.INT && a.Rate == b.Rate && a.Reference == b.Reference && a.Span == b.Span &&
		a.Code == b.Code && same(a.Load, b.Load, digits) && same(a.Sample, b.Sample, digits) && slices.Equal(a.Hops, b.Hops)
}

func same(x, y float64, digits int) bool {
	var p, q [32]byte
	return x == y || string(strconv.AppendFloat(p[:0], x, 'g', digits, 64)) == string(strconv.AppendFloat(q[:0], y, 'g', digits, 64))
}

// ParseAck reads a line of acks.txt. digits is the largest number of significant
// digits of its reals.
func ParseAck(line string) (a Ack, digits int, err error) {
	words := strings.Fields(line)
	if len(words) < 8 || words[0] != "ACK" {
		return Ack{}, 0, fmt.Errorf("want ACK, time, node, source port, ack=, nxt=, fast= and what follows from them")
	}
	p := ackParser{words: words[1:]}
	a.Time = unit.Nanosecond * unit.Time(p.whole("time", "", 0, maxNanoseconds))
	a.Node = int32(p.whole("node", "", 0, math.MaxInt32))
	a.Port = uint16(p.whole("source port", "", 0, math.MaxUint16))
	a.Seq = p.whole("ack", "ack=", 0, math.MaxInt64)
	a.Next = p.whole("nxt", "nxt=", 0, math.MaxInt64)
	a.Fast = p.whole("fast", "fast=", 0, 1) == 1
	if a.INT = p.next("Umax="); a.INT {
		a.Sample = p.real("Umax", "Umax=")
		a.Span = unit.Nanosecond * unit.Time(p.whole("dt", "dt=", 0, maxNanoseconds))
		a.Load = p.real("u", "u=")
	} else {
		a.Code = uint32(p.whole("power", "power=", 0, math.MaxUint32))
		a.Load = p.real("U", "U=")
	}
	a.Rate = unit.Rate(p.whole("rate", "rate=", 1, math.MaxInt64))
	a.Reference = unit.Rate(p.whole("cur", "cur=", 1, math.MaxInt64))
	for i := 0; a.INT && p.err == nil && len(p.words) > 0; i++ {
		a.Hops = append(a.Hops, p.hop(fmt.Sprintf("hop%d", i)))
	}
	if p.err == nil && len(p.words) > 0 {
		p.err = fmt.Errorf("%q is too much", p.words[0])
	}
	return a, p.digits, p.err
}

const maxNanoseconds = int64(unit.Never-1) / int64(unit.Nanosecond)

// ackParser takes the words of a line one after the other and keeps the first
// error.
type ackParser struct {
	words  []string
	digits int
	err    error
}

func (p *ackParser) next(prefix string) bool {
	return len(p.words) > 0 && strings.HasPrefix(p.words[0], prefix)
}

// take is the text after the prefix of the next word.
func (p *ackParser) take(name, prefix string) string {
	switch {
	case p.err != nil:
		return ""
	case len(p.words) == 0:
		p.err = fmt.Errorf("%s is missing", name)
		return ""
	case !p.next(prefix):
		p.err = fmt.Errorf("%q, want %s", p.words[0], prefix)
		return ""
	}
	text := p.words[0][len(prefix):]
	p.words = p.words[1:]
	return text
}

func (p *ackParser) whole(name, prefix string, min, max int64) int64 {
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

func (p *ackParser) real(name, prefix string) float64 {
	text := p.take(name, prefix)
	if p.err != nil {
		return 0
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0 && v <= math.MaxFloat64) || strings.ContainsAny(text, "xXpP_+") && !strings.Contains(text, "e+") {
		p.err = fmt.Errorf("%s = %q, want a decimal number that is not negative", name, text)
		return 0
	}
	mantissa, _, _ := strings.Cut(text, "e")
	mantissa = strings.TrimLeft(strings.Replace(mantissa, ".", "", 1), "0")
	p.digits = max(p.digits, min(len(mantissa), 17))
	return v
}

func (p *ackParser) hop(name string) AckHop {
	text := p.take(name, name+"=")
	parts := strings.Split(text, "/")
	if p.err == nil && len(parts) != 3 {
		p.err = fmt.Errorf("%s = %q, want time/bytes/queue", name, text)
	}
	if p.err != nil {
		return AckHop{}
	}
	q := ackParser{words: parts}
	h := AckHop{
		Time:  unit.Nanosecond * unit.Time(q.whole(name+", time", "", 0, maxNanoseconds)),
		Sent:  unit.Bytes(q.whole(name+", bytes", "", 0, math.MaxInt64)),
		Queue: unit.Bytes(q.whole(name+", queue", "", 0, math.MaxInt64)),
	}
	p.err = q.err
	return h
}

// AckReader reads an acks.txt line by line. Empty lines are skipped.
type AckReader struct {
	lines *bufio.Scanner
	name  string
	line  int
}

// NewAckReader reads from r; name is the file, for errors.
func NewAckReader(r io.Reader, name string) *AckReader {
	return &AckReader{lines: bufio.NewScanner(r), name: name}
}

// Next is the next line; ok is false at the end.
func (r *AckReader) Next() (a Ack, digits int, ok bool, err error) {
	for r.lines.Scan() {
		r.line++
		if strings.TrimSpace(r.lines.Text()) == "" {
			continue
		}
		a, digits, err = ParseAck(r.lines.Text())
		if err != nil {
			return Ack{}, 0, false, fmt.Errorf("%s:%d: %w", r.name, r.line, err)
		}
		return a, digits, true, nil
	}
	if err := r.lines.Err(); err != nil {
		return Ack{}, 0, false, fmt.Errorf("%s:%d: %w", r.name, r.line+1, err)
	}
	return Ack{}, 0, false, nil
}

// ackFile is an open acks.txt or acks.txt.gz.
type ackFile struct {
	*AckReader
	file *os.File
}

func openAcks(path string) (*ackFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(path, ".gz") {
		return &ackFile{NewAckReader(f, path), f}, nil
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return &ackFile{NewAckReader(z, path), f}, nil
}

func (f *ackFile) Close() error { return f.file.Close() }

// AckResult is what a comparison of acknowledgements came to.
type AckResult struct {
	File  string `json:"file"`
	Lines int    `json:"lines"` // of the file
	Same  int    `json:"same"`  // of these, before the two runs part
	// First is where the runs part; nil if they agree.
	First *AckDifference `json:"first,omitempty"`
}

// AckDifference is the first acknowledgement that is not the same in both runs.
type AckDifference struct {
	Line   int    `json:"line"` // of the file; one past its end if only we have more
	Time   int64  `json:"time_ns"`
	Node   int32  `json:"node"`
	Port   uint16 `json:"source_port"`
	Seq    int64  `json:"ack"`
	Field  string `json:"field"`  // that differs first, or "end" if one has no more ACKs
	Ours   string `json:"ours"`   // its value, or the whole line
	Theirs string `json:"theirs"` // the same
}

// ackComparison holds the acknowledgements of a run against a file while it runs.
type ackComparison struct {
	AckResult
	file   *ackFile
	digits int
	isINT  bool
	hops   []AckHop
	err    error
}

// compareAcks reads the whole file once, so that what is wrong with it comes out
// before the run and the precision of its numbers is known.
func compareAcks(path string, isINT bool) (*ackComparison, error) {
	f, err := openAcks(path)
	if err != nil {
		return nil, err
	}
	c := &ackComparison{AckResult: AckResult{File: path}, isINT: isINT}
	for {
		a, digits, ok, err := f.Next()
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		if !ok {
			break
		}
		if a.INT != isINT {
			kind := map[bool]string{true: "INT", false: "PINT"}
			return nil, errors.Join(fmt.Errorf("%s:%d: an acknowledgement of %s, but config.txt asks for %s", path, f.line, kind[a.INT], kind[isINT]), f.Close())
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
	c.file, err = openAcks(path)
	return c, err
}

// take compares one acknowledgement of ours.
func (c *ackComparison) take(now unit.Time, t *transport.AckTrace) {
	if c.First != nil || c.err != nil {
		return
	}
	ours := ackOf(now, t, c.isINT, c.hops)
	c.hops = ours.Hops
	theirs, _, ok, err := c.file.Next()
	switch {
	case err != nil:
		c.err = err
	case !ok:
		c.First = differ(&ours, c.file.line+1)
		c.First.Field, c.First.Ours = "end", ours.Line(max(c.digits, 1))
	case ours.equal(&theirs, max(c.digits, 1)):
		c.Same++
	default:
		c.First = differ(&theirs, c.file.line)
		c.First.Field, c.First.Ours, c.First.Theirs = firstDifference(ours.fields(max(c.digits, 1)), theirs.fields(max(c.digits, 1)))
	}
}

func differ(a *Ack, line int) *AckDifference {
	return &AckDifference{Line: line, Time: a.Time.Nanoseconds(), Node: a.Node, Port: a.Port, Seq: a.Seq}
}

// firstDifference is the first column that two lines do not share.
func firstDifference(ours, theirs []field) (name, our, their string) {
	for i := range max(len(ours), len(theirs)) {
		switch {
		case i >= len(ours):
			return theirs[i].name, "none", theirs[i].text
		case i >= len(theirs):
			return ours[i].name, ours[i].text, "none"
		case ours[i] != theirs[i]:
			return cmp.Or(theirs[i].name, ours[i].name), ours[i].text, theirs[i].text
		}
	}
	return "", "", ""
}

// finish looks whether the file has more than the run.
func (c *ackComparison) finish() (*AckResult, error) {
	if c.err == nil && c.First == nil {
		theirs, _, ok, err := c.file.Next()
		c.err = err
		if ok {
			c.First = differ(&theirs, c.file.line)
			c.First.Field, c.First.Theirs = "end", theirs.Line(max(c.digits, 1))
		}
	}
	return &c.AckResult, errors.Join(c.err, c.file.Close())
}

// String says in a line what came out.
func (r *AckResult) String() string {
	d := r.First
	switch {
	case d == nil:
		return fmt.Sprintf("all %d ACKs agree", r.Lines)
	case d.Field == "end" && d.Theirs == "":
		return fmt.Sprintf("after %d ACKs that agree the file ends, our run goes on with %q", r.Same, d.Ours)
	case d.Field == "end":
		return fmt.Sprintf("after %d ACKs that agree our run ends, the file goes on in line %d with %q", r.Same, d.Line, d.Theirs)
	}
	return fmt.Sprintf("%d of %d ACKs agree; line %d is the first that differs: at %d ns, node %d, source port %d, ack %d: %s is %s, ours %s",
		r.Same, r.Lines, d.Line, d.Time, d.Node, d.Port, d.Seq, d.Field, d.Theirs, d.Ours)
}
