package wire

import (
	"slices"

	inband "pintlab/int"
	"pintlab/int/csig"
	"pintlab/int/ioam"
	"pintlab/netsim/unit"
)

// formats are the formats of CSIG tags.
var formats = []*csig.Format{&csig.Compact, &csig.Wide}

// tagIn decodes a tag of CSIG; ok is false if b is not a tag.
func tagIn(f *csig.Format, b []byte) (h Hop, ok bool) {
	var bits uint64
	for _, x := range b {
		bits = bits<<8 | uint64(x)
	}
	t, ok := f.Decode(bits)
	if !ok || len(b) != f.Size {
		return h, false
	}
	h.Signal, h.Bucket = t.Signal.String(), pointerTo(t.Value)
	if t.Locator != f.None() {
		h.Locator = pointerTo(t.Locator)
	}
	return h, true
}

// traces reads the IOAM of an IPv6 packet. Its finds come before the finds after the headers, because options come
// first.
func (p *packet) traces(options []byte) error {
	list, err := ioam.Options(options)
	for i := range list {
		p.found = slices.Insert(p.found, i, p.trace(&list[i]))
	}
	return err
}

// trace returns the hops of a trace option.
func (p *packet) trace(o *ioam.Option) Find {
	f := p.about
	f.Source = FromIOAM
	for i := range o.Records {
		r := &o.Records[i]
		h := Hop{
			Node: r.Node, Ingress: r.Ingress, Egress: r.Egress, Latency: r.Delay, Queue: r.Queue,
			EgressTime: r.Fraction, Buffer: r.Buffer,
		}
		if r.Queue != nil {
			h.Queue = pointerTo(*r.Queue * int64(max(p.signs.IOAMQueue, 1)))
		}
		if r.Seconds != nil && r.Fraction != nil {
			*h.EgressTime += *r.Seconds * 1_000_000_000
		}
		if o.Namespace == inband.Domain {
			h.Sent = r.Sent()
			if r.Data != nil {
				h.Rate = pointerTo(*r.Data * int64(unit.Mbps))
			}
		}
		f.Hops = append(f.Hops, h)
	}
	return f
}
