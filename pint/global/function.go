package global

import "pintlab/internal/hash"

// Function is one hash function of a family: a purpose and an instance. It saves
// what every packet would compute again. Make it with Family.Function.
type Function struct {
	start uint64 // fast: the domain; CRC: the register after all bytes, packet and argument 0
	crc   bool
}

// Function is the family's hash function for a purpose and an instance; its keys are
// those of Family.Key.
func (f Family) Function(p Purpose, instance uint8) Function {
	if f.crc {
		head := uint64(p)<<56 | uint64(instance)<<48 | f.seed
		return Function{start: uint64(feed(feed(feed(^uint32(0), head), 0), 0)), crc: true}
	}
	return Function{start: hash.Mix64(f.seed + (uint64(p)<<8|uint64(instance)+1)*golden)}
}

// Key prepares the function for one packet.
func (fn Function) Key(packet uint64) Key {
	if fn.crc {
		return Key(fn.start) ^ Key(crcPacket(packet)) // Word adds the argument
	}
	return fastKey(fn.start, packet)
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
	return fastWord(fastKey(fn.start, packet), argument)
}

func fastKey(start, packet uint64) Key { return Key(hash.Combine(start, packet)) }

// Three is At of three functions of one family, each with an argument of its own. It
// shares what depends on the packet alone, and the hashes overlap in the processor.
func Three(fs *[3]Function, packet, a, b, c uint64) (uint32, uint32, uint32) {
	if fs[0].crc {
		p := Key(crcPacket(packet))
		return crcWord(Key(fs[0].start)^p, a), crcWord(Key(fs[1].start)^p, b), crcWord(Key(fs[2].start)^p, c)
	}
	return fastWord(fastKey(fs[0].start, packet), a), fastWord(fastKey(fs[1].start, packet), b),
		fastWord(fastKey(fs[2].start, packet), c)
}
