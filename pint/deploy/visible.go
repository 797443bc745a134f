package deploy

import (
	"encoding/binary"

	inband "pintlab/int"
	"pintlab/netsim"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// Show implements telemetry.Visible. Data packets carry a digest, and acknowledgements carry the
// digest of the packet that they answer.
func (r *system) Show(f *telemetry.Frame) error {
	if k := f.Packet; k.Kind <= netsim.Nack {
		f.Block(telemetry.BlockDigest, digestField(k.Digest, r.wire))
	}
	return nil
}

// Show implements telemetry.Visible. Data packets carry a digest from their first switch on.
// Reports are Telemetry Reports 2.0.
func (w *monitor) Show(f *telemetry.Frame) error {
	if f.Packet.Kind == netsim.Mirrored {
		return w.report(f)
	}
	if k := f.Packet; k.Kind == netsim.Data && k.Hop > 0 && w.params.WireBytes > 0 {
		f.Block(telemetry.BlockDigest, digestField(binary.LittleEndian.Uint64(w.at.Part(f.Cargo)), w.params.WireBytes))
	}
	return nil
}

// report makes a Telemetry Report with an extension of our domain. The report contains the packet's
// addresses, ports, protocol, hops and number in the flow. The digest follows, with zeros in front
// so that the contents end at a whole word.
func (w *monitor) report(f *telemetry.Frame) error {
	k, room := f.Packet, w.at.Part(f.Cargo)
	headers, err := f.Headers(reported(room), nil)
	if err != nil {
		return err
	}
	rest := room[dataCargo:]
	b := append([]byte{}, headers[12:24]...)
	b = append(b, headers[9], rest[0])
	b = binary.BigEndian.AppendUint32(b, binary.LittleEndian.Uint32(rest[13:]))
	size := w.params.WireBytes + (2-w.params.WireBytes)&3
	b = append(b, digestField(binary.LittleEndian.Uint64(room), size)...)
	g := inband.ReportGroup{Hardware: w.at.Number, Sequence: k.ID, NodeID: uint32(k.ReportSource())}
	r := inband.Report{
		Type: inband.ReportINT, Inner: inband.InnerDomain, Tracked: true, Domain: inband.Domain, Contents: b,
	}
	f.Report, err = r.Append(g.Append(nil))
	return err
}

// digestField returns a digest as a field of this many bytes, in network byte order.
func digestField(digest uint64, size unit.Bytes) []byte {
	b := binary.BigEndian.AppendUint64(make([]byte, size), digest)
	return b[len(b)-int(size):]
}
