package csig_test

import (
	"fmt"

	"pintlab/int/csig"
)

// A tag keeps the worst hop of a path: the longest delay, and the place where it occurred.
func ExampleFormat_Update() {
	f := &csig.Compact
	tag := f.Initial(csig.Delay)
	for i, bucket := range []uint32{3, 11, 6} { // delays at switches 1, 2 and 3
		tag = f.Update(tag, bucket, uint32(i+1))
	}
	worst, ok := f.Decode(tag)
	fmt.Printf("%#x: bucket %d at switch %d, %v\n", tag, worst.Value, worst.Locator, ok)
	// Output: 0x99004582: bucket 11 at switch 2, true
}
