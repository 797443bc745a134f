package interp

import (
	"bufio"
	"fmt"
	"io"

	"pintlab/internal/number"
	"pintlab/p4/interp/exec"
)

// Dump writes the state of the pipeline, one object per line: the cells of registers and the counts
// of counters that are not zero, the number of entries in the control plane's tables, and the digests
// sent since the last Dump.
//
//	register ingress.r[3] = 17
//	counter ingress.c[0] = 5 packets, 320 bytes
//	table ingress.t: 2 entries
//	counter of table ingress.t, entry 0 = 5 packets, 320 bytes
//	digest 1: 0000002a
func (p *Pipeline) Dump(w io.Writer) error {
	b := bufio.NewWriter(w)
	for _, o := range p.dev.Objects() {
		switch s := o.State.(type) {
		case *exec.Register:
			for i := range s.Size {
				v, err := s.Read(i)
				if err != nil {
					return fmt.Errorf("register %s: %w", o.Name, err)
				}
				if v.Sign() != 0 {
					fmt.Fprintf(b, "register %s[%d] = %s\n", o.Name, i, v)
				}
			}
		case *exec.Counter:
			for i := range s.Size {
				packets, octets, err := s.Read(i)
				if err != nil {
					return fmt.Errorf("counter %s: %w", o.Name, err)
				}
				if packets != 0 {
					fmt.Fprintf(b, "counter %s[%d] = %s, %s\n",
						o.Name, i, number.Count(int(packets), "packet"), number.Count(int(octets), "byte"))
				}
			}
		}
	}
	for _, t := range p.Tables() {
		if n := t.Len(); n > 0 && !t.Def.ConstEntries {
			fmt.Fprintf(b, "table %s: %s\n", t.Def.Name, number.Count(n, "entry"))
		}
		for _, e := range t.Entries() {
			if e.Packets != 0 {
				fmt.Fprintf(b, "counter of table %s, entry %d = %s, %s\n",
					t.Def.Name, e.Handle, number.Count(int(e.Packets), "packet"), number.Count(int(e.Octets), "byte"))
			}
		}
	}
	for _, d := range p.dev.Digests() {
		fmt.Fprintf(b, "digest %d: %x\n", d.Receiver, d.Data)
	}
	return b.Flush()
}
