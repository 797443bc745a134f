package routechange

import (
	"errors"
	"fmt"
	"slices"

	"pintlab/pint/coding"
	"pintlab/pint/global"
)

// Epoch is a sequence of a flow's packets over one path.
type Epoch struct {
	First, Last uint64   // identifiers of its first and last packet
	Packets     int      // number of packets
	Decoded     int      // number of packets after which the path was known; 0 if it never was
	Path        []uint64 // the path, if it became known

	Known global.HopSet // hops that are known
	Hops  []uint64      // values of the hops, valid if the hop is known
}

// Tracker follows a flow whose path changes from time to time. It decodes the path, watches it, and
// starts again with the first packet that contradicts this path. With flowlet routing every epoch
// is a flowlet that was long enough to be detected.
type Tracker struct {
	decoder coding.Decoder
	monitor *monitor
	epochs  []Epoch
	done    bool
}

// NewTracker makes a tracker for paths of this many hops. d decodes the paths. It must be fresh and
// may be topology-aware.
func NewTracker(c *coding.Code, hops int, d coding.Decoder) (*Tracker, error) {
	m, err := newMonitor(c, hops)
	if err != nil {
		return nil, err
	}
	return &Tracker{decoder: d, monitor: m}, nil
}

// Add records the digest of the next packet. changed is true if the digest contradicts the path so
// far; a new epoch then begins with this packet. A digest wider than the code's is an error and
// belongs to no epoch.
func (t *Tracker) Add(packet, digest uint64) (changed bool, err error) {
	verdict, err := t.monitor.Check(packet, digest)
	if err != nil {
		return false, err
	}
	if verdict == Inconsistent {
		return true, t.restart(packet, digest)
	}
	if len(t.epochs) == 0 {
		t.epochs = append(t.epochs, Epoch{First: packet})
	}
	e := &t.epochs[len(t.epochs)-1]
	if !t.done {
		// Digests that contradict each other before the path is known also reveal a change.
		if err := t.decoder.Add(packet, digest); errors.Is(err, coding.ErrInconsistent) {
			return true, t.restart(packet, digest)
		} else if err != nil {
			return false, fmt.Errorf("routechange: %w", err)
		}
	}
	e.Last = packet
	e.Packets++
	t.learn(e)
	return false, nil
}

// restart begins an epoch with a packet.
func (t *Tracker) restart(packet, digest uint64) error {
	t.decoder.Reset()
	t.monitor.forget()
	t.done = false
	t.epochs = append(t.epochs, Epoch{First: packet, Last: packet, Packets: 1})
	if err := t.decoder.Add(packet, digest); err != nil {
		return fmt.Errorf("routechange: %w", err)
	}
	t.learn(&t.epochs[len(t.epochs)-1])
	return nil
}

// learn copies the hops that the decoder knows.
func (t *Tracker) learn(e *Epoch) {
	if t.done {
		return
	}
	t.monitor.learnPath(t.decoder)
	if t.monitor.known != e.Known {
		e.Known, e.Hops = t.monitor.known, slices.Clone(t.monitor.value)
	}
	if !t.decoder.Done() {
		return
	}
	t.done = true
	e.Decoded = e.Packets
	e.Path = e.Hops
}

// Epochs returns the epochs so far, with the current epoch last. The caller must not change the slice.
func (t *Tracker) Epochs() []Epoch { return t.epochs }
