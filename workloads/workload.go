package workloads

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"

	"pintlab/internal/hash"
	"pintlab/internal/rules"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/workloads/tasks"
)

// Workload is a set of generators whose flows are merged into one list.
type Workload struct {
	Seed  uint64
	Parts []Part
	Notes []string // what was skipped in files
}

// Part is a generator with a name.
type Part struct {
	// Name selects the part's random streams. It consists of letters, digits, '.', '_' and '-' and is
	// unique within the workload.
	Name string
	// Key is the name of the part in errors; if it is "", errors use Name.
	Key string
	// On lists the hosts of the part, in any order; nil means all.
	On []topo.NodeID
	// Priority is the traffic class of the flows, 0 to 7; DefaultPriority in the published files.
	Priority uint8
	Generator
}

// Generator generates the flows of a part. The implementations are Poisson, Racks, Incast, Permutation,
// AllToAll, Staircase, Trace and Tasks.
type Generator interface {
	// open checks the generator against the site and returns its independent processes. Their order decides
	// the order of simultaneous flows.
	open(site) ([]process, error)
	// plan returns the expected traffic of the generator on these hosts. open has accepted the generator before.
	plan([]Host) Plan
}

// process is a sequence of flows with start times that do not decrease.
type process interface {
	// next writes the next flow's Start, Src, Dst and Size, and DstPort, Priority and Class if they differ
	// from the part's. It reports false at the end.
	next(*Flow) bool
}

// site is the context of an open generator: seed, part and hosts.
type site struct {
	seed  uint64
	part  string
	hosts []Host // hosts of the part, ascending
}

// stream returns the part's random stream of the given name.
func (s site) stream(what string, index ...uint64) *rand.Rand {
	return hash.Stream(s.seed, "workloads/"+s.part+"/"+what, index...)
}

var partName = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

// Stream opens the workload on the given hosts, which are ascending as HostsOf returns them. The error lists everything
// that is wrong.
func (w Workload) Stream(hosts []Host) (*Stream, error) {
	s, _, err := w.open(hosts)
	return s, err
}

// Plan returns the expected traffic of w on the given hosts.
func (w Workload) Plan(hosts []Host) (Plan, error) {
	plans, err := w.Plans(hosts)
	return Total(plans), err
}

// Plans returns the expected traffic of each part of w on the given hosts.
func (w Workload) Plans(hosts []Host) ([]Plan, error) {
	_, plans, err := w.open(hosts)
	return plans, err
}

// Graph returns the graph of a part whose flows wait for others.
func (w Workload) Graph(part uint16) *tasks.Graph { return w.Parts[part].Generator.(Tasks).Graph }

func (w Workload) open(hosts []Host) (*Stream, []Plan, error) {
	if err := checkHosts(hosts); err != nil {
		return nil, nil, fmt.Errorf("workloads: bad hosts: %w", err)
	}
	var errs rules.Broken
	errs.If(len(w.Parts) == 0, "workload has no parts")
	s := newStream()
	var plans []Plan
	seen := map[string]bool{}
	errs.If(len(w.Parts) > math.MaxUint16, "%d parts, want at most %d", len(w.Parts), math.MaxUint16)
	for i, p := range w.Parts {
		if !partName.MatchString(p.Name) {
			errs = append(errs, fmt.Errorf("part %d: name %q, want letters, digits, '.', '_' or '-'", i+1, p.Name))
		} else if seen[p.Name] {
			errs = append(errs, fmt.Errorf("part %d: name %q is used twice", i+1, p.Name))
		}
		seen[p.Name] = true
		plan, err := p.addTo(s, i, w.Seed, hosts)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", p.label(), err))
			continue
		}
		if plan.Flows > math.MaxInt32 {
			errs = append(errs, fmt.Errorf("%s: about %.4g flows are expected, want at most %d: use a shorter "+
				"duration, a longer interval, a lower load or larger flows (size)", p.label(),
				plan.Flows, math.MaxInt32))
			continue
		}
		plans = append(plans, plan)
	}
	sum := Total(plans)
	errs.If(sum.Flows > math.MaxInt32, "about %.4g flows are expected, want at most %d", sum.Flows, math.MaxInt32)
	if err := errors.Join(errs...); err != nil {
		return nil, nil, fmt.Errorf("workloads: bad workload: %w", err)
	}
	return s, plans, nil
}

// label returns the name of the part in errors.
func (p Part) label() string {
	if p.Key != "" {
		return p.Key
	}
	return fmt.Sprintf("part %q", p.Name)
}

func (p Part) addTo(s *Stream, number int, seed uint64, hosts []Host) (Plan, error) {
	if p.Generator == nil {
		return Plan{}, errors.New("no generator")
	}
	if p.Priority > maxPriority {
		return Plan{}, fmt.Errorf("priority %d, want 0 to %d", p.Priority, maxPriority)
	}
	on, err := pick(hosts, p.On)
	if err != nil {
		return Plan{}, err
	}
	processes, err := p.open(site{seed, p.Name, on})
	if err != nil {
		return Plan{}, err
	}
	blank := Flow{Priority: p.Priority, DstPort: BackgroundPort, Part: uint16(number)}
	for _, proc := range processes {
		s.add(proc, blank)
	}
	return p.plan(on), nil
}

func checkStart(start unit.Time) error {
	if start < 0 {
		return fmt.Errorf("start %d ps, want >= 0", int64(start))
	}
	return nil
}

// checkWindow returns an error unless the interval is valid and not empty.
func checkWindow(start, duration unit.Time) error {
	errs := []error{checkStart(start)}
	if duration <= 0 {
		errs = append(errs, fmt.Errorf("duration %d ps, want > 0", int64(duration)))
	} else if start >= unit.Never-duration {
		errs = append(errs, fmt.Errorf("start %v + duration %v is beyond the end of time", start, duration))
	}
	return errors.Join(errs...)
}
