package random

import (
	"fmt"
	"strings"

	"pintlab/internal/lists"
)

// breakages draws faults.
func (d *draw) breakages() error {
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
		return fmt.Sprintf("{kind: %s, host: %d", d.one("kind", "host-pause", "host-failure"),
			d.int("host", 0, d.hosts-1))
	case d.yes("switch", 4):
		return fmt.Sprintf("{%s, switch: %d",
			d.one("kind", "kind: switch-failure", "kind: switch-failure, reroute: false",
				"kind: blackhole-entry", "kind: blackhole-entry, dst: 1, share: 0.5"),
			d.hosts+d.int("switch", 0, d.switches-1))
	case d.yes("wrong path", 8):
		sw := d.int("switch", 0, d.switches-1)
		next := (sw + d.int("next", 1, max(1, d.switches-1))) % d.switches
		return fmt.Sprintf("{kind: wrong-path, switch: %d, next: %d, dst: %d",
			d.hosts+sw, d.hosts+next, d.int("dst", 0, d.hosts-1))
	}
	links := d.links
	if fabric := d.fabric(); len(fabric) > 0 && d.yes("between switches", 2) {
		links = fabric // packets may find another path
	}
	l := links[d.int("link", 0, len(links)-1)]
	kind := d.one("kind", "kind: link-down", "kind: link-down", "kind: blackhole", "kind: drop, probability: 0.2",
		"kind: jitter, rate: 500Mbps, delay: 20us",
		"kind: loop", "kind: loop, dst: 0", "kind: loop, ttl: 192, share: 0.3")
	return fmt.Sprintf("{%s, a: %d, b: %d", kind, l[0], l[1])
}

// fault adds a fault to the scenario unless it contradicts an earlier fault.
func (d *draw) fault(fault string) error {
	line := "  - " + fault + "\n"
	_, err := d.language.Parse([]byte(d.text.String()+line), drawn)
	if err != nil && strings.Contains(err.Error(), "overlaps") {
		return nil
	}
	d.text.WriteString(line)
	return err
}

// fabric returns the links between switches. It relies on the numbers of nodes: in all networks, hosts have the
// lowest numbers.
func (d *draw) fabric() [][2]int {
	return lists.Keep(d.links, func(l [2]int) bool { return min(l[0], l[1]) >= d.hosts })
}
