package job

import (
	"fmt"
	"strconv"

	"pintlab/internal/number"
	"pintlab/netsim/schema"
	"pintlab/netsim/topo"
	"pintlab/workloads"
)

// Placement holds the keys of every job that define where and when it runs.
type Placement struct {
	// Hosts of the ranks in order: successive hosts, random hosts, hosts rail by rail, or a list.
	Placement string `yaml:"placement" default:"packed" oneof:"packed|random|rail|list" draw:"packed|random|rail"`
	// Index of rank 0's host among the hosts.
	First int `yaml:"first" when:"placement=packed|rail" default:"0" range:">=0 <=1000000" draw:"0|1"`
	// Hosts of a server, each on a rail of its own. `auto`: `topology.rails` of a `rail` network, 8 in other networks.
	Rails int `yaml:"rails" when:"placement=rail" default:"auto" range:">=1 <=1024" draw:"1..2"`
	// Node numbers of the hosts of all ranks.
	Hosts []string `yaml:"hosts" when:"placement=list" default:"0" range:">=1"`
	workloads.Beginning
}

func (*Placement) Offered() float64 { return 0 }

func (*Placement) Check(*schema.Checker, string, int) {}

// check reports a job that has more ranks than there are hosts. times explains how the key results in this number of
// ranks. It is "" if the key is the number of ranks.
func (p *Placement) check(c *schema.Checker, prefix, key, times string, ranks, hosts int) {
	if p.Placement == "list" && len(p.Hosts) != ranks {
		c.Fail(prefix+"hosts", fmt.Sprintf("want the hosts of %s", number.Count(ranks, "rank")))
	} else if p.Placement != "list" && hosts > 0 && ranks > p.room(hosts) {
		c.Fail(prefix+key, times+p.most(hosts))
	}
}

// OnRails returns the number of hosts per server if the placement is by rails, else 0.
func (p *Placement) OnRails() int {
	if p.Placement != "rail" {
		return 0
	}
	return p.Rails
}

// Settle sets rails to the network's value if rails is auto, and reports whether it was auto.
func (p *Placement) Settle(rails int, key, from string) (schema.Settled, bool) {
	if p.Placement != "rail" {
		return schema.Settled{}, false
	}
	return schema.Settle(&p.Rails, rails, key, from)
}

// room returns the number of hosts on which a rank can be placed. A placement by rails uses only whole servers.
func (p *Placement) room(hosts int) int {
	n := max(0, hosts-p.First)
	if p.Placement == "rail" {
		n -= n % p.Rails
	}
	return n
}

// most returns the rule for the number of ranks.
func (p *Placement) most(hosts int) string {
	text := fmt.Sprintf("want at most the %s from first = %d on", number.Count(p.room(hosts), "host"), p.First)
	if p.Placement == "rail" {
		text += fmt.Sprintf(" that are in whole servers of rails = %d", p.Rails)
	}
	return text
}

// on returns the hosts of the given number of ranks.
func (p *Placement) on(s *workloads.Setting, ranks int) ([]topo.NodeID, error) {
	if p.Placement == "list" {
		if len(p.Hosts) != ranks {
			return nil, fmt.Errorf("hosts: %s, want one for each of %s", number.Count(len(p.Hosts), "host"),
				number.Count(ranks, "rank"))
		}
		var list []topo.NodeID
		seen := map[int]bool{}
		for _, word := range p.Hosts {
			n, err := strconv.ParseUint(word, 10, 31)
			if err != nil || seen[int(n)] {
				return nil, fmt.Errorf("hosts: %q, want node numbers of different hosts", word)
			}
			if _, err := workloads.HostAt("hosts", s.Hosts, int(n)); err != nil {
				return nil, err
			}
			seen[int(n)] = true
			list = append(list, topo.NodeID(n))
		}
		return list, nil
	}
	room := p.room(len(s.Hosts))
	if ranks > room {
		return nil, fmt.Errorf("placement = %s: %s, %s", p.Placement, number.Count(ranks, "rank"), p.most(len(s.Hosts)))
	}
	list := make([]topo.NodeID, 0, ranks)
	order := s.Stream("placement")
	var mixed []int
	if p.Placement == "random" {
		mixed = order.Perm(len(s.Hosts))
	}
	for i := range ranks {
		at := p.First + i
		switch p.Placement {
		case "random":
			at = mixed[i]
		case "rail": // rank i is on rail i/servers, where servers is the number of servers from first on
			servers := room / p.Rails
			at = p.First + i%servers*p.Rails + i/servers
		}
		list = append(list, s.Hosts[at].Node)
	}
	return list, nil
}
