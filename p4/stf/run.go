package stf

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/p4/interp"
	"pintlab/p4/interp/exec"
	"pintlab/p4/interp/ir"
	"pintlab/p4/interp/types"
)

// Result is the outcome of a test.
type Result struct {
	Test    string `json:"test"`
	Pass    bool   `json:"pass"`
	In      int    `json:"in"`      // packets
	Out     int    `json:"out"`     // packets of all ports
	Unnamed int    `json:"unnamed"` // packets, included in Out, on ports that the test does not name
	// Failures are the differences between the program and the test's expectations.
	Failures []string `json:"failures"`
}

// WriteText writes the verdict on a test and its failures.
func (r *Result) WriteText(w io.Writer) {
	verdict := "ok  "
	if !r.Pass {
		verdict = "FAIL"
	}
	fmt.Fprintf(w, "%s  %s: %s in, %d out", verdict, r.Test, number.Count(r.In, "packet"), r.Out)
	if r.Unnamed > 0 {
		fmt.Fprintf(w, ", %d of them by ports that the test does not name", r.Unnamed)
	}
	fmt.Fprintln(w)
	for _, x := range r.Failures {
		fmt.Fprintf(w, "  %s\n", strings.ReplaceAll(x, "\n", "\n  "))
	}
}

// sent is an output packet in hexadecimal digits, with the line of the input packet that caused it.
type sent struct {
	digits string
	line   int
}

// run is the state of a running test.
type run struct {
	*Test
	pipe   *interp.Pipeline
	result Result
	ports  []int // ports that the test names
	left   [interp.DropPort][]sent
	want   [interp.DropPort][]*step
	last   int            // output packets of the last input packet; -1 before the first input packet
	labels map[string]int // handles of entries
}

// Run runs the test. The error is about the test itself, such as a table that the program does not have.
func (t *Test) Run(ctx context.Context, pipe *interp.Pipeline) (Result, error) {
	r := &run{Test: t, pipe: pipe, last: -1, labels: map[string]int{},
		result: Result{Test: t.Name, Failures: []string{}}}
	var errs []error
	for i := range t.steps {
		if ctx.Err() != nil {
			return r.result, ctx.Err()
		}
		if err := r.step(&t.steps[i]); err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %w", t.Name, t.steps[i].line, err))
		}
	}
	r.result.Unnamed = r.result.Out
	for _, port := range r.ports {
		r.result.Unnamed -= len(r.left[port])
		r.compare(port, r.want[port], r.left[port])
	}
	r.result.Pass = len(r.result.Failures) == 0
	return r.result, errors.Join(errs...)
}

func (r *run) fail(line int, format string, args ...any) {
	r.result.Failures = append(r.result.Failures, fmt.Sprintf("%s:%d: ", r.Name, line)+fmt.Sprintf(format, args...))
}

// step executes a statement.
func (r *run) step(s *step) error {
	if _, named := s.parts["port"]; named && !slices.Contains(r.ports, s.port) {
		r.ports = append(r.ports, s.port)
	}
	switch s.verb {
	case "expect":
		r.want[s.port] = append(r.want[s.port], s)
		return nil
	case "packet":
		data, err := hex.DecodeString(s.parts["data"])
		if err != nil {
			return err
		}
		outs, err := r.pipe.Process(s.port, data)
		if err != nil {
			r.fail(s.line, "packet: %v", err)
		}
		r.last = len(outs)
		r.result.In, r.result.Out = r.result.In+1, r.result.Out+r.last
		for _, o := range outs {
			r.left[o.Port] = append(r.left[o.Port], sent{hex.EncodeToString(o.Data), s.line})
		}
		return nil
	case "no_packet":
		if r.last < 0 {
			return errors.New("no_packet: want a packet statement before it")
		} else if r.last > 0 {
			r.fail(s.line, "no_packet: %d left", r.last)
		}
		return nil
	case "check_counter":
		return r.check(s)
	}
	lines, err := s.commands(r.pipe)
	for _, line := range lines {
		if _, err := r.pipe.Command(line); err != nil {
			return err
		}
	}
	if label := s.parts["label"]; label != "" && err == nil {
		t, err := r.pipe.Table(s.parts["table"])
		if err != nil {
			return err
		}
		r.labels[label] = t.Entries()[t.Len()-1].Handle
	}
	return err
}

// check reads a counter.
func (r *run) check(s *step) error {
	index := s.parts["index"]
	i, ok := r.labels[index]
	if !ok {
		n, err := strconv.ParseUint(index, 0, 31)
		if err != nil {
			return fmt.Errorf("check_counter: index %q: want a number, or the label of an entry", index)
		}
		i = int(n)
	}
	got, octets, err := r.pipe.CounterValue(s.parts["table"], i)
	if err != nil {
		return fmt.Errorf("check_counter: %w", err)
	}
	unit, compare, count := "packets", "==", new(big.Int)
	if s.parts["unit"] != "" {
		unit, compare = s.parts["unit"], s.parts["compare"]
		count.SetString(s.parts["count"], 10)
	}
	if unit == "bytes" {
		got = octets
	}
	order := map[int]string{-1: "< <= !=", 0: "== <= >=", 1: "> >= !="}[new(big.Int).SetUint64(got).Cmp(count)]
	if !slices.Contains(strings.Fields(order), compare) {
		r.fail(s.line, "check_counter %s(%s): %s, want %s %d", s.parts["table"], index,
			number.Count(got, strings.TrimSuffix(unit, "s")), compare, count)
	}
	return nil
}

// compare compares the packets of a port with the expected ones.
func (r *run) compare(port int, want []*step, got []sent) {
	for i, s := range want {
		if i >= len(got) {
			r.fail(s.line, "expect: want another packet from port %d, but it sent only %d", port, len(got))
		} else if why := s.differs(got[i].digits); why != "" {
			r.fail(s.line, "expect: packet %d of port %d, the result of the packet in line %d: %s\n  got  %s\n  "+
				"want %s",
				i+1, port, got[i].line, why, got[i].digits, s.parts["data"])
		}
	}
	for i := len(want); i < len(got); i++ {
		r.fail(got[i].line, "packet: port %d sent one packet more than expected: %s", port, got[i].digits)
	}
}

// differs describes how a packet differs from an expectation; "" if it does not.
func (s *step) differs(got string) string {
	want := s.parts["data"]
	if len(got) < len(want) || s.parts["end"] != "" && len(got) > len(want) {
		return fmt.Sprintf("%s, want %d", number.Count(len(got)/2, "byte"), (len(want)+1)/2)
	}
	for i, c := range []byte(want) {
		if c != '*' && c != got[i] {
			return fmt.Sprintf("digit %d is %c, want %c", i+1, got[i], c)
		}
	}
	return ""
}

// Commands returns the control-plane statements as commands of simple_switch_CLI. It reports an error if a
// control-plane statement comes after a packet, because all commands run first.
func (t *Test) Commands(pipe *interp.Pipeline) (list []string, err error) {
	packet := 0
	for i := range t.steps {
		s := &t.steps[i]
		lines, problem := s.commands(pipe)
		if s.verb == "packet" && packet == 0 {
			packet = s.line
		} else if problem == nil && len(lines) > 0 && packet > 0 {
			problem = fmt.Errorf("%s: this command follows the packet in line %d: want all commands before the "+
				"first packet",
				s.verb, packet)
		}
		if problem != nil {
			err = errors.Join(err, fmt.Errorf("%s:%d: %w", t.Name, s.line, problem))
		}
		list = append(list, lines...)
	}
	return list, err
}

// commands returns the commands of simple_switch_CLI for a statement. There may be one command, none, or one for
// each table.
func (s *step) commands(pipe *interp.Pipeline) (lines []string, err error) {
	switch {
	case s.command != "":
		return []string{s.command}, nil
	case s.verb == "remove":
		for _, t := range pipe.Tables() {
			if !t.Def.ConstEntries {
				lines = append(lines, "table_clear "+t.Def.Name)
			}
		}
	case s.verb == "add" || s.verb == "setdefault":
		line, err := s.tableCommand(pipe)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.verb, err)
		}
		lines = []string{line}
	}
	return lines, nil
}

// largestPriority is the largest priority of a test. It becomes priority 0 in BMv2, where the smallest priority
// wins.
const largestPriority = 10000

// tableCommand translates add to table_add, and setdefault to table_set_default.
func (s *step) tableCommand(pipe *interp.Pipeline) (string, error) {
	t, err := pipe.Table(s.parts["table"])
	if err != nil {
		return "", err
	}
	use, err := interp.ActionOf(t, joined(s.parts["action"]))
	if err != nil {
		return "", err
	}
	a := t.Def.Actions[use].Action
	parameters := lists.Map(a.Data, func(d *ir.Var) string { return d.Name })
	args := make([]string, len(parameters))
	for _, p := range s.pairs("args") {
		i := slices.Index(parameters, p[0])
		if i < 0 {
			return "", fmt.Errorf("action %s: there is no parameter %q: want %s", a.Name, p[0], listed(parameters))
		}
		args[i] = p[1]
	}
	if i := slices.Index(args, ""); i >= 0 {
		return "", fmt.Errorf("action %s: parameter %s is missing: want %s", a.Name, parameters[i], listed(parameters))
	}
	if s.verb == "setdefault" {
		return strings.Join(append([]string{"table_set_default", t.Def.Name, a.Name}, args...), " "), nil
	}
	keys, err := s.matches(t)
	if err != nil {
		return "", fmt.Errorf("table %s: %w", t.Def.Name, err)
	}
	if t.NeedsPriority() {
		n, err := strconv.Atoi(s.parts["priority"])
		if err != nil || n > largestPriority {
			return "", fmt.Errorf("table %s: priority %q: want a number from 0 to %d after the name of the table",
				t.Def.Name, s.parts["priority"], largestPriority)
		}
		args = append(args, strconv.Itoa(largestPriority-n))
	}
	return strings.Join(slices.Concat([]string{"table_add", t.Def.Name, a.Name}, keys, []string{"=>"}, args), " "), nil
}

// listed joins names; without names it returns "none".
func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// keyNames returns the names of a table's keys in p4c's spelling: x.$valid$ for x.isValid().
func keyNames(t *exec.Table) []string {
	names := make([]string, t.Keys())
	for i := range names {
		names[i] = strings.ReplaceAll(t.KeyName(i), ".isValid()", ".$valid$")
	}
	return names
}

// matches returns the values that an entry matches, one for each key of a table.
func (s *step) matches(t *exec.Table) ([]string, error) {
	names, values := keyNames(t), make([]string, t.Keys())
	for i := range values {
		kind, width := t.Key(i)
		values[i] = map[ir.MatchKind]string{ir.Exact: "0", ir.LPM: "0/0", ir.Ternary: "0&&&0", ir.Optional: "*",
			ir.Range: fmt.Sprintf("0->%#x", ones(width))}[kind]
	}
	for _, k := range s.pairs("keys") {
		i, err := findKey(k[0], names)
		if err != nil {
			return nil, err
		}
		kind, width := t.Key(i)
		if values[i], err = match(k[1], kind, width); err != nil {
			return nil, fmt.Errorf("key %s (%s): %w", k[0], kind, err)
		}
	}
	return values, nil
}

// ones returns the largest number of a width.
func ones(width int) *big.Int {
	_, most := types.Unsigned(width).Range()
	return most
}

// element is the index of a header stack in a name: x$1 stands for x[1].
var element = regexp.MustCompile(`\$([0-9]+)`)

// findKey finds a key by its name, which may omit the part before a dot.
func findKey(name string, names []string) (int, error) {
	full := element.ReplaceAllString(name, "[$1]")
	found := -1
	for _, f := range []string{full, full + "$", full + ".$valid$", strings.TrimSuffix(full, "valid") + "$valid$"} {
		if i := slices.Index(names, f); i >= 0 {
			return i, nil
		}
		for i, n := range names {
			if strings.HasSuffix(n, "."+f) {
				if found >= 0 && found != i {
					return 0, fmt.Errorf("key %q could be %s or %s", name, names[found], n)
				}
				found = i
			}
		}
	}
	if found < 0 {
		return 0, fmt.Errorf("there is no key %q: want %s", name, listed(names))
	}
	return found, nil
}

// match returns the match of a key's value in the spelling of simple_switch_CLI.
func match(value string, kind ir.MatchKind, width int) (string, error) {
	prefix := strings.Contains(value, "/")
	bits := map[byte]int{'x': 4, 'b': 1}[(strings.ToLower(value) + "  ")[1]] // bits of a digit
	switch {
	case kind == ir.Range:
		return "", errors.New("a packet test cannot express ranges: leave the value out, which matches everything")
	case prefix && kind != ir.LPM:
		return "", fmt.Errorf("%q: want a value without a prefix length", value)
	case prefix || kind != ir.LPM && kind != ir.Ternary:
		return value, nil
	case bits == 0:
		return "", fmt.Errorf("%q: want 0x or 0b and digits, * for any", value)
	}
	zeros := strings.ReplaceAll(value, "*", "0")
	if kind == ir.LPM {
		return fmt.Sprintf("%s/%d", zeros, min(width, bits*(len(value)-2-strings.Count(value, "*")))), nil
	}
	mask := new(big.Int)
	for _, c := range value[2:] {
		mask.Lsh(mask, uint(bits))
		if c != '*' {
			mask.Or(mask, ones(bits))
		}
	}
	return fmt.Sprintf("%s&&&%#x", zeros, mask.And(mask, ones(width))), nil
}
