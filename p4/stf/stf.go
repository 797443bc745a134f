package stf

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pintlab/internal/input"
	"pintlab/internal/lists"
	"pintlab/p4/interp"
)

// maxPacket bounds the bytes of a packet.
const maxPacket = 1 << 16

// Test is a test that has been read.
type Test struct {
	Name  string
	steps []step
}

// step is a statement.
type step struct {
	line    int
	verb    string
	parts   map[string]string // parts of the statement, by the names in its form
	port    int               // port of the commands packet and expect
	command string            // command of simple_switch_CLI, or ""
}

// direct are the commands of simple_switch_CLI that are also statements.
var direct = []string{
	"mirroring_add", "mirroring_add_mc", "mirroring_delete", "mirroring_get",
	"mc_mgrp_create", "mc_node_create", "mc_node_update", "mc_node_associate", "counter_read", "counter_write",
	"register_read", "register_write", "register_reset", "meter_get_rates", "meter_set_rates", "meter_array_set_rates",
}

// form is the syntax of a statement, as a pattern and as text for messages.
type form struct {
	is   *regexp.Regexp
	want string
}

const (
	name   = `[A-Za-z_$][\w$]*(?:\[\d+\])?(?:\s*\.\s*[A-Za-z_$][\w$]*(?:\[\d+\])?)*`
	digits = `(?:0[xX][0-9a-fA-F*]+|0[bB][01*]+|\d+)`
	arg    = `\s*` + name + `\s*:\s*` + digits + `\s*`
	action = `(?P<action>` + name + `)\s*\((?P<args>\s*|` + arg + `(?:,` + arg + `)*)\)`
	key    = name + `\s*:\s*` + digits + `(?:\s*/\s*\d+)?\s+`
)

// forms are the statements, without their first word.
var forms = map[string]form{
	"packet": {whole(`(?P<port>\d+)\s+(?P<data>(?:[0-9a-fA-F]\s*[0-9a-fA-F]\s*)+)`),
		"PORT and bytes of two hexadecimal digits"},
	"expect": {whole(`(?P<port>\d+)(?:\s+(?P<data>[0-9a-fA-F*\s]*)(?P<end>\$?))?`),
		"PORT, hexadecimal digits, * for any, and $ for the end of the packet"},
	"add": {whole(`(?P<table>` + name + `)\s+(?:(?P<priority>\d+)\s+)?(?P<keys>(?:` + key + `)*)` + action +
		`(?:\s*=\s*\$?(?P<label>\w+))?`), "TABLE [PRIORITY] KEY:VALUE... ACTION(PARAMETER:VALUE, ...) [= LABEL], " +
		"values 12, 0x1f or 0b01, * for any digit"},
	"setdefault": {whole(`(?P<table>` + name + `)\s+` + action), "TABLE ACTION(PARAMETER:VALUE, ...)"},
	"check_counter": {whole(`(?P<table>` + name + `)\s*\(\s*\$?(?P<index>\w+)\s*\)` +
		`(?:\s*(?P<unit>packets|bytes)\s*(?P<compare>[=!<>]=|[<>])\s*(?P<count>\d+))?`),
		"COUNTER(INDEX or LABEL) [packets or bytes, ==, !=, <, <=, > or >=, N]"},
	"remove":    {whole(`(?i:all)`), "all"},
	"wait":      {whole(``), "nothing behind it"},
	"no_packet": {whole(``), "nothing behind it"},
}

func whole(pattern string) *regexp.Regexp { return regexp.MustCompile(`^\s*` + pattern + `\s*$`) }

// pair matches a key or parameter and its value.
var pair = regexp.MustCompile(`(` + name + `)\s*:\s*(` + digits + `(?:\s*/\s*\d+)?)`)

// pairs returns the names and values of a part, without spaces.
func (s *step) pairs(part string) [][2]string {
	matches := pair.FindAllStringSubmatch(s.parts[part], -1)
	return lists.Map(matches, func(m []string) [2]string { return [2]string{joined(m[1]), joined(m[2])} })
}

// joined returns a text without spaces.
func joined(text string) string { return strings.Join(strings.Fields(text), "") }

// Read reads a file.
func Read(name string) (*Test, error) {
	data, err := input.ReadFile(name, input.Document)
	if err != nil {
		return nil, err
	}
	return parse(name, bytes.NewReader(data))
}

// longestLine is the length of the longest line of a test, in bytes.
const longestLine = 1 << 20

// parse reads a test. name is the name of the test in messages. The error lists every invalid statement.
func parse(name string, r io.Reader) (*Test, error) {
	t := &Test{Name: name}
	var errs []error
	s := bufio.NewScanner(r)
	s.Buffer(nil, longestLine)
	n := 1
	for ; s.Scan(); n++ {
		text, _, _ := strings.Cut(s.Text(), "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		x := step{line: n, verb: strings.ToLower(words[0])}
		if err := x.parse(strings.TrimSpace(text)[len(words[0]):]); err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %w", name, n, err))
		}
		t.steps = append(t.steps, x)
	}
	if err := input.LineError(s.Err(), longestLine); err != nil {
		errs = append(errs, fmt.Errorf("%s:%d: %w", name, n, err))
	}
	return t, errors.Join(errs...)
}

// parse reads the text after the first word of a statement.
func (s *step) parse(rest string) (err error) {
	if slices.Contains(direct, s.verb) {
		s.command = s.verb + " " + strings.Join(strings.Fields(rest), " ")
		return nil
	}
	f, ok := forms[s.verb]
	if !ok {
		return fmt.Errorf("statement %q: want add, check_counter, expect, no_packet, packet, remove, setdefault, "+
			"wait, %s", s.verb, strings.Join(direct, ", "))
	}
	match := f.is.FindStringSubmatch(rest)
	if match == nil {
		return fmt.Errorf("%s%.80s: want %s", s.verb, rest, f.want)
	}
	s.parts = map[string]string{}
	for i, n := range f.is.SubexpNames() {
		s.parts[n] = match[i]
	}
	if s.verb != "packet" && s.verb != "expect" {
		return nil
	}
	if s.port, err = strconv.Atoi(s.parts["port"]); err != nil || s.port >= interp.DropPort {
		return fmt.Errorf("%s: port %s: want 0 to %d", s.verb, s.parts["port"], interp.DropPort-1)
	}
	s.parts["data"] = strings.ToLower(joined(s.parts["data"]))
	if n := len(s.parts["data"]); n > 2*maxPacket {
		return fmt.Errorf("%s: %d digits: want at most %d bytes", s.verb, n, maxPacket)
	}
	return nil
}
