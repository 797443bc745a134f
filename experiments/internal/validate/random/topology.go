package random

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"pintlab/experiments/protocols"
	"pintlab/internal/lists"
	"pintlab/internal/outfile"
	"pintlab/netsim/schema"
	"pintlab/workloads"
)

func (d *draw) topology() error {
	rate := d.one("host rate", "100Gbps", "10Gbps", "25Gbps", "1Gbps")
	fabric := d.one("fabric rate", "100Gbps", "400Gbps", "10Gbps", "40Gbps")
	delay := d.one("link delay", "1us", "100ns", "1ns", "5us", "0s")
	common := fmt.Sprintf("host_rate: %s, link_delay: %s", rate, delay)
	own := d.added(func(s *protocols.Set) schema.Catalogue { return s.Networks })
	kinds := append([]string{"star", "dumbbell", "chain", "leafspine", "fattree", "fattree8", "rail", "file"},
		lists.Map(own, func(k schema.Kind) string { return k.Name })...)
	kind := d.one("topology", kinds...)
	d.is(ofTopology, kind)
	switch kind {
	case "star":
		d.hosts = d.int("hosts", 2, 9)
		d.line("topology: {kind: star, hosts: %d, %s}", d.hosts, common)
	case "dumbbell":
		left, right := d.int("left", 1, 4), d.int("right", 1, 4)
		d.hosts = left + right
		d.line("topology: {kind: dumbbell, left: %d, right: %d, bottleneck_rate: %s, %s}", left, right, fabric, common)
	case "chain":
		switches, each := d.int("switches", 1, 5), d.int("hosts of a switch", 1, 2)
		ends := d.yes("hosts at the ends only", 2)
		d.hosts = switches * each
		if ends {
			d.hosts = 2 * each
		}
		if d.hosts < 2 || ends && switches == 1 {
			switches, each, d.hosts, ends = 2, 1, 2, true
		}
		d.line("topology: {kind: chain, switches: %d, hosts_per_switch: %d, ends_only: %v, fabric_rate: %s, %s}",
			switches, each, ends, fabric, common)
	case "leafspine":
		leaves, each := d.int("leaves", 2, 4), d.int("hosts of a leaf", 1, 3)
		d.hosts = leaves * each
		d.line("topology: {kind: leafspine, leaves: %d, spines: %d, hosts_per_leaf: %d, fabric_rate: %s, %s}", leaves,
			d.int("spines", 1, 3), each, fabric, common)
	case "fattree":
		k := 2 * d.int("half of k", 1, 2)
		d.hosts = k * k * k / 4
		d.line("topology: {kind: fattree, k: %d, fabric_rate: %s, %s}", k, fabric, common)
	case "fattree8":
		d.hosts = 8
		d.line("topology: {kind: fattree8, uplinks: %d, fabric_rate: %s, %s}", d.int("uplinks", 1, 2), fabric, common)
	case "rail":
		servers, rails := d.int("servers", 1, 3), d.int("rails", 2, 3)
		d.hosts = servers * rails
		d.line("topology: {kind: rail, servers: %d, rails: %d, spines: %d, planes: %d, server_rate: %s, fabric_rate: "+
			"%s, %s}", servers, rails, d.int("spines", 1, 2), d.int("planes", 1, 2),
			d.one("server rate", "0bps", "400Gbps", "3.2Tbps"), fabric, common)
	case "file":
		name, err := d.topologyFile()
		if err != nil {
			return err
		}
		d.line("topology: {kind: file, path: %q}", name)
	default:
		d.file = true // the file may contain cycles
		p, err := d.part(own[slices.IndexFunc(own, func(k schema.Kind) bool { return k.Name == kind })])
		if err != nil {
			return err
		}
		d.line("topology: {%s}", p.text)
	}
	sc, err := d.parse()
	if err != nil {
		return err
	}
	g, err := sc.Topology.Generator().Build()
	if err != nil {
		return err
	}
	if d.senders, err = workloads.HostsOf(g); err != nil {
		return err
	}
	d.hosts, d.switches = len(d.senders), len(g.Switches())
	for _, l := range g.Links {
		d.links = append(d.links, [2]int{int(l.A), int(l.B)})
	}
	return nil
}

// topologyFile writes a connected network of arbitrary shape: switches in a random tree with additional
// links, hosts at random switches, some with two links, and links with random rates and delays.
func (d *draw) topologyFile() (name string, err error) {
	d.file = true
	d.hosts = d.int("hosts", 2, 8)
	switches := d.int("switches", 1, 7)
	var lines []string
	seen := map[[2]int]bool{}
	link := func(a, b int) {
		if a == b || seen[[2]int{a, b}] || seen[[2]int{b, a}] {
			return
		}
		seen[[2]int{a, b}] = true
		loss := "0"
		if d.yes("link loses packets", 20) {
			loss = "0.01"
			d.loses("some links")
		}
		lines = append(lines, fmt.Sprintf("%d %d %s %s %s", a, b,
			d.one("rate", "100Gbps", "10Gbps", "40Gbps", "25Gbps"), d.one("delay", "1000ns", "10ns", "0.003ms"), loss))
	}
	for h := range d.hosts {
		link(h, d.hosts+d.int("switch", 0, switches-1))
		if d.yes("second link", 10) {
			link(h, d.hosts+d.int("switch", 0, switches-1))
		}
	}
	if d.yes("ring", 4) {
		for s := range switches {
			link(d.hosts+s, d.hosts+(s+1)%switches)
		}
	}
	for s := 1; s < switches; s++ {
		link(d.hosts+s, d.hosts+d.int("towards", 0, s-1))
	}
	for range d.int("more links", 0, 4) {
		link(d.hosts+d.int("from", 0, switches-1), d.hosts+d.int("to", 0, switches-1))
	}
	var ids []string
	for s := range switches {
		ids = append(ids, fmt.Sprint(d.hosts+s))
	}
	text := fmt.Sprintf("%d %d %d\n%s\n%s\n", d.hosts+switches, switches, len(lines), strings.Join(ids, " "),
		strings.Join(lines, "\n"))
	name = filepath.Join(d.dir, topologyFile)
	return name, outfile.Write(name, func(w io.Writer) error {
		_, err := w.Write([]byte(text))
		return err
	})
}
