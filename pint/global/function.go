package global

import "pintlab/internal/hash"

// Function is one hash function of a family: a purpose and an instance. It saves
// what every packet would compute again. Make it with Family.Function.
type Function struct {
	start uint64 // fast: the domain; CRC: the register after the first eight bytes
	crc   bool
}

// Function is the family's hash function for a purpose and an instance; its keys are
// those of Family.Key.
func (f Family) Function(p Purpose, instance uint8) Function {
	if f.crc {
		head := uint64(p)<<56 | uint64(instance)<<48 | f.seed
		return Function{start: uint64(feed(^uint32(0), head)), crc: true}
	}
	return Function{start: hash.Mix64(f.seed + (uint64(p)<<8|uint64(instance)+1)*golden)}
}

// Key prepares the function for one packet.
func (fn Function) Key(packet uint64) Key {
	if fn.crc {
		// The packet's eight bytes, then eight zero bytes: the argument's own
		// contribution is added by Word, for CRC is linear.
		return Key(feed(feed(uint32(fn.start), packet), 0))
	}
	return Key(hash.Combine(fn.start, packet))
}

// Word is the hash of one argument: 32 uniform bits. It equals Family.Word.
func (fn Function) Word(k Key, argument uint64) uint32 {
	if fn.crc {
		return crcWord(k, argument)
	}
	return fastWord(k, argument)
}

// At is Word(Key(packet), argument), in one step.
func (fn Function) At(packet, argument uint64) uint32 {
	if fn.crc {
		return crcWord(fn.Key(packet), argument)
	}
	return fastWord(Key(hash.Combine(fn.start, packet)), argument)
}
