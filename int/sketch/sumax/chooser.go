package sumax

import (
	"fmt"

	"pintlab/internal/hash"
)

// maxChances is the largest number of bit arrays of k+chance selection.
const maxChances = 8

// Chooser selects the sketchlet that a packet carries (LightGuardian, section 5.3).
//
//	k+chance     draw a bit of each of k arrays in turn, and set the first that is zero; if
//	             none is, draw a sketchlet at random
//	random       draw a sketchlet at random
//	round-robin  take one after the other
type Chooser struct {
	sketchlets uint32
	chances    int
	robin      bool
	next       uint32   // next sketchlet of round robin
	bits       []uint64 // bits of all arrays, one after the other
	words      int      // words of an array
}

// NewChooser makes a chooser among 1 or more sketchlets. Only k+chance uses k.
func NewChooser(selection string, k, sketchlets int) (*Chooser, error) {
	if sketchlets < 1 || int64(sketchlets) > 1<<32-1 {
		return nil, fmt.Errorf("sumax: %d sketchlets to choose from, want 1 to %d", sketchlets, uint32(1<<32-1))
	}
	c := &Chooser{sketchlets: uint32(sketchlets), words: (sketchlets + 63) / 64}
	switch selection {
	case "k+chance":
		if k < 1 || k > maxChances {
			return nil, fmt.Errorf("sumax: %d chances, want 1 to %d", k, maxChances)
		}
		c.chances = k
		c.bits = make([]uint64, k*c.words)
	case "random":
	case "round-robin":
		c.robin = true
	default:
		return nil, fmt.Errorf("sumax: selection %q, want k+chance, random or round-robin", selection)
	}
	return c, nil
}

// Choose selects a sketchlet for a packet, given a hash of the packet. It also returns the
// number of the array that chose the sketchlet, or k if no array did.
func (c *Chooser) Choose(packet uint64) (id uint32, array int) {
	if c.robin {
		id = c.next
		if c.next++; c.next == c.sketchlets {
			c.next = 0
		}
		return id, 0
	}
	for i := range c.chances {
		id = Position(packet, i, c.sketchlets)
		w := &c.bits[i*c.words+int(id>>6)]
		if bit := uint64(1) << (id & 63); *w&bit == 0 {
			*w |= bit
			return id, i
		}
	}
	return Position(packet, c.chances, c.sketchlets), c.chances
}

// Position returns the sketchlet that a packet draws from an array. It depends on the packet
// only, so a host can repeat the draw.
func Position(packet uint64, array int, sketchlets uint32) uint32 {
	return uint32(hash.Words(packet, uint64(array)) >> 32 * uint64(sketchlets) >> 32)
}

// Reset clears the bit arrays. Round robin keeps its position.
func (c *Chooser) Reset() { clear(c.bits) }
