package chamelemon_test

import (
	"fmt"

	"pintlab/int/chamelemon"
)

// Packets do not grow, because the part and the epoch fit into unused bits of the IP header.
func Example() {
	p := chamelemon.Default()
	room := p.Room(5)
	fmt.Println(room.AtSource+room.Growth, p.Epoch)
	// Output: 0B 1ms
}
