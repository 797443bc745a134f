package errtest

import (
	"errors"
	"testing"
)

func TestSays(t *testing.T) {
	err := errors.New(`f.yaml:2:7: cc.eta = 2: want a number from 0 to 1`)
	for want, says := range map[string]bool{
		`f.yaml:2:7: cc.eta = 2: want a number from 0 to 1`: true,
		`f.yaml:2:7: cc.eta = 2: … 0 to 1`:                  true,
		`f.yaml:2:7: … 2: … 1`:                              true,
		`f.yaml:2:7: cc.eta = 2: …`:                         true,
		`… cc.eta …`:                                        true,
		`f.yaml:2:7: cc.eta = 2:`:                           false, // without "…", the whole message must be equal
		`f.yaml:3:7: …`:                                     false,
		`cc.eta = 2: …`:                                     false, // begins elsewhere
		`f.yaml:2:7: … 0 to 1 … cc.eta`:                     false, // another order
		`f.yaml:2:7: … 0 to 2`:                              false,
	} {
		if got := Says(err, want); got != says {
			t.Errorf("Says(%v, %q) = %v", err, want, got)
		}
	}
	if Says(nil, "") || Says(nil, "…") {
		t.Error("no error says something")
	}
}
