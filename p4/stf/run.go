package stf

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pintlab/p4/interp"
	"pintlab/p4/interp/exec"
	"pintlab/p4/interp/ir"
)

// Result is the outcome of a test.
type Result struct {
	Test    string `json:"test"`
	Pass    bool   `json:"pass"`
	In      int    `json:"in"`      // packets
	Out     int    `json:"out"`     // packets of all ports
	Unnamed int    `json:"unnamed"` // of these, packets of ports that the test does not name
	// Failures are what the program does otherwise than the test expects.
	Failures []string `json:"failures"`
}

// sent is a packet that has left, and the line of the one that it was made of.
type sent struct {
	data []byte
	line int
}

// run is a test that runs.
type run struct {
	*Test
	pipe   *interp.Pipeline
	result Result
	left   map[int][]sent // by port
	last   int            // packets that the last one has made; -1 if there was none
	labels map[string]int // handles of entries
}

// Run runs the test. The error is about the test, such as a table that the program does not have.
func (t *Test) Run(ctx context.Context, pipe *interp.Pipeline) (Result, error) {
	r := &run{Test: t, pipe: pipe, last: -1, left: map[int][]sent{}, labels: map[string]int{}}
	r.result = Result{Test: t.Name, Failures: []string{}}
	expected := map[int][]*step{}
	named := map[int]bool{}
	var errs []error
	for i := range t.steps {
		s := &t.steps[i]
		if ctx.Err() != nil {
			return r.result, ctx.Err()
		}
		if s.verb == "packet" || s.verb == "expect" {
			named[s.port] = true
		}
		if s.verb == "expect" {
			expected[s.port] = append(expected[s.port], s)
		} else if err := r.step(s); err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %w", t.Name, s.line, err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return r.result, err
	}
	for port := range r.left {
		if !named[port] {
			r.result.Unnamed += len(r.left[port])
		}
	}
	for i := range t.steps {
		s := &t.steps[i]
		if (s.verb == "packet" || s.verb == "expect") && named[s.port] {
			named[s.port] = false
			r.compare(s.port, expected[s.port], r.left[s.port])
		}
	}
	r.result.Pass = len(r.result.Failures) == 0
	return r.result, nil
}

func (r *run) fail(line int, format string, args ...any) {
	r.result.Failures = append(r.result.Failures, fmt.Sprintf("%s:%d: ", r.Name, line)+fmt.Sprintf(format, args...))
}

// step does what a statement says.
func (r *run) step(s *step) error {
	switch s.verb {
	case "packet":
		outs, err := r.pipe.Process(s.port, s.data)
		if err != nil {
			r.fail(s.line, "packet: %v", err)
		}
		r.result.In++
		r.result.Out += len(outs)
		r.last = len(outs)
		for _, o := range outs {
			r.left[o.Port] = append(r.left[o.Port], sent{bytes.Clone(o.Data), s.line})
		}
		return nil
	case "no_packet":
		switch {
		case r.last < 0:
			return errors.New("no_packet: want a packet before it")
		case r.last > 0:
			r.fail(s.line, "no_packet: %d left", r.last)
		}
		return nil
	case "check_counter":
		return r.check(s)
	}
	lines, err := s.commands(r.pipe)
	if err != nil {
		return err
	}
	for _, line := range lines {
		if _, err := r.pipe.Command(line); err != nil {
			return err
		}
	}
	if s.label != "" {
		t, err := r.pipe.Table(s.name)
		if err != nil {
			return err
		}
		r.labels[s.label] = t.Entries()[t.Len()-1].Handle
	}
	return nil
}

// check reads a counter.
func (r *run) check(s *step) error {
	i, ok := r.labels[s.index]
	if !ok {
		n, err := strconv.ParseUint(s.index, 0, 31)
		if err != nil {
			return fmt.Errorf("check_counter: index %q: want a number, or the label of an entry", s.index)
		}
		i = int(n)
	}
	got, octets, err := r.pipe.CounterValue(s.name, i)
	if err != nil {
		return fmt.Errorf("check_counter: %w", err)
	}
	unit := "packets"
	if s.octets {
		got, unit = octets, "bytes"
	}
	if !comparisons[s.compare](got, s.count) {
		r.fail(s.line, "check_counter %s(%s): %d %s, want %s %d", s.name, s.index, got, unit, s.compare, s.count)
	}
	return nil
}

// compare holds the packets of a port against the expected ones.
func (r *run) compare(port int, want []*step, got []sent) {
	for i, s := range want {
		if i >= len(got) {
			r.fail(s.line, "expect: no packet left by port %d, after %d", port, len(got))
			continue
		}
		g := hex.EncodeToString(got[i].data)
		if why := s.differs(g); why != "" {
			r.fail(s.line, "expect: packet %d of port %d, made of the one of line %d: %s\n  got  %s\n  want %s", i+1, port, got[i].line, why, g, s.pattern)
		}
	}
	for i := len(want); i < len(got); i++ {
		r.fail(got[i].line, "packet: another one left by port %d, %x", port, got[i].data)
	}
}

// differs returns how a packet differs from an expectation; "" if it does not.
func (s *step) differs(got string) string {
	switch {
	case len(got) < len(s.pattern) || s.exact && len(got) > len(s.pattern):
		return fmt.Sprintf("%d bytes, want %d", len(got)/2, (len(s.pattern)+1)/2)
	}
	for i, c := range []byte(s.pattern) {
		if c != '*' && c != got[i] {
			return fmt.Sprintf("digit %d is %c, want %c", i+1, got[i], c)
		}
	}
	return ""
}

// Commands returns the statements of the control plane as commands of simple_switch_CLI. A test in which one
// of them comes after a packet has none: the commands come first.
func (t *Test) Commands(pipe *interp.Pipeline) ([]string, error) {
	var list []string
	var errs []error
	packet := 0
	for i := range t.steps {
		s := &t.steps[i]
		lines, err := s.commands(pipe)
		switch {
		case s.verb == "packet" && packet == 0:
			packet = s.line
		case err == nil && len(lines) > 0 && packet > 0:
			err = fmt.Errorf("%s: comes after the packet of line %d: want the commands before all packets", s.verb, packet)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %w", t.Name, s.line, err))
		}
		list = append(list, lines...)
	}
	return list, errors.Join(errs...)
}

// commands returns a statement as commands of simple_switch_CLI: one, none, or one for each table.
func (s *step) commands(pipe *interp.Pipeline) ([]string, error) {
	if s.command != "" {
		return []string{s.command}, nil
	}
	var lines []string
	if s.verb == "remove" {
		for _, t := range pipe.Tables() {
			if !t.Def.ConstEntries {
				lines = append(lines, "table_clear "+t.Def.Name)
			}
		}
	}
	if s.verb != "add" && s.verb != "setdefault" {
		return lines, nil
	}
	t, err := pipe.Table(s.name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.verb, err)
	}
	use, err := interp.ActionOf(t, s.action)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.verb, err)
	}
	a := t.Def.Actions[use].Action
	args, err := s.parameters(a)
	if err != nil {
		return nil, fmt.Errorf("%s: action %s: %w", s.verb, a.Name, err)
	}
	command := []string{"table_set_default", t.Def.Name, a.Name}
	if s.verb == "add" {
		keys, err := s.matches(t)
		if err != nil {
			return nil, fmt.Errorf("add: table %s: %w", t.Def.Name, err)
		}
		command[0] = "table_add"
		command = append(append(command, keys...), "=>")
		if t.NeedsPriority() {
			if s.priority < 0 || s.priority > largestPriority {
				has := "no priority"
				if s.priority >= 0 {
					has = fmt.Sprint("priority ", s.priority)
				}
				return nil, fmt.Errorf("add: table %s: %s: want 0 to %d behind the name of the table", t.Def.Name, has, largestPriority)
			}
			args = append(args, strconv.Itoa(largestPriority-s.priority))
		}
	}
	return []string{strings.Join(append(command, args...), " ")}, nil
}

// largestPriority is 0 in BMv2, where the smallest priority wins.
const largestPriority = 10000

// parameters returns the values of an action's parameters in their order.
func (s *step) parameters(a *ir.Action) ([]string, error) {
	var names []string
	for _, d := range a.Data {
		names = append(names, d.Name)
	}
	values := make([]string, len(names))
	for _, p := range s.args {
		i := slices.Index(names, p.name)
		if i < 0 {
			return nil, fmt.Errorf("there is no parameter %q: want %s", p.name, listed(names))
		}
		values[i] = p.value
	}
	if i := slices.Index(values, ""); i >= 0 {
		return nil, fmt.Errorf("parameter %s is missing: want %s", names[i], listed(names))
	}
	return values, nil
}

// listed lists names, or says that there are none.
func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// validity and element are what p4c writes otherwise than the program: x.$valid$ for x.isValid(), and x$1
// for x[1], which is no name in a test.
var (
	validity = strings.NewReplacer(".isValid()", ".$valid$")
	element  = regexp.MustCompile(`\$([0-9]+)`)
)

// keyNames returns the names of a table's keys as p4c spells them.
func keyNames(t *exec.Table) []string {
	names := make([]string, t.Keys())
	for i := range names {
		names[i] = validity.Replace(t.KeyName(i))
	}
	return names
}

// matches returns what an entry matches in each key of a table.
func (s *step) matches(t *exec.Table) ([]string, error) {
	names, values := keyNames(t), make([]string, t.Keys())
	for _, k := range s.keys {
		i, err := findKey(k.name, names)
		if err != nil {
			return nil, err
		}
		kind, width := t.Key(i)
		if values[i], err = match(k.value, kind, width); err != nil {
			return nil, fmt.Errorf("key %s (%s): %w", k.name, kind, err)
		}
	}
	for i, v := range values {
		if kind, width := t.Key(i); v == "" {
			values[i] = map[ir.MatchKind]string{ir.Exact: "0", ir.LPM: "0/0", ir.Ternary: "0&&&0", ir.Optional: "*",
				ir.Range: "0->" + ones(width)}[kind]
		}
	}
	return values, nil
}

// ones returns the largest number of a width.
func ones(width int) string { return "0b" + strings.Repeat("1", width) }

// findKey finds the key of a name, of which what stands in front of a dot may be missing.
func findKey(name string, names []string) (int, error) {
	full := element.ReplaceAllString(name, "[$1]")
	forms := []string{full, full + "$", full + ".$valid$"}
	if head, ok := strings.CutSuffix(full, "valid"); ok && !strings.HasSuffix(head, "$") {
		forms = append(forms, head+"$valid$")
	}
	found := -1
	for i, n := range names {
		for _, f := range forms {
			switch {
			case n == f:
				return i, nil
			case !strings.HasSuffix(n, "."+f):
			case found >= 0 && found != i:
				return 0, fmt.Errorf("key %q could be %s or %s", name, names[found], n)
			default:
				found = i
			}
		}
	}
	if found < 0 {
		return 0, fmt.Errorf("there is no key %q: want %s", name, listed(names))
	}
	return found, nil
}

// match returns what a value matches, as simple_switch_CLI spells it.
func match(value string, kind ir.MatchKind, width int) (string, error) {
	digit := map[byte]int{'x': 4, 'X': 4, 'b': 1, 'B': 1}[(value + "  ")[1]]
	switch {
	case kind == ir.Range:
		return "", errors.New("a test has no ranges: want no value, which matches all")
	case kind == ir.LPM && !strings.Contains(value, "/"), kind == ir.Ternary:
		if digit == 0 || strings.Contains(value, "/") {
			return "", fmt.Errorf("%q: want 0x or 0b and digits, * for any", value)
		}
	case strings.Contains(value, "/") && kind != ir.LPM:
		return "", fmt.Errorf("%q: want no prefix length", value)
	}
	zeros := strings.ReplaceAll(value, "*", "0")
	if kind == ir.LPM && digit > 0 && !strings.Contains(value, "/") {
		return fmt.Sprintf("%s/%d", zeros, min(width, digit*(len(value)-2-strings.Count(value, "*")))), nil
	}
	if kind != ir.Ternary {
		return value, nil
	}
	mask := []byte(zeros)
	for i := 2; i < len(mask); i++ {
		switch {
		case value[i] == '*':
			mask[i] = '0'
		case digit == 4:
			mask[i] = 'f'
		default:
			mask[i] = '1'
		}
	}
	m, _ := new(big.Int).SetString(string(mask), 0)
	all, _ := new(big.Int).SetString(ones(width), 0)
	return fmt.Sprintf("%s&&&%#x", zeros, m.And(m, all)), nil
}
