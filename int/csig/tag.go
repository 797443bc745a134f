package csig

import "strconv"

// Signal is the type of a signal (T of a tag).
type Signal uint8

// The signals of UEC's SAI specification.
const (
	ABW      Signal = iota // least available bandwidth
	ABWShare               // least share of the link's rate that is available
	Delay                  // longest time in a switch
	Queue                  // longest queue, as the time that its link needs to send it
)

// signalNames are the names of signals in scenarios.
var signalNames = [...]string{ABW: "abw", ABWShare: "abw_share", Delay: "delay", Queue: "queue"}

// String returns the name of a signal.
func (s Signal) String() string {
	if int(s) < len(signalNames) {
		return signalNames[s]
	}
	return strconv.Itoa(int(s))
}

// least reports whether the smallest value is the worst.
func (s Signal) least() bool { return s <= ABWShare }

// field is a field of a tag: a number of bits, of which the lowest is at position shift.
type field struct{ shift, bits uint8 }

func (f field) max() uint32 { return 1<<f.bits - 1 }

func (f field) of(tag uint64) uint32 { return uint32(tag>>f.shift) & f.max() }

func (f field) mask() uint64 { return uint64(f.max()) << f.shift }

func (f field) with(tag uint64, v uint32) uint64 { return tag&^f.mask() | uint64(v)<<f.shift }

// Format is the layout of a tag. A tag is a number, whose bytes on the wire are big endian; 0 means that there is no
// tag.
type Format struct {
	Size                         int // bytes, with the EtherType
	EtherType                    uint16
	kind, signal, value, locator field
}

// The two formats. The type of the compact tag is from FBOSS's tests, because no number has been assigned. The
// type of the wide tag is our choice.
var (
	Compact = Format{4, 0x9900, field{16, 16}, field{13, 3}, field{7, 5}, field{0, 7}}
	Wide    = Format{8, 0x9901, field{48, 16}, field{28, 4}, field{8, 20}, field{32, 16}}
)

// Tag is a decoded tag.
type Tag struct {
	Signal  Signal
	Value   uint32 // bucket
	Locator uint32
}

// None returns the locator of a tag that no switch has written.
func (f *Format) None() uint32 { return f.locator.max() }

// Initial returns the tag that a source sends.
func (f *Format) Initial(s Signal) uint64 {
	t := Tag{Signal: s, Locator: f.None()}
	if s.least() {
		t.Value = f.value.max()
	}
	return f.Encode(t)
}

// Encode returns the bits of a tag. Values that are too large for their fields lose their upper bits.
func (f *Format) Encode(t Tag) uint64 {
	return uint64(f.EtherType)<<f.kind.shift | f.signal.mask()&(uint64(t.Signal)<<f.signal.shift) |
		f.value.mask()&(uint64(t.Value)<<f.value.shift) | f.locator.mask()&(uint64(t.Locator)<<f.locator.shift)
}

// Decode reads a tag; ok is false if the tag is not of this format.
func (f *Format) Decode(tag uint64) (t Tag, ok bool) {
	if f.kind.of(tag) != uint32(f.EtherType) {
		return t, false
	}
	return Tag{Signal(f.signal.of(tag)), f.value.of(tag), f.locator.of(tag)}, true
}

// Update returns the tag that a device sends on. value is the device's own value of the tag's signal. If value is worse
// than the value in the tag, then value and locator replace the value and the locator in the tag.
func (f *Format) Update(tag uint64, value, locator uint32) uint64 {
	had := f.value.of(tag)
	if value == had || value < had != Signal(f.signal.of(tag)).least() {
		return tag
	}
	return f.locator.with(f.value.with(tag, value), locator)
}
