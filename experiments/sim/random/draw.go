package random

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"pintlab/experiments/protocols"
	"pintlab/experiments/scenario"
	"pintlab/internal/lists"
	"pintlab/internal/outfile"
	"pintlab/internal/rng"
	"pintlab/internal/schema"
	"pintlab/netsim/telemetry"
	"pintlab/transport"
)

// Chooser makes the choices that define a scenario.
type Chooser interface {
	// Int returns a whole number from from to to. Smaller numbers mean simpler scenarios. name describes
	// the choice.
	Int(name string, from, to int) int
}

// seeded chooses uniformly.
type seeded struct{ stream interface{ IntN(n int) int } }

func (s seeded) Int(_ string, from, to int) int { return from + s.stream.IntN(to-from+1) }

// Seeded returns the chooser of a scenario of a seed.
func Seeded(seed uint64, scenario int) Chooser {
	return seeded{rng.New(seed, "random scenario", uint64(scenario))}
}

// draw writes a scenario from random choices in the text form, so that a failure can be run again by hand.
type draw struct {
	choose Chooser
	dir    string // directory for files
	text   strings.Builder
	kinds  Kinds

	hosts    int
	switches int
	links    [][2]int // ends of all links
	timer    bool
	jumbo    bool // packets have some 9 KB
	mtu      bool // the size of the IP packet is fixed, including telemetry
	inOrder  bool // receivers discard packets that arrive out of order
	hops     bool // the congestion control reads a record for every hop
	plan     bool // packets carry a plan of queries
	marking  bool // the congestion control needs marks
	trims    bool // switches trim packets
	avoids   bool // senders avoid paths
	acks     int  // square root of the number of packets per ACK
	faults   bool // there are faults, or links lose packets
	file     bool // the network comes from a file, so it may have cycles
}

func (d *draw) line(format string, args ...any) { fmt.Fprintf(&d.text, format+"\n", args...) }

func (d *draw) int(name string, from, to int) int { return d.choose.Int(name, from, to) }

// yes returns true with probability 1/n.
func (d *draw) yes(name string, n int) bool { return d.int(name, 1, n) == n }

func (d *draw) one(name string, words ...string) string {
	return words[d.int(name, 0, len(words)-1)]
}

// scenario draws the scenario. Simple alternatives come first everywhere, so that a chooser that minimises
// numbers finds simple scenarios.
func (d *draw) scenario() error {
	d.line("seed: %d", d.int("seed", 1, 1000))
	if err := d.topology(); err != nil {
		return err
	}
	d.workload()
	if err := d.transport(); err != nil {
		return err
	}
	d.network()
	if err := d.monitors(); err != nil {
		return err
	}
	return d.run()
}

// is records that the scenario has a kind of a part.
func (d *draw) is(what What, kind ...string) {
	d.kinds[what] = append(d.kinds[what], strings.Join(kind, " "))
}

func (d *draw) topology() error {
	rate := d.one("host rate", "100Gbps", "10Gbps", "25Gbps", "1Gbps")
	fabric := d.one("fabric rate", "100Gbps", "400Gbps", "10Gbps", "40Gbps")
	delay := d.one("link delay", "1us", "100ns", "1ns", "5us", "0s")
	common := fmt.Sprintf("host_rate: %s, link_delay: %s", rate, delay)
	kind := d.one("topology", "star", "dumbbell", "chain", "leafspine", "fattree", "fattree8", "file")
	d.is(Topology, kind)
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
		d.line("topology: {kind: chain, switches: %d, hosts_per_switch: %d, ends_only: %v, fabric_rate: %s, %s}", switches, each, ends, fabric, common)
	case "leafspine":
		leaves, each := d.int("leaves", 2, 4), d.int("hosts of a leaf", 1, 3)
		d.hosts = leaves * each
		d.line("topology: {kind: leafspine, leaves: %d, spines: %d, hosts_per_leaf: %d, fabric_rate: %s, %s}", leaves, d.int("spines", 1, 3), each, fabric, common)
	case "fattree":
		k := 2 * d.int("half of k", 1, 2)
		d.hosts = k * k * k / 4
		d.line("topology: {kind: fattree, k: %d, fabric_rate: %s, %s}", k, fabric, common)
	case "fattree8":
		d.hosts = 8
		d.line("topology: {kind: fattree8, fabric_rate: %s, %s}", fabric, common)
	case "file":
		name, err := d.topologyFile()
		if err != nil {
			return err
		}
		d.line("topology: {kind: file, path: %q}", name)
	}
	sc, err := d.parse()
	if err != nil {
		return err
	}
	g, err := sc.Topology.Generator().Build()
	if err != nil {
		return err
	}
	d.switches = len(g.Switches())
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
	name = filepath.Join(d.dir, topologyFile)
	return name, outfile.Write(name, func(w io.Writer) error {
		_, err := w.Write([]byte(text))
		return err
	})
}

func (d *draw) workload() {
	d.line("workload:")
	loaded := false
	for range d.int("sources", 1, 3) {
		more := fmt.Sprintf("priority: %d, start: %dns", d.int("priority", 1, 7), d.int("start", 0, 30_000))
		size := d.one("size", "1000B", "1B", "20KB", "999B", "1001B", "60KB", "150KB", "400KB")
		traffic := d.one("traffic", "list", "incast", "poisson", "permutation", "alltoall", "staircase")
		d.is(Traffic, traffic)
		switch traffic {
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
			load := d.int("load", 1, 3)
			if loaded {
				load = 1 // loads must sum to less than a link, including headers and telemetry
			}
			loaded = true
			d.line("  - {kind: poisson, %s, load: 0.%d, duration: %dus, %s}", sizes, load, d.int("duration", 5, 40), more)
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

// receiverDriven draws a receiver-driven control, its transport and its switches.
func (d *draw) receiverDriven() error {
	d.timer = true
	payload, pulls := d.one("payload of receivers", "1000B", "8936B", "200B"), d.one("pulls", "fair", "class")
	rto, retries := d.int("rto of receivers", 2, 10), d.one("retries", "30", "4", "0")
	return d.control(func(c part) (text, later string, ok bool) {
		r, ok := c.params.(transport.Receiving)
		if !ok {
			return "", "", false
		}
		text = fmt.Sprintf("transport:\n  kind: %s\n  payload: %s\n  ack_class: 7\n", c.name(), payload)
		if r.Receivers().Ask {
			text += "  pulls: " + pulls + "\n"
		}
		text += fmt.Sprintf("  rto_initial: %d00us\n  rto_max: 20ms\n  max_retries: %s\n", rto, retries)
		if r.Receivers().Trimming {
			later = "network: {trimming: {enabled: true}, pfc: {enabled: false}, scheduling: {kind: strict}, balancing: {kind: permute}}\n"
		}
		return text, later, true
	})
}

// senderDriven draws a control for a loss recovery that senders drive.
func (d *draw) senderDriven(loss transport.LossSignal) error {
	return d.control(func(c part) (text, later string, ok bool) {
		needs := c.params.(transport.Control).Needs()
		if _, pulled := c.params.(transport.Receiving); pulled || needs.Loss != loss && needs.Loss != transport.AnyLoss {
			return "", "", false
		}
		return fmt.Sprintf("  pacing: %v\n", needs.Pacing == transport.Paced || needs.Pacing == transport.AnyPacing && !d.yes("no pacing", 4)), "", true
	})
}

func (d *draw) transport() error {
	if d.yes("receivers ask", 10) && !strings.Contains(d.text.String(), "priority: 7") {
		return d.receiverDriven()
	}
	d.acks = d.int("ack every", 1, 4)
	kind := d.one("transport", "gobackn", "gobackn", "gobackn", "newreno", "reno", "tahoe", "sack", "rack", "irn")
	d.is(Recovery, kind)
	tcp := kind != "gobackn" && kind != "irn"
	d.inOrder = kind == "gobackn"
	d.timer = kind != "gobackn" || !d.yes("no timer", 8)
	d.line("transport:\n  kind: %s\n  timer: %v", kind, d.timer)
	if tcp || d.yes("segments by mtu", 4) {
		mtu := d.one("mtu", "1500B", "9000B", "700B")
		d.jumbo, d.mtu = mtu == "9000B", true
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
	if tcp {
		return d.senderDriven(transport.TCPLoss)
	}
	return d.senderDriven(transport.RDMALoss)
}

// part is a protocol with random parameters.
type part struct {
	text   string // "kind: NAME, key: value, …"
	labels [][]string
	params any
}

func (p part) name() string { return p.labels[0][0] }

// part draws the parameters of a kind from their tags.
func (d *draw) part(k schema.Kind) (part, error) {
	p := part{labels: [][]string{{k.Name}}, params: k.New()}
	keys, err := schema.Fill(p.params, func(f schema.Field) string {
		text := d.one(f.Key, f.Draw...)
		if low, high, ok := strings.Cut(text, ".."); ok {
			text = d.within(f.Key, low, high)
		} else if f.OneOf != nil && len(f.Draw) > 1 {
			p.labels = append(p.labels, []string{k.Name, text})
		}
		return text
	})
	p.text = "kind: " + k.Name + keys
	return p, err
}

// within draws a whole number with the unit of high, which may be "hosts".
func (d *draw) within(name, low, high string) string {
	digits := strings.TrimRightFunc(high, unicode.IsLetter)
	from, _ := strconv.Atoi(low)
	to, err := strconv.Atoi(digits)
	if err != nil {
		return fmt.Sprint(d.int(name, from, d.hosts-1))
	}
	return fmt.Sprint(d.int(name, from, to)) + high[len(digits):]
}

// tries is the number of times that the parameters of a kind are drawn before another kind is tried.
const tries = 4

// among draws kinds and their parameters until use accepts one, and reports whether it did.
func (d *draw) among(name string, kinds []schema.Kind, use func(part) (bool, error)) (bool, error) {
	for len(kinds) > 0 {
		i := d.int(name, 0, len(kinds)-1)
		for range tries {
			p, err := d.part(kinds[i])
			if err != nil {
				return false, err
			}
			if taken, err := use(p); taken || err != nil {
				return taken, err
			}
		}
		kinds = slices.Delete(slices.Clone(kinds), i, i+1)
	}
	return false, nil
}

// take appends text to the scenario unless it contradicts the present text. later represents text that will
// follow.
func (d *draw) take(text, later string, labels map[What]part) bool {
	if _, err := scenario.Parse([]byte(d.text.String()+text+later), drawn); err != nil {
		return false
	}
	d.text.WriteString(text)
	for what, p := range labels {
		for _, l := range p.labels {
			d.is(what, l...)
		}
	}
	return true
}

// control draws a congestion control with a telemetry system that it reads or that provides nothing. with
// returns the text before the control and after it, and false to skip the control.
func (d *draw) control(with func(part) (text, later string, ok bool)) error {
	taken, err := d.among("control", protocols.Controls().Kinds, func(c part) (bool, error) {
		needs := c.params.(transport.Control).Needs()
		text, later, wanted := with(c)
		if !wanted {
			return false, nil
		}
		if needs.Marking {
			text += "  mark_echo: " + d.one("echo of marks", "any", "change", "latch") + "\n"
			later = "network: {ecn: {enabled: true}}\n"
		}
		text += "cc: {" + c.text + "}\n"
		return d.among("telemetry", protocols.Telemetry().Kinds, func(t part) (bool, error) {
			system := t.params.(telemetry.System)
			gives := system.Gives()
			read := slices.ContainsFunc(gives, func(q telemetry.Quantity) bool { return slices.Contains(needs.Feedback, q) })
			if !read && len(gives)+len(needs.Feedback) > 0 || !d.take(text+"telemetry: {"+t.text+"}\n", later, map[What]part{Control: c, Telemetry: t}) {
				return false, nil
			}
			d.marking, d.plan, d.hops = needs.Marking, system.Recorded(), slices.Contains(gives, telemetry.PerHop)
			if r, ok := c.params.(transport.Receiving); ok {
				d.is(Recovery, c.name())
				d.trims = r.Receivers().Trimming
			}
			if a, ok := c.params.(transport.Avoider); ok {
				d.avoids = a.Penalty() != nil
			}
			return true, nil
		})
	})
	if err == nil && !taken {
		err = fmt.Errorf("no congestion control goes with\n%s", d.text.String())
	}
	return err
}

func (d *draw) network() {
	d.line("network:\n  buffer: %s", d.one("buffer", "32MB", "3MB", "900KB", "250KB"))
	if d.yes("processing", 4) {
		d.line("  processing_delay: %dns", d.int("delay", 1, 900))
	}
	if d.timer && d.yes("loss", 6) {
		d.loses("links")
		d.line("  link_error_rate: %s", d.one("error rate", "0.001", "0.02", "0.2"))
	}
	if d.yes("floor", 6) {
		d.line("  serialisation: floor-ns")
	}
	if d.trims {
		d.trimming()
		return
	}
	scheduling := d.one("scheduling", "turns", "turns", "strict", "drr", "wrr")
	d.is(Scheduling, scheduling)
	if (scheduling == "drr" || scheduling == "wrr") && d.yes("weights", 2) {
		scheduling += ", weights: [3=4, 7=10]"
	}
	d.line("  scheduling: {kind: %s}", scheduling)
	d.balancing()
	d.line("  ecmp: {hash: %s, order: %s}", d.one("hash", "mix", "murmur"), d.one("order", "ascending", "descending"))
	if d.marking || d.yes("ecn", 4) {
		d.is(Marking, "on")
		d.line("  ecn: {enabled: true, kmin: 5KB, kmax: 20KB, pmax: 0.3}")
	} else {
		d.is(Marking, "off")
	}
	if d.yes("no pfc", 3) {
		least := "5KB"
		if d.jumbo {
			least = "12KB" // at least one packet must fit
		}
		d.is(Pausing, "off")
		d.line("  pfc: {enabled: false}\n  port_limit: %s", d.one("port limit", "none", "20KB", least, "100KB"))
		d.loses("full buffers")
		return
	}
	if d.yes("static threshold", 3) {
		d.is(Pausing, "static")
		d.line("  pfc: {threshold: static, xoff: %s, hysteresis: %s, reserve: %s}", d.one("xoff", "30KB", "5KB", "1KB"), d.one("hysteresis", "3072B", "0B"), d.one("reserve", "4096B", "0B"))
	} else {
		d.is(Pausing, "dynamic")
		d.line("  pfc: {shift: %d, reserve: %s}", d.int("shift", 0, 10), d.one("reserve", "4096B", "0B"))
	}
}

// trimming draws the settings of switches that trim.
func (d *draw) trimming() {
	d.loses("trimming")
	d.is(Marking, "off")
	d.is(Pausing, "off")
	action := d.one("action", "trim, return_to_sender: true", "trim, return_to_sender: false", "trim", "drop")
	d.line("  trimming: {enabled: true, queue: %d, header_queue: %d, tail: %s, action: %s}", d.int("queue", 1, 9), d.int("header queue", 1, 3), d.one("tail", "0.5", "0", "1"), action)
	scheduling := d.one("scheduling of headers", "wrr", "strict")
	d.is(Scheduling, scheduling)
	if scheduling == "wrr" {
		scheduling += ", weights: [7=10]"
	}
	d.line("  pfc: {enabled: false}\n  scheduling: {kind: %s}", scheduling)
	d.balancing()
}

// loses records where packets may be lost.
func (d *draw) loses(where string) {
	d.faults = true
	d.is(Losses, where)
}

func (d *draw) balancing() {
	kinds := []string{"ecmp", "ecmp", "wcmp"}
	if !d.plan { // the queries of a plan need flows with one path
		kinds = append(kinds, "letflow", "letflow")
		if d.trims {
			kinds = append(kinds, "permute", "permute", "reps ring", "mixed")
		}
		if !d.inOrder && !d.hops {
			kinds = append(kinds, "spray random", "spray round-robin", "permute", "oblivious", "bitmap", "reps ring", "reps list", "mixed")
		}
	}
	if d.avoids {
		kinds = []string{"permute"}
	}
	kind := d.one("balancing", kinds...)
	d.is(Balancing, kind)
	switch kind {
	case "letflow":
		d.line("  balancing: {kind: letflow, %s}", d.one("gap", "gap: 10us, entries: 16", "gap: 1ns"))
	case "spray random", "spray round-robin":
		d.line("  balancing: {kind: spray, choice: %s}", strings.TrimPrefix(kind, "spray "))
	case "reps ring", "reps list":
		d.line("  balancing: {kind: reps, memory: %s}", strings.TrimPrefix(kind, "reps "))
	default:
		d.line("  balancing: {kind: %s}", kind)
	}
}

// monitors draws monitors. Ports may drop their reports.
func (d *draw) monitors() error {
	if !d.yes("monitors", 4) {
		return nil
	}
	d.loses("reports")
	head := "monitors:\n"
	for range d.int("number of monitors", 1, 2) {
		_, err := d.among("monitor", protocols.Monitors().Kinds, func(p part) (bool, error) {
			// If telemetry shares the MTU with the payload, large records may leave no room for payload.
			if d.mtu && p.params.(telemetry.Monitor).Room(9).Growth > 32 || !d.take(head+"  - {"+p.text+"}\n", "", map[What]part{Monitors: p}) {
				return false, nil
			}
			head = ""
			return true, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *draw) run() error {
	d.line("run:\n  stall: 30ms\n  drain: %v\n  ties: %s", !d.yes("no drain", 10), d.one("ties", "seeded", "seeded", "seeded", "fifo"))
	if d.kinds[Monitors] != nil && d.yes("free monitors", 4) {
		d.line("  monitor_cost: none")
	}
	if d.yes("limit", 10) {
		d.line("  until: %dus", d.int("until", 90, 300))
	}
	if !d.timer || !d.yes("faults", 3) {
		return nil
	}
	d.faults = true
	d.line("faults:")
	for range d.int("number of faults", 1, 4) {
		at := d.int("at", 0, 80)
		until := "never"
		if d.yes("repaired", 2) {
			until = fmt.Sprintf("%dus", at+d.int("for", 1, 300))
		}
		if err := d.fault(d.broken() + fmt.Sprintf(", at: %dus, until: %s}", at, until)); err != nil {
			return err
		}
	}
	return nil
}

// broken draws the kind and place of a fault.
func (d *draw) broken() string {
	switch {
	case d.yes("host", 3):
		return fmt.Sprintf("{kind: %s, host: %d", d.one("kind", "host-pause", "host-failure"), d.int("host", 0, d.hosts-1))
	case d.yes("switch", 4):
		return fmt.Sprintf("{%s, switch: %d", d.one("kind", "kind: switch-failure", "kind: switch-failure, reroute: false",
			"kind: blackhole-entry", "kind: blackhole-entry, dst: 1, share: 0.5"), d.hosts+d.int("switch", 0, d.switches-1))
	case d.yes("wrong path", 8):
		sw := d.int("switch", 0, d.switches-1)
		next := (sw + d.int("next", 1, max(1, d.switches-1))) % d.switches
		return fmt.Sprintf("{kind: wrong-path, switch: %d, next: %d, dst: %d", d.hosts+sw, d.hosts+next, d.int("dst", 0, d.hosts-1))
	}
	links := d.links
	if fabric := d.fabric(); len(fabric) > 0 && d.yes("between switches", 2) {
		links = fabric // packets may find another path
	}
	l := links[d.int("link", 0, len(links)-1)]
	kind := d.one("kind", "kind: link-down", "kind: link-down", "kind: blackhole", "kind: drop, probability: 0.2", "kind: jitter, rate: 500Mbps, delay: 20us",
		"kind: loop", "kind: loop, dst: 0", "kind: loop, ttl: 192, share: 0.3")
	return fmt.Sprintf("{%s, a: %d, b: %d", kind, l[0], l[1])
}

// fault adds a fault unless it clashes with an earlier one.
func (d *draw) fault(fault string) error {
	line := "  - " + fault + "\n"
	_, err := scenario.Parse([]byte(d.text.String()+line), drawn)
	if err != nil && strings.Contains(err.Error(), "overlaps") {
		return nil
	}
	d.text.WriteString(line)
	return err
}

// fabric returns the links between switches. In all networks hosts have the lowest numbers.
func (d *draw) fabric() [][2]int {
	return lists.Keep(d.links, func(l [2]int) bool { return min(l[0], l[1]) >= d.hosts })
}

// drawn is the name of a scenario that is not in a file.
const drawn = "drawn"

// parse parses the text so far.
func (d *draw) parse() (scenario.Scenario, error) {
	sc, err := scenario.Parse([]byte(d.text.String()), drawn)
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, d.text.String())
	}
	return sc, err
}
