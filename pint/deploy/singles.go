package deploy

import (
	"fmt"
	"math"
	"strings"

	"pintlab/internal/number"
	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/pint/query"
)

// singles sums the results of per-packet queries, which are not recorded by flow, at each node
// where digests are recorded.
type singles struct { // indices in the plan
	queries []int     // queries of the plan
	seen    []extrema // by node, and by index in queries
}

// extrema summarises the results of a per-packet query.
type extrema struct {
	packets  int64
	sum, max float64
}

// newSingles makes the sums for those per-packet queries for which pass returns true.
func newSingles(p *query.Plan, nodes int, pass func(*query.Query) bool) *singles {
	s := &singles{}
	for i := range p.Queries {
		if q := &p.Queries[i]; q.Aggregation.Class() == query.PerPacket && pass(q) {
			s.queries = append(s.queries, i)
		}
	}
	s.seen = make([]extrema, nodes*len(s.queries))
	return s
}

// at returns the results of queries[j] at a node.
func (s *singles) at(node, j int) *extrema { return &s.seen[node*len(s.queries)+j] }

// take adds the results of a packet's digest.
func (s *singles) take(e *query.Encoder, host netsim.NodeID, now unit.Time, p *query.Packet, digest uint64) {
	for j, q := range s.queries {
		x, ok, err := e.PerPacket(e.Plan().Queries[q].Name, p.ID, digest, p.Hops, now)
		if err != nil || !ok {
			continue // the recorder has rejected and counted the packet
		}
		n := s.at(int(host), j)
		if n.packets == 0 {
			n.max = math.Inf(-1)
		}
		n.packets++
		n.sum += x.Value
		n.max = max(n.max, x.Value)
	}
}

// note returns a note about query i of the plan over all nodes. The note is empty if s.queries does not contain i.
func (s *singles) note(p *query.Plan, i int) string {
	for j, q := range s.queries {
		if q != i {
			continue
		}
		all := extrema{max: math.Inf(-1)}
		for node := range len(s.seen) / len(s.queries) {
			if n := s.at(node, j); n.packets > 0 {
				all.packets, all.sum, all.max = all.packets+n.packets, all.sum+n.sum, max(all.max, n.max)
			}
		}
		label := p.Queries[i].Label()
		if all.packets == 0 {
			return label + ": no packet carried a digest of this query"
		}
		scale, name := unitOf(p.Queries[i].Value)
		write := func(v float64) string { return strings.TrimSuffix(number.Format(scale*v, name, 6), " 1") }
		return fmt.Sprintf("%s: of %s, %s on average and %s at most", label, number.Count(all.packets, "packet"),
			write(all.sum/float64(all.packets)), write(all.max))
	}
	return ""
}
