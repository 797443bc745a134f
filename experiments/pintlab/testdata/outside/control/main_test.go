package main

import (
	"testing"

	"pintlab/netsim/schema"
	"pintlab/transport"
	"pintlab/transport/cctest"
)

func TestControl(t *testing.T) {
	p := schema.Default[Params]()
	f, err := p.New(new(transport.Setting))
	if err != nil {
		t.Fatal(err)
	}
	cctest.Suite(t, f)
}
