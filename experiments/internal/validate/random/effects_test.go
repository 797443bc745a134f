package random

import (
	"errors"
	"flag"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/internal/hash"
	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
)

var everyEffect = flag.Bool("effects", false, "look for an effect of every key, not of a sample of them")

// busyBases adds losses, marks, pauses, timeouts, lasting queues and several classes to the bases. Without these,
// most keys have no effect. Each entry has a name and a list of changes to the plainest base.
var busyBases = func() (list []base) {
	const busy = "topology={kind: star, hosts: 4, host_rate: 10Gbps} workload=[{kind: incast, senders: 3, " +
		"receiver: 0, size: 300KB}" + others + " network.buffer=300KB "
	const lossy = "network.pfc.enabled=false network.port_limit=40KB "
	const marks = "network.ecn.enabled=true "
	const leaves = busy +
		"topology={kind: leafspine, leaves: 2, spines: 2, hosts_per_leaf: 2, host_rate: 10Gbps, fabric_rate: 10Gbps} "
	for _, x := range [][2]string{
		{"paused", busy}, {"dropped", busy + lossy},
		{"marked", busy + marks + "cc={kind: dctcp, form: rate, rate_ai: 10Mbps}"},
		{"reno", busy + lossy + "transport.kind=newreno cc.kind=reno"},
		{"reno, marks",
			busy + marks + "transport={kind: newreno, ack_every: 2, ack_delay: 10us} cc={kind: reno, ecn: true}"},
		{"cubic", busy + lossy + "transport.kind=sack cc.kind=cubic"},
		{"cubic, marks", busy + marks + "transport.kind=rack cc={kind: cubic, ecn: true}"},
		{"dctcp", busy + marks + "network.ecn.kmin=10KB transport.kind=newreno cc.kind=dctcp"},
		{"dcqcn", busy + marks + "cc={kind: dcqcn, window: scaled}"},
		{"dcqcn, ns3", busy + marks + "cc={kind: dcqcn, variant: ns3}"},
		{"timely", busy + "cc.kind=timely cc.t_low=10us cc.t_high=100us cc.segment=4KB"},
		{"patched timely", busy + "cc={kind: timely, variant: patched, window: scaled, t_low: 10us}"},
		{"timely, ns3", busy + "cc={kind: timely, variant: ns3, t_low: 10us}"},
		{"swift", busy + "cc.kind=swift"}, {"power", leaves + "cc.kind=powertcp telemetry.kind=int"},
		{"hpcc", leaves + "cc.kind=hpcc telemetry.kind=int"},
		{"hpcc, rate",
			leaves +
				"topology.host_rate=100Gbps topology.fabric_rate=100Gbps cc={kind: hpcc, " +
				"form: rate} telemetry={kind: int, precision: wire}"},
		{"md", leaves + "cc.kind=hpcc telemetry.kind=md"},
		{"hpcc at the receiver", leaves + "cc={kind: hpcc, computed: receiver} telemetry.kind=md"},
		{"hpcc on probes", leaves + "cc={kind: hpcc, carrier: probes} telemetry.kind=int"},
		{"probes, receiver", leaves + "cc={kind: hpcc, carrier: probes, computed: receiver} telemetry.kind=pint"},
		{"ioam", leaves + "cc.kind=hpcc telemetry.kind=ioam"},
		{"ifa", leaves + "topology.host_rate=100Gbps topology.fabric_rate=100Gbps cc.kind=hpcc telemetry.kind=ifa"},
		{"pint", leaves + "cc.kind=hpcc telemetry.kind=pint"},
		{"pint, tables", leaves + "cc.kind=hpcc telemetry={kind: pint, arithmetic: fixed, p: 0.5}"},
		{"csig", leaves + "cc.kind=hpcc telemetry={kind: csig, signal: alternate}"},
		{"csig, ranges", leaves + "cc.kind=hpcc telemetry={kind: csig, tag: compact}"},
		{"swift, csig", leaves + "cc={kind: swift, signal: hop} telemetry={kind: csig, signal: delay}"},
		{"irn", busy + lossy + "transport.kind=irn"}, {"letflow", leaves + "network.balancing.kind=letflow"},
		{"fridge", leaves + "cc={kind: timely, signal: switch} telemetry.kind=rtt"},
		{"swift, fridge", leaves + "cc={kind: swift, signal: switch} telemetry.kind=rtt"},
		{"sampled", busy + "run.sampling={enabled: true, nodes: [all], to: 300us}"},
		{"poisson", "workload=[{kind: poisson, sizes: fixed, size: 20KB, load: 0.5, duration: 30us}" + others},
		{"permutation", "workload=[{kind: permutation, size: 20KB}" + others},
		{"alltoall", "workload=[{kind: alltoall, size: 20KB}" + others},
		{"staircase", "workload=[{kind: staircase, stairs: up, senders: 3, size: 20KB, interval: 5us}" + others},
		{"list", "workload=[{kind: list, flows: [{src: 1, dst: 0, size: 50KB}]}" + others},
		{"lightguardian",
			busy + lossy + "monitors=[{kind: lightguardian, interval: 50us, timeout: 10us, quiet: 10us}]"},
		{"sketchint", busy + "monitors=[{kind: sketchint, period: 100us}]"}, {"rtt", busy + "monitors=[{kind: rtt}]"},
		{"rates", leaves + "topology.fabric_rate=40Gbps network.pfc.shift=8"},
		{"dctcp, rates",
			leaves + "topology.link_delay=5us workload.0.senders=2 " + marks +
				"cc={kind: dctcp, form: rate, window: constant, min_rate: 5Gbps}"},
		{"dcqcn, rates",
			leaves + "topology.link_delay=5us " + marks +
				"cc={kind: dcqcn, window: constant, recovery: 1, timer: 2us, byte_counter: 2KB}"},
		{"weights", busy + "network.scheduling.kind=drr"},
	} {
		list = append(list, base{x[0], x[1]})
	}
	return append(list, receiverDriven(leaves)...)
}()

// others adds sources. Their flows are in other classes than the flows of the first source.
const others = ", {kind: list, priority: 5, flows: [{src: 1, dst: 0, size: 50KB}, {src: 2, dst: 0, size: 50KB}, " +
	"{src: 3, dst: 1, size: 50KB}, {src: 0, dst: 2, size: 5KB, start: 9us}]}]"

// unseen lists the keys that have no visible effect in small runs, grouped by the reason for this.
var unseen = map[string][]string{
	"the same records whatever it is": {"name", "run.workers", "run.stall", "run.wall_limit"},
	"another way to a result, which package estimate tests": {
		"estimate.enabled", "estimate.clusters", "estimate.load", "estimate.sizes", "estimate.gaps",
	},
	"packets that are written in addition to the records": {
		"run.capture.enabled", "run.capture.ports", "run.capture.nodes", "run.capture.flows", "run.capture.times",
		"run.capture.ring", "run.capture.snap",
	},
	"files and statistics, which are made of the records afterwards": {
		"run.sampling.formats", "run.sampling.max_rows", "run.outputs", "run.warmup", "run.cooldown", "run.cut_off",
	},
	"flows of many losses or many round trips": {
		"cc.[swift]retx_reset", "cc.[swift]min_cwnd", "cc.[cubic]c", "cc.[cubic]fast_convergence", "cc.[dcqcn]recovery",
		"cc.[dcqcn]rate_hai",
	},
	"flows of many round trips, and its tests": {
		"cc.[uet]reference_bdp", "cc.[uet]reference_rtt", "cc.[uet]qa_delay", "cc.[uet]qa_gate", "cc.[uet]max_decrease",
		"cc.[uet]gamma",
	},
	"paths of unlike " +
		"quality": {"cc.[ndp]path_penalty", "cc.[ndp]path_excess", "cc.[ndp]path_answers", "cc.[ndp]path_rounds",
		"cc.[ndp]path_ratio"},
	"overflow of what is large by default": {
		"telemetry.[pint]memory", "monitors.0.[pint]memory", "telemetry.[int]byte_bits", "telemetry.[int]queue_bits",
		"network.trimming.header_queue", "network.trimming.return_to_sender",
	},
	"hosts of the published simulator that are paused while they owe ACKs": {"transport.free_acks"},
	"captures": {"telemetry.[ioam]tx_bit", "telemetry.[ioam]remaining", "telemetry.[ifa]protocol",
		"telemetry.[ifa]reserved"},
	"tags whose value no " +
		"control reads": {"telemetry.[csig]locator", "telemetry.[csig]rate_step"},
	"one switch alone has what it tells": {"monitors.0.[rtt]switch"},
	"many packets for a sketch; held by the tests of its package": {
		"monitors.0.[sketchint]sketch", "monitors.0.[sketchint]hitter", "monitors.0.[sketchint]inflation",
		"monitors.0.[sketchint]latency_memory", "monitors.0.[sketchint]latency_sketches",
		"monitors.0.[sketchint]frame", "monitors.0.[sketchint]table", "monitors.0.[sketchint]insertion",
		"monitors.0.[sketchint]change",
		"monitors.0.[sketchint]memory", "monitors.0.[sketchint]pipeline", "monitors.0.[lightguardian]delay_1",
		"monitors.0.[lightguardian]delay_3",
		"monitors.0.[lightguardian]selection", "monitors.0.[lightguardian]clock", "monitors.0.[lightguardian]k",
		"monitors.0.[lightguardian]batch",
	},
}

// leaves lists all keys of the given section whose values are not sections.
func leaves(v reflect.Value, prefix string, list []numericKey) []numericKey {
	kind := ""
	fields := new(scenario.Scenario).Kinds().Fields(v.Type())
	if _, choice := new(scenario.Scenario).Kinds().Catalogues[v.Type()]; choice {
		kind = "[" + v.Field(0).Field(0).String() + "]"
		v = v.Field(0).Field(1).Elem().Elem()
		fields = schema.Fields(v.Type())
	}
	for _, f := range fields {
		fv, key := v.FieldByName(f.Name), prefix+f.Key
		switch t := f.Type(); {
		case t.Kind() == reflect.Struct:
			list = leaves(fv, key+".", list)
		case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
			if fv.Len() > 0 {
				list = leaves(fv.Index(0), key+".0.", list)
			}
		default:
			list = append(list, numericKey{key, prefix + kind + f.Key, f, enabling(f, fields, prefix)})
		}
	}
	return list
}

// typical returns values of a key that are likely to have an effect.
func typical(f schema.Field) (list []string) {
	t := f.Type()
	switch reflect.New(t).Interface().(type) {
	case *bool:
		return []string{"true", "false"}
	case *string, *[]string:
		return f.OneOf
	case *unit.Time:
		list = strings.Fields("1us 30us 1ms 1ns 100us 10ms 0s never")
	case *unit.Rate:
		list = strings.Fields("1Gbps 10Mbps 40Gbps 1Tbps 1Kbps")
	case *unit.Bytes, *unit.Limit:
		list = strings.Fields("10KB 1KB 100B 64B 100KB 1MB 1B 0B 2B 9KB 300B none")
	case *float64:
		list = strings.Fields("0.5 0.01 0.9 1 2 10 100 1e-6 0")
	default:
		list = strings.Fields("1 2 3 0 5 7 10 64 100 1000 -1")
	}
	return slices.DeleteFunc(list, func(s string) bool { return !within(f, s) })
}

// printed returns everything that a run writes and prints, except the choice of one key.
func printed(r *sim.Result, key string) (string, error) {
	records, err := files(r)
	if err != nil {
		return "", err
	}
	choices := slices.DeleteFunc(slices.Clone(r.Choices), func(c schema.Settled) bool { return c.Key == key })
	sum := r.Summary
	sum.WallSeconds, sum.CPUSeconds, sum.PeakMemory = 0, 0, 0
	sum.Derive()
	sum.Name, sum.Hash = "", ""
	return fmt.Sprint(records, r.Notes, choices, r.Counters, sum, r.Loads, r.Monitors, r.TelemetryTables, r.LateFaults,
		r.Frames,
		r.Ended, string(r.Series.Ports), string(r.Series.Flows)), nil
}

// Every key has an effect: in at least one base that accepts the key, at least one value changes the files or the
// output of a run. Keys whose effect these runs cannot show are listed with the reason.
func TestEffects(t *testing.T) {
	accepted, effective := map[string]bool{}, map[string]bool{}
	for _, keys := range unseen {
		for _, key := range keys {
			effective[key] = true
		}
	}
	for _, base := range slices.Concat(busyBases, bases) {
		plain, err := scenario.Parse([]byte(plainest), "plain")
		if err != nil {
			t.Fatal(err)
		}
		if plain, err = plain.With(assignments(base.set)...); err != nil {
			t.Fatalf("%s: %v", base.name, err)
		}
		for _, n := range leaves(reflect.ValueOf(plain), "", nil) {
			if effective[n.of] || !*everyEffect && hash.String(n.of)%8 != 0 {
				continue
			}
			sc, err := plain.With(n.enable...)
			if err != nil {
				continue
			}
			before, _, err := run(t.Context(), sc)
			if err != nil {
				continue // another base has it
			}
			old, err := printed(before, n.key)
			if err != nil {
				t.Fatal(err)
			}
			acts, tried := effect(t, sc, n, old)
			accepted[n.of], effective[n.of] = accepted[n.of] || tried, acts
		}
	}
	t.Logf("%d keys", len(accepted))
	for key, tried := range accepted {
		if tried && !effective[key] {
			t.Errorf("%s has no effect in any base", key)
		}
	}
}

// effect reports whether any value of a key changes the output of a run, and whether any other value is accepted.
func effect(t *testing.T, sc scenario.Scenario, n numericKey, old string) (acts, accepted bool) {
	for _, value := range typical(n.field) {
		changed, err := sc.With(n.key + "=" + value)
		if err != nil || string(changed.YAML()) == string(sc.YAML()) {
			continue
		}
		r, _, err := run(t.Context(), changed)
		if errors.Is(err, sim.ErrStopped) {
			return true, true
		}
		if err != nil {
			continue
		}
		accepted = true
		if now, err := printed(r, n.key); err != nil || now != old {
			return true, true
		}
	}
	return false, accepted
}
