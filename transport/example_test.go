package transport_test

import (
	"fmt"

	"pintlab/transport"
)

// With TCP the IP packet is fixed, so telemetry leaves less payload: of 1500 bytes, 40 of headers and 28 of INT remain
// 1432.
func ExampleDefault() {
	tcp := transport.Default("kind=newreno")
	rdma := transport.Default("kind=irn")
	fmt.Println(tcp.FullPayload(28), rdma.FullPayload(28))
	fmt.Println(tcp.Pacing, rdma.Pacing)
	// Output:
	// 1.432KB 1KB
	// false true
}
