package csig

import (
	"encoding/binary"

	"pintlab/netsim"
	"pintlab/netsim/telemetry"
)

// Show implements telemetry.Visible: a data packet has a tag before its EtherType, unless a switch has taken it off, and
// an acknowledgement sends it back.
func (t *tap) Show(f *telemetry.Frame) error {
	k := f.Packet
	tag := k.Digest
	if k.Kind == netsim.Data && k.Hop == 0 {
		tag = t.initial[k.ID&1] // the first switch writes it
	}
	if tag == 0 || k.Kind > netsim.Nack {
		return nil
	}
	b := binary.BigEndian.AppendUint64(nil, tag)[8-t.format.Size:]
	if k.Kind == netsim.Data {
		f.Tag = b
	} else {
		f.Block(telemetry.BlockCSIG, b)
	}
	return nil
}
