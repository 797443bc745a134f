package exec

import "encoding/binary"

// BitReader reads a packet from its beginning, most significant bit first.
type BitReader struct {
	Data    []byte
	Pos     int // in bits
	Missing int // number of unknown bytes of the packet that follow Data
}

// Len returns the length of the packet in bytes.
func (r *BitReader) Len() int { return len(r.Data) + r.Missing }

// Left returns how many bits remain.
func (r *BitReader) Left() int { return 8*len(r.Data) - r.Pos }

// word reads w <= 64 bits. The caller checks that w bits remain.
func (r *BitReader) word(w int) uint64 {
	v := bitsAt(r.Data, r.Pos, w)
	r.Pos += w
	return v
}

// bitsAt reads w <= 64 bits at bit pos.
func bitsAt(data []byte, pos, w int) uint64 {
	i, shift := pos>>3, pos&7
	if shift == 0 {
		switch w {
		case 8:
			return uint64(data[i])
		case 16:
			return uint64(binary.BigEndian.Uint16(data[i:]))
		case 32:
			return uint64(binary.BigEndian.Uint32(data[i:]))
		case 48:
			return uint64(binary.BigEndian.Uint16(data[i:]))<<32 | uint64(binary.BigEndian.Uint32(data[i+2:]))
		case 64:
			return binary.BigEndian.Uint64(data[i:])
		case 0:
			return 0
		}
	}
	if shift+w <= 64 && i+8 <= len(data) {
		return binary.BigEndian.Uint64(data[i:]) << shift >> (64 - w)
	}
	var v uint64
	for n := 0; n < w; {
		b := data[(pos+n)>>3]
		off := (pos + n) & 7
		take := min(8-off, w-n)
		v = v<<take | uint64(b>>(8-off-take))&(1<<take-1)
		n += take
	}
	return v
}

// words reads w bits into little-endian words.
func (r *BitReader) words(dst []uint64, w int) {
	for i := (w+63)/64 - 1; i >= 0; i-- {
		n := min(64, w-64*i)
		dst[i] = r.word(n)
		w -= n
	}
}

// bitWriter collects bits, most significant first. The zero bitWriter is empty.
type bitWriter struct {
	buf  []byte
	bits int
}

// Reset empties the writer but keeps its memory.
func (b *bitWriter) Reset() { b.buf, b.bits = b.buf[:0], 0 }

// Len returns the number of bits written.
func (b *bitWriter) Len() int { return b.bits }

// Bytes returns the bits written; zero bits fill the last byte. The slice is valid until the next
// Reset.
func (b *bitWriter) Bytes() []byte { return b.buf }

// word appends the low w <= 64 bits of v.
func (b *bitWriter) word(v uint64, w int) {
	if b.bits&7 == 0 {
		switch w {
		case 8:
			b.buf = append(b.buf, byte(v))
			b.bits += 8
			return
		case 16:
			b.buf = binary.BigEndian.AppendUint16(b.buf, uint16(v))
			b.bits += 16
			return
		case 32:
			b.buf = binary.BigEndian.AppendUint32(b.buf, uint32(v))
			b.bits += 32
			return
		case 48:
			b.buf = binary.BigEndian.AppendUint16(b.buf, uint16(v>>32))
			b.buf = binary.BigEndian.AppendUint32(b.buf, uint32(v))
			b.bits += 48
			return
		case 64:
			b.buf = binary.BigEndian.AppendUint64(b.buf, v)
			b.bits += 64
			return
		}
	}
	for w > 0 {
		free := -b.bits & 7 // unused bits of the last byte
		if free == 0 {
			b.buf = append(b.buf, 0)
			free = 8
		}
		take := min(free, w)
		part := byte(v>>(w-take)) & (1<<take - 1)
		b.buf[len(b.buf)-1] |= part << (free - take)
		b.bits += take
		w -= take
	}
}

// words appends w bits of little-endian words.
func (b *bitWriter) words(src []uint64, w int) {
	for i := (w+63)/64 - 1; i >= 0; i-- {
		n := min(64, w-64*i)
		b.word(src[i], n)
		w -= n
	}
}

// Rest appends the remaining bits of r.
func (b *bitWriter) Rest(r *BitReader) {
	if b.bits&7 == 0 && r.Pos&7 == 0 {
		rest := r.Data[r.Pos>>3:]
		b.buf = append(b.buf, rest...)
		b.bits += 8 * len(rest)
		return
	}
	for pos, left := r.Pos, r.Left(); left > 0; {
		n := min(64, left)
		b.word(bitsAt(r.Data, pos, n), n)
		pos += n
		left -= n
	}
}

// Truncate keeps at most n bytes.
func (b *bitWriter) Truncate(n int) {
	if n < len(b.buf) {
		b.buf = b.buf[:n]
		b.bits = 8 * n
	}
}
