package packets

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"pintlab/internal/errtest"
	"pintlab/netsim/unit"
)

// block makes a block of a file.
func block(order binary.AppendByteOrder, kind uint32, body []byte) []byte {
	for len(body)%4 != 0 {
		body = append(body, 0)
	}
	n := uint32(len(body) + 12)
	b := order.AppendUint32(order.AppendUint32(nil, kind), n)
	return order.AppendUint32(append(b, body...), n)
}

// section makes a section with an interface for each unit. It omits the unit 0x06, which is the default.
func section(order binary.AppendByteOrder, units ...byte) []byte {
	head := order.AppendUint16(order.AppendUint16(order.AppendUint32(nil, 0x1a2b3c4d), 1), 0)
	b := block(order, sectionHeader, order.AppendUint64(head, math.MaxUint64))
	for _, u := range units {
		body := order.AppendUint32(order.AppendUint16(order.AppendUint16(nil, 1), 0), 0)
		if u != 6 {
			body = append(order.AppendUint16(order.AppendUint16(body, 2), 3), "eth\x00"...)
			body = append(order.AppendUint16(order.AppendUint16(body, resolution), 1), u, 0, 0, 0)
			body = order.AppendUint32(body, 0)
		}
		b = append(b, block(order, interfaceBlock, body)...)
	}
	return b
}

// packet makes a packet of 5 bytes.
func packet(order binary.AppendByteOrder, kind uint32, of int, ticks uint64) []byte {
	body := order.AppendUint32(nil, uint32(of))
	if kind == oldPacket {
		body = order.AppendUint16(order.AppendUint16(nil, uint16(of)), 0xffff)
	}
	body = order.AppendUint32(order.AppendUint32(body, uint32(ticks>>32)), uint32(ticks))
	return block(order, kind, append(order.AppendUint32(order.AppendUint32(body, 5), 5), "hello"...))
}

// times reads the times of all packets.
func times(file []byte) ([]time.Time, error) {
	r, err := OpenPcapng(bufio.NewReader(bytes.NewReader(file)))
	if err != nil {
		return nil, err
	}
	var list []time.Time
	for {
		data, info, err := r.ZeroCopyReadPacketData()
		if err != nil {
			return list, err
		}
		if string(data) != "hello" {
			return list, nil
		}
		list = append(list, info.Timestamp)
	}
}

// Times in every unit agree with exact arithmetic, in both byte orders and both kinds of packets, and
// next to an interface with another unit.
func TestTimesInEveryUnit(t *testing.T) {
	for unit := range 256 {
		e, base := int64(unit&^binaryUnit), int64(10)
		if unit&binaryUnit != 0 {
			base = 2
		}
		power := new(big.Int).Exp(big.NewInt(base), big.NewInt(e), nil)
		ticks := uint64(1_700_000_000)
		if power.BitLen() < 31 {
			ticks = power.Uint64()*12_345 + power.Uint64()*617/1000
		} else {
			ticks = math.MaxUint64 / 3
		}
		exact := new(big.Int).SetUint64(ticks)
		exact.Mul(exact, big.NewInt(1e9)).Quo(exact, power)
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			for _, kind := range []uint32{enhancedPacket, oldPacket} {
				file := section(order, 6, byte(unit))
				for _, p := range [][]byte{packet(order, kind, 1, ticks), packet(order, kind, 0, 1_500_000),
					packet(order, kind, 1, ticks)} {
					file = append(file, p...)
				}
				got, err := times(file)
				if base == 10 && e > 19 || e > 63 {
					if err == nil || !strings.Contains(err.Error(), "want 10^-19 or 2^-63 s and more") {
						t.Errorf("unit %#x: %v, %v", unit, got, err)
					}
					continue
				}
				if len(got) != 3 {
					t.Fatalf("unit %#x: %v, %v", unit, got, err)
				}
				for i, want := range []*big.Int{exact, big.NewInt(1.5e9), exact} {
					seconds, rest := new(big.Int).QuoRem(want, big.NewInt(1e9), new(big.Int))
					if at := got[i]; at.Unix() != seconds.Int64() || int64(at.Nanosecond()) != rest.Int64() {
						t.Errorf("unit %#x, packet %d: %d.%09d s, want %d.%09d",
							unit, i+1, at.Unix(), at.Nanosecond(), seconds, rest)
					}
				}
			}
		}
	}
}

// A new section has its own byte order and interfaces.
func TestSections(t *testing.T) {
	file := append(section(binary.LittleEndian, 0), packet(binary.LittleEndian, enhancedPacket, 0, 7)...)
	file = append(file, block(binary.LittleEndian, 0xbad, []byte("unknown"))...)
	file = append(file, section(binary.BigEndian, 0x80|20)...)
	file = append(file, packet(binary.BigEndian, enhancedPacket, 0, 7<<20|1<<19)...)
	got, err := times(file)
	if len(got) != 2 || !got[0].Equal(time.Unix(7, 0)) || !got[1].Equal(time.Unix(7, 5e8)) {
		t.Errorf("%v, %v", got, err)
	}
	late := append(section(binary.LittleEndian, 0), packet(binary.LittleEndian, enhancedPacket, 0, 1<<60)...)
	if _, err := times(late); err == nil || !strings.Contains(err.Error(),
		"block 3: a packet has the time 1152921504606846976 in units of 10^-0 s, want a time that fits into 64 bits "+
			"of nanoseconds") {
		t.Error(err)
	}
}

// The number of interfaces of a section is limited. Interfaces of another section do not count.
func TestInterfacesAreBounded(t *testing.T) {
	const size = 44 // size of an interface block
	read := func(file []byte) error {
		_, err := io.Copy(io.Discard,
			&converter{in: bufio.NewReader(bytes.NewReader(file)), most: 10 * (perInterface + size)})
		return err
	}
	ten := section(binary.LittleEndian, make([]byte, 10)...)
	if err := read(slices.Concat(ten, ten)); err != nil {
		t.Error(err)
	}
	if err := read(section(binary.LittleEndian, make([]byte, 11)...)); err == nil ||
		!strings.Contains(err.Error(), "block 12: the interfaces up to here take more than ") {
		t.Error(err)
	}
}

// Blocks and packets have a size limit, independent of how much of them the file contains.
func TestBlocksAreBounded(t *testing.T) {
	le := binary.LittleEndian
	file := le.AppendUint32(le.AppendUint32(section(le, 6), enhancedPacket), maxBlock+4)
	if _, err := times(append(file, make([]byte, 100)...)); err == nil ||
		!strings.Contains(err.Error(), "block 3: 134217732 bytes, want at most 134217728") {
		t.Error(err)
	}
	var head []byte
	for _, word := range []uint32{0xa1b2c3d4, 2 | 4<<16, 0, 0, math.MaxUint32, 1, 0, 0, maxBlock + 1, maxBlock + 1} {
		head = le.AppendUint32(head, word)
	}
	c, err := OpenClassic(bufio.NewReader(bytes.NewReader(append(head, make([]byte, 100)...))))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.ZeroCopyReadPacketData(); err == nil || err.Error() != "134217729 bytes, want at most 134217728" {
		t.Error(err)
	}
}

// Reading any file ends.
func FuzzOpenPcapng(f *testing.F) {
	f.Add(append(section(binary.LittleEndian, 0, 0x94), packet(binary.LittleEndian, enhancedPacket, 1, 7)...))
	f.Add(append(section(binary.BigEndian, 9), packet(binary.BigEndian, oldPacket, 0, 7)...))
	f.Fuzz(func(t *testing.T, file []byte) {
		if got, _ := times(file); len(got) > len(file) {
			t.Errorf("%d packets in %d bytes", len(got), len(file))
		}
	})
}

func TestPcapngWithTwoInterfaces(t *testing.T) {
	inner := Packet{Tuple: MakeTuple(1, 2, 3, 4, TCP), Flags: SYN, Size: 40}
	ip := inner.append(nil)
	var b bytes.Buffer
	w, err := pcapgo.NewNgWriter(&b, layers.LinkTypeEthernet)
	if err != nil {
		t.Fatal(err)
	}
	other, err := w.AddInterface(pcapgo.NgInterface{LinkType: layers.LinkTypeRaw, OS: "x"})
	if err != nil {
		t.Fatal(err)
	}
	for i, data := range [][]byte{append([]byte{12: 8, 13: 0}, ip...), ip} {
		info := gopacket.CaptureInfo{Timestamp: time.Unix(100, int64(i)*1500), CaptureLength: len(data),
			Length: len(data), InterfaceIndex: i * other}
		if err := w.WritePacket(info, data); err != nil {
			t.Fatal(err)
		}
	}
	w.Flush()
	r, err := NewReader(bytes.NewReader(b.Bytes()), "x.pcapng")
	if err != nil {
		t.Fatal(err)
	}
	second := inner
	second.Time = 1500 * unit.Nanosecond
	if diff := cmp.Diff([]Packet{inner, second}, collect(t, r)); diff != "" || !r.Several() {
		t.Errorf("several %v (-want +got):\n%s", r.Several(), diff)
	}
	// The second interface has no name, so its number takes its place.
	if r, err = NewReader(bytes.NewReader(b.Bytes()), "x.pcapng"); err != nil {
		t.Fatal(err)
	}
	if err := r.Choose([]string{"1"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Packet{inner}, collect(t, r)); diff != "" || r.Several() {
		t.Errorf("several %v (-want +got):\n%s", r.Several(), diff)
	}
	if r, err = NewReader(bytes.NewReader(b.Bytes()), "x.pcapng"); err != nil {
		t.Fatal(err)
	}
	if err := r.Choose([]string{"7"}); err != nil || r.Next(&second) || !errtest.Says(r.Err(),
		"x.pcapng: --interfaces 7: no packet was captured on these interfaces; the file has intf0, 1") {
		t.Errorf("%v, %v", err, r.Err())
	}
	if r, err = NewReader(bytes.NewReader(pcapOf(t, some())), "x.pcap"); err != nil {
		t.Fatal(err)
	}
	if err := r.Choose([]string{"0"}); !errtest.Says(err, "--interfaces 0: x.pcap is not a pcapng file…") {
		t.Error(err)
	}
}
