package pint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/columns"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/netsim/topo"
	"pintlab/pint/coding"
	"pintlab/pint/trace"
	"pintlab/plots"
)

// PathQuestion selects the network, the paths and the methods to trace.
type PathQuestion struct {
	Methods   []string `flag:"methods" default:"pint,linear,topology,ppm,ams2-5" use:"{names} of the methods to compare, separated by commas"`
	Hops      []int    `flag:"hops" range:">=1 <=1000000" use:"path {lengths} in switches; default: four, up to the longest"`
	Bits      int      `flag:"bits" default:"8" range:">=1 <=64" use:"bits {B} of a digest"`
	Instances int      `flag:"instances" default:"2" range:">=1 <=64" use:"independent digests {N} on each packet"`
	Tau       float64  `flag:"tau" default:"0.5" range:">=0 <=1" use:"{share} of packets that use Baseline, for the methods with it"`
	P         float64  `flag:"p" range:">0 <=1" use:"{probability} that a hop XORs, for the methods with it; without it 1/d"`
	ValueBits int      `flag:"value-bits" range:">=1 <=64" use:"bits {N} of a switch ID, of fragments and lnc; without it those of an index"`
	Chance    string   `flag:"probability" default:"percent" oneof:"percent|exact" use:"{rule} of PLINT: hop i replaces an ID with ⌊100/i⌋ % as in the authors' program (percent), or with 1/i (exact)"`
	D         int      `flag:"d" default:"10" range:">=2 <=1000000" use:"path length {D} that the switches are configured for"`
	Loss      float64  `flag:"loss" range:">=0 <1" use:"{share} of the packets that get lost"`
	IDBits    int      `flag:"id-bits" range:">=0 <=64" use:"draw packet identifiers of {N} bits at random; 0: they never repeat"`
	Reorder   int      `flag:"reorder" range:">=0 <=65536" use:"a packet arrives after up to {N} packets that were sent after it"`
	Paths     int      `flag:"paths" default:"1" range:">=1 <=1024" use:"spray a flow by {N} entropy values, each with a path and digests, until all paths are known"`
	Flowlets  []int    `flag:"flowlets" range:">=1 <=200000" use:"also print, for flowlets of these numbers of {packets}, the share whose path is known"`
	Trials    Trials   `flags:"runs"`
}

// giveUp is the number of packets after which a run gives up.
const giveUp = 200_000

// vectorBits is the number of bits of a probability that bit vectors implement.
const vectorBits = 8

// MethodInfo describes a method. Name is the name of the method in a PathQuestion.
type MethodInfo struct {
	Name, About string
	Scheme      bool // the method has Tau, P and D
	Fixed       bool // the method has a fixed number of bits
	Pieces      bool // the method sends pieces of switch IDs, so that ValueBits applies
}

// Methods lists all methods.
var Methods = []MethodInfo{
	{"pint", "hashed switch IDs; every switch of the map is a candidate", true, false, false},
	{"true-path", "the same, but only the switches of the true path are candidates", true, false, false},
	{"vectors", "like pint, hops draw from bits of AND-ed vectors (near-linear decoding)", true, false, false},
	{"fragments", "pieces of switch IDs, not hashed; needs no map", true, false, true},
	{"lnc", "linear network coding of such pieces: each hop XORs half of them; decoded by " +
		"elimination", false, false, true},
	{"linear", "linear hash of switch indices, decoded by elimination", false, false, false},
	{"topology", "a decoder that knows the map", false, false, false},
	{"ppm", "PPM, 16 bits", false, true, false},
	{"ams2-5", "AMS2 with m = 5, 16 bits", false, true, false},
	{"ams2-6", "AMS2 with m = 6, 16 bits", false, true, false},
	{"dlint", "DLINT: an ID of 8 bits on some packets; the switches take turns", false, true, false},
	{"dlint-5", "DLINT with up to five IDs on a packet", false, true, false},
	{"plint", "PLINT: the TTL, a random switch and its hop, 24 bits", false, true, false},
	{"plint-5", "the same with five switches, 88 bits", false, true, false},
}

// WithScheme returns the methods that have Tau, P and D.
func WithScheme() []string {
	return namesOf(lists.Keep(Methods, func(m MethodInfo) bool { return m.Scheme }))
}

func namesOf(list []MethodInfo) []string {
	return lists.Map(list, func(m MethodInfo) string { return m.Name })
}

// HasScheme reports whether one of the methods has Tau, P and D.
func HasScheme(methods []string) bool {
	return slices.ContainsFunc(WithScheme(), func(name string) bool { return slices.Contains(methods, name) })
}

// HasChance reports whether one of the methods uses Chance.
func HasChance(methods []string) bool {
	return slices.Contains(methods, "plint") || slices.Contains(methods, "plint-5")
}

// HasPieces reports whether one of the methods uses ValueBits.
func HasPieces(methods []string) bool {
	return slices.ContainsFunc(Methods, func(m MethodInfo) bool { return m.Pieces && slices.Contains(methods, m.Name) })
}

// HasBits reports whether one of the methods uses Bits and Instances.
func HasBits(methods []string) bool {
	return slices.ContainsFunc(Methods, func(m MethodInfo) bool { return !m.Fixed && slices.Contains(methods, m.Name) })
}

// Answer contains the number of packets that each method needs.
type Answer struct {
	Map      string    `json:"map"`
	Switches int       `json:"switches"`
	Links    int       `json:"links"`
	Longest  int       `json:"longest_path"` // switches
	Dir      string    `json:"dir"`          // directory of the rows
	Rows     []Path    `json:"rows"`
	Flowlets []Flowlet `json:"flowlets"`
	Wrong    []Wrong   `json:"wrong"` // methods that decoded wrong paths, as DLINT does with losses
}

// Wrong is a row: how many decoded paths of a method differ from the true paths.
type Wrong struct {
	Method string  `json:"method" col:"method"`
	Hops   int     `json:"hops" col:"hops"`
	Wrong  int     `json:"wrong" col:"wrong"`
	Share  float64 `json:"share" col:"share" unit:"%"` // share of the paths found
}

// Flowlet is a row: the share of flowlets whose path is known when the flowlet ends. A flowlet takes one path and has a
// separate digest (PINT §7).
type Flowlet struct {
	Method  string  `json:"method" col:"method"`
	Hops    int     `json:"hops" col:"hops"`
	Packets int     `json:"packets" col:"packets"` // packets of the flowlet
	Known   float64 `json:"known" col:"known" unit:"%"`
	Runs    int     `json:"runs" col:"runs"`
}

// ErrUnknown is the error of a method that has not found any path.
var ErrUnknown = errors.New("no path is known")

// Ask traces random shortest paths of a network between switches that have hosts.
func Ask(
	ctx context.Context, by study.Runner, name string, g *topo.Graph, q PathQuestion,
) (*Answer, error) {
	s, longest, err := q.study(name, g)
	if err != nil {
		return nil, err
	}
	if s.Curves, err = q.curves(s.Map, longest); err != nil {
		return nil, err
	}
	rows, err := s.Run(ctx, by)
	if err != nil {
		return nil, err
	}
	a := &Answer{Map: name, Switches: s.Map.Len(), Links: s.Map.Links(), Longest: longest}
	for _, r := range rows {
		if r.Failed == r.Runs {
			return nil, fmt.Errorf("%s, %s: %w after %s", r.Method, number.Count(r.Hops, "switch"), ErrUnknown,
				number.Count(giveUp, "packet"))
		}
		a.Rows = append(a.Rows, r.Path)
		if n := r.wrongPaths; n > 0 {
			found := r.Paths * (r.Runs - r.Failed)
			a.Wrong = append(a.Wrong, Wrong{r.Method, r.Hops, n, 100 * float64(n) / float64(found)})
		}
		for _, n := range q.Flowlets {
			a.Flowlets = append(a.Flowlets, Flowlet{r.Method, r.Hops, n, 100 * r.Packets.share(n), r.Runs})
		}
	}
	a.Rows, a.Flowlets, a.Wrong = columns.Rounded(a.Rows), columns.Rounded(a.Flowlets), columns.Rounded(a.Wrong)
	return a, nil
}

// study returns the study for the question, still without curves.
func (q *PathQuestion) study(name string, g *topo.Graph) (s *PathStudy, longest int, err error) {
	m, err := trace.NewMap(g, nil)
	if err != nil {
		return nil, 0, err
	}
	ends := trace.HostSwitches(g)
	all := trace.PathLengths(m, ends)
	if len(q.Flowlets) > 0 && (q.Paths > 1 || q.Reorder > 0) {
		return nil, 0, fmt.Errorf("a flowlet takes one path and its packets stay in order: want --paths 1 and "+
			"--reorder 0, not %d and %d", q.Paths, q.Reorder)
	}
	if err := errors.Join(once("flowlets", q.Flowlets), once("hops", q.Hops)); err != nil {
		return nil, 0, err
	}
	if q.Hops == nil {
		for i := 1; i <= 4; i++ {
			if n := all[(i*len(all)+3)/4-1]; !slices.Contains(q.Hops, n) {
				q.Hops = append(q.Hops, n)
			}
		}
	}
	q.Trials.Limit = giveUp
	return &PathStudy{
		Topology: name, Map: m, Ends: ends, Lengths: q.Hops, Trials: q.Trials,
		Delivery: Delivery{Loss: q.Loss, IDBits: q.IDBits, Reorder: q.Reorder, Paths: q.Paths},
	}, all[len(all)-1], nil
}

// once returns an error if a flag contains the same value twice.
func once[T comparable](flag string, list []T) error {
	for i, x := range list {
		if slices.Contains(list[:i], x) {
			return fmt.Errorf("%s: %v occurs twice", flag, x)
		}
	}
	return nil
}

// curves returns the requested methods, on a map with paths of up to longest switches.
func (q *PathQuestion) curves(m *trace.Map, longest int) ([]PathCurve, error) {
	if q.P == 0 {
		q.P = 1 / float64(q.D)
	}
	scheme := coding.Interleaved(q.Tau, q.P)
	least := max(1, bits.Len64(slices.Max(m.Values())))
	width := cmp.Or(q.ValueBits, least)
	if width < least {
		return nil, fmt.Errorf("--value-bits %d: the switches of this map have IDs of %s", width,
			number.Count(least, "bit"))
	}
	var list []PathCurve
	for _, name := range q.Methods {
		c := PathCurve{Label: name, Method: allSwitches, Code: trace.HashCode(q.Instances, q.Bits, scheme)}
		switch name {
		case "pint":
		case "true-path":
			c.Method = TruePath
		case "vectors":
			c.Code.VectorBits = vectorBits
		case "fragments":
			c.Code.Mode, c.Code.ValueBits = coding.Fragments, width
		case "lnc":
			c.Method, c.Code.Schemes = Eliminated, []coding.Scheme{coding.LNC()}
			c.Code.Mode, c.Code.ValueBits = coding.Fragments, width
		case "linear":
			c.Code = trace.LinearCode(m, q.Instances, q.Bits)
		case "topology":
			c.Method, c.Code = TopologyAware, trace.AwareCode(m, longest, q.Instances, q.Bits)
		case "ppm":
			c.Method = ppmMarks
		case "ams2-5":
			c.Method, c.Match = ams2Marks, 5
		case "ams2-6":
			c.Method, c.Match = ams2Marks, 6
		case "dlint":
			c.Method, c.Values = inTurn, 1
		case "dlint-5":
			c.Method, c.Values = inTurn, 5
		case "plint":
			c.Method, c.Values, c.Exact = atRandom, 1, q.Chance == "exact"
		case "plint-5":
			c.Method, c.Values, c.Exact = atRandom, 5, q.Chance == "exact"
		default:
			return nil, fmt.Errorf("methods: unknown method %q (accepted: %s)", name,
				strings.Join(namesOf(Methods), ", "))
		}
		list = append(list, c)
	}
	return list, once("methods", q.Methods)
}

// Save writes rows and drawing.
func (a *Answer) Save(dir string) error {
	a.Dir = dir
	t, err := columns.Encode(a.Rows)
	if err != nil {
		return err
	}
	points := lists.Map(a.Rows, func(r Path) plots.Point {
		return plots.Point{Series: r.Method, X: float64(r.Hops), Y: r.Mean}
	})
	f := plots.Figure{Title: "Packets until a path is known, on average", Panels: plots.Panels(points, plots.Line,
		plots.Axis{Label: "Path length (hops)", Scale: plots.Linear, Whole: true},
		plots.Axis{Label: "Packets until the path is known", Scale: plots.Log})}
	if n := a.Rows[0].Paths; n > 1 {
		f.Title = fmt.Sprintf("Packets until %d paths of a flow are known, on average", n)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	_, err = plots.SaveAll(&f, filepath.Join(dir, "packets"), "svg", "png")
	errs := []error{err, t.SaveCSV(filepath.Join(dir, "rows.csv"))}
	if len(a.Flowlets) > 0 {
		t, err := columns.Encode(a.Flowlets)
		if err == nil {
			err = t.SaveCSV(filepath.Join(dir, "flowlets.csv"))
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
