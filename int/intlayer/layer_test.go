package intlayer_test

import (
	"fmt"
	"net"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"

	inband "pintlab/int"
	"pintlab/int/intlayer"
)

func message(npt uint8, original uint16) inband.Message {
	return inband.Message{
		Shim:   inband.Shim{Type: inband.TypeMD, NextProtocol: npt, Length: 5, Original: original},
		Header: inband.Header{HopWords: 2, RemainingHops: 7, Instructions: inband.NodeID | inband.HopLatency},
		Stack:  []byte{0, 0, 0, 9, 0, 0, 4, 0},
	}
}

// INT behind an outer UDP header, before TCP: gopacket finds all layers.
func TestLayersOfAnOuterHeader(t *testing.T) {
	ip := &layers.IPv4{Version: 4, TTL: 9, Protocol: layers.IPProtocolUDP, SrcIP: net.IP{10, 0, 0, 1}, DstIP: net.IP{10, 0, 0, 2}}
	tcp := &layers.TCP{SrcPort: 1, DstPort: 80}
	if err := tcp.SetNetworkLayerForChecksum(ip); err != nil {
		t.Fatal(err)
	}
	sent := &intlayer.INT{Message: message(inband.OriginalProto, 6)}
	buf := gopacket.NewSerializeBuffer()
	err := gopacket.SerializeLayers(buf, gopacket.SerializeOptions{FixLengths: true}, sent, tcp, gopacket.Payload("hello"))
	if err != nil {
		t.Fatal(err)
	}
	p := gopacket.NewPacket(buf.Bytes(), intlayer.LayerType, gopacket.Default)
	if e := p.ErrorLayer(); e != nil {
		t.Fatal(e.Error())
	}
	got, ok := p.Layer(intlayer.LayerType).(*intlayer.INT)
	if !ok {
		t.Fatal("no INT layer")
	}
	if d := cmp.Diff(sent.Message, got.Message); d != "" {
		t.Errorf("message (-sent +read):\n%s", d)
	}
	if l, ok := p.Layer(layers.LayerTypeTCP).(*layers.TCP); !ok || l.DstPort != 80 {
		t.Errorf("TCP behind INT: %+v", l)
	}
	if a := p.ApplicationLayer(); a == nil || string(a.Payload()) != "hello" {
		t.Errorf("payload: %v", a)
	}
}

func TestBadMessageIsAnErrorLayer(t *testing.T) {
	p := gopacket.NewPacket([]byte{0x10, 3, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, intlayer.LayerType, gopacket.Default)
	if e := p.ErrorLayer(); e == nil || e.Error().Error() != "inband: INT version 1, want 2" {
		t.Errorf("error layer: %v", e)
	}
	bad := &intlayer.INT{Message: message(9, 0)}
	if err := bad.SerializeTo(gopacket.NewSerializeBuffer(), gopacket.SerializeOptions{}); err == nil {
		t.Error("a shim that does not exist is written")
	}
}

func Example() {
	sent := &intlayer.INT{Message: message(inband.OriginalPort, 4791)}
	buf := gopacket.NewSerializeBuffer()
	if err := gopacket.SerializeLayers(buf, gopacket.SerializeOptions{}, sent, gopacket.Payload("data")); err != nil {
		fmt.Println(err)
		return
	}
	var read intlayer.INT
	parser := gopacket.NewDecodingLayerParser(intlayer.LayerType, &read)
	parser.IgnoreUnsupported = true
	var found []gopacket.LayerType
	if err := parser.DecodeLayers(buf.Bytes(), &found); err != nil {
		fmt.Println(err)
		return
	}
	hops, _ := read.Message.Hops(0)
	var hop inband.Metadata
	_ = read.Message.Hop(0, hops, &hop)
	fmt.Println(found, hops, "hop: node", hop.NodeID, "latency", hop.HopLatency, "then", string(read.Payload))
	// Output: [INT] 1 hop: node 9 latency 1024 then data
}
