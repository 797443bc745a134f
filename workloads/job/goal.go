package job

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"pintlab/internal/input"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/workloads/tasks"
)

// eager is LogGOPSim's S, the largest size of a send that is done when it begins.
const eager unit.Bytes = 65535

// mostRanks is the largest number of ranks of a schedule.
const mostRanks = 1 << 16

// largest bounds sizes and times; larger numbers are mistakes.
const largest = 1 << 50

// ReadGOAL reads a schedule. tick is its unit of time. hosts returns the hosts for a number of ranks. name is
// the name of the input in errors.
func ReadGOAL(r io.Reader, name string, tick unit.Time,
	hosts func(ranks int) ([]topo.NodeID, error)) (*tasks.Graph, error) {
	p := &parser{scan: bufio.NewScanner(r), tick: tick, hosts: hosts, rank: -1}
	for p.scan.Scan() {
		p.line++
		if err := p.read(p.scan.Text()); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, p.line, err)
		}
		if p.g != nil {
			p.g.File = name
		}
	}
	switch err := input.LineError(p.scan.Err(), bufio.MaxScanTokenSize); {
	case err != nil:
		return nil, fmt.Errorf("%s:%d: %w", name, p.line+1, err)
	case p.g == nil:
		return nil, fmt.Errorf("%s: want a line num_ranks N first", name)
	case p.inside || p.comment || p.rank != int64(len(p.g.Hosts))-1:
		return nil, fmt.Errorf("%s:%d: the file ends inside rank %d of %d", name, p.line, p.rank, len(p.g.Hosts))
	}
	p.g.Name = name
	if len(p.g.Tasks) == 0 {
		return nil, fmt.Errorf("%s: no rank has an operation, want at least one send, recv or calc", name)
	}
	if _, err := tasks.Ideal(p.g); err != nil {
		return nil, err
	}
	return p.g, nil
}

type parser struct {
	scan    *bufio.Scanner
	tick    unit.Time
	hosts   func(int) ([]topo.NodeID, error)
	g       *tasks.Graph
	line    int
	rank    int64
	inside  bool // within the braces of a rank
	comment bool
	labels  map[string]int32 // task of each label of the rank
	cores   map[int64]int32
}

var separators = strings.NewReplacer(":", " : ", "{", " { ", "}", " } ")

func (p *parser) read(line string) error {
	line = strings.TrimSpace(line)
	if p.comment || strings.HasPrefix(line, "/*") {
		_, after, closed := strings.Cut(line, "*/")
		if p.comment = !closed; !closed {
			return nil
		}
		line = strings.TrimSpace(after)
	}
	if line == "" || strings.HasPrefix(line, "//") {
		return nil
	}
	w := strings.Fields(separators.Replace(line))
	switch {
	case p.g == nil:
		return p.begin(w)
	case !p.inside:
		if p.rank == int64(len(p.g.Hosts))-1 {
			return nil // text after the last rank is ignored
		}
		n, err := parseWhole(at(w, 1), "rank")
		if err != nil || w[0] != "rank" || len(w) != 3 || w[2] != "{" || n != p.rank+1 {
			return fmt.Errorf("%q, want rank %d {", line, p.rank+1)
		}
		p.rank, p.inside, p.labels, p.cores = n, true, map[string]int32{}, map[int64]int32{}
		return nil
	case len(w) == 1 && w[0] == "}":
		p.inside = false
		return nil
	case len(w) == 3 && (w[1] == "requires" || w[1] == "irequires"):
		return p.require(w)
	case len(w) > 1 && w[1] == ":":
		if _, twice := p.labels[w[0]]; twice || !isLabel(w[0]) {
			return fmt.Errorf("label %q, want a letter, then letters, digits or _; no other operation of rank %d may "+
				"have it", w[0], p.rank)
		}
		task, err := p.operation(w[2:])
		p.labels[w[0]] = task
		return err
	}
	_, err := p.operation(w)
	return err
}

func (p *parser) begin(w []string) error {
	n, err := parseWhole(at(w, 1), "num_ranks")
	if err != nil || w[0] != "num_ranks" || len(w) != 2 || n < 1 || n > mostRanks {
		return fmt.Errorf("%q, want num_ranks and a number from 1 to %d", strings.Join(w, " "), mostRanks)
	}
	hosts, err := p.hosts(int(n))
	if err != nil {
		return err
	}
	p.g = tasks.New("", hosts)
	return nil
}

func (p *parser) require(w []string) error {
	var ends [2]int32
	for i, label := range []string{w[0], w[2]} {
		task, ok := p.labels[label]
		if !ok {
			return fmt.Errorf("label %q is not defined above in rank %d", label, p.rank)
		}
		ends[i] = task
	}
	event := tasks.Done
	if w[1] == "irequires" {
		event = tasks.Ready
	}
	p.g.Wait(ends[0], ends[1], event)
	return nil
}

// operation reads a send, recv or calc and adds its task.
func (p *parser) operation(w []string) (int32, error) {
	t := tasks.Task{Rank: int32(p.rank), Line: int32(p.line)}
	ranks := int64(len(p.g.Hosts))
	options := []string{"tag", "cpu", "nic"}
	var err error
	switch op := at(w, 0); op {
	case "calc":
		var n int64
		if n, err = parseWhole(at(w, 1), "calc"); err != nil {
			return 0, err
		}
		if n > int64(unit.Never/4/p.tick) {
			return 0, fmt.Errorf("calc %d, want at most %d", n, int64(unit.Never/4/p.tick))
		}
		t.Kind, t.Time = tasks.Compute, unit.Time(n)*p.tick
		options, w = []string{"cpu"}, w[2:]
	case "send", "recv":
		if at(w, 2) == "b" { // the unit b may follow a blank
			w = append([]string{op, w[1] + "b"}, w[3:]...)
		}
		size, bytes := strings.CutSuffix(at(w, 1), "b")
		n, err := parseWhole(size, op)
		way := map[string]string{"send": "to", "recv": "from"}[op]
		if err != nil || !bytes || at(w, 2) != way {
			return 0, fmt.Errorf("%q, want %s BYTESb %s RANK", strings.Join(w, " "), op, way)
		}
		t.Kind, t.Matched, t.Size = tasks.Send, true, unit.Bytes(max(1, n)) // an empty message still takes a packet
		t.Eager = t.Size <= eager
		if op == "recv" {
			t.Kind, t.Matched, t.Size, t.Eager = tasks.Receive, false, 0, false
		}
		if op == "recv" && at(w, 3) == "-1" {
			t.Peer = tasks.Any
		} else if n, err := parseWhole(at(w, 3), way); err != nil || n >= ranks || n == p.rank {
			return 0, fmt.Errorf("%s %q, want a rank other than %d, from 0 to %d", way, at(w, 3), p.rank, ranks-1)
		} else {
			t.Peer = int32(n)
		}
		w = w[4:]
	default:
		return 0, fmt.Errorf("%q is not an operation (accepted: send, recv, calc, LABEL requires LABEL, LABEL "+
			"irequires "+
			"LABEL)", op)
	}
	cpu := int64(0)
	for ; len(w) > 0; w = w[2:] {
		key := w[0]
		for len(options) > 0 && options[0] != key {
			options = options[1:]
		}
		if len(options) == 0 {
			return 0, fmt.Errorf("%q is not accepted here (accepted: tag, cpu, nic in this order; for calc only cpu)",
				key)
		}
		options = options[1:]
		if key == "tag" && at(w, 1) == "-1" {
			t.Tag = tasks.Any
		} else if n, err := parseWhole(at(w, 1), key); err != nil || n > math.MaxInt32 {
			return 0, fmt.Errorf("%s %q, want a number from 0 to %d", key, at(w, 1), math.MaxInt32)
		} else if key == "tag" {
			t.Tag = int32(n)
		} else if key == "cpu" {
			cpu = n
		}
	}
	if t.Kind != tasks.Receive {
		if p.cores[cpu] == 0 {
			p.cores[cpu] = p.g.AddCore()
		}
		t.Core = p.cores[cpu]
	}
	return p.g.Add(t), nil
}

// at returns word i, or "" beyond the end.
func at(w []string, i int) string {
	if i < len(w) {
		return w[i]
	}
	return ""
}

func parseWhole(s, what string) (int64, error) {
	n, err := strconv.ParseUint(s, 10, 63)
	if err != nil || n > largest {
		return 0, fmt.Errorf("%s %q, want a whole number from 0 to %d", what, s, int64(largest))
	}
	return int64(n), nil
}

func isLabel(s string) bool {
	for i, c := range s {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c != '_' && (c < '0' || c > '9')) {
			return false
		}
	}
	return s != ""
}
