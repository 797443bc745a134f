package interp

import (
	"testing"

	"pgregory.net/rapid"
)

// The expected values are the check values of the catalogues, for the data "123456789".
func TestHashCheckValues(t *testing.T) {
	check := []byte("123456789")
	s := &Switch{crc16: crc16Params(), crc32: crc32Params(), seed: 1}
	for algo, want := range map[int64]uint64{
		algoCRC32: 0xcbf43926, algoCRC32Custom: 0xcbf43926, algoCRC16: 0xbb3d, algoCRC16Custom: 0xbb3d,
		algoIdentity: 0x3132333435363738, algoCsum16: 0xf62a, algoXor16: 0x3908,
	} {
		if got := s.algorithm(algo)(check); got != want {
			t.Errorf("algorithm %d: %#x, want %#x", algo, got, want)
		}
	}
	if s.algorithm(99) != nil {
		t.Error("algorithm 99 exists")
	}
	for _, c := range []struct {
		name string
		p    crcParams
		want uint64
	}{
		{"CCITT-FALSE", crcParams{width: 16, poly: 0x1021, init: 0xffff}, 0x29b1},
		{"KERMIT", crcParams{width: 16, poly: 0x1021, reflectIn: true, reflectOut: true}, 0x2189},
		{"USB", crcParams{width: 16, poly: 0x8005, init: 0xffff, xorOut: 0xffff, reflectIn: true, reflectOut: true},
			0xb4c8},
		{"CASTAGNOLI", crcParams{width: 32, poly: 0x1edc6f41, init: 0xffffffff, xorOut: 0xffffffff,
			reflectIn: true, reflectOut: true}, 0xe3069283},
		{"POSIX", crcParams{width: 32, poly: 0x04c11db7, xorOut: 0xffffffff}, 0x765e7680},
	} {
		if got := c.p.sum(check); got != c.want {
			t.Errorf("CRC-%s: %#x, want %#x", c.name, got, c.want)
		}
	}
}

// crc16 is CRC-16/ARC (polynomial 0x8005, reflected), bit by bit.
func crc16(data []byte) uint64 {
	var r uint16
	for _, b := range data {
		r ^= uint16(b)
		for range 8 {
			r = r>>1 ^ 0xa001*(r&1)
		}
	}
	return uint64(r)
}

// A CRC-16 that is computed bit by bit agrees with the CRC-16 from a table. The Internet checksum of a block that
// contains its own checksum is zero.
func TestHashProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOf(rapid.Byte()).Draw(t, "data")
		if a, b := crc16(data), crc16Params().sum(data); a != b {
			t.Fatalf("crc16 %#x and %#x", a, b)
		}
		if len(data)%2 == 1 {
			data = append(data, 0)
		}
		c := csum16(data)
		if got := csum16(append(data, byte(c>>8), byte(c))); got != 0 {
			t.Fatalf("checksum of the checked block %#x", got)
		}
	})
}
