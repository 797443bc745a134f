package latency

import (
	"math"
	"testing"

	reference "github.com/apache/datasketches-go/kll"

	"pintlab/internal/hash"
)

// Our sketch and the library's sketch with the same number of digests have similar errors: the standard deviation of
// the rank of the median over 300 sketches of 20 000 values differs by less than a factor 1.5. (Its standard error is 4
// %.) The library's coins cannot be seeded, but 1.5 is ten standard errors away from the measured ratio.
func TestLibraryAgrees(t *testing.T) {
	const n, digests, sketches = 20_000, 160, 300
	const k = 39 // for the library's sketch: its levels may hold 160 codes
	ours, theirs := 0.0, 0.0
	for seed := range uint64(sketches) {
		s, err := newKLL[uint16](digests, seed)
		if err != nil {
			t.Fatal(err)
		}
		l, err := reference.NewKllItemsSketch(k, 2, func(a, b uint16) bool { return a < b }, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range hash.Stream(seed, "agree").Perm(n) {
			s.Add(uint16(v))
			l.Update(uint16(v))
		}
		a, _ := Quantile(s.Append(nil), 0.5)
		b, err := l.GetQuantile(0.5, true)
		if err != nil {
			t.Fatal(err)
		}
		ours += math.Pow((float64(a)-n/2)/n, 2) / sketches
		theirs += math.Pow((float64(b)-n/2)/n, 2) / sketches
	}
	ours, theirs = math.Sqrt(ours), math.Sqrt(theirs)
	t.Logf("standard deviation of the median's rank with %d digests: ours %.5f, library %.5f", digests, ours, theirs)
	if ours > 1.5*theirs {
		t.Errorf("ours errs by %.5f, the library by %.5f", ours, theirs)
	}
}
