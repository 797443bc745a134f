// Package intlayer makes INT-MD messages a layer of gopacket, for reading and
// writing captures: the codec is inband's.
//
// gopacket picks the layer behind UDP by port, in a table of the process. Where a
// UDP port marks INT, enter it once, in the program and not in a library:
//
//	layers.RegisterUDPPortLayerType(5000, intlayer.LayerType)
//
// Where a DSCP marks INT, gopacket cannot know: decode the payload of the TCP or UDP
// layer with LayerType.
package intlayer

import (
	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"

	inband "pintlab/int"
)

// LayerType is the type of an INT layer. The number is from the range that gopacket
// leaves to its users.
var LayerType = gopacket.RegisterLayerType(2121, gopacket.LayerTypeMetadata{
	Name: "INT", Decoder: gopacket.DecodeFunc(decode),
})

// INT is an INT-MD message between a TCP or UDP header and what follows it.
type INT struct {
	layers.BaseLayer
	Message inband.Message // its Stack aliases the packet
}

var (
	_ gopacket.DecodingLayer     = (*INT)(nil)
	_ gopacket.SerializableLayer = (*INT)(nil)
)

// LayerType is the package's LayerType.
func (i *INT) LayerType() gopacket.LayerType { return LayerType }

// CanDecode is the package's LayerType.
func (i *INT) CanDecode() gopacket.LayerClass { return LayerType }

// NextLayerType is what the shim says: the original layer-4 header, or the payload.
func (i *INT) NextLayerType() gopacket.LayerType {
	if i.Message.Shim.NextProtocol == inband.OriginalProto {
		return layers.IPProtocol(i.Message.Shim.Original & 0xff).LayerType()
	}
	return gopacket.LayerTypePayload
}

// DecodeFromBytes reads the message at the beginning of data. It refuses what
// inband.Message.Decode refuses.
func (i *INT) DecodeFromBytes(data []byte, df gopacket.DecodeFeedback) error {
	rest, err := i.Message.Decode(data)
	if err != nil {
		if len(data) < inband.ShimSize || len(data) < inband.ShimSize+4*int(data[1]) {
			df.SetTruncated()
		}
		return err
	}
	i.Contents, i.Payload = data[:len(data)-len(rest)], rest
	return nil
}

// SerializeTo writes the message before what b holds. The length in the shim is
// computed, whatever the options say.
func (i *INT) SerializeTo(b gopacket.SerializeBuffer, _ gopacket.SerializeOptions) error {
	room, err := b.PrependBytes(inband.ShimSize + inband.HeaderSize + len(i.Message.Stack))
	if err != nil {
		return err
	}
	_, err = i.Message.Append(room[:0])
	return err
}

func decode(data []byte, p gopacket.PacketBuilder) error {
	i := &INT{}
	if err := i.DecodeFromBytes(data, p); err != nil {
		return err
	}
	p.AddLayer(i)
	return p.NextDecoder(i.NextLayerType())
}
