package pintlab

import (
	"os"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"pintlab/p4/interp"
)

// frames writes a capture file of six TCP segments in Ethernet frames. Four segments belong to one flow and two to
// another.
func frames(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: frames FILE")
	}
	ts.Check(writeFrames(ts.MkAbs(args[0])))
}

func writeFrames(name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	w, err := interp.NewPcapFile(f)
	if err != nil {
		return err
	}
	for i := range 6 {
		b := []byte{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0, 0x45, 0, 0, 46, 0, byte(i), 0x40, 0, 64, 6, 0, 0, 10, 0,
			0, 1, 10, 1, 0, byte(i % 3 % 2)}
		b = append(b, 0x9c, 0x40, 0, 80, 0, 0, 0, byte(i), 0, 0, 0, 1, 0x50, 0x10, 0xff, 0xff, 0, 0, 0, 0, 1, 2, 3, 4,
			5, 6)
		if err := w.WritePacket(0, time.UnixMicro(int64(100*i)), b, len(b)); err != nil {
			return err
		}
	}
	return nil
}
