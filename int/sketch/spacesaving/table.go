package spacesaving

import "pintlab/internal/hash"

// home returns the slot where the probe run of key starts: the top bits of its hash.
func (s *Summary) home(key uint64) uint32 {
	return uint32(hash.Mix64(key^s.seed) >> s.shift)
}

// find returns the slot of key, or the empty slot where it belongs.
func (s *Summary) find(key uint64) uint32 {
	slot := s.home(key)
	for {
		i := s.table[slot]
		if i == 0 || s.counters[i-1].key == key {
			return slot
		}
		slot = (slot + 1) & s.mask
	}
}

// remove deletes key, which is present, and moves later keys of the run back so that no
// tombstone is left (Knuth, The Art of Computer Programming 3, section 6.4, algorithm R).
func (s *Summary) remove(key uint64) {
	hole := s.find(key)
	for slot := (hole + 1) & s.mask; s.table[slot] != 0; slot = (slot + 1) & s.mask {
		home := s.home(s.counters[s.table[slot]-1].key)
		// The key may move into the hole unless its run starts after the hole.
		if (slot-home)&s.mask >= (slot-hole)&s.mask {
			s.table[hole] = s.table[slot]
			hole = slot
		}
	}
	s.table[hole] = 0
}
