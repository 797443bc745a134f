package random

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"pintlab/internal/outfile"
	"pintlab/workloads"
)

// mostLoad is the largest sum of the loads of all sources. The load of headers, telemetry and acknowledgements is not
// included.
const mostLoad = 0.4

// workload draws sources of flows.
func (d *draw) workload() error {
	head := "workload:\n"
	for range d.int("sources", 1, 3) {
		taken, err := d.among("traffic", d.language.Protocols().Traffic.Kinds, func(p part) (bool, error) {
			offered := p.params.(workloads.Traffic).Offered()
			if d.load+offered > mostLoad {
				return false, nil
			}
			// Half a million flows of one byte take minutes.
			incast, is := p.params.(*workloads.IncastTraffic)
			if is && incast.Repeat == "load" && incast.Sizes == "fixed" && incast.Size < 100 {
				return false, nil
			}
			switch p.name() {
			case "list":
				p.text += d.flows(&p)
			case "goal":
				name, err := d.schedule()
				if err != nil {
					return false, err
				}
				p.text += fmt.Sprintf(", path: %q", name)
			}
			if !d.take(head+"  - {"+p.text+"}\n", "", map[section]part{ofTraffic: p}) {
				return false, nil
			}
			head, d.load = "", d.load+offered
			return true, nil
		})
		if err != nil {
			return err
		}
		if !taken {
			break // this source must be the only source
		}
	}
	return nil
}

// flows draws the flows of a list. Some flows wait for the end of an earlier flow.
func (d *draw) flows(p *part) string {
	var list []string
	start := 0
	waits := d.yes("flows wait for others", 3)
	for i := range d.int("flows", 1, 8) {
		start += d.int("later", 0, 10_000)
		src := d.int("src", 0, d.hosts-1)
		dst := (src + d.int("distance", 1, d.hosts-1)) % d.hosts
		text := fmt.Sprintf("{src: %d, dst: %d, size: %s", src, dst, d.one("size", "20KB", "1B", "1000B", "100KB"))
		if i > 0 && waits && d.yes("waits", 2) {
			text += fmt.Sprintf(", start: %dns, after: [%d]", d.int("delay", 0, 10_000), d.int("after", 0, i-1))
			p.labels = append(p.labels, []string{p.name(), "after"})
		} else {
			text += fmt.Sprintf(", start: %dns", start)
		}
		list = append(list, text+"}")
	}
	return ", flows: [" + strings.Join(list, ", ") + "]"
}

// scheduleFile is the name of the file of a GOAL schedule.
const scheduleFile = "schedule.goal"

// schedule writes a GOAL schedule to a file: each rank computes, sends to the next rank, and waits for the previous
// rank.
func (d *draw) schedule() (name string, err error) {
	ranks := d.int("ranks", 2, min(4, d.hosts))
	rounds, size := d.int("rounds", 1, 3), d.one("message", "1000b", "1b", "100000b")
	var text strings.Builder
	fmt.Fprintf(&text, "num_ranks %d\n", ranks)
	for rank := range ranks {
		fmt.Fprintf(&text, "rank %d {\n", rank)
		for i := range rounds {
			fmt.Fprintf(&text, "c%d: calc %d\n", i, d.int("computation", 0, 5000))
			fmt.Fprintf(&text, "s%d: send %s to %d tag %d\n", i, size, (rank+1)%ranks, i)
			fmt.Fprintf(&text, "r%d: recv %s from %d tag %d\n", i, size, (rank+ranks-1)%ranks, i)
			fmt.Fprintf(&text, "s%d requires c%d\n", i, i)
			if i > 0 {
				fmt.Fprintf(&text, "c%d requires r%d\n", i, i-1)
			}
		}
		text.WriteString("}\n")
	}
	name = filepath.Join(d.dir, scheduleFile)
	return name, outfile.Write(name, func(w io.Writer) error {
		_, err := io.WriteString(w, text.String())
		return err
	})
}
