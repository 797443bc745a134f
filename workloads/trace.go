package workloads

import "fmt"

// Trace is a list of existing flows, for example from a file, as a part of a workload. They must be in order of their
// start times. They get new IDs and source ports; everything else remains, including their priorities.
type Trace []Flow

func (g Trace) open(at site) ([]process, error) {
	for i, f := range g {
		if err := checkFlow(f, at.hosts); err != nil {
			return nil, fmt.Errorf("flow %d: %w", i, err)
		}
		if f.Priority > maxPriority {
			return nil, fmt.Errorf("flow %d: priority %d, want 0 to %d", i, f.Priority, maxPriority)
		}
		if i > 0 && f.Start < g[i-1].Start {
			return nil, fmt.Errorf("flow %d starts at %v, before the previous flow at %v, want ascending start times",
				i, f.Start, g[i-1].Start)
		}
	}
	return []process{&trace{g}}, nil
}

// checkFlow returns an error if a flow is impossible. hosts are the accepted nodes; nil accepts any.
func checkFlow(f Flow, hosts []Host) error {
	if hosts == nil {
		if f.Src < 0 || f.Dst < 0 {
			return fmt.Errorf("source %d and destination %d, want numbers >= 0", f.Src, f.Dst)
		}
	} else {
		if _, ok := find(hosts, f.Src); !ok {
			return fmt.Errorf("source %d is not a host here (%s)", f.Src, describeHosts(hosts))
		}
		if _, ok := find(hosts, f.Dst); !ok {
			return fmt.Errorf("destination %d is not a host here (%s)", f.Dst, describeHosts(hosts))
		}
	}
	if f.Src == f.Dst {
		return fmt.Errorf("source and destination are both %d", f.Src)
	}
	if f.Size < 1 || f.Size > maxSize {
		return fmt.Errorf("size %d B, want 1 to %d", int64(f.Size), int64(maxSize))
	}
	return checkStart(f.Start)
}

type trace struct{ left []Flow }

func (p *trace) next(f *Flow) bool {
	if len(p.left) == 0 {
		return false
	}
	*f, p.left = p.left[0], p.left[1:]
	return true
}
