package protocols

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A congestion control, telemetry system or monitor has the name of its folder, and no other one in a scenario.
func TestKindsAreFolders(t *testing.T) {
	for _, k := range slices.Concat(Controls().Kinds, Telemetry().Kinds, Monitors().Kinds) {
		if k.Name == NoTelemetry || k.Name == "bytes" {
			continue // are the two of netsim/telemetry
		}
		folder := reflect.TypeOf(k.New()).Elem().PkgPath()
		if !slices.Contains(strings.Split(folder, "/"), k.Name) {
			t.Errorf("%s lies in %s", k.Name, folder)
		}
	}
}
