package query

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"pintlab/internal/number"
	"pintlab/pint/coding"
	"pintlab/pint/latency"
	"pintlab/pint/routechange"
)

// ErrNoFlow is the error for a flow that the recorder does not know or has removed.
var ErrNoFlow = errors.New("no packet of this flow is recorded")

// ErrNoSample is the error for a hop without a value in the recorded packets.
var ErrNoSample = errors.New("no packet carried a value of this hop")

// Inference is the inference module: it answers queries from the data of a recorder. It does not
// change the recorder, not even the order in which flows were last used.
type Inference struct{ r *Recorder }

// NewInference makes the inference module of a recorder.
func NewInference(r *Recorder) *Inference { return &Inference{r} }

func (n *Inference) fail(name string, id FlowID, err error) error {
	return fmt.Errorf("module: query %q: flow %v over %s: %w", name, id.Flow, number.Count(int(id.Hops), "hop"), err)
}

// store returns the store of a query of this aggregation, and the query's position in the plan.
func (n *Inference) store(name string, want Aggregation) (*store, int, error) {
	i, err := n.r.e.plan.position(name)
	if err != nil {
		return nil, 0, err
	}
	if q := &n.r.e.plan.Queries[i]; q.Aggregation != want {
		return nil, 0, fmt.Errorf("module: %s asks for %v, not %v", q.Label(), q.Aggregation, want)
	}
	return &n.r.stores[i], i, nil
}

func checkHop(hop int, id FlowID) error {
	if hop < 1 || hop > int(id.Hops) {
		return fmt.Errorf("hop %d, want 1 to %d", hop, id.Hops)
	}
	return nil
}

// Estimate is a quantile of the values of a flow's packets at a hop.
type Estimate struct {
	Value   float64 // in the unit of the value
	Samples uint64  // number of packets with a value
	// RankError is a bound of |rank of Value − φ|, apart from the width of a code. The bound fails
	// with probability at most delta. RankError is the sum of the errors of sampling (Hoeffding)
	// and of the summary.
	RankError float64
	// The φ-quantile of all values is outside Low to High with probability at most delta. Low and High are limits of
	// the values that can get the codes at the ranks φ ± RankError. A bound is infinite if this rank is not between 0
	// and 1, because there may be values beyond all samples. High is also infinite at the largest code, which means
	// its value or more.
	Low, High float64
}

// Quantile estimates the φ-quantile (0 to 1) of a flow's stream at a hop (from 1) for a query of quantiles. Its
// error bound fails with probability at most delta, half for the sampling and half for the summary.
func (n *Inference) Quantile(name string, id FlowID, hop int, phi, delta float64) (Estimate, error) {
	s, i, err := n.store(name, Quantiles)
	if err != nil {
		return Estimate{}, err
	}
	if !(phi >= 0 && phi <= 1) || !(delta > 0 && delta < 1) {
		return Estimate{}, n.fail(name, id, fmt.Errorf("quantile %v with error probability %v, want 0 to 1",
			phi, delta))
	}
	if err := checkHop(hop, id); err != nil {
		return Estimate{}, n.fail(name, id, err)
	}
	f, ok := s.quantiles.peek(id)
	if !ok {
		return Estimate{}, n.fail(name, id, ErrNoFlow)
	}
	at, ok := f.Quantile(hop, phi)
	if !ok {
		return Estimate{}, n.fail(name, id, ErrNoSample)
	}
	h, code := f.Hop(hop), n.r.e.ops[i].code
	samples := h.N()
	e := Estimate{
		Value:     code.Decode(uint32(at)),
		Samples:   samples,
		RankError: min(1, latency.SampleError(int(samples), 1, delta/2)+h.Error(delta/2)),
		Low:       math.Inf(-1),
		High:      math.Inf(1),
	}
	if below := phi - e.RankError; below > 0 {
		at, _ = f.Quantile(hop, below)
		e.Low, _ = code.Interval(uint32(at))
	}
	if above := phi + e.RankError; above < 1 {
		at, _ = f.Quantile(hop, above)
		_, e.High = code.Interval(uint32(at))
	}
	return e, nil
}

// FrequentValue is a value with bounds of its share of the samples of a hop.
type FrequentValue struct {
	Value     float64 // in the unit of the value; for a name, its low bits
	Low, High float64
}

// Frequent returns the values that may make up a share of at least theta of a flow's samples at a
// hop, most frequent first.
func (n *Inference) Frequent(name string, id FlowID, hop int, theta float64) ([]FrequentValue, error) {
	s, i, err := n.store(name, Frequent)
	if err != nil {
		return nil, err
	}
	if !(theta > 0 && theta <= 1) {
		return nil, n.fail(name, id, fmt.Errorf("share %v, want more than 0 and at most 1", theta))
	}
	if err := checkHop(hop, id); err != nil {
		return nil, n.fail(name, id, err)
	}
	f, ok := s.frequent.peek(id)
	if !ok {
		return nil, n.fail(name, id, ErrNoFlow)
	}
	if f.N(hop) == 0 {
		return nil, n.fail(name, id, ErrNoSample)
	}
	var out []FrequentValue
	total := float64(f.N(hop))
	for _, it := range f.Values(hop, theta, nil) {
		out = append(out, FrequentValue{
			Value: n.r.e.ops[i].code.Decode(uint32(it.Key)),
			Low:   float64(it.Count-it.Err) / total,
			High:  float64(it.Count) / total,
		})
	}
	return out, nil
}

// Digests returns the recorded digests of a flow for a static query.
func (n *Inference) Digests(name string, id FlowID) (*Digests, error) {
	s, _, err := n.store(name, Path)
	if err != nil {
		return nil, err
	}
	d, ok := s.digests.peek(id)
	if !ok {
		return nil, n.fail(name, id, ErrNoFlow)
	}
	return d, nil
}

// Lanes returns the records of a flow for a static query, by length of the path and lane.
func (n *Inference) Lanes(name string, flow FiveTuple) (ids []FlowID) {
	for id := range n.r.Flows(name) {
		if id.Flow == flow {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, FlowID.Compare)
	return ids
}

// Epochs adds the recorded digests of a flow for a static query to a tracker, which must be fresh and for the flow's
// number of hops. A digest that no path explains is an error that wraps coding.ErrInconsistent.
func (n *Inference) Epochs(name string, id FlowID, t *routechange.Tracker) ([]routechange.Epoch, error) {
	digests, err := n.Digests(name, id)
	if err != nil {
		return nil, err
	}
	for packet, digest := range digests.All() {
		if _, err := t.Add(packet, digest); err != nil {
			return t.Epochs(), n.fail(name, id, err)
		}
	}
	return t.Epochs(), nil
}

// Path adds the recorded digests of a flow for a static query to a decoder until the decoder knows
// the whole path. It returns the value of each hop, and whether it is known. The decoder must be
// for the query's code (Encoder.Coding) and the flow's number of hops. Path wraps an error of the
// decoder, such as coding.ErrInconsistent after a route change.
func (n *Inference) Path(name string, id FlowID, d coding.Decoder) (values []uint64, known []bool, err error) {
	digests, err := n.Digests(name, id)
	if err != nil {
		return nil, nil, err
	}
	for packet, digest := range digests.All() {
		if d.Done() {
			break
		}
		if err := d.Add(packet, digest); err != nil {
			return nil, nil, n.fail(name, id, err)
		}
	}
	for hop := 1; hop <= int(id.Hops); hop++ {
		v, ok := d.Value(hop)
		values, known = append(values, v), append(known, ok)
	}
	return values, known, nil
}
