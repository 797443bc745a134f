// Package physics compares whole runs of the default profile with theory: queues, processor sharing, and
// max-min fairness. Its tests are the validations. Each names the source of its expectation and the
// probability of a false alarm. Apart from tests the package contains only the fluid model that they need.
//
//	theory                                   test
//	M/D/1 waiting time of one-packet flows   TestFlowsWaitAsInMD1
//	processor sharing, any size distribution TestEqualWindowsShareLikeMG1PS
//	no flow is faster than alone             TestNothingIsFasterThanAlone
//	max-min fair rates of long HPCC flows    TestHPCCRatesAreMaxMinFair
//	full links, equal flows, every control   TestEveryControlOnEveryNetwork
//
// Tests of single parts are beside these parts: the wait of packets in a queue, the marking threshold of
// DCTCP and the losslessness of PFC in netsim, completion times at line rate on each path length and the
// traces of RFC 5681 in transport.
package physics
