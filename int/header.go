package inband

import (
	"fmt"

	"pintlab/netsim/unit"
)

// Format is what one kind of telemetry costs on a packet. The zero Format is a
// packet without telemetry: no bytes on any path.
type Format struct {
	Name    string     // for people
	Base    unit.Bytes // carried from the sender on
	PerHop  unit.Bytes // added by each switch
	MaxHops int        // switches that it can describe; 0 or AnyHops for no limit
}

// Standard is INT as §2 of PINT counts it: a header of 8 B, and 4 B per value at
// each hop. Over 5 hops: 28 B for one value, 48 B for two, 68 B for three (HPCC's
// time, bytes sent and queue), 108 B for five. values must not be negative.
func Standard(values int) Format {
	if values < 0 {
		panic("inband: a negative number of values")
	}
	return Format{Name: fmt.Sprintf("INT, %d values per hop", values), Base: 8, PerHop: unit.Bytes(4 * values)}
}

// HPCC is the header of the HPCC authors' simulator: a hop count of 2 B and room
// for 5 hops of 8 B, carried in full from the sender on: 42 B, 4.2 % of 1000 B.
func HPCC() Format { return Format{Name: "HPCC's INT", Base: 2 + 5*8, MaxHops: 5} }

// HPCCStandard is HPCC's three values per hop in standard INT: 68 B over 5 hops.
func HPCCStandard() Format { return Standard(3) }

// PINT is a digest of the given width, rounded up to whole bytes; it does not grow.
// bits must not be negative.
func PINT(bits int) Format {
	if bits < 0 {
		panic("inband: a digest of negative width")
	}
	return Format{Name: fmt.Sprintf("PINT, %d bits", bits), Base: unit.Bytes(bits+7) / 8}
}

// Bytes is what f costs after a packet has passed the given number of switches. It
// panics if f cannot describe so many: ask Check before a run.
func (f Format) Bytes(hops int) unit.Bytes {
	if hops < 0 || f.Check(hops) != nil {
		panic(fmt.Sprintf("inband: %s after %d hops", f.Name, hops))
	}
	return f.Base + unit.Bytes(hops)*f.PerHop
}

// Check says whether f can describe a path of the given number of switches.
func (f Format) Check(hops int) error {
	if f.MaxHops > 0 && hops > f.MaxHops {
		return fmt.Errorf("inband: %s has room for %d hops, a path has %d", f.Name, f.MaxHops, hops)
	}
	return nil
}

// Full is f with the space for all hops of a path taken from the sender on, so that
// every link carries the same bytes: the runs of PINT §2 count overhead that way.
func (f Format) Full(hops int) (Format, error) {
	if hops < 0 {
		return Format{}, fmt.Errorf("inband: %d hops, want none or more", hops)
	}
	if err := f.Check(hops); err != nil {
		return Format{}, err
	}
	return Format{Name: fmt.Sprintf("%s, %d hops in full", f.Name, hops), Base: f.Bytes(hops), MaxHops: hops}, nil
}
