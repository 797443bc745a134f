package random

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"pgregory.net/rapid"

	"pintlab/experiments/scenario"
)

// draw makes a scenario out of random choices. It writes it down as a person would, so
// that a failure can be run again by hand.
type draw struct {
	t    *rapid.T
	dir  string // for files
	text strings.Builder

	hosts    int
	switches int
	links    [][2]int // ends of all links
	timer    bool
	jumbo    bool // packets of some 9 KB
	inOrder  bool // nothing that comes out of order is kept
	hops     bool // the congestion control reads a record of every hop
	marking  bool // the congestion control lives on marks
	trims    bool // switches trim packets
	acks     int  // packets for an ACK, the root of it
	faults   bool // something breaks, or links lose packets
	file     bool // of a network that need not be a tree
}

func (d *draw) line(format string, args ...any) { fmt.Fprintf(&d.text, format+"\n", args...) }

func (d *draw) int(name string, from, to int) int { return rapid.IntRange(from, to).Draw(d.t, name) }

// yes is true once in n times.
func (d *draw) yes(name string, n int) bool { return d.int(name, 1, n) == n }

func (d *draw) one(name string, words ...string) string {
	return rapid.SampledFrom(words).Draw(d.t, name)
}

// scenario is the text of a scenario. Small numbers come first everywhere, so that what
// rapid shrinks to is simple.
func (d *draw) scenario() string {
	d.line("seed: %d", d.int("seed", 1, 1000))
	d.topology()
	d.workload()
	d.transport()
	d.network()
	d.run()
	return d.text.String()
}

func (d *draw) topology() {
	rate := d.one("host rate", "100Gbps", "10Gbps", "25Gbps", "1Gbps")
	fabric := d.one("fabric rate", "100Gbps", "400Gbps", "10Gbps", "40Gbps")
	delay := d.one("link delay", "1us", "100ns", "1ns", "5us", "0s")
	common := fmt.Sprintf("host_rate: %s, link_delay: %s", rate, delay)
	switch kind := d.one("topology", "star", "dumbbell", "chain", "leafspine", "fattree", "file"); kind {
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
		d.line("topology: {kind: chain, switches: %d, hosts_per_switch: %d, ends_only: %v, fabric_rate: %s, %s}", switches, each, ends, fabric, common)
	case "leafspine":
		leaves, each := d.int("leaves", 2, 4), d.int("hosts of a leaf", 1, 3)
		d.hosts = leaves * each
		d.line("topology: {kind: leafspine, leaves: %d, spines: %d, hosts_per_leaf: %d, fabric_rate: %s, %s}", leaves, d.int("spines", 1, 3), each, fabric, common)
	case "fattree":
		k := 2 * d.int("half of k", 1, 2)
		d.hosts = k * k * k / 4
		d.line("topology: {kind: fattree, k: %d, fabric_rate: %s, %s}", k, fabric, common)
	case "file":
		d.line("topology: {kind: file, path: %q}", d.topologyFile())
	}
	g, err := parse(d.t, d.text.String()).Topology.Generator().Build()
	if err != nil {
		d.t.Fatalf("%s\n%v", &d.text, err)
	}
	d.switches = len(g.Switches())
	for _, l := range g.Links {
		d.links = append(d.links, [2]int{int(l.A), int(l.B)})
	}
}

// topologyFile writes a connected network of any shape: switches in a random tree with
// more links, hosts at any of them, some with two links, each link as it likes.
func (d *draw) topologyFile() string {
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
			d.faults = true
		}
		lines = append(lines, fmt.Sprintf("%d %d %s %s %s", a, b, d.one("rate", "100Gbps", "10Gbps", "40Gbps", "25Gbps"), d.one("delay", "1000ns", "10ns", "0.003ms"), loss))
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
	text := fmt.Sprintf("%d %d %d\n%s\n%s\n", d.hosts+switches, switches, len(lines), strings.Join(ids, " "), strings.Join(lines, "\n"))
	name := filepath.Join(d.dir, "topology.txt")
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		d.t.Fatal(err)
	}
	d.t.Logf("topology.txt:\n%s", text)
	return name
}

func (d *draw) workload() {
	d.line("workload:")
	for range d.int("sources", 1, 3) {
		more := fmt.Sprintf("priority: %d, start: %dns", d.int("priority", 1, 7), d.int("start", 0, 30_000))
		size := d.one("size", "1000B", "1B", "20KB", "999B", "1001B", "60KB", "150KB", "400KB")
		switch d.one("traffic", "list", "incast", "poisson", "permutation", "alltoall", "staircase") {
		case "list":
			d.line("  - kind: list\n    priority: %d\n    flows:", d.int("priority of the list", 1, 7))
			start := 0
			for range d.int("flows", 1, 8) {
				start += d.int("later", 0, 10_000)
				src := d.int("src", 0, d.hosts-1)
				dst := (src + d.int("distance", 1, d.hosts-1)) % d.hosts
				d.line("      - {src: %d, dst: %d, size: %s, start: %dns}", src, dst, d.one("size", "20KB", "1B", "1000B", "100KB"), start)
			}
		case "incast":
			repeat := ""
			if d.yes("repeated", 3) {
				repeat = fmt.Sprintf(", repeat: interval, interval: %dus, duration: 60us, gaps: %s", d.int("interval", 10, 50), d.one("gaps", "equal", "exponential"))
			}
			d.line("  - {kind: incast, senders: %d, size: %s, receiver: %s, %s%s}", d.int("senders", 1, d.hosts-1), size, d.one("receiver", "random", "0"), more, repeat)
		case "poisson":
			sizes := d.one("sizes", "sizes: uniform, min_size: 1B, max_size: 50KB", "sizes: pareto, min_size: 100B, max_size: 300KB, shape: 1.1",
				"sizes: fixed, size: 3KB", "sizes: hadoop")
			d.line("  - {kind: poisson, %s, load: 0.%d, duration: %dus, %s}", sizes, d.int("load", 1, 3), d.int("duration", 5, 40), more)
		case "permutation":
			d.line("  - {kind: permutation, size: %s, %s}", size, more)
		case "alltoall":
			if size == "150KB" || size == "60KB" || size == "400KB" {
				size = "2500B"
			}
			d.line("  - {kind: alltoall, size: %s, %s}", size, more)
		case "staircase":
			d.line("  - {kind: staircase, stairs: up, senders: %d, size: %s, interval: %dus, %s}", d.int("senders", 1, d.hosts-1), size, d.int("interval", 1, 20), more)
		}
	}
}

// ndp is NDP, which needs its own switches.
func (d *draw) ndp() {
	d.timer, d.trims, d.faults = true, true, true
	d.line("transport:\n  kind: ndp\n  payload: %s\n  ack_class: %d\n  pulls: %s", d.one("payload of NDP", "1000B", "8936B", "200B"), 7, d.one("pulls", "fair", "class"))
	d.line("  rto_initial: %d00us\n  rto_max: 20ms\n  max_retries: %s", d.int("rto of NDP", 2, 10), d.one("retries", "30", "4", "0"))
	d.line("cc: {kind: ndp, initial_window: %d}", d.int("first window", 0, 60))
	if d.yes("bytes without meaning", 3) {
		d.line("telemetry: {kind: bytes, bytes: %dB}", d.int("telemetry bytes", 1, 200))
	} else {
		d.line("telemetry: {kind: none}")
	}
}

func (d *draw) transport() {
	if d.yes("receivers ask", 10) && !strings.Contains(d.text.String(), "priority: 7") {
		d.ndp()
		return
	}
	d.acks = d.int("ack every", 1, 4)
	kind := d.one("transport", "gobackn", "gobackn", "gobackn", "newreno", "reno", "tahoe", "sack", "rack", "irn")
	tcp := kind != "gobackn" && kind != "irn"
	d.inOrder = kind == "gobackn"
	d.timer = kind != "gobackn" || !d.yes("no timer", 8)
	d.line("transport:\n  kind: %s\n  timer: %v", kind, d.timer)
	if tcp || d.yes("segments by mtu", 4) {
		mtu := d.one("mtu", "1500B", "9000B", "700B")
		d.jumbo = mtu == "9000B"
		d.line("  segment: mtu\n  mtu: %s", mtu)
	} else {
		payload := d.one("payload", "1000B", "1460B", "200B", "8900B")
		d.jumbo = payload == "8900B"
		d.line("  payload: %s", payload)
	}
	if d.yes("classes of ACKs", 4) {
		d.line("  ack_class: %d", d.int("class of ACKs", 1, 7))
	}
	if d.yes("classes by size", 4) {
		d.line("  size_classes: [%s=%d, 30KB=%d]", d.one("small", "1B", "3KB"), d.int("class of small flows", 1, 7), d.int("class of others", 1, 7))
	}
	if d.acks > 1 {
		d.line("  ack_every: %d\n  ack_delay: %dus", d.acks*d.acks, d.int("ack delay", 5, 200))
	}
	d.line("  window_edge: %s\n  rounds: %s", d.one("window edge", "overshoot", "fit"), d.one("rounds", "exact", "exact", "lazy"))
	if kind == "irn" {
		low := d.int("rto low", 1, 10)
		d.line("  rto_low: %d00us\n  rto_high: %d00us\n  rto_low_packets: %d\n  bdp_fc: %v\n  max_retries: %s", low, low*d.int("rto high", 1, 4), d.int("few packets", 0, 5), !d.yes("no BDP-FC", 3), d.one("retries", "30", "4", "0"))
	} else if d.timer {
		low := d.int("rto", 1, 10)
		d.line("  rto_min: %d00us\n  rto_initial: %d00us\n  rto_max: 20ms\n  max_retries: %s", low, low*d.int("initial rto", 1, 3), d.one("retries", "30", "4", "0"))
	}
	if kind != "gobackn" {
		d.line("  dup_acks: %d", d.int("duplicate acks", 1, 4))
	} else {
		d.line("  nack_interval: %s\n  duplicates: %s", d.one("nack interval", "500us", "0s", "10us"), d.one("duplicates", "ack", "ignore"))
	}
	d.control(tcp)
}

func (d *draw) control(tcp bool) {
	bare := func() {
		if d.yes("bytes without meaning", 3) {
			d.line("telemetry: {kind: bytes, bytes: %dB}", d.int("telemetry bytes", 1, 200))
		} else {
			d.line("telemetry: {kind: none}")
		}
	}
	heard := func(signal string) {
		if signal == "host" {
			bare()
			return
		}
		d.line("telemetry: {kind: fridge, entries: %s, probability: %s, corrected: %v, of: %s, period: %s}", d.one("entries", "2", "64", "4096"), d.one("entry", "1", "0.1"),
			d.yes("corrected", 2), d.one("estimates", "destination", "flow", "switch"), d.one("period", "1us", "10us", "1ms"))
	}
	switch {
	case d.yes("swift", 8):
		signal := d.signal()
		d.line("  pacing: true\ncc: {kind: swift, signal: %s, base_target: %s, fs_range: %s, initial_cwnd: %s, min_cwnd: %s}", signal, d.one("base target", "1ms", "3ms"),
			d.one("range", "30us", "0s", "1ms"), d.one("initial", "0", "1", "0.05", "40"), d.one("least", "0.01", "1"))
		heard(signal)
	case tcp && d.yes("dctcp", 3):
		d.marking = true
		d.line("  pacing: false")
		d.marks(tcp)
		d.line("cc: {kind: dctcp, initial_window: %d, gain: %s}", d.int("initial window", 1, 20), d.one("gain", "0.0625", "1"))
		bare()
	case !tcp && d.yes("marks or delay", 3):
		d.line("  pacing: true")
		window := d.one("flow window", "none", "scaled", "constant")
		if window != "none" {
			window += ", rtt: " + d.one("rtt", "max", "path")
		}
		switch d.one("control", "dctcp", "dcqcn", "timely", "theta") {
		case "dctcp":
			d.marking = true
			d.marks(tcp)
			d.line("cc: {kind: dctcp, form: rate, window: %s, rate_ai: %s, min_rate: 500Mbps}", window, d.one("increase", "615Mbps", "0bps"))
		case "dcqcn":
			d.marking = true
			d.line("cc: {kind: dcqcn, variant: %s, window: %s, timer: %dus, alpha_timer: %dus, min_rate: 500Mbps}", d.one("variant", "paper", "ns3"), window, d.int("timer", 1, 100), d.int("alpha timer", 1, 60))
		case "timely":
			signal := d.signal()
			d.line("cc: {kind: timely, signal: %s, variant: %s, window: %s, min_rtt: %dus, t_low: %dus, min_rate: 500Mbps}", signal, d.one("variant", "paper", "patched", "ns3"), window, d.int("min rtt", 1, 30), d.int("low", 0, 60))
			heard(signal)
			return
		case "theta":
			d.line("cc: {kind: powertcp, power: theta, %s, rtt: %s}", d.power(), d.one("rtt", "max", "path"))
		}
		bare()
	case tcp && !d.yes("a constant window instead", 4):
		d.line("  pacing: false")
		if d.yes("answers marks", 2) {
			d.marking = true
			d.marks(tcp)
		}
		d.line("cc: {kind: %s, initial_window: %d, initial_ssthresh: %s, ecn: %v}", d.one("tcp", "reno", "cubic"), d.int("initial window", 1, 20), d.one("threshold", "none", "20KB", "1B"), d.marking)
		bare()
	case tcp || d.yes("no control", 3):
		d.line("  pacing: true\ncc: {kind: fixed, window: %s, rate: %s}", d.one("window", "none", "20KB", "1KB", "300KB"), d.one("rate", "100Gbps", "7Gbps", "333Mbps"))
		bare()
	default:
		d.line("  pacing: %v", !d.yes("no pacing", 4))
		form := "form: window, w_ai: 80B"
		if d.yes("rate form", 3) {
			form = "form: rate, rate_ai: 50Mbps, min_rate: 100Mbps"
		}
		pint := d.yes("pint", 2)
		rtt := d.one("rtt", "given", "max", "path")
		if pint && rtt == "path" {
			rtt = "max" // a switch cannot know the RTT of a path
		}
		if rtt == "given" {
			rtt += fmt.Sprintf(", t: %dus", d.int("t", 1, 40))
		}
		power := d.yes("powertcp", 3)
		if power {
			d.line("cc: {kind: powertcp, %s, rtt: %s}", d.power(), rtt)
		} else {
			d.line("cc: {kind: hpcc, %s, rtt: %s, eta: 0.%d, max_stage: %d}", form, rtt, d.int("eta", 80, 99), d.int("max stage", 0, 5))
		}
		if pint {
			bits, bases := d.int("bits", 4, 8), []string{"1.6", "2"} // the largest code must stand for 2 or more
			if bits == 8 {
				bases = []string{"1.050625", "1.5"}
			}
			if power {
				d.line("telemetry: {kind: pint, plan: powertcp, p: %s, bits: %d, base: %s, arithmetic: %s}", d.one("p", "1", "0.0625", "0.5"),
					bits, d.one("base", bases...), d.one("arithmetic", "float", "fixed"))
				return
			}
			d.line("telemetry: {kind: pint, p: %s, bits: %d, base: %s, rounding: %s, ewma_over: %s, first_feedback: %s}", d.one("p", "1", "0.0625", "0.5"),
				bits, d.one("base", bases...), d.one("rounding", "log", "value"), d.one("ewma", "all", "data"), d.one("first", "apply", "skip"))
			return
		}
		format := "format: hpcc"
		if d.yes("standard format", 3) {
			format = fmt.Sprintf("format: standard, values: %d", d.int("values", 3, 8))
		}
		d.hops = true
		d.line("telemetry: {kind: int, %s, hops: 8, precision: %s}", format, d.one("precision", "exact", "wire"))
	}
}

// signal is where round-trip times come from.
func (d *draw) signal() string {
	if d.yes("signal of the switch", 3) {
		return "switch"
	}
	return "host"
}

// power are keys of PowerTCP.
func (d *draw) power() string {
	return fmt.Sprintf("gamma: %s, flows: %d", d.one("gamma", "0.9", "1", "0.1"), d.int("flows of a NIC", 1, 60))
}

// marks chooses how receivers tell of marks.
func (d *draw) marks(tcp bool) {
	rules := []string{"any"}
	if d.acks > 1 {
		rules = append(rules, "change")
	}
	if tcp {
		rules = append(rules, "latch")
	}
	d.line("  mark_echo: %s", d.one("echo of marks", rules...))
}

func (d *draw) network() {
	d.line("network:\n  buffer: %s", d.one("buffer", "32MB", "3MB", "900KB", "250KB"))
	if d.yes("processing", 4) {
		d.line("  processing_delay: %dns", d.int("delay", 1, 900))
	}
	if d.timer && d.yes("loss", 6) {
		d.faults = true
		d.line("  link_error_rate: %s", d.one("error rate", "0.001", "0.02", "0.2"))
	}
	if d.yes("floor", 6) {
		d.line("  serialisation: floor-ns")
	}
	if d.trims {
		d.line("  trimming: {enabled: true, queue: %d, header_queue: %d, tail: %s, return_to_sender: %v}", d.int("queue", 1, 9), d.int("header queue", 1, 3), d.one("tail", "0.5", "0", "1"), d.yes("return", 2))
		d.line("  pfc: {enabled: false}\n  scheduling: %s", d.one("scheduling of headers", "{kind: wrr, weights: [7=10]}", "{kind: strict}"))
		d.line("  balancing: %s", d.one("balancing of NDP", "{kind: permute}", "{kind: spray}", "{kind: ecmp}", "{kind: letflow, gap: 1ns}"))
		return
	}
	d.line("  scheduling: %s", d.one("scheduling", "{kind: turns}", "{kind: turns}", "{kind: strict}", "{kind: drr}", "{kind: drr, weights: [3=4, 7=2]}", "{kind: wrr, weights: [3=4, 7=10]}"))
	balancers := []string{"{kind: ecmp}", "{kind: ecmp}", "{kind: wcmp}", "{kind: letflow, gap: 10us, entries: 16}", "{kind: letflow, gap: 1ns}"}
	if !d.inOrder && !d.hops {
		balancers = append(balancers, "{kind: spray}", "{kind: spray, choice: round-robin}", "{kind: permute}")
	}
	d.line("  balancing: %s", d.one("balancing", balancers...))
	d.line("  ecmp: {hash: %s, order: %s}", d.one("hash", "mix", "murmur"), d.one("order", "ascending", "descending"))
	if d.marking || d.yes("ecn", 4) {
		d.line("  ecn: {enabled: true, kmin: 5KB, kmax: 20KB, pmax: 0.3}")
	}
	if d.yes("no pfc", 3) {
		least := "5KB"
		if d.jumbo {
			least = "12KB" // one packet must fit
		}
		d.line("  pfc: {enabled: false}\n  port_limit: %s", d.one("port limit", "none", "20KB", least, "100KB"))
		d.faults = true // drops
		return
	}
	if d.yes("static threshold", 3) {
		d.line("  pfc: {threshold: static, xoff: %s, hysteresis: %s, reserve: %s}", d.one("xoff", "30KB", "5KB", "1KB"), d.one("hysteresis", "3072B", "0B"), d.one("reserve", "4096B", "0B"))
	} else {
		d.line("  pfc: {shift: %d, reserve: %s}", d.int("shift", 0, 10), d.one("reserve", "4096B", "0B"))
	}
}

// monitors sends reports beside the flows. What a port has no room for is lost.
func (d *draw) monitors() {
	if !d.yes("monitors", 5) {
		return
	}
	d.faults = true
	d.line("monitors:")
	mode := func() string {
		if strings.Contains(d.text.String(), "mtu:") {
			return "postcard" // records may leave no room for payload
		}
		return d.one("mode", "passport", "postcard")
	}
	for range d.int("number of monitors", 1, 2) {
		d.line("  - {kind: int, mode: %s, values: %d, share: %s}", mode(), d.int("values", 3, 16), d.one("share", "1", "0.1"))
	}
}

func (d *draw) run() {
	d.monitors()
	d.line("run:\n  stall: 30ms\n  drain: %v\n  ties: %s", !d.yes("no drain", 10), d.one("ties", "seeded", "seeded", "seeded", "fifo"))
	if d.yes("limit", 10) {
		d.line("  until: %dus", d.int("until", 90, 300))
	}
	if !d.timer || !d.yes("faults", 3) {
		return
	}
	d.faults = true
	d.line("faults:")
	for range d.int("number of faults", 1, 4) {
		at := d.int("at", 0, 80)
		until := "never"
		if d.yes("repaired", 2) {
			until = fmt.Sprintf("%dus", at+d.int("for", 1, 300))
		}
		switch {
		case d.yes("host", 3):
			d.fault("  - {kind: %s, host: %d, at: %dus, until: %s}", d.one("kind", "host-pause", "host-failure"), d.int("host", 0, d.hosts-1), at, until)
			continue
		case d.yes("switch", 4):
			d.fault("  - {%s, switch: %d, at: %dus, until: %s}", d.one("kind", "kind: switch-failure", "kind: switch-failure, reroute: false",
				"kind: blackhole-entry", "kind: blackhole-entry, dst: 1, share: 0.5"), d.hosts+d.int("switch", 0, d.switches-1), at, until)
			continue
		case d.yes("wrong path", 8):
			sw := d.int("switch", 0, d.switches-1)
			next := (sw + d.int("next", 1, max(1, d.switches-1))) % d.switches
			d.fault("  - {kind: wrong-path, switch: %d, next: %d, dst: %d, at: %dus, until: %s}", d.hosts+sw, d.hosts+next, d.int("dst", 0, d.hosts-1), at, until)
			continue
		}
		links := d.links
		if fabric := d.fabric(); len(fabric) > 0 && d.yes("between switches", 2) {
			links = fabric // where packets find another way
		}
		l := rapid.SampledFrom(links).Draw(d.t, "link")
		kind := d.one("kind", "kind: link-down", "kind: link-down", "kind: blackhole", "kind: drop, probability: 0.2", "kind: jitter, rate: 500Mbps, delay: 20us",
			"kind: loop", "kind: loop, dst: 0", "kind: loop, ttl: 192, share: 0.3")
		d.fault("  - {%s, a: %d, b: %d, at: %dus, until: %s}", kind, l[0], l[1], at, until)
	}
}

// fault adds a fault unless it clashes with one that is there.
func (d *draw) fault(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	if _, err := scenario.Parse([]byte(d.text.String()+line+"\n"), "drawn"); err == nil || !strings.Contains(err.Error(), "overlaps") {
		d.line("%s", line)
	}
}

// fabric are the links between switches. Hosts come first in all networks.
func (d *draw) fabric() [][2]int {
	var list [][2]int
	for _, l := range d.links {
		if min(l[0], l[1]) >= d.hosts {
			list = append(list, l)
		}
	}
	return list
}

// parse reads what scenario has written.
func parse(t *rapid.T, text string) scenario.Scenario {
	sc, err := scenario.Parse([]byte(text), "drawn")
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	return sc
}
