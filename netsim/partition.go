package netsim

import (
	"pintlab/netsim/unit"
)

// domain is a part of the network that runs as one. Its events may include cancelled ones.
type domain struct {
	soon   ring      // ends of transmissions and wake-ups, if the domain has few ports
	late   []due     // all other events, a 4-ary heap
	room   int       // length of late at which cancelled events are removed
	first  unit.Time // time of the first event in soon or late, cancelled or not
	start  alarm
	hosted bool // StartHost has set start
	crowd  bool // the domain has many ports
	hosts  bool // packets arrive at hosts
}

// manyPorts is the number of ports from which a domain keeps all its events in the heap.
const manyPorts = 128

// near decides which nodes form one domain: nodes joined by a link whose delay is at most 1/near of the longest delay.
const near = 64

// divide finds the domains. Nodes that are much closer to each other than to other nodes form one domain, because a
// window must not be longer than the shortest delay between domains.
func (s *schedule) divide(whole bool) {
	n := s.net
	longest := unit.Time(0)
	for i := range n.lines {
		longest = max(longest, n.lines[i].delay)
	}
	parent := make([]int32, len(n.graph.Nodes))
	for i := range parent {
		parent[i] = int32(i)
	}
	root := func(i int32) int32 {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	join := func(a, b NodeID) { parent[root(int32(b))] = root(int32(a)) }
	host := make([]NodeID, len(parent)) // a host of each switch
	for i := range host {
		host[i] = -1
	}
	for i := range n.ports {
		p := &n.ports[i]
		if n.lines[p.line].delay <= longest/near {
			join(p.node, p.peer)
		}
		if !p.toHost || n.home[p.peer] != PortID(i)^1 {
			continue
		}
		if h := host[p.node]; h < 0 {
			host[p.node] = p.peer
		} else {
			join(h, p.peer)
		}
	}
	s.domainOf = make([]int32, len(parent))
	number := make([]int32, len(parent))
	count := int32(0)
	for i := range parent {
		if r := root(int32(i)); !whole {
			if number[r] == 0 {
				count++
				number[r] = count
			}
			s.domainOf[i] = number[r] - 1
		}
	}
	s.domains = make([]domain, max(1, count))
}

// assign assigns each domain to a worker. Hosts are assigned in the order of their numbers, so that
// neighbours share a worker. A switch goes to the worker that has most of its links, so that few
// packets change workers.
func (s *schedule) assign(workers int) (homes []int32) {
	n := s.net
	homes = make([]int32, len(s.domains))
	beside := make([][]int32, len(s.domains)) // domains at the other ends of the links, by domain
	links := make([][]int, len(s.domains))    // number of links to each worker, by domain
	load := make([]int, workers)              // links of each worker
	for i := range homes {
		homes[i], links[i] = -1, make([]int, workers)
	}
	for i := range n.ports {
		p := &n.ports[i]
		beside[p.domain] = append(beside[p.domain], p.onward)
	}
	give := func(dom int32, w int) {
		homes[dom] = int32(w)
		load[w] += len(beside[dom])
		for _, other := range beside[dom] {
			links[other][w]++
		}
	}
	var hosts []int32
	for i, host := range n.host {
		if host {
			hosts = append(hosts, s.domainOf[i])
		}
	}
	for i, dom := range hosts {
		if homes[dom] < 0 {
			give(dom, i*workers/len(hosts))
		}
	}
	for more := true; more; {
		more = false
		for dom := range homes {
			best := 0
			for w, n := range links[dom] {
				if m := links[dom][best]; n > m || n == m && load[w] < load[best] {
					best = w
				}
			}
			if homes[dom] < 0 && links[dom][best] > 0 {
				give(int32(dom), best)
				more = true
			}
		}
	}
	for dom := range homes { // of a network without hosts
		homes[dom] = max(0, homes[dom])
	}
	return homes
}
