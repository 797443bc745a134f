package pint

import (
	"context"
	"fmt"
	"sync/atomic"

	"pintlab/internal/hash"
	"pintlab/netsim/topo"
	"pintlab/pint/coding"
	"pintlab/pint/global"
	"pintlab/pint/trace"
)

// Method is how a curve of a study finds paths.
type Method uint8

// The methods.
const (
	AllSwitches Method = iota // coding.NewDecoder with every switch of the map as a possible value
	TruePath                  // the same, but only the switches of the true path
	TopologyAware
	PPMMarks
	AMS2Marks
	PublishedAll  // the collector that PINT's authors published, with every switch of the map as a candidate
	PublishedPath // the same with the switches of the true path, as they ran it
	PublishedAMS2 // AMS2 as they ran it: seven functions, and the marks of half of the packets
)

var methodNames = [...]string{"all switches", "true path only", "topology", "PPM", "AMS2",
	"published code, all switches", "published code, true path only", "AMS2, published code"}

func (m Method) String() string {
	if int(m) < len(methodNames) {
		return methodNames[m]
	}
	return fmt.Sprintf("Method(%d)", uint8(m))
}

// PathCurve is one line of Fig. 10.
type PathCurve struct {
	Label   string // unique in a study
	Method  Method
	Code    coding.Config // of the PINT methods; its Family is replaced by the study's
	Options trace.Options // of TopologyAware
	Match   int           // m of AMS2Marks
	Switch  string        // whether and how a switch can compute it
}

// PathRow is a point of Fig. 10: the packets needed until a path is known.
type PathRow struct {
	Topology  string
	Curve     string
	Method    string
	Scheme    string  // how hops act, with tau and p of each instance
	Tau, P    float64 // of the last instance; the first XOR layer
	Bits      int     // on each packet
	Hops      int     // switches on the path
	Runs      int
	Failed    int // runs that reached the limit
	Mean      float64
	HalfWidth float64 // of the 95 % confidence interval of the mean
	P50, P99  int
	Max       int
	Wrong     float64 // hops of a path that were wrong in the end, on average; only the published collector errs
	Switch    string

	// Packets is the whole distribution.
	Packets *Distribution
}

// PathStudy measures curves on one network at several path lengths.
type PathStudy struct {
	Topology string
	Map      *trace.Map
	// Ends are the switches at which paths start and end; nil is all.
	Ends    []topo.NodeID
	Curves  []PathCurve
	Lengths []int // in switches
	Trials  Trials

	// Loss is the probability that a packet is lost before the collector; packets are
	// counted at the source.
	Loss float64
	// IDBits > 0 draws packet identifiers of this many bits at random, so that some occur twice, as the
	// IPIDs of a host with many flows. With 0 all identifiers differ.
	IDBits int
	// Reorder > 0 makes every packet arrive after 0 to Reorder of the packets that were sent
	// after it, drawn at random.
	Reorder int

	// Spread > 1 draws one of this many entropy values for every packet, as spraying does. Each has a
	// shortest path of its own between the ends of the flow, which may be that of another value, too. The
	// collector keeps digests for each value, and a run ends when it knows all paths. 0 means one path.
	Spread int

	// Progress is called now and then with the number of finished and of all runs; may
	// be nil.
	Progress func(done, total int)
}

// Run makes all points, curve by curve. A decoder that reports a wrong path or an
// inconsistency is an error: it cannot happen, but with the published collector.
func (s *PathStudy) Run(ctx context.Context) ([]PathRow, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	paths, err := s.paths()
	if err != nil {
		return nil, err
	}
	total := len(s.Curves) * len(s.Lengths) * s.Trials.Runs
	var rows []PathRow
	for _, c := range s.Curves {
		for _, hops := range s.Lengths {
			t := s.Trials
			before := len(rows) * t.Runs
			t.Done = func(n int) {
				if s.Progress != nil {
					s.Progress(before+n, total)
				}
			}
			row, err := s.point(ctx, t, paths, c, hops)
			if err != nil {
				return rows, fmt.Errorf("%s, %s, %d switches: %w", s.Topology, c.Label, hops, err)
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

func (s *PathStudy) check() error {
	labels := map[string]bool{}
	for _, c := range s.Curves {
		if labels[c.Label] {
			return fmt.Errorf("study of %s: two curves are called %q", s.Topology, c.Label)
		}
		labels[c.Label] = true
	}
	if len(s.Curves) == 0 || len(s.Lengths) == 0 {
		return fmt.Errorf("study of %s: %d curves, %d path lengths: want at least one of each",
			s.Topology, len(s.Curves), len(s.Lengths))
	}
	if !(s.Loss >= 0 && s.Loss < 1) {
		return fmt.Errorf("study of %s: loss = %v, want 0 to below 1", s.Topology, s.Loss)
	}
	if s.IDBits < 0 || s.IDBits > 64 {
		return fmt.Errorf("study of %s: id_bits = %d, want 0 to 64", s.Topology, s.IDBits)
	}
	if s.Reorder < 0 || s.Reorder > maxReorder {
		return fmt.Errorf("study of %s: reorder = %d, want 0 to %d", s.Topology, s.Reorder, maxReorder)
	}
	if s.Spread < 0 || s.Spread > maxSpread {
		return fmt.Errorf("study of %s: spread = %d, want 0 to %d", s.Topology, s.Spread, maxSpread)
	}
	return nil
}

// maxSpread bounds the paths of a flow.
const maxSpread = 1 << 10

// maxReorder bounds how far a packet can fall behind.
const maxReorder = 1 << 16

func (s *PathStudy) paths() (*trace.Paths, error) {
	p, err := trace.NewPaths(s.Map, s.Ends, s.Lengths)
	if err != nil {
		return nil, fmt.Errorf("study of %s: %w", s.Topology, err)
	}
	return p, nil
}

// limit returns the number of packets after which a run gives up.
func (s *PathStudy) limit() int {
	if s.Trials.Limit == 0 {
		return 1_000_000
	}
	return s.Trials.Limit
}

func (s *PathStudy) point(ctx context.Context, t Trials, p *trace.Paths, c PathCurve, hops int) (PathRow, error) {
	row := PathRow{Topology: s.Topology, Curve: c.Label, Method: c.Method.String(), Hops: hops,
		Bits: trace.MarkBits, Switch: c.Switch}
	family := global.Fast(s.Trials.Seed)
	var code *coding.Code
	var tracer *trace.Tracer
	var err error
	switch c.Method {
	case AllSwitches, TruePath, PublishedAll, PublishedPath, TopologyAware:
		c.Code.Family = family
		if code, err = coding.New(c.Code); err != nil {
			return row, err
		}
		last := c.Code.Schemes[len(c.Code.Schemes)-1]
		row.Bits, row.Tau = code.Width(), last.Tau
		if len(last.XOR) > 0 {
			row.P = last.XOR[0]
		}
		for i, sc := range c.Code.Schemes {
			if i > 0 {
				row.Scheme += " + "
			}
			row.Scheme += sc.String()
		}
		if c.Method == TopologyAware {
			if tracer, err = trace.NewTracer(s.Map, code, c.Options); err != nil {
				return row, err
			}
		}
	case PPMMarks, AMS2Marks, PublishedAMS2:
		row.Scheme = "reservoir"
	default:
		return row, fmt.Errorf("unknown method %d", c.Method)
	}
	var wrong atomic.Int64
	dist, err := t.measure(ctx, func() (func(int) (int, error), error) {
		w := &worker{study: s, paths: p, limit: s.limit(), late: make([][]uint64, s.Reorder+1), wrong: &wrong}
		for range max(1, s.Spread) {
			l := &lane{path: make([]uint64, hops)}
			if err := w.build(l, c, code, tracer, family); err != nil {
				return nil, err
			}
			w.lanes, w.drawn = append(w.lanes, l), append(w.drawn, l.path)
		}
		return w.run, nil
	})
	if err != nil {
		return row, err
	}
	row.Packets, row.Runs, row.Failed = dist, dist.Runs(), dist.Failed()
	row.Mean, row.HalfWidth = dist.Mean(), dist.HalfWidth()
	row.Wrong = float64(wrong.Load()) / float64(max(1, row.Runs-row.Failed))
	row.P50, row.P99, row.Max = dist.Quantile(0.5), dist.Quantile(0.99), dist.Quantile(1)
	return row, nil
}

// worker makes the runs of one goroutine.
type worker struct {
	study *PathStudy
	paths *trace.Paths
	lanes []*lane    // by entropy value
	drawn [][]uint64 // their paths
	limit int
	late  [][]uint64    // identifiers of the packets on their way, by arrival modulo its length
	wrong *atomic.Int64 // of the study
}

// lane is a path with its decoder.
type lane struct {
	path    []uint64
	encode  func(packet uint64, path []uint64) uint64
	decoder coding.Decoder
	restart func() error // for the decoders that see the path's own values
	known   bool
	errs    bool // the decoder takes hops for known that are wrong
	half    bool // it sees the marks of every other packet alone
}

func (w *worker) build(
	l *lane, c PathCurve, code *coding.Code, tracer *trace.Tracer, family global.Family,
) (err error) {
	hops := len(l.path)
	switch c.Method {
	case AllSwitches:
		l.encode = code.Encode
		l.decoder, err = coding.NewDecoder(code, hops, w.study.Map.Values())
	case TruePath:
		l.encode = code.Encode
		l.restart = func() (err error) {
			l.decoder, err = coding.NewDecoder(code, hops, l.path)
			return err
		}
	case PublishedAll, PublishedPath:
		l.errs = true
		l.restart = func() error {
			candidates := l.path
			if c.Method == PublishedAll {
				candidates = w.study.Map.Values()
			}
			d := newPublished(code, hops, candidates)
			l.encode, l.decoder = d.Encode, d
			return nil
		}
	case TopologyAware:
		l.encode = code.Encode
		l.decoder, err = tracer.Decoder(hops)
	case PPMMarks:
		var d *trace.PPM
		if d, err = trace.NewPPM(family, hops); err == nil {
			l.encode, l.decoder = d.Encode, d
		}
	case AMS2Marks, PublishedAMS2:
		var d *trace.AMS2
		if d, err = trace.NewAMS2(family, w.study.Map, c.Match, hops); err == nil {
			l.encode, l.decoder = d.Encode, d
			if l.half = c.Method == PublishedAMS2; l.half {
				d.Functions(7)
			}
		}
	}
	return err
}

// run traces one random path and returns how many packets were sent until it was known.
func (w *worker) run(run int) (int, error) {
	seed := w.study.Trials.Seed
	hops := uint64(len(w.lanes[0].path))
	paths := hash.Stream(seed, "trace/path", uint64(run), hops)
	w.paths.Draw(paths, w.drawn...)
	for _, l := range w.lanes {
		if l.restart != nil {
			if err := l.restart(); err != nil {
				return 0, err
			}
		}
		l.decoder.Reset()
		l.known = false
	}
	for i := range w.late {
		w.late[i] = w.late[i][:0]
	}
	r := hash.Stream(seed, "trace/packets", uint64(run), hops)
	for n := 1; n <= w.limit; n++ {
		id := uint64(run)<<32 | uint64(n)
		if w.study.IDBits > 0 {
			id = r.Uint64() >> (64 - w.study.IDBits)
		}
		lost := w.study.Loss > 0 && r.Float64() < w.study.Loss
		arrival := n
		if w.study.Reorder > 0 {
			arrival += r.IntN(w.study.Reorder + 1)
		}
		if !lost {
			slot := &w.late[arrival%len(w.late)]
			*slot = append(*slot, id)
		}
		known, err := w.arrive(n % len(w.late))
		if known || err != nil {
			return n, err
		}
	}
	return 0, nil
}

// arrive gives the packets of a slot to their decoders and reports whether all paths are known.
func (w *worker) arrive(slot int) (bool, error) {
	ids := w.late[slot]
	w.late[slot] = ids[:0]
	for _, id := range ids {
		l := w.lanes[0]
		if len(w.lanes) > 1 {
			l = w.lanes[hash.Combine(hash.String("trace/entropy"), id)%uint64(len(w.lanes))]
		}
		if l.half && hash.Combine(hash.String("trace/half"), id)&1 != 0 {
			continue
		}
		if err := l.decoder.Add(id, l.encode(id, l.path)); err != nil {
			return false, err
		}
		l.known = l.decoder.Done()
	}
	if len(ids) == 0 {
		return false, nil
	}
	for _, l := range w.lanes {
		if !l.known {
			return false, nil
		}
	}
	for _, l := range w.lanes {
		for i, want := range l.path {
			switch got, ok := l.decoder.Value(i + 1); {
			case ok && got == want:
			case l.errs:
				w.wrong.Add(1)
			default:
				return false, fmt.Errorf("hop %d traced as switch %d, want %d", i+1, got, want)
			}
		}
	}
	return true, nil
}
