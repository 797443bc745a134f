package latency

import (
	"fmt"
	"unsafe"

	"pintlab/internal/hash"
	"pintlab/internal/number"
	"pintlab/internal/rules"
	"pintlab/netsim/unit"
)

// Config defines how the stream of each hop of a flow is recorded.
type Config struct {
	Kind  Kind
	Bits  int        // width of a code, 1 to 16
	Space unit.Bytes // memory of one flow, split evenly over its hops
	// Window limits the store to about this many of the newest values of each hop; 0 means no
	// limit. Raw windows are exact; other windows move in steps of a quarter of their length.
	Window int
	Seed   uint64 // seed of the coins of KLL
}

// windowPanes is the number of panes of a window.
const windowPanes = 4

// validate reports every rule that c breaks.
func (c Config) validate() error {
	var errs rules.Broken
	errs.If(int(c.Kind) >= len(kindNames), "kind = %d, want kll, raw or histogram", c.Kind)
	errs.If(c.Bits < 1 || c.Bits > 16, "bits = %d, want 1 to 16", c.Bits)
	errs.If(c.Space <= 0, "space = %v, want more than 0B", c.Space)
	errs.If(c.Window < 0 || c.Window > 0 && c.Window < windowPanes, "window = %d, want 0 or at least %d values",
		c.Window, windowPanes)
	return errs.Err("latency: bad store")
}

// share returns the memory of one hop's summary for this number of hops.
func (c Config) share(hops int) int {
	return (int(c.Space)-int(unsafe.Sizeof(Flow{})))/hops - int(unsafe.Sizeof(Summary(nil)))
}

// Digests returns the number of codes that the summary of one hop can hold if a flow has this number of hops. With a
// window that is not raw, it is the number for one pane. It returns an error if the space does not suffice for the
// smallest summary, or for a raw window.
func (c Config) Digests(hops int) (int, error) {
	if err := c.validate(); err != nil {
		return 0, err
	}
	if hops < 1 {
		return 0, fmt.Errorf("latency: a flow of %d hops", hops)
	}
	bytes := c.share(hops)
	least, panes := 1, 1
	if c.Window > 0 && c.Kind != Raw {
		panes = windowPanes
		bytes = (bytes - windowSize(panes)) / panes
	}
	width := 1
	if c.Bits > 8 {
		width = 2
	}
	var digests int
	switch c.Kind {
	case Sketch:
		least = minDigests
		digests = min((bytes-kllSize[uint8](0))/width, maxDigests)
	case Raw:
		digests = (bytes - newestSize[uint8](0)) / width
		if c.Window > 0 {
			least = c.Window
			digests = min(digests, max(c.Window, 1))
		}
	case Histogram:
		least = 1 << c.Bits
		if bytes >= countsSize(least) {
			digests = least
		}
	}
	if digests < least {
		return 0, fmt.Errorf("a space of %v is too small for %s with a %v of %d-bit codes each (accepted: %v or more)",
			c.Space, number.Count(hops, "hop"), c.Kind, c.Bits, c.leastSpace(hops, panes, least, width))
	}
	return digests, nil
}

// leastSpace returns the smallest space that Digests accepts.
func (c Config) leastSpace(hops, panes, least, width int) unit.Bytes {
	var one int
	switch c.Kind {
	case Sketch:
		one = kllSize[uint8](0) + least*width
	case Raw:
		one = newestSize[uint8](0) + least*width
	case Histogram:
		one = countsSize(least)
	}
	if panes > 1 {
		one = windowSize(panes) + panes*one
	}
	return unit.Bytes(int(unsafe.Sizeof(Flow{})) + hops*(one+int(unsafe.Sizeof(Summary(nil)))))
}

// NewSummary makes the summary of one hop with this number of digests, which Digests returns.
func (c Config) NewSummary(digests int, seed uint64) (Summary, error) {
	if c.Window > 0 && c.Kind != Raw {
		panes := make([]Summary, windowPanes)
		for i := range panes {
			p, err := c.newPane(digests, hash.Combine(seed, uint64(i)))
			if err != nil {
				return nil, err
			}
			panes[i] = p
		}
		return newWindow(uint64(c.Window), panes)
	}
	return c.newPane(digests, seed)
}

func (c Config) newPane(digests int, seed uint64) (Summary, error) {
	narrow := c.Bits <= 8
	switch {
	case c.Kind == Sketch && narrow:
		return newKLL[uint8](digests, seed)
	case c.Kind == Sketch:
		return newKLL[uint16](digests, seed)
	case c.Kind == Raw && narrow:
		return newNewest[uint8](digests)
	case c.Kind == Raw:
		return newNewest[uint16](digests)
	}
	return NewCounts(c.Bits)
}

// Flow is the record of one flow in the recording module: a summary for each hop, within the space
// budget.
type Flow struct {
	hops []Summary
}

// NewFlow makes the store of a flow with this number of hops. key distinguishes flows: the key and
// the seed together decide the coin tosses.
func NewFlow(c Config, hops int, key uint64) (*Flow, error) {
	digests, err := c.Digests(hops)
	if err != nil {
		return nil, err
	}
	f := &Flow{hops: make([]Summary, hops)}
	for i := range f.hops {
		s, err := c.NewSummary(digests, hash.Combine(hash.Combine(c.Seed, key), uint64(i)))
		if err != nil {
			return nil, err
		}
		f.hops[i] = s
	}
	return f, nil
}

// Add records a code from a hop, 1 to Hops.
func (f *Flow) Add(hop int, code uint16) { f.hops[hop-1].Add(code) }

// Hop returns the summary of a hop, 1 to Hops.
func (f *Flow) Hop(hop int) Summary { return f.hops[hop-1] }

// Quantile returns the code of the φ-quantile of a hop's stream, 1 to Hops. It returns false if the
// hop has no values.
func (f *Flow) Quantile(hop int, phi float64) (uint16, bool) {
	return Quantile(f.hops[hop-1].Append(nil), phi)
}

// SizeBytes returns the memory of f, at most the Space of its Config.
func (f *Flow) SizeBytes() int {
	size := int(unsafe.Sizeof(Flow{})) + len(f.hops)*int(unsafe.Sizeof(Summary(nil)))
	for _, s := range f.hops {
		size += s.SizeBytes()
	}
	return size
}
