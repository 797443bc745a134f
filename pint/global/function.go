package global

import "pintlab/internal/hash"

// Function is a hash function of a family, for a purpose and an instance. Family.Function makes it.
type Function struct {
	start uint64 // fast: the state after the purpose; CRC: the register after all bytes, for packet and argument 0
	crc   bool
	shift uint8 // fast: position of the word in 64 bits
}

// Function returns the family's hash function for a purpose and an instance. Instances number
// independent repetitions of the same function, from 0. (In the fast family instances 2j and 2j+1
// are the two halves of one 64-bit word, so that Pairs computes them together.)
func (f Family) Function(p Purpose, instance uint8) Function {
	if f.crc {
		head := uint64(p)<<56 | uint64(instance)<<48 | f.seed
		return Function{start: uint64(feed(feed(feed(^uint32(0), head), 0), 0)), crc: true}
	}
	start := hash.Mix64(f.seed + (uint64(p)<<8|uint64(instance&^1)+1)*golden)
	return Function{start: start, shift: 32 * (instance&1 ^ 1)}
}

// Key is the part of a hash that depends on the packet but not on the argument. To evaluate a
// function of one packet for many hops or values, make the key once. Each function needs its own
// key.
type Key uint64

// Key prepares the function for a packet.
func (fn Function) Key(packet uint64) Key {
	if fn.crc {
		return Key(fn.start) ^ Key(crcPacket(packet)) // Word adds the argument
	}
	return Key(hash.Combine(fn.start, packet))
}

// Word returns the hash of an argument: 32 uniform bits.
func (fn Function) Word(k Key, argument uint64) uint32 {
	if fn.crc {
		return crcWord(k, argument)
	}
	return uint32(fastWord(k, argument) >> (fn.shift & 63))
}

// At returns Word(Key(packet), argument) in one step.
func (fn Function) At(packet, argument uint64) uint32 {
	if fn.crc {
		return crcWord(Key(fn.start)^Key(crcPacket(packet)), argument)
	}
	return uint32(fastAt(fn.start, packet, argument) >> (fn.shift & 63))
}

// fastWord returns the words of two instances. The word of the even instance is in the upper half.
func fastWord(k Key, argument uint64) uint64 {
	return hash.Mix64(uint64(k) + (argument+1)*golden)
}

func fastAt(start, packet, argument uint64) uint64 {
	return fastWord(Key(hash.Combine(start, packet)), argument)
}

// Three returns the result of At for three functions of one family and instance, each with its own
// argument. The computation for the packet is shared, and the hashes overlap in the processor.
func Three(fs *[3]Function, packet, a, b, c uint64) (x, y, z uint32) {
	if fs[0].crc {
		p := Key(crcPacket(packet))
		return crcWord(Key(fs[0].start)^p, a), crcWord(Key(fs[1].start)^p, b), crcWord(Key(fs[2].start)^p, c)
	}
	s := fs[0].shift & 63
	return uint32(fastAt(fs[0].start, packet, a) >> s), uint32(fastAt(fs[1].start, packet, b) >> s),
		uint32(fastAt(fs[2].start, packet, c) >> s)
}

// Pairs returns the result of Three for two instances, 2j and 2j+1, of the same three functions.
// The words of the even instance are in the upper halves.
func Pairs(even, odd *[3]Function, packet, a, b, c uint64) (x, y, z uint64) {
	if even[0].crc {
		p := Key(crcPacket(packet))
		return crcPair(Key(even[0].start)^p, Key(odd[0].start)^p, a),
			crcPair(Key(even[1].start)^p, Key(odd[1].start)^p, b),
			crcPair(Key(even[2].start)^p, Key(odd[2].start)^p, c)
	}
	return fastAt(even[0].start, packet, a), fastAt(even[1].start, packet, b), fastAt(even[2].start, packet, c)
}

func crcPair(even, odd Key, argument uint64) uint64 {
	return uint64(crcWord(even, argument))<<32 | uint64(crcWord(odd, argument))
}
