package workloads

import (
	"errors"
	"fmt"

	"pintlab/internal/number"
	"pintlab/internal/rules"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// Staircase starts flows to one receiver, one every Step, as figures on fairness need. Exactly one of Size
// and Rate is set.
type Staircase struct {
	To   topo.NodeID
	From []topo.NodeID // in order of their starts, without duplicates
	// Start is the start of the first flow. The other flows follow at intervals of Step.
	Start, Step unit.Time
	// Size is the size of every flow.
	Size unit.Bytes
	// Rate determines the sizes. If active flows always share this payload rate equally, the flows end one after
	// another, Step apart, in the order in which they started. The first flow ends one Step after the last flow has
	// started.
	Rate unit.Rate
}

func (g Staircase) validate(hosts []Host) error {
	errs := rules.Broken{checkStart(g.Start)}
	switch {
	case g.Step <= 0:
		errs = append(errs, fmt.Errorf("step %d ps, want > 0", int64(g.Step)))
	case len(g.From) > 0 && g.Step > (unit.Never-1-max(0, g.Start))/unit.Time(2*len(g.From)):
		errs = append(errs, fmt.Errorf("%d steps of %v last beyond the end of time", 2*len(g.From), g.Step))
	case g.Size != 0 && g.Rate != 0 || g.Size == 0 && g.Rate == 0:
		errs = append(errs, errors.New("want either a size or a rate to share"))
	case g.Size < 0 || g.Size > maxSize:
		errs = append(errs, fmt.Errorf("size %d B, want 1 to %d", int64(g.Size), int64(maxSize)))
	case g.Rate < 0:
		errs = append(errs, fmt.Errorf("rate %d bit/s, want > 0", int64(g.Rate)))
	case g.Rate > 0 && sharing(g.Rate, g.Step, len(g.From)) != "":
		errs = append(errs, fmt.Errorf("rate %v %s", g.Rate, sharing(g.Rate, g.Step, len(g.From))))
	}
	errs.If(len(g.From) == 0, "no senders")
	if _, err := pick(hosts, []topo.NodeID{g.To}); err != nil {
		errs = append(errs, fmt.Errorf("receiver: %w", err))
	}
	if _, err := pick(hosts, g.From); err != nil {
		errs = append(errs, fmt.Errorf("senders: %w", err))
	}
	for _, n := range g.From {
		errs.If(n == g.To, "host %d is both a sender and the receiver", n)
	}
	return errors.Join(errs...)
}

// sharing checks a rate that the given number of flows share. The flows join one step apart. sharing returns the rule
// that the rate breaks, or "".
func sharing(rate unit.Rate, step unit.Time, flows int) string {
	switch {
	case float64(rate)/8*step.Seconds()*float64(flows) > maxSize:
		return fmt.Sprintf("makes a flow longer than %v in steps of %v", unit.Bytes(maxSize), step)
	case rate.In(step) < unit.Bytes(flows):
		return fmt.Sprintf("leaves less than a byte for each of %s in a step of %v", number.Count(flows, "flow"), step)
	}
	return ""
}

func (g Staircase) open(at site) ([]process, error) {
	if err := g.validate(at.hosts); err != nil {
		return nil, err
	}
	return []process{&staircase{Staircase: g}}, nil
}

// size returns the size of flow i.
func (g Staircase) size(i int) unit.Bytes {
	if g.Size != 0 {
		return g.Size
	}
	// In step k = 0 … 2n-2, min(k+1, n, 2n-1-k) flows are active. Flow i is active for n steps from step i
	// on.
	n := len(g.From)
	perStep := g.Rate.In(g.Step)
	var size unit.Bytes
	for k := i; k < i+n; k++ {
		size += perStep / unit.Bytes(min(k+1, n, 2*n-1-k))
	}
	return size
}

type staircase struct {
	Staircase
	i int // index of the next flow
}

func (p *staircase) next(f *Flow) bool {
	if p.i == len(p.From) {
		return false
	}
	f.Start = p.Start + unit.Time(p.i)*p.Step
	f.Src, f.Dst = p.From[p.i], p.To
	f.Size = p.size(p.i)
	p.i++
	return true
}
