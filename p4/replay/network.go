package replay

import (
	"fmt"
	"io"
	"time"

	"pintlab/netsim/unit"
	"pintlab/p4/interp"
	"pintlab/p4/interp/exec"
)

// loader finds a built-in program by name, or loads a file.
type loader func(name string, defines []string) (*interp.Program, error)

// networkStats counts what happened in a run of a network.
type networkStats struct {
	interp.PcapStats
	Hops int // passes of a packet through the ingress of a switch
}

// network contains switches joined by links, and their state.
type network struct {
	d     *description
	nodes []*node
	words int       // words of registers and counters
	tick  unit.Time // tick of the clocks
	log   io.Writer // log of replies to commands, or nil

	begin  time.Time // time stamp of the first packet
	now    unit.Time // time since begin
	events events
	count  uint64
	stats  networkStats
	out    interp.PcapWriter // receives the packets that leave through ports without an output
}

type node struct {
	member
	index int
	pipe  *interp.Pipeline
	dev   *interp.Switch
	ports map[int]*port
}

// port is an egress port with its queue and its link.
type port struct {
	queue  []waiting
	bytes  int // bytes in the queue
	busy   bool
	rate   unit.Rate
	delay  unit.Time
	peer   end
	linked bool
	file   interp.PcapWriter // file of an output, or nil
}

// waiting is a packet in a queue.
type waiting struct {
	q     *interp.Queued
	since uint64 // time when it entered the queue, by the clock of the switch
	depth uint64 // depth of the queue in front of it
	way   way
}

// way describes the path of a packet so far.
type way struct {
	hops   int
	passes int               // passes through egress, in all switches so far
	from   interp.PcapPacket // without its data
}

// newNetwork makes the switches, links them and runs their commands.
func newNetwork(d *description, program loader, c Console) (*network, error) {
	n := &network{d: d, tick: unit.Microsecond, log: c.Out}
	if d.Clock == "ns" {
		n.tick = unit.Nanosecond
	}
	setup := n.log
	if c.Quiet {
		setup = nil
	}
	for i, s := range d.Switches {
		x, err := n.node(s, program, c.Seed+uint64(i))
		if err != nil {
			return nil, fmt.Errorf("switch %s: %w", s.Name, err)
		}
		if err := n.command(x, s.Commands, setup); err != nil {
			return nil, err
		}
	}
	for _, l := range d.Links {
		a, b := d.port(l.From), d.port(l.To)
		for _, way := range [2][2]end{{a, b}, {b, a}} {
			p := n.port(way[0])
			p.rate, p.delay, p.peer, p.linked = l.Rate, l.Delay, way[1], true
		}
	}
	return n, nil
}

func (n *network) node(s member, program loader, seed uint64) (*node, error) {
	prog, err := program(s.Program, s.Defines)
	if err != nil {
		return nil, err
	}
	pipe, err := prog.NewPipeline(interp.Config{Seed: seed, Words: max(exec.MaxState-n.words, 1)})
	if err != nil {
		return nil, err
	}
	n.words += pipe.Device().Words()
	x := &node{member: s, index: len(n.nodes), pipe: pipe, dev: pipe.Device(), ports: map[int]*port{}}
	n.nodes = append(n.nodes, x)
	return x, nil
}

// command runs files of commands.
func (n *network) command(x *node, files []string, replies io.Writer) error {
	for _, file := range files {
		if err := runCommands(file, replies, x.pipe.Command); err != nil {
			return err
		}
	}
	return nil
}

// port returns an egress port. It makes the port on first use, without a link.
func (n *network) port(e end) *port {
	x := n.nodes[e.node]
	p := x.ports[e.port]
	if p == nil {
		p = &port{rate: n.d.Rate}
		x.ports[e.port] = p
	}
	return p
}

// dump writes the state of every switch: the name of the switch in brackets, and then the output of
// interp.Pipeline.Dump.
func (n *network) dump(w io.Writer) error {
	for _, x := range n.nodes {
		if _, err := fmt.Fprintf(w, "[%s]\n", x.Name); err != nil {
			return err
		}
		if err := x.pipe.Dump(w); err != nil {
			return fmt.Errorf("switch %s: %w", x.Name, err)
		}
	}
	return nil
}
