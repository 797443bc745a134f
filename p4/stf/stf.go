package stf

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pintlab/internal/input"
	"pintlab/p4/interp/v1model"
)

// maxPacket bounds the bytes of a packet.
const maxPacket = 1 << 16

// Test is a test whose text has been read.
type Test struct {
	Name  string
	steps []step
}

// step is a statement.
type step struct {
	line int
	verb string

	port     int    // of packet and expect
	data     []byte // of packet
	pattern  string // of expect: digits and *
	exact    bool   // nothing follows the pattern
	name     string // of a table or counter
	priority int    // of an entry; -1 if it has none
	keys     []pair
	action   string
	args     []pair
	label    string // of an entry
	index    string // of a counter, or a label
	octets   bool   // a counter of bytes
	compare  string // ==, !=, <, <=, > or >=
	count    uint64
	command  string // of simple_switch_CLI
}

// pair is a key or parameter and its value.
type pair struct{ name, value string }

// direct are the commands of simple_switch_CLI that are statements, too.
var direct = []string{
	"mirroring_add", "mirroring_add_mc", "mirroring_delete", "mirroring_get", "mc_mgrp_create", "mc_node_create", "mc_node_update",
	"mc_node_associate", "counter_read", "counter_write", "register_read", "register_write", "register_reset", "meter_get_rates",
	"meter_set_rates", "meter_array_set_rates",
}

// parsers read what follows the first word of a statement. Packets are read by words, because a digit
// of them is no token.
var parsers = map[string]func(*step, *line){
	"add":           (*step).add,
	"setdefault":    (*step).setDefault,
	"check_counter": (*step).checkCounter,
	"remove":        func(_ *step, l *line) { l.want("all") },
	"wait":          func(*step, *line) {},
	"no_packet":     func(*step, *line) {},
}

// Read reads a file.
func Read(name string) (*Test, error) {
	data, err := input.ReadFile(name, input.Document)
	if err != nil {
		return nil, err
	}
	return Parse(name, bytes.NewReader(data))
}

// Parse reads a test. Its name is for messages. The error lists every statement that is not right.
func Parse(name string, r io.Reader) (*Test, error) {
	t := &Test{Name: name}
	var errs []error
	s := bufio.NewScanner(r)
	s.Buffer(nil, 1<<20)
	n := 1
	for ; s.Scan(); n++ {
		text, _, _ := strings.Cut(s.Text(), "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		x := step{line: n, verb: strings.ToLower(words[0]), priority: -1}
		if err := x.parse(words, text); err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %w", name, n, err))
		}
		t.steps = append(t.steps, x)
	}
	if err := s.Err(); err != nil {
		errs = append(errs, fmt.Errorf("%s:%d: %w", name, n, err))
	}
	return t, errors.Join(errs...)
}

// parse reads a statement, of which words are the words.
func (s *step) parse(words []string, text string) error {
	switch {
	case s.verb == "packet" || s.verb == "expect":
		if err := s.packet(words[1:]); err != nil {
			return fmt.Errorf("%s: %w", s.verb, err)
		}
		return nil
	case slices.Contains(direct, s.verb):
		s.command = strings.Join(append([]string{s.verb}, words[1:]...), " ")
		return nil
	case parsers[s.verb] == nil:
		return fmt.Errorf("statement %q: want add, check_counter, expect, no_packet, packet, remove, setdefault, wait, %s", words[0], strings.Join(direct, ", "))
	}
	l := tokens(text)
	l.next()
	parsers[s.verb](s, l)
	if l.peek() != "" {
		l.fail("the end of the line")
	}
	if l.err != nil {
		return fmt.Errorf("%s: %w", s.verb, l.err)
	}
	return nil
}

// packet reads a port and the digits of a packet.
func (s *step) packet(words []string) error {
	if len(words) == 0 {
		return errors.New("want a port")
	}
	port, err := strconv.Atoi(words[0])
	if err != nil || port < 0 || port >= v1model.DropPort {
		return fmt.Errorf("port %q: want 0 to %d", words[0], v1model.DropPort-1)
	}
	s.port = port
	digits := strings.ToLower(strings.Join(words[1:], ""))
	if len(digits) > 2*maxPacket {
		return fmt.Errorf("%d digits: want at most %d bytes", len(digits), maxPacket)
	}
	if s.verb == "expect" {
		s.pattern, s.exact = strings.CutSuffix(digits, "$")
		if i := strings.IndexFunc(s.pattern, func(r rune) bool { return !strings.ContainsRune("0123456789abcdef*", r) }); i >= 0 {
			return fmt.Errorf("%q: want hexadecimal digits, * for any, and $ for the end of the packet", s.pattern[i:])
		}
		return nil
	}
	if s.data, err = hex.DecodeString(digits); err != nil || len(digits) == 0 {
		return fmt.Errorf("%q: want bytes of two hexadecimal digits each", digits)
	}
	return nil
}

// add reads "TABLE [PRIORITY] KEY:VALUE... ACTION(PARAMETER:VALUE, ...) [= LABEL]".
func (s *step) add(l *line) {
	s.name = l.name()
	if decimal.MatchString(l.peek()) {
		s.priority = int(l.decimal())
	}
	for l.err == nil && s.action == "" {
		name := l.name()
		if l.peek() == "(" {
			s.action, s.args = name, l.args()
			break
		}
		l.want(":")
		value := l.number()
		if l.peek() == "/" {
			value += l.next() + l.number()
		}
		s.keys = append(s.keys, pair{name, value})
	}
	if l.peek() == "=" {
		l.next()
		s.label = strings.TrimPrefix(l.name(), "$")
	}
}

// setDefault reads "TABLE ACTION(PARAMETER:VALUE, ...)".
func (s *step) setDefault(l *line) {
	s.name, s.action = l.name(), l.name()
	s.args = l.args()
}

// checkCounter reads "COUNTER(INDEX) [packets|bytes == N]".
func (s *step) checkCounter(l *line) {
	s.name, s.compare = l.name(), "=="
	l.want("(")
	s.index = strings.TrimPrefix(l.next(), "$")
	l.want(")")
	if l.peek() == "" {
		return
	}
	switch l.peek() {
	case "bytes", "packets":
		s.octets = l.next() == "bytes"
	default:
		l.fail("packets or bytes")
	}
	if s.compare = l.next(); comparisons[s.compare] == nil {
		l.fail("==, !=, <, <=, > or >=")
	}
	s.count = l.decimal()
}

// comparisons are those of check_counter.
var comparisons = map[string]func(a, b uint64) bool{
	"==": func(a, b uint64) bool { return a == b },
	"!=": func(a, b uint64) bool { return a != b },
	"<":  func(a, b uint64) bool { return a < b },
	"<=": func(a, b uint64) bool { return a <= b },
	">":  func(a, b uint64) bool { return a > b },
	">=": func(a, b uint64) bool { return a >= b },
}

var (
	token   = regexp.MustCompile(`^(0[xX][0-9a-fA-F*]+|0[bB][01*]+|[0-9]+|[A-Za-z_$][A-Za-z0-9_$]*|[=!<>]=|[^ \t])`)
	word    = regexp.MustCompile(`^[A-Za-z_$]`)
	number  = regexp.MustCompile(`^[0-9]`)
	decimal = regexp.MustCompile(`^[0-9]+$`)
)

// line is the tokens of a statement that are left, and the first error.
type line struct {
	tokens []string
	last   string // the token before
	err    error
}

func tokens(text string) *line {
	l := &line{}
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		t := token.FindString(text)
		l.tokens, text = append(l.tokens, t), text[len(t):]
	}
	return l
}

// peek returns the next token, "" at the end of the line.
func (l *line) peek() string {
	if len(l.tokens) == 0 {
		return ""
	}
	return l.tokens[0]
}

func (l *line) next() string {
	l.last = l.peek()
	if l.last != "" {
		l.tokens = l.tokens[1:]
	}
	return l.last
}

// fail keeps the first error: what was wanted at the next token.
func (l *line) fail(want string) {
	if l.err == nil {
		at := strconv.Quote(l.peek())
		if l.peek() == "" {
			at = "the end of the line"
		}
		l.err = fmt.Errorf("at %s after %q: want %s", at, l.last, want)
	}
}

// take returns the next token if it is as wanted.
func (l *line) take(is *regexp.Regexp, want string) string {
	if !is.MatchString(l.peek()) {
		l.fail(want)
		return ""
	}
	return l.next()
}

func (l *line) want(t string) {
	if !strings.EqualFold(l.peek(), t) {
		l.fail(t)
		return
	}
	l.next()
}

// number returns a number, in which * may stand for digits.
func (l *line) number() string { return l.take(number, "a number") }

func (l *line) decimal() uint64 {
	n, err := strconv.ParseUint(l.take(decimal, "a decimal number"), 10, 32)
	if err != nil {
		l.fail("a decimal number below 2^32 before it")
	}
	return n
}

// name returns a name with what follows its dots.
func (l *line) name() string {
	name := l.take(word, "a name")
	for l.err == nil {
		switch l.peek() {
		case ".":
			l.next()
			name += "." + l.take(word, "a name")
		case "[":
			l.next()
			name += "[" + l.take(decimal, "an index") + "]"
			l.want("]")
		default:
			return name
		}
	}
	return name
}

// args returns the parameters of an action.
func (l *line) args() []pair {
	var list []pair
	l.want("(")
	for l.err == nil && l.peek() != ")" {
		if len(list) > 0 {
			l.want(",")
		}
		name := l.name()
		l.want(":")
		list = append(list, pair{name, l.number()})
	}
	l.want(")")
	return list
}
