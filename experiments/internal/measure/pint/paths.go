package pint

import (
	"context"
	"fmt"
	"strings"

	"pintlab/experiments/internal/study"
	"pintlab/experiments/protocols"
	"pintlab/experiments/results/columns"
	"pintlab/internal/hash"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/netsim/topo"
	"pintlab/pint/coding"
	"pintlab/pint/global"
	"pintlab/pint/trace"
)

// Method is the way in which a curve of a study finds paths.
type Method uint8

// The methods.
const (
	allSwitches Method = iota // coding.NewDecoder with every switch of the map as a possible value
	TruePath                  // the same decoder with only the switches of the true path
	TopologyAware
	ppmMarks
	ams2Marks
	publishedAll  // the collector that PINT's authors published, with every switch of the map as a candidate
	publishedPath // this collector with only the switches of the true path, as its authors ran it
	publishedAMS2 // AMS2 as PINT's authors ran it: seven functions, and the marks of half of the packets
	Eliminated    // coding.NewSolver, which does not use the map
	inTurn        // DLINT: switches add their IDs in turn
	atRandom      // PLINT: switches replace IDs at random
)

var methodNames = [...]string{"all switches", "true path only", "topology", "PPM", "AMS2",
	"published code, all switches", "published code, true path only", "AMS2, published code", "elimination",
	"DLINT", "PLINT"}

func (m Method) String() string {
	if int(m) < len(methodNames) {
		return methodNames[m]
	}
	return fmt.Sprintf("Method(%d)", uint8(m))
}

// PathCurve is one curve of Fig. 10.
type PathCurve struct {
	Label   string // unique in a study
	Method  Method
	Code    coding.Config // code of the PINT methods; the study replaces its Family
	Options trace.Options // options of TopologyAware
	Match   int           // m of AMS2Marks
	Values  int           // number of IDs on a packet of DLINT and PLINT
	Exact   bool          // whether hop i of PLINT replaces an ID with probability 1/i, otherwise ⌊100/i⌋ %
	Switch  string        // whether and how a switch can compute the digests
}

// PathRow is a point of Fig. 10: the packets needed until a path is known.
type PathRow struct {
	Topology string
	Path
	Candidates string
	Tau, P     float64 // tau of the last instance, and p of its first XOR layer
	Wrong      float64 // mean number of hops of a path that were wrong at the end; 0 if the decoder cannot err
	Switch     string

	// Packets is the whole distribution.
	Packets *Distribution

	wrongPaths int // number of paths that differ from the true one
}

// Path is a row: the results of a method for a path length.
type Path struct {
	Method string  `json:"method" col:"method"`
	Scheme string  `json:"scheme" col:"scheme"`            // how hops act, with tau and p of each instance
	Bits   int     `json:"bits" col:"bits" unit:"b"`       // on a packet
	Hops   int     `json:"hops" col:"hops"`                // switches on the path
	Paths  int     `json:"paths" col:"paths"`              // entropy values of a flow
	Mean   float64 `json:"mean" col:"mean" unit:"packets"` // packets until the path is known
	// half of the width of the 95 % interval of the mean; null if there was only one run
	Half   columns.Number `json:"half_width" col:"half_width" unit:"packets"`
	P50    columns.Number `json:"p50" col:"p50" unit:"packets"` // null if too many runs failed, as the next two
	P99    columns.Number `json:"p99" col:"p99" unit:"packets"`
	Max    columns.Number `json:"max" col:"max" unit:"packets"`
	Runs   int            `json:"runs" col:"runs"`
	Failed int            `json:"failed" col:"failed"` // paths that were still unknown after 200 000 packets
}

// Delivery describes losses and reordering of packets on their way to the collector.
type Delivery struct {
	// Loss is the probability that a packet is lost. Lost packets count, because packets are counted at the source.
	Loss float64
	// IDBits, if above 0, is the number of bits of packet identifiers, which are drawn at random. So some identifiers
	// occur twice, like the IPIDs of a host with many flows. If IDBits is 0, all identifiers differ.
	IDBits int
	// Reorder, if above 0, delays every packet. A packet arrives after a random number, from 0 to Reorder, of the
	// packets that were sent after it.
	Reorder int
	// Paths, if above 1, is the number of entropy values. One of them is drawn for every packet, as spraying does. Each
	// value has a shortest path between the ends of the flow; two values may have the same path. The collector keeps
	// separate digests for each value, and a run ends when it knows all paths. 0 means one path.
	Paths int
}

// PathStudy measures curves on one network at several path lengths.
type PathStudy struct {
	Topology string
	Map      *trace.Map
	// Ends are the switches at which paths start and end. If it is nil, all switches are ends.
	Ends    []topo.NodeID
	Curves  []PathCurve
	Lengths []int // in switches
	Trials  Trials
	Delivery
}

// Run computes all points, curve by curve. It returns an error if a decoder reports a wrong path or an inconsistency,
// which must not happen. Some decoders may err, such as the published collector. For these, Run counts wrong hops
// instead.
func (s *PathStudy) Run(ctx context.Context, by study.Runner) ([]PathRow, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	paths, err := trace.NewPaths(s.Map, s.Ends, s.Lengths)
	if err != nil {
		return nil, fmt.Errorf("study of %s: %w", s.Topology, err)
	}
	var rows []PathRow
	var points []study.Cell
	for _, c := range s.Curves {
		for _, hops := range s.Lengths {
			row, p, err := s.point(paths, c, hops)
			if err != nil {
				return nil, err
			}
			rows, points = append(rows, row), append(points, p)
		}
	}
	results, err := s.Trials.study(points).Run(ctx, by)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		rows[i].add(study.Made[*traced](results, points[i]))
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
		return fmt.Errorf("study of %s: %s, %s: want at least one of each", s.Topology,
			number.Count(len(s.Curves), "curve"), number.Count(len(s.Lengths), "path length"))
	}
	if !(s.Loss >= 0 && s.Loss < 1) {
		return fmt.Errorf("study of %s: loss = %v, want 0 to below 1", s.Topology, s.Loss)
	}
	for _, x := range []struct {
		key         string
		value, most int
	}{{"id_bits", s.IDBits, 64}, {"reorder", s.Reorder, 1 << 16}, {"paths", s.Paths, 1 << 10}} {
		if x.value < 0 || x.value > x.most {
			return fmt.Errorf("study of %s: %s = %d, want 0 to %d", s.Topology, x.key, x.value, x.most)
		}
	}
	return nil
}

// point returns the row of a point without its numbers, and the cell that computes the numbers.
func (s *PathStudy) point(paths *trace.Paths, c PathCurve, hops int) (row PathRow, p study.Cell, err error) {
	label := fmt.Sprintf("%s, %s, %s", s.Topology, c.Label, number.Count(hops, "switch"))
	row = PathRow{Topology: s.Topology, Candidates: c.Method.String(), Switch: c.Switch,
		Path: Path{Method: c.Label, Hops: hops, Paths: max(1, s.Paths), Bits: trace.MarkBits}}
	t := tracing{PathCurve: c, study: s, family: global.Fast(s.Trials.Seed)}
	switch c.Method {
	case allSwitches, TruePath, publishedAll, publishedPath, TopologyAware, Eliminated:
		c.Code.Family = t.family
		if t.code, err = coding.New(c.Code); err != nil {
			return row, p, fmt.Errorf("%s: %w", label, err)
		}
		last := c.Code.Schemes[len(c.Code.Schemes)-1]
		row.Bits, row.Tau = t.code.Width(), last.Tau
		if len(last.XOR) > 0 {
			row.P = last.XOR[0]
		}
		row.Scheme = strings.Join(lists.Map(c.Code.Schemes, coding.Scheme.String), " + ")
		if c.Method == TopologyAware {
			if t.tracer, err = trace.NewTracer(s.Map, t.code, c.Options); err != nil {
				return row, p, fmt.Errorf("%s: %w", label, err)
			}
		}
	case ppmMarks, ams2Marks, publishedAMS2:
		row.Scheme = "reservoir"
	case inTurn, atRandom:
		row.Scheme, row.Bits = c.Method.String(), protocols.HeaderBits(c.Method == atRandom, c.Values)
		if hops > mostHops {
			return row, p, fmt.Errorf("%s: want at most %d switches", label, mostHops)
		}
		if c.Method == atRandom && !c.Exact && hops > mostPercent {
			return row, p, fmt.Errorf("%s: with --probability percent, want at most %d switches: hop %d would write "+
				"with probability ⌊100/%d⌋ %%, which is 0", label, mostPercent, hops, hops)
		}
	default:
		return row, p, fmt.Errorf("%s: unknown method %d", label, c.Method)
	}
	return row, batched(s.Trials, label, func(made *traced) (func(int) error, error) {
		w := &worker{traced: made, study: s, paths: paths, late: make([][]uint64, s.Reorder+1)}
		for range row.Paths {
			l := &lane{path: make([]uint64, hops)}
			if err := t.build(l); err != nil {
				return nil, err
			}
			w.lanes, w.drawn = append(w.lanes, l), append(w.drawn, l.path)
		}
		return w.run, nil
	}), nil
}

// add sets the numbers of a point.
func (r *PathRow) add(batches []*traced) {
	d, wrong := &Distribution{}, 0
	r.wrongPaths = 0
	for _, b := range batches {
		d.merge(&b.Distribution)
		wrong += b.wrong
		r.wrongPaths += b.wrongPaths
	}
	r.Packets, r.Runs, r.Failed = d, d.Runs(), d.Failed()
	r.Mean, r.Half = d.Mean(), columns.Number(d.HalfWidth())
	r.Wrong = float64(wrong) / float64(max(1, r.Runs-r.Failed))
	r.P50, r.P99, r.Max = d.number(0.5), d.number(0.99), d.number(1)
}

// tracing contains what a curve needs in order to find paths.
type tracing struct {
	PathCurve
	study  *PathStudy
	family global.Family
	code   *coding.Code  // code of the methods of PINT
	tracer *trace.Tracer // of TopologyAware
}

// traced contains the numbers of packets that some runs took, and the numbers of wrong hops and wrong paths.
type traced struct {
	Distribution
	wrong, wrongPaths int
}

// worker makes the runs of a batch.
type worker struct {
	*traced
	study *PathStudy
	paths *trace.Paths
	lanes []*lane    // by entropy value
	drawn [][]uint64 // paths of these lanes
	late  [][]uint64 // identifiers of the packets in flight, by arrival modulo the length of the list
}

// lane is a path with its decoder.
type lane struct {
	path    []uint64
	encode  func(packet uint64, path []uint64) uint64
	decoder coding.Decoder
	restart func() error // makes the decoder again for each path; nil if the same decoder suits all paths
	known   bool
	errs    bool // the decoder may report wrong hops
	half    bool // the decoder gets only the marks of every other packet
	// send, if not nil, is called for each packet that is sent, including lost ones, because switches keep state.
	send func(packet uint64, path []uint64, lost bool)
}

func (t *tracing) build(l *lane) (err error) {
	hops, code := len(l.path), t.code
	switch t.Method {
	case allSwitches:
		l.encode = code.Encode
		l.decoder, err = coding.NewDecoder(code, hops, t.study.Map.Values())
	case TruePath:
		l.encode = code.Encode
		l.restart = func() (err error) {
			l.decoder, err = coding.NewDecoder(code, hops, l.path)
			return err
		}
	case publishedAll, publishedPath:
		l.errs = true
		l.restart = func() error {
			candidates := l.path
			if t.Method == publishedAll {
				candidates = t.study.Map.Values()
			}
			d := newPublished(code, hops, candidates)
			l.encode, l.decoder = d.Encode, d
			return nil
		}
	case TopologyAware:
		l.encode = code.Encode
		l.decoder, err = t.tracer.Decoder(hops)
	case Eliminated:
		l.encode = code.Encode
		l.decoder, err = coding.NewSolver(code, hops)
	case inTurn, atRandom:
		d := protocols.NewFlow(protocols.FlowConfig{PLINT: t.Method == atRandom, Exact: t.Exact, Values: t.Values,
			Seed: t.study.Trials.Seed}, hops)
		l.send, l.decoder, l.errs = d.Send, d, true
		l.encode = func(uint64, []uint64) uint64 { return 0 }
	case ppmMarks:
		var d *trace.PPM
		if d, err = trace.NewPPM(t.family, hops); err == nil {
			l.encode, l.decoder = d.Encode, d
		}
	case ams2Marks, publishedAMS2:
		var d *trace.AMS2
		if d, err = trace.NewAMS2(t.family, t.study.Map, t.Match, hops); err == nil {
			l.encode, l.decoder = d.Encode, d
			if l.half = t.Method == publishedAMS2; l.half {
				d.Functions(7)
			}
		}
	}
	return err
}

// run traces one random path and records how many packets were sent until it was known.
func (w *worker) run(run int) error {
	seed := w.study.Trials.Seed
	hops := uint64(len(w.lanes[0].path))
	paths := hash.Stream(seed, "trace/path", uint64(run), hops)
	w.paths.Draw(paths, w.drawn...)
	for _, l := range w.lanes {
		if l.restart != nil {
			if err := l.restart(); err != nil {
				return err
			}
		}
		l.decoder.Reset()
		l.known = false
	}
	for i := range w.late {
		w.late[i] = w.late[i][:0]
	}
	r := hash.Stream(seed, "trace/packets", uint64(run), hops)
	for n := 1; n <= w.study.Trials.limit(); n++ {
		id := packetID(run, n)
		if w.study.IDBits > 0 {
			id = r.Uint64() >> (64 - w.study.IDBits)
		}
		lost := w.study.Loss > 0 && r.Float64() < w.study.Loss
		arrival := n
		if w.study.Reorder > 0 {
			arrival += r.IntN(w.study.Reorder + 1)
		}
		if l := w.lane(id); l.send != nil {
			l.send(id, l.path, lost)
		}
		if !lost {
			slot := &w.late[arrival%len(w.late)]
			*slot = append(*slot, id)
		}
		known, err := w.arrive(n % len(w.late))
		if err != nil {
			return err
		}
		if known {
			w.Add(n)
			return nil
		}
	}
	w.AddFailure()
	return nil
}

// mostHops is the length of the longest path of DLINT and PLINT, whose hop numbers have one byte.
const mostHops = 255

// mostPercent is the last hop of PLINT that ever writes if probabilities are whole percentages.
const mostPercent = 100

// lane returns the lane that a packet takes.
func (w *worker) lane(id uint64) *lane {
	if len(w.lanes) == 1 {
		return w.lanes[0]
	}
	return w.lanes[hash.Combine(hash.String("trace/entropy"), id)%uint64(len(w.lanes))]
}

// arrive passes the packets of a slot to their decoders. It reports whether all paths are known.
func (w *worker) arrive(slot int) (bool, error) {
	ids := w.late[slot]
	w.late[slot] = ids[:0]
	for _, id := range ids {
		l := w.lane(id)
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
		before := w.wrong
		for i, want := range l.path {
			switch got, ok := l.decoder.Value(i + 1); {
			case ok && got == want:
			case l.errs:
				w.wrong++
			default:
				return false, fmt.Errorf("hop %d traced as switch %d, want %d", i+1, got, want)
			}
		}
		if w.wrong > before {
			w.wrongPaths++
		}
	}
	return true, nil
}
