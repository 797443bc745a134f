package deploy

import (
	"encoding/binary"

	"pintlab/netsim"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// Show implements telemetry.Visible: data packets carry a digest, and acknowledgements that of the packet that they answer.
func (r *Running) Show(f *telemetry.Frame) error {
	if k := f.Packet; k.Kind <= netsim.Nack {
		f.Block(telemetry.BlockDigest, digestField(k.Digest, r.wire))
	}
	return nil
}

// Show implements telemetry.Visible: data packets carry a digest that their first switch has begun.
func (w *Watching) Show(f *telemetry.Frame) error {
	if k := f.Packet; k.Kind == netsim.Data && k.Hop > 0 && w.params.WireBytes > 0 {
		f.Block(telemetry.BlockDigest, digestField(binary.LittleEndian.Uint64(w.at.Part(f.Cargo)), w.params.WireBytes))
	}
	return nil
}

// digestField returns a digest in a field of so many bytes, in network byte order.
func digestField(digest uint64, size unit.Bytes) []byte {
	b := binary.BigEndian.AppendUint64(make([]byte, size), digest)
	return b[len(b)-int(size):]
}
