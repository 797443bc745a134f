// Package protocols lists the protocols that a scenario can choose, in one line each: networks, kinds of traffic,
// congestion controls, telemetry systems and monitors. Their parameters, checks and constructors are in their own
// packages. No other package of experiments imports the packages of protocols (internal/lint). Another module adds its
// own protocols to a Set.
package protocols

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"pintlab/hpcc"
	inband "pintlab/int"
	"pintlab/int/chamelemon"
	"pintlab/int/csig"
	"pintlab/int/dlint"
	"pintlab/int/ifa"
	"pintlab/int/ioam"
	"pintlab/int/lightguardian"
	"pintlab/int/md"
	"pintlab/int/rtt"
	"pintlab/int/sketch"
	"pintlab/int/sketchint"
	"pintlab/netsim/route"
	"pintlab/netsim/schema"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/topo"
	"pintlab/pint/deploy"
	"pintlab/transport"
	"pintlab/transport/cubic"
	"pintlab/transport/dcqcn"
	"pintlab/transport/dctcp"
	"pintlab/transport/fixed"
	"pintlab/transport/ndp"
	"pintlab/transport/powertcp"
	"pintlab/transport/reno"
	"pintlab/transport/swift"
	"pintlab/transport/timely"
	"pintlab/transport/uet"
	"pintlab/workloads"
	"pintlab/workloads/job"
)

// Set contains the protocols that a scenario can choose.
type Set struct {
	Networks, Traffic, Controls, Balancers, Telemetry, Monitors schema.Catalogue

	Sketches []sketch.Kind // sketches for the commands of pintlab sketch, and for figures about sketches
}

// Standard returns the protocols of this module.
func Standard() *Set {
	return &Set{networks(), traffic(), controls(), balancers(), systems(), monitors(), sketches()}
}

// AddNetwork adds a topology. Its keys are the fields of the struct to which like points.
func (s *Set) AddNetwork(like topo.Generator, name, summary string) {
	add(&s.Networks, kind(like, name, summary))
}

// AddTraffic adds a kind of traffic.
func (s *Set) AddTraffic(like workloads.Traffic, name, summary string) {
	add(&s.Traffic, kind(like, name, summary))
}

// AddControl adds a congestion control. Its title appears in tables and drawings.
func (s *Set) AddControl(like transport.Control, name, title, summary string) {
	add(&s.Controls, titled(like, name, title, nil, summary))
}

// AddBalancer adds a way to spread traffic over equally short paths.
func (s *Set) AddBalancer(like route.Balancing, name, title, summary string) {
	add(&s.Balancers, titled(like, name, title, nil, summary))
}

// AddTelemetry adds a telemetry system.
func (s *Set) AddTelemetry(like telemetry.System, name, title, summary string) {
	add(&s.Telemetry, titled(like, name, title, nil, summary))
}

// AddMonitor adds a system that measures in addition to the telemetry.
func (s *Set) AddMonitor(like telemetry.Monitor, name, summary string) {
	add(&s.Monitors, kind(like, name, summary))
}

// AddSketch adds a sketch. It panics if a sketch with this name exists, if the name is malformed, or without New.
func (s *Set) AddSketch(k sketch.Kind) {
	mustBeName(k.Name)
	if slices.ContainsFunc(s.Sketches, func(o sketch.Kind) bool { return o.Name == k.Name }) {
		panic("protocols: there is a sketch " + k.Name + " already")
	}
	if k.New == nil {
		panic("protocols: the sketch " + k.Name + " has no New")
	}
	s.Sketches = append(s.Sketches, k)
}

// add adds a kind to a catalogue. It panics if the name is malformed, if a kind with this name or a scheme with this
// title exists, or if the tags are malformed.
func add(c *schema.Catalogue, k schema.Kind) {
	mustBeName(k.Name)
	for _, o := range c.Kinds {
		_, scheme := o.Looks[k.Title]
		switch {
		case o.Name == k.Name:
			panic("protocols: there is a " + k.Name + " already")
		case k.Title != "" && (o.Title == k.Title || scheme):
			panic(fmt.Sprintf("protocols: %s: %s already has the title %q", k.Name, o.Name, k.Title))
		}
	}
	for _, f := range schema.Fields(reflect.TypeOf(k.New()).Elem()) {
		if f.Key == "kind" {
			panic(fmt.Sprintf("protocols: %s has the key kind, which chooses among protocols", k.Name))
		}
	}
	c.Kinds = append(c.Kinds, k)
}

// mustBeName panics unless a name can stand in lists of names and in names of files.
func mustBeName(name string) {
	if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		panic(fmt.Sprintf("protocols: the name %q: want lower-case letters, digits and hyphens", name))
	}
}

// networks returns the topologies.
func networks() schema.Catalogue {
	network := kind[topo.Generator]
	return schema.Catalogue{Default: "fattree320", Kinds: []schema.Kind{
		network(new(topo.PINTFatTree), "fattree320",
			"PINT §6.1: 320 hosts, 20 ToR, 20 aggregation and 16 core switches"),
		network(new(topo.PINTClos), "clos64",
			"PINT §2: 64 hosts, 4 pods of 4 ToR and 4 aggregation switches, 16 core switches"),
		network(new(topo.SketchINTTestbed), "fattree8",
			"SketchINT §VII-A: 8 hosts, 4 ToR, 4 aggregation and 2 core switches"),
		network(new(topo.KAry), "fattree", "the k-ary fat tree: k³/4 hosts"),
		network(new(topo.LeafSpine), "leafspine", "every leaf joined to every spine"),
		network(new(topo.Rail), "rail",
			"hosts with the same number in their servers share a leaf; every leaf is joined to every spine"),
		network(new(topo.Dumbbell), "dumbbell", "hosts on both sides of one link"),
		network(new(topo.Star), "star", "hosts around one switch"),
		network(new(topo.Chain), "chain", "a line of switches, with hosts at the ends or at each"),
		network(new(topo.HTSim), "htsim", "a .topo file of htsim: a leaf-spine network or fat tree"),
		network(new(topo.File), "file",
			"a topology.txt as the HPCC simulators read it, a .topo of htsim, or a map in GML or GraphML"),
	}}
}

// traffic returns the kinds of traffic.
func traffic() schema.Catalogue {
	of := kind[workloads.Traffic]
	return schema.Catalogue{Kinds: []schema.Kind{
		of(new(workloads.PoissonTraffic), "poisson",
			"each host starts flows to random others at exponential intervals"),
		of(new(workloads.RackTraffic), "racks",
			"each host starts flows at random times to racks that a measured matrix names"),
		of(new(workloads.IncastTraffic), "incast",
			"several senders start at once towards one receiver, once or repeatedly"),
		of(new(workloads.PermutationTraffic), "permutation",
			"each host sends one flow to another host that receives one flow"),
		of(new(workloads.AllToAllTraffic), "alltoall", "each host sends one flow to every other host"),
		of(new(workloads.StaircaseTraffic), "staircase", "senders to one receiver, joining one after the other"),
		of(new(workloads.ListTraffic), "list", "the flows written in the scenario"),
		of(new(workloads.FileTraffic), "file",
			"a flow.txt of the HPCC simulators, or a connection matrix (.cm) of htsim"),
		of(new(job.CollectiveTraffic), "collective",
			"a collective of some hosts: all-reduce, all-gather, reduce-scatter, all-to-all, broadcast, a chain"),
		of(new(job.TrainingTraffic), "training",
			"steps of a training job, with data, tensor, pipeline and expert parallel groups"),
		of(new(job.GOALTraffic), "goal", "a GOAL schedule: what each rank computes, sends and receives"),
		of(new(job.ChakraTraffic), "chakra", "Chakra execution traces (.et), a file for each rank"),
	}}
}

// controls returns the congestion controls. Each control has one or more schemes. A scheme is the control with the
// telemetry that it reads, or a variant of this. A scheme has the same colour and form in every drawing.
func controls() schema.Catalogue {
	control := titled[transport.Control]
	return schema.Catalogue{Default: "hpcc", Kinds: []schema.Kind{
		control(new(reno.Params), "reno", "Reno", looks{"Reno": "green", "Reno, INT bytes": "green 2"},
			"slow start and congestion avoidance of RFC 5681"),
		control(new(hpcc.Params), "hpcc", "HPCC",
			looks{"HPCC": "blue", "HPCC, INT": "blue", "HPCC, standard INT": "blue 2", "HPCC, free INT": "blue 3",
				"HPCC, PINT": "orange", "HPCC, CSIG": "green 7"},
			"HPCC, Algorithm 1; its utilisation comes from telemetry int, md, ioam, ifa, pint or csig"),
		control(new(cubic.Params), "cubic", "CUBIC", looks{"CUBIC": "violet 4"},
			"CUBIC, RFC 9438: a window that grows with the cube of the time since the last loss"),
		control(new(dctcp.Params), "dctcp", "DCTCP", looks{"DCTCP": "midnight"},
			"DCTCP: a TCP window, or a rate, that is cut by the share of marked packets"),
		control(new(dcqcn.Params), "dcqcn", "DCQCN", looks{"DCQCN": "pink", "DCQCN+win": "pink 2"},
			"DCQCN: a rate cut by marks, recovered by timer and byte counter"),
		control(new(timely.Params), "timely", "TIMELY", looks{"TIMELY": "brown", "TIMELY+win": "brown 2"},
			"TIMELY: a rate moved by the gradient of round-trip times"),
		control(new(swift.Params), "swift", "Swift", looks{"Swift": "sky"},
			"Swift: a window that holds the round-trip time at a target"),
		control(new(powertcp.Params), "powertcp", "PowerTCP",
			looks{"PowerTCP, INT": "violet", "PowerTCP, PINT": "violet 2", "θ-PowerTCP": "violet 3"},
			"PowerTCP: a window divided by the power of the busiest link, from telemetry int or round-trip times"),
		control(new(ndp.Params), "ndp", "NDP", looks{"NDP": "green 3"},
			"NDP: a first window at line rate, then the packets that the receiver pulls; switches trim packets that "+
				"find no room"),
		control(new(uet.Params), "uet", "Ultra Ethernet", looks{"Ultra Ethernet": "midnight 2"},
			"Ultra Ethernet: NSCC (a window that follows delays and marks), RCCC (credit from receivers), or both; "+
				"switches trim packets"),
		control(new(fixed.Params), "fixed", "fixed", looks{"fixed": "pink 3"},
			"a constant window and rate, to see the network alone"),
	}}
}

// ReceiverDriven returns the controls whose receivers decide when senders send, and for which the function ask returns
// true.
func (s *Set) ReceiverDriven(ask func(transport.Receivers) bool) (names []string) {
	for _, k := range s.Controls.Kinds {
		if c, ok := k.New().(transport.Receiving); ok && ask(c.Receivers()) {
			names = append(names, k.Name)
		}
	}
	return names
}

// balancers returns the ways to spread traffic over equally short paths.
func balancers() schema.Catalogue {
	balancer := func(like route.Balancing, name, title, summary string) schema.Kind {
		return titled(like, name, title, nil, summary)
	}
	return schema.Catalogue{Default: "ecmp", Kinds: []schema.Kind{
		balancer(new(route.ECMPBalancing), "ecmp", "ECMP",
			"a flow keeps the path of its hash"),
		balancer(new(route.WeightedBalancing), "wcmp", "WCMP",
			"the same, with shares in proportion to the capacities of the paths"),
		balancer(new(route.LetFlow), "letflow", "LetFlow",
			"LetFlow: a burst of a flow after a pause takes a random path"),
		balancer(new(route.Spray), "spray", "spray",
			"every packet takes its own path"),
		balancer(new(route.Permute), "permute", "permute",
			"the same, chosen by the sender: all its paths in a random order, then in a new random order"),
		balancer(new(route.Oblivious), "oblivious", "oblivious",
			"the sender chooses an entropy value for every packet, and switches hash it: all values in a random "+
				"order, then in a new random order"),
		balancer(new(route.Bitmap), "bitmap", "bitmap",
			"the same, but without values whose packets were marked or trimmed"),
		balancer(new(route.REPS), "reps", "REPS",
			"REPS: values whose packets arrived without a mark are reused, otherwise random values"),
		balancer(new(route.Mixed), "mixed", "mixed",
			"REPS, with bitmap in place of random values"),
	}}
}

// NoTelemetry is the telemetry system that adds nothing to packets.
const NoTelemetry = "none"

// systems returns the telemetry systems.
func systems() schema.Catalogue {
	system := titled[telemetry.System]
	return schema.Catalogue{Default: "int", Kinds: []schema.Kind{
		system(new(telemetry.None), NoTelemetry, NoTelemetry, nil, "nothing"),
		system(new(telemetry.Bytes), "bytes", "bytes", nil, "bytes without meaning, which cost only their overhead"),
		system(new(inband.Params), "int", "INT", looks{"INT": "blue", "standard INT": "blue 2"},
			"a record per hop: time, bytes sent, queue length, rate"),
		system(new(md.Params), "md", "INT-MD", looks{"INT-MD": "pink 4"},
			"INT-MD of INT 2.1: a record per hop, with the utilisation of the link or the bytes sent"),
		system(new(ioam.Params), "ioam", "IOAM", looks{"IOAM": "brown 3"},
			"IOAM in IPv6: a record per hop in a trace option"),
		system(new(ifa.Params), "ifa", "IFA", looks{"IFA": "violet 4"},
			"IFA 2.0: a record per hop behind the transport header"),
		formerly("fridge", system(new(rtt.Params), "rtt", "RTT", nil,
			"a round-trip time in every ACK, which the sender's switch measures by a fridge")),
		system(new(deploy.Params), "pint", "PINT", looks{"PINT": "orange"},
			"one digest for the whole path: HPCC's utilisation, or the answers to a plan of queries"),
		system(new(csig.Params), "csig", "CSIG", looks{"CSIG": "green 7"},
			"a tag with the worst hop: available bandwidth, or delay"),
	}}
}

// monitors returns the systems that measure in addition to the telemetry.
func monitors() schema.Catalogue {
	monitor := kind[telemetry.Monitor]
	return schema.Catalogue{Kinds: []schema.Kind{
		monitor(new(inband.Monitor), "int",
			"INT with a record of every hop, sent to a collector: by the sink for each packet, or by every hop"),
		monitor(new(dlint.DLINT), "dlint",
			"DLINT: paths of flows from a value on some packets, to which switches take turns to add their ID"),
		monitor(new(dlint.PLINT), "plint", "PLINT: paths of flows from random switches on every packet"),
		monitor(new(dlint.CLINT), "clint", "CLINT: DLINT with cells that a controller assigns to flows"),
		monitor(new(chamelemon.Params), "chamelemon",
			"ChameleMon: flows that lost packets, by sketches at the edge whose memory follows the network's state"),
		monitor(new(lightguardian.Params), "lightguardian",
			"two sketches in every switch: packets carry one of them away in pieces, and an analyzer puts the "+
				"pieces together"),
		monitor(new(deploy.Monitor), "pint",
			"the queries of a PINT plan: a digest on every packet, recorded at the hosts or reported to a collector"),
		monitor(new(rtt.Monitor), "rtt",
			"the distribution of round trips behind a switch, by a fridge"),
		monitor(new(sketchint.Params), "sketchint",
			"INT whose records are compressed into sketches at the hosts, "+
				"and a global analyzer that collects the sketches"),
	}}
}

// NewFlow returns a flow of DLINT or PLINT without a network (dlint.NewFlow).
func NewFlow(c FlowConfig, hops int) *dlint.Flow { return dlint.NewFlow(c, hops) }

// FlowConfig configures a flow of NewFlow.
type FlowConfig = dlint.FlowConfig

// HeaderBits returns the size of the header of DLINT or PLINT in bits (dlint.HeaderBits).
func HeaderBits(plint bool, values int) int { return dlint.HeaderBits(plint, values) }

// kind returns a protocol whose parameters have the type of like. This type implements I, the interface of this kind of
// protocol.
func kind[I any](like I, name, summary string) schema.Kind {
	params := reflect.TypeOf(like).Elem()
	return schema.Kind{Name: name, Summary: summary, New: func() any { return reflect.New(params).Interface() }}
}

// looks maps names of schemes to their colours and forms in drawings (plots.Series).
type looks map[string]string

// titled returns a protocol with a title for tables and drawings.
func titled[I any](like I, name, title string, schemes looks, summary string) schema.Kind {
	k := kind(like, name, summary)
	k.Title, k.Looks = title, schemes
	return k
}

// Looks returns the colour and form of each scheme in drawings. A scheme without a look here gets the first unused
// look.
func (s *Set) Looks() map[string]string {
	all := map[string]string{}
	for _, k := range slices.Concat(s.Controls.Kinds, s.Telemetry.Kinds) {
		maps.Copy(all, k.Looks)
	}
	return all
}

// formerly returns k with its former name. Error messages mention the former name.
func formerly(name string, k schema.Kind) schema.Kind {
	k.Former = name
	return k
}
