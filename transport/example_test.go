package transport_test

import (
	"fmt"

	"pintlab/transport"
)

// With TCP the size of the IP packet is fixed, so telemetry reduces the payload: 1500 bytes less 40 of headers and 28
// of INT are 1432.
func ExampleDefault() {
	tcp := transport.Default("kind=newreno")
	rdma := transport.Default("kind=irn")
	fmt.Println(tcp.FullPayload(28), rdma.FullPayload(28))
	fmt.Println(tcp.Pacing, rdma.Pacing)
	// Output:
	// 1.432KB 1KB
	// false true
}
