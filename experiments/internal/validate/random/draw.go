package random

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"pintlab/experiments/protocols"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/internal/hash"
	"pintlab/internal/lists"
	"pintlab/netsim/route"
	"pintlab/netsim/schema"
	"pintlab/netsim/telemetry"
	"pintlab/transport"
	"pintlab/workloads"
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

// newChooser returns the chooser for the scenario with this number in the campaign with this seed.
func newChooser(seed uint64, scenario int) Chooser {
	return seeded{hash.Stream(seed, "random scenario", uint64(scenario))}
}

// draw writes a random scenario as the text of a scenario file, so that a scenario that fails can be run again by
// hand.
type draw struct {
	language *scenario.Language
	choose   Chooser
	dir      string // directory for files
	text     strings.Builder
	kinds    kindLists

	hosts    int
	senders  []workloads.Host
	switches int
	links    [][2]int // ends of all links
	timer    bool
	jumbo    bool    // packets have some 9 KB
	mtu      bool    // the size of the IP packet is fixed, including telemetry
	inOrder  bool    // receivers discard packets that arrive out of order
	hops     bool    // the congestion control reads a record for every hop
	shares   bool    // telemetry needs the guaranteed shares of classes
	plan     bool    // packets carry a plan of queries
	marking  bool    // the congestion control needs marks
	trims    bool    // switches trim packets
	avoids   bool    // senders avoid paths
	acks     int     // square root of the number of packets per ACK
	faults   bool    // there are faults, or links lose packets
	file     bool    // the network comes from a file, so it may have cycles
	load     float64 // sum of the sources' loads
}

func (d *draw) line(format string, args ...any) { fmt.Fprintf(&d.text, format+"\n", args...) }

func (d *draw) int(name string, from, to int) int { return d.choose.Int(name, from, to) }

// yes returns true with probability 1/n.
func (d *draw) yes(name string, n int) bool { return d.int(name, 1, n) == n }

// one returns one of the words. Each listed word has the same probability, so a word that is listed twice is twice as
// likely.
func (d *draw) one(name string, words ...string) string {
	return words[d.int(name, 0, len(words)-1)]
}

// scenario draws the scenario. In every choice the simple alternatives come first, so that a chooser that prefers
// small numbers finds simple scenarios.
func (d *draw) scenario() error {
	d.line("seed: %d", d.int("seed", 1, 1000))
	if err := d.topology(); err != nil {
		return err
	}
	if err := d.workload(); err != nil {
		return err
	}
	if err := d.transport(); err != nil {
		return err
	}
	for _, part := range []func() error{d.network, d.monitors} {
		if err := part(); err != nil {
			return err
		}
	}
	return d.breakages()
}

// is records which kind of a part the scenario has. The words of kind are joined to one name.
func (d *draw) is(what section, kind ...string) {
	d.kinds[what] = append(d.kinds[what], strings.Join(kind, " "))
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
			later = "network: {trimming: {enabled: true}, pfc: {enabled: false}, scheduling: {kind: strict}, " +
				"balancing: {kind: permute}}\n"
		}
		return text, later, true
	})
}

// senderDriven draws a congestion control that senders drive and that works with this loss signal.
func (d *draw) senderDriven(loss transport.LossSignal) error {
	return d.control(func(c part) (text, later string, ok bool) {
		needs := c.params.(transport.Control).Needs()
		if _, pulled := c.params.(transport.Receiving); pulled ||
			needs.Loss != loss && needs.Loss != transport.AnyLoss {
			return "", "", false
		}
		return fmt.Sprintf("  pacing: %v\n",
			needs.Pacing == transport.Paced || needs.Pacing == transport.AnyPacing && !d.yes("no pacing", 4)), "", true
	})
}

func (d *draw) transport() error {
	if d.yes("receivers ask", 10) && !strings.Contains(d.text.String(), "priority: 7") {
		return d.receiverDriven()
	}
	d.acks = d.int("ack every", 1, 4)
	kind := d.one("transport", "gobackn", "gobackn", "gobackn", "newreno", "reno", "tahoe", "sack", "rack", "irn")
	d.is(ofRecovery, kind)
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
		d.line("  size_classes: [%s=%d, 30KB=%d]", d.one("small", "1B", "3KB"), d.int("class of small flows", 1, 7),
			d.int("class of others", 1, 7))
	}
	if d.acks > 1 {
		d.line("  ack_every: %d\n  ack_delay: %dus", d.acks*d.acks, d.int("ack delay", 5, 200))
	}
	d.line("  window_edge: %s\n  rounds: %s", d.one("window edge", "overshoot", "fit"),
		d.one("rounds", "exact", "exact", "lazy"))
	if kind == "irn" {
		low := d.int("rto low", 1, 10)
		d.line("  rto_low: %d00us\n  rto_high: %d00us\n  rto_low_packets: %d\n  bdp_fc: %v\n  max_retries: %s", low,
			low*d.int("rto high", 1, 4), d.int("few packets", 0, 5), !d.yes("no BDP-FC", 3),
			d.one("retries", "30", "4", "0"))
	} else if d.timer {
		low := d.int("rto", 1, 10)
		d.line("  rto_min: %d00us\n  rto_initial: %d00us\n  rto_max: 20ms\n  max_retries: %s", low,
			low*d.int("initial rto", 1, 3), d.one("retries", "30", "4", "0"))
	}
	if kind != "gobackn" {
		d.line("  dup_acks: %d", d.int("duplicate acks", 1, 4))
	} else {
		d.line("  nack_interval: %s\n  duplicates: %s", d.one("nack interval", "500us", "0s", "10us"),
			d.one("duplicates", "ack", "ignore"))
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
		text := d.value(f)
		if f.OneOf != nil && len(f.Draw) > 1 {
			p.labels = append(p.labels, []string{k.Name, text})
		}
		return text
	})
	p.text = "kind: " + k.Name + keys
	return p, err
}

// within draws a whole number between low and high, with the unit of high. high may be "hosts".
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

// among draws kinds and their parameters until the function use accepts one. It reports whether it did.
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

// take appends text to the scenario. It returns false and appends nothing if the text contradicts the present text,
// or if flows need more hosts than there are. This check includes later, a text that will follow.
func (d *draw) take(text, later string, labels map[section]part) bool {
	sc, err := d.language.Parse([]byte(d.text.String()+text+later), drawn)
	if err == nil {
		_, err = sim.BuildWorkload(&sc, d.senders)
	}
	if err != nil {
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

// control draws a congestion control, together with a telemetry system. The control reads this system, or the control
// needs no telemetry and the system provides none. The function with returns the text before and after the control,
// and false to skip the control.
func (d *draw) control(with func(part) (text, later string, ok bool)) error {
	taken, err := d.among("control", d.language.Protocols().Controls.Kinds, func(c part) (bool, error) {
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
		return d.among("telemetry", d.language.Protocols().Telemetry.Kinds, func(t part) (bool, error) {
			system := t.params.(telemetry.System)
			gives := system.Gives()
			read := slices.ContainsFunc(gives, func(q telemetry.Quantity) bool {
				return slices.Contains(needs.Feedback, q)
			})
			if !read && len(gives)+len(needs.Feedback) > 0 ||
				!d.take(text+"telemetry: {"+t.text+"}\n", later, map[section]part{ofControl: c, ofTelemetry: t}) {
				return false, nil
			}
			d.marking, d.plan = needs.Marking, system.Recorded()
			d.shares = strings.Contains(t.text, "of: queue")
			d.hops = slices.Contains(gives, telemetry.PerHop) || slices.Contains(gives, telemetry.HopRates)
			if r, ok := c.params.(transport.Receiving); ok {
				d.is(ofRecovery, c.name())
				d.trims = r.Receivers().Trimming
			}
			if a, ok := c.params.(transport.Avoider); ok {
				d.avoids = a.Penalty() != nil
			}
			return true, nil
		})
	})
	if err == nil && !taken {
		err = fmt.Errorf("no congestion control accepts\n%s", d.text.String())
	}
	return err
}

func (d *draw) network() error {
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
		return d.trimming()
	}
	scheduling := d.one("scheduling", d.schedulers("turns", "turns", "strict", "drr", "wrr")...)
	d.is(ofScheduling, scheduling)
	if (scheduling == "drr" || scheduling == "wrr") && d.yes("weights", 2) {
		scheduling += ", weights: [3=4, 7=10]"
	}
	d.line("  scheduling: {kind: %s}", scheduling)
	if err := d.balancing(); err != nil {
		return err
	}
	d.line("  ecmp: {hash: %s, order: %s}", d.one("hash", "mix", "murmur"), d.one("order", "ascending", "descending"))
	if d.marking || d.yes("ecn", 4) {
		d.is(ofMarking, "on")
		d.line("  ecn: {enabled: true, kmin: 5KB, kmax: 20KB, pmax: 0.3}")
	} else {
		d.is(ofMarking, "off")
	}
	if d.yes("no pfc", 3) {
		least := "5KB"
		if d.jumbo {
			least = "12KB" // at least one packet must fit
		}
		d.is(ofPausing, "off")
		d.line("  pfc: {enabled: false}\n  port_limit: %s", d.one("port limit", "none", "20KB", least, "100KB"))
		d.loses("full buffers")
		return nil
	}
	if d.yes("static threshold", 3) {
		d.is(ofPausing, "static")
		d.line("  pfc: {threshold: static, xoff: %s, hysteresis: %s, reserve: %s}", d.one("xoff", "30KB", "5KB", "1KB"),
			d.one("hysteresis", "3072B", "0B"), d.one("reserve", "4096B", "0B"))
	} else {
		d.is(ofPausing, "dynamic")
		d.line("  pfc: {shift: %d, reserve: %s}", d.int("shift", 0, 10), d.one("reserve", "4096B", "0B"))
	}
	return nil
}

// schedulers returns those of the kinds that the telemetry of the scenario permits.
func (d *draw) schedulers(kinds ...string) []string {
	if !d.shares {
		return kinds
	}
	return lists.Keep(kinds, func(kind string) bool { return kind != "strict" })
}

// trimming draws the settings of switches that trim packets.
func (d *draw) trimming() error {
	d.loses("trimming")
	d.is(ofMarking, "off")
	d.is(ofPausing, "off")
	action := d.one("action", "trim, return_to_sender: true", "trim, return_to_sender: false", "trim", "drop")
	d.line("  trimming: {enabled: true, queue: %d, header_queue: %d, tail: %s, action: %s}", d.int("queue", 1, 9),
		d.int("header queue", 1, 3), d.one("tail", "0.5", "0", "1"), action)
	scheduling := d.one("scheduling of headers", d.schedulers("wrr", "strict")...)
	d.is(ofScheduling, scheduling)
	if scheduling == "wrr" {
		scheduling += ", weights: [7=10]"
	}
	d.line("  pfc: {enabled: false}\n  scheduling: {kind: %s}", scheduling)
	return d.balancing()
}

// loses records a place where packets may be lost.
func (d *draw) loses(where string) {
	d.faults = true
	d.is(ofLosses, where)
}

func (d *draw) balancing() error {
	kinds := []string{"ecmp", "ecmp", "wcmp"} // repeated according to their weights, as in the function one
	if !d.plan {                              // with other kinds a plan needs path_checksum
		kinds = append(kinds, "letflow", "letflow")
		if d.trims {
			kinds = append(kinds, "permute", "permute", "reps ring", "mixed")
		}
		if !d.inOrder && !d.hops {
			kinds = append(kinds, "spray random", "spray round-robin", "permute", "oblivious", "bitmap", "reps ring",
				"reps list", "mixed")
		}
	}
	own := d.added(func(s *protocols.Set) schema.Catalogue { return s.Balancers })
	own = lists.Keep(own, func(k schema.Kind) bool {
		splits := k.New().(route.Balancing).Splits()
		return splits == route.Flows || !d.plan && (splits == route.Flowlets || !d.inOrder && !d.hops)
	})
	kinds = append(kinds, lists.Map(own, func(k schema.Kind) string { return k.Name })...)
	if d.avoids {
		kinds = []string{"permute"}
	}
	kind := d.one("balancing", kinds...)
	if i := slices.IndexFunc(own, func(k schema.Kind) bool { return k.Name == kind }); i >= 0 {
		p, err := d.part(own[i])
		d.is(ofBalancing, kind)
		d.line("  balancing: {%s}", p.text)
		return err
	}
	d.is(ofBalancing, kind)
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
	return nil
}

// added returns the kinds that are not in the standard catalogue because another module has added them.
func (d *draw) added(of func(*protocols.Set) schema.Catalogue) []schema.Kind {
	standard := of(protocols.Standard()).Names()
	return lists.Keep(of(d.language.Protocols()).Kinds, func(k schema.Kind) bool {
		return !slices.Contains(standard, k.Name)
	})
}

// monitors draws monitors. The reports of monitors may be dropped at ports.
func (d *draw) monitors() error {
	if !d.yes("monitors", 4) {
		return nil
	}
	d.loses("reports")
	head := "monitors:\n"
	for range d.int("number of monitors", 1, 2) {
		_, err := d.among("monitor", d.language.Protocols().Monitors.Kinds, func(p part) (bool, error) {
			// If telemetry shares the MTU with the payload, large records may leave no room for payload.
			if d.mtu && p.params.(telemetry.Monitor).Room(9).Growth > 32 ||
				!d.take(head+"  - {"+p.text+"}\n", "", map[section]part{ofMonitors: p}) {
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

// drawn stands for a file name in errors about a scenario that is not in a file.
const drawn = "drawn"

// parse parses the text so far.
func (d *draw) parse() (scenario.Scenario, error) {
	sc, err := d.language.Parse([]byte(d.text.String()), drawn)
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, d.text.String())
	}
	return sc, err
}
