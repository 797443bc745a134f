package netsim_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// defects lists errors that other data-centre simulators have in networks, transports and HPCC, with the tests that
// would detect them here.
var defects = []struct {
	what  string
	tests []string // folder and name
}{
	{"simultaneous arrivals are always served in the same order: one of two symmetric senders takes all drops",
		[]string{"netsim TestSymmetricSendersIntoAFullBufferLoseFairly",
			"netsim TestTheLowerHostNumberWinsHalfOfTheTies"}},
	{"an ECMP hash without a salt for each switch polarises",
		[]string{"netsim/route TestUplinksOfEveryLayerAreUsedUniformly",
			"netsim/route TestWithoutSaltTheUplinksPolarise"}},
	{"the INT header knows five link rates and five hops, and wraps",
		[]string{"netsim TestHPCCOverAnyNumberOfHopsAndAnyRate", "hpcc TestUAcrossAWrapOfTheFields",
			"int TestWrapOfEachField", "int TestCheckRefusesWhatTheFormatCannotCarry"}},
	{"HPCC updates a rate where the paper updates a window",
		[]string{"hpcc TestWindowAndRateFormsAgree"}},
	{"HPCC divides integers, divides W in place of W^c, and does not replace the stack",
		[]string{"hpcc TestLine4MeasuresTheRate", "hpcc TestLine13DividesTheReferenceWindow",
			"hpcc TestLine27ReplacesTheStack"}},
	{"the counter of an ACK for n packets is reset on every packet: flows end unfinished",
		[]string{"transport TestAckEveryNPackets"}},
	{"a PFC priority is an index into the flows",
		[]string{"netsim TestPFCWithFewerFlowsThanPriorities", "netsim TestPauseStopsItsClassAndPortOnly",
			"transport TestAPauseStopsTheAcksOfItsClassOnly"}},
	{"PFC thresholds are made for one number of ports",
		[]string{"netsim TestPFCNeverDropsWhateverTheIncast", "netsim TestTooLittleMemoryForHeadroomIsRefused"}},
	{"a host with two links forwards",
		[]string{"netsim TestMultiHomedHostDoesNotForward", "netsim/route TestMultiHomedHostDoesNotRoute"}},
	{"links beyond the declared number are dropped silently",
		[]string{"netsim/topo TestReadTopologyRefusals"}},
	{"random loss never ends",
		[]string{"netsim TestLawsOfTheNetwork", "transport/recovery TestAFlowFailsAfterTooManyTimeouts",
			"transport TestDuplicateDataIsAcknowledged"}},
	{"Tahoe, Reno and NewReno behave alike",
		[]string{"transport/recovery TestOneLoss", "transport/recovery TestTwoLossesInAWindow",
			"transport/recovery TestATimeoutStartsSlowlyAgain"}},
	{"the pacing wake-up of a window-bound flow suppresses the others on the host",
		[]string{"transport TestAWindowBoundFlowDoesNotSuppressTheOthers",
			"transport TestNoHostPortIdlesWhileAFlowMaySend"}},
}

// Every test that defects names exists.
func TestEveryKnownDefectHasATest(t *testing.T) {
	sources := map[string]string{} // by folder
	for _, d := range defects {
		for _, name := range d.tests {
			folder, test, _ := strings.Cut(name, " ")
			if sources[folder] == "" {
				files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(folder), "*_test.go"))
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range files {
					b, err := os.ReadFile(f)
					if err != nil {
						t.Fatal(err)
					}
					sources[folder] += string(b)
				}
			}
			if !strings.Contains(sources[folder], "\nfunc "+test+"(t *testing.T) {") {
				t.Errorf("%s: no test %s in %s", d.what, test, folder)
			}
		}
	}
}
