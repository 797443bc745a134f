package scenario

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pintlab/hpcc"
	"pintlab/internal/errtest"
	"pintlab/pint/deploy"
)

// All errors are reported together, in the order of the file.
func TestParseErrors(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", "# nothing\n", "f: empty; want keys such as topology, workload and cc"},
		{"not YAML", "a: [1\nb", "f:2:1: not YAML: ',' or ']' must be specified"},
		{"two documents", "seed: 1\n---\nseed: 2\n", "f:3:1: want one document, found a second"},
		{"too deep in brackets", "a: " + strings.Repeat("[", 65), "f:1: nested more than 64 levels deep"},
		{"too deep in a line", "seed: 1\n" + strings.Repeat("- ", 65), "f:2: nested more than 64 levels deep"},
		{"a list", "- a\n", "f:1:1: want keys and values, got a list"},
		{"unknown key", "sead: 1\n", "f:1:1: sead: unknown key; did you mean seed?…"},
		{"unknown key in a section", "network:\n  ecmp: {hsah: mix}\n",
			"f:2:10: network.ecmp.hsah: unknown key; did you mean network.ecmp.hash?…"},
		{"key in the wrong section", "rto_min: 1ms\n", "f:1:1: rto_min: unknown key; did you mean transport.rto_min?…"},
		{"unlike any key", "network:\n  ecmp: {zzzzzzzz: 1}\n",
			"f:2:10: network.ecmp.zzzzzzzz: unknown key (accepted: hash, order)"},
		{"unknown key of a kind", "cc: {wndow: 1, kind: fixed}\n",
			"f:1:6: cc.wndow: unknown key; did you mean cc.window? (accepted: kind, window, rate)"},
		{"duplicate key", "seed: 1\nname: a\nseed: 2\n", "f:3:1: seed: given twice; the first is in line 1"},
		{"word", "topology: {kind: fatree}\n",
			`f:1:18: topology.kind: "fatree": not known (accepted: fattree320, … file); did you mean "fattree"?`},
		{"no unit", "network:\n  buffer: 32\n",
			`f:2:11: network.buffer: size "32": want a number and a unit (GiB, MiB, KiB, GB, MB, KB, B); accepted: > ` +
				`0B and <= 2GB`},
		{"wrong unit", "cc: {t: 13us, w_ai: 80us}\n",
			`f:1:21: cc.w_ai: size "80us": unknown unit "us" (accepted: GiB, MiB, KiB, GB, MB, KB, B); accepted: ` +
				`auto or >= 0B and <= 1000GB`},
		{"not a number", "cc: {eta: high}\n", `f:1:11: cc.eta: "high": want a decimal number; accepted: > 0 and <= 1`},
		{"slow links of full rate", "topology: {kind: fattree, degraded: 1, degraded_share: 1}\n",
			"f:1:56: topology.degraded_share: 1: want >= 0.001 and < 1"},
		{"other rails", "topology: {kind: rail, rails: 4}\nworkload: [{kind: collective, placement: rail, rails: 2}]\n",
			"f:2:55: workload.0.rails: 2: want topology.rails = 4, the hosts of a server"},
		{"out of range", "cc: {eta: 1.5}\n", "f:1:11: cc.eta: 1.5: want > 0 and <= 1"},
		{"not a number at all", "cc: {eta: .nan}\n",
			`f:1:11: cc.eta: ".nan": want a decimal number; accepted: > 0 and <= 1`},
		{"negative", "seed: -1\n", `f:1:7: seed: "-1": want a whole number between 0 and 18446744073709551615`},
		{"not a boolean", "run: {drain: yes}\n", `f:1:14: run.drain: "yes": want true or false`},
		{"value where a section belongs", "run: 5\n", `f:1:6: run: want keys and values, got "5"`},
		{"section where a value belongs", "seed: {a: 1}\n", "f:1:7: seed: want a single value, got keys and values"},
		{"nothing", "workload:\n", "f:1:11: workload: want a list, got nothing"},
		{"empty list", "workload: []\n", "f:1:11: workload: 0 entries: want >= 1"},
		{"entry without kind", "workload: [{load: 0.5}]\n",
			"f:1:12: workload.0.kind: missing (accepted: poisson, … file …"},
		{"entry without required keys", "workload: [{kind: list, flows: [{src: 1}]}]\n",
			"f:1:33: workload.0.flows.0.dst: missing (accepted: >= 0 and <= 2147483647)\n" +
				"f:1:33: workload.0.flows.0.size: missing (accepted: >= 1B and <= 1000GB)"},
		{"alias", "name: &a x\nprofile: *a\n",
			"f:1:7: name: … anchor, alias or merge key…\nf:2:10: profile: … anchor, alias or merge key…"},
		{"name", "name: a/b\n", `f:1:7: name: "a/b": … 1 to 64 letters, digits, …`},
		{"preset", "extends: fat320-wep\n",
			`f:1:10: extends: "fat320-wep": … "fat320-web"? (presets: ` + join(Presets()) + ")"},
		{"two presets", "extends: solo\nextends: incast16\n", "f:2:1: extends: given twice; the first is in line 1"},
		{"no effect", "cc: {kind: fixed, eta: 0.9}\ntelemetry: {kind: none}\n",
			`f:1:24: cc.eta: "0.9": has no effect (only with cc.kind = hpcc or uet)`},
		{"no effect, at second hand", "network: {pfc: {enabled: false, xoff: 1MB}}\n",
			`f:1:39: network.pfc.xoff: "1MB": has no effect (only with network.pfc.enabled = true)`},
		{"two conditions", "workload: [{kind: poisson, size: 1KB}]\n",
			`f:1:34: workload.0.size: "1KB": has no effect (only with workload.0.sizes = fixed)`},
		{"telemetry without reader", "transport: {kind: newreno}\ncc: {kind: reno}\ntelemetry: {kind: int}\n",
			`f:3:19: telemetry.kind: "int": is not read with cc.kind = reno (accepted: none, bytes; to keep the ` +
				`same overhead, use bytes and telemetry.bytes = 42B)`},
		{"powertcp without telemetry", "cc: {kind: powertcp}\ntelemetry: {kind: none}\n",
			`f:2:19: telemetry.kind: "none": want int or md with telemetry.tx = bytes or ioam or ifa or pint ` +
				`with telemetry.plan = powertcp ` +
				`with cc.kind = powertcp, which needs it`},
		{"powertcp with the digest of hpcc", "cc: {kind: powertcp}\ntelemetry: {kind: pint, plan: hpcc}\n",
			`f:2:31: telemetry.plan: "hpcc": want powertcp with cc.kind = powertcp, which needs it`},
		{"hpcc with the digest of powertcp", "telemetry: {kind: pint, plan: powertcp}\n",
			`f:1:31: telemetry.plan: "powertcp": want hpcc with cc.kind = hpcc, which needs it`},
		{"theta with telemetry", "cc: {kind: powertcp, power: theta}\ntelemetry: {kind: int}\n",
			`f:2:19: telemetry.kind: "int": is not read with cc.kind = powertcp (accepted: none, bytes; to keep ` +
				`the same overhead, use bytes and telemetry.bytes = 42B; cc.power = telemetry reads it)`},
		{"swift that reads a switch without one", "cc: {kind: swift, signal: switch}\ntelemetry: {kind: none}\n",
			`f:2:19: telemetry.kind: "none": want rtt with cc.kind = swift, which needs it`},
		{"timely that reads its own clock next to a fridge", "cc: {kind: timely}\ntelemetry: {kind: rtt}\n",
			`f:2:19: telemetry.kind: "rtt": is not read with cc.kind = timely (accepted: none, bytes; cc.signal = ` +
				`switch reads it)`},
		{"a telemetry by its former name", "cc: {kind: timely, signal: switch}\ntelemetry: {kind: fridge}\n",
			`f:2:19: telemetry.kind: "fridge": not known (accepted: none, … csig); it is called rtt now`},
		{"one estimate with room for many",
			"cc: {kind: timely, signal: switch}\ntelemetry: {kind: rtt, of: switch, estimates: 7}\n",
			`f:2:47: telemetry.estimates: "7": has no effect (only with telemetry.of = destination or flow)`},
		{"powertcp over tcp", "transport: {kind: newreno}\ncc: {kind: powertcp}\n",
			`f:1:19: transport.kind: "newreno": want gobackn or irn with cc.kind = powertcp`},
		{"powertcp as published",
			"cc: {kind: powertcp}\ntelemetry: {kind: pint, plan: powertcp, arithmetic: ns3-log}\n",
			`f:2:53: telemetry.arithmetic: "ns3-log": the published simulator has no PowerTCP (accepted: float, ` +
				`fixed)`},
		{"swift unpaced", "transport: {pacing: false}\ncc: {kind: swift}\ntelemetry: {kind: none}\n",
			`f:1:21: transport.pacing: false: want true with cc.kind = swift, or its rate has no effect`},
		{"ranges of CSIG that fall", "telemetry: {kind: csig, tag: compact, ranges: [\"0.5\", \"0.1\"]}\n",
			`f:1:47: telemetry.ranges: [0.5, 0.1]: "0.1": want ascending thresholds above 0`},
		{"steps of CSIG and ranges",
			"cc: {kind: swift, signal: hop}\n" +
				"telemetry: {kind: csig, tag: compact, signal: delay, time_step: 1us, ranges: [5us]}\n",
			`f:2:65: telemetry.time_step: 1us: has no effect, ` +
				`because telemetry.ranges replaces the buckets of equal width`},
		{"a record per hop of CSIG", "cc: {kind: powertcp}\ntelemetry: {kind: csig}\n",
			`f:2:19: telemetry.kind: "csig": want int or md with telemetry.tx = bytes or ioam or ifa or pint ` +
				`with telemetry.plan = powertcp ` +
				`with cc.kind = powertcp, which needs it`},
		{"hpcc without telemetry", "telemetry: {kind: none}\n",
			`f:1:19: telemetry.kind: "none": want int or md or ioam or ifa or pint or csig ` +
				`with cc.kind = hpcc, which needs it`},
		{"reno over go-back-N", "cc: {kind: reno}\ntelemetry: {kind: none}\ntransport: {kind: gobackn}\n",
			"f:3:19: transport.kind: \"gobackn\": want newreno, reno, tahoe, sack or rack with cc.kind = reno"},
		{"cycles without telemetry",
			"cc: {kind: fixed}\ntelemetry: {kind: none}\nnetwork: {telemetry_cycles: true}\n",
			"f:3:29: network.telemetry_cycles: true: has no effect with telemetry.kind = none, " +
				"which has no bytes on packets"},
		{"cycles of free telemetry", "telemetry: {kind: int, format: free}\nnetwork: {telemetry_cycles: true}\n",
			"f:2:29: network.telemetry_cycles: true: has no effect with telemetry.kind = int, " +
				"which has no bytes on packets"},
		{"port limit above the buffer", "network: {port_limit: 64MiB, buffer: 32MiB}\n",
			"f:1:23: network.port_limit: 64MiB: has no effect: more than network.buffer = 32MiB"},
		{"queue that 31 bits cannot count", "network: {buffer: 2200MB}\n",
			"f:1:19: network.buffer: 2200MB: want > 0B and <= 2GB"},
		{"port limit below a packet", "network: {port_limit: 1KB}\n",
			"f:1:23: network.port_limit: 1KB: no full packet could ever wait in the port: want at least 1.09KB, the " +
				"size of a full packet"},
		{"seed of what has none",
			"telemetry: {kind: pint, arithmetic: ns3-log, p: 0.5, sample_at: sender, seed: 3}\n",
			"f:1:79: telemetry.seed: 3: has no effect: rounding with telemetry.arithmetic = ns3-log and sampling " +
				"with telemetry.sample_at = sender use the random numbers of the published simulator, which have no " +
				"seed (accepted: 0)"},
		{"odd k", "topology: {kind: fattree, k: 5}\n",
			"f:1:30: topology.k: 5: want an even number, because half of the ports of a switch are for links up and " +
				"half for links down"},
		{"impossible sum of loads",
			"workload: [{kind: poisson, load: 0.5}, {kind: incast, repeat: load, load: 0.1, senders: 3}, " +
				"{kind: poisson, load: 0.4, start: 1ms}]\n",
			"f:1:115: workload.2.load: 0.4: impossible: the 3 sources that send at 1ms add up to 1.000 of the link " +
				"rate, with headers and telemetry 1.090; want less than 0.917 in total"},
		{"impossible load of an incast", "workload: [{kind: incast, repeat: load, load: 0.95, senders: 3}]\n",
			"f:1:47: workload.0.load: 0.95: impossible: with headers and telemetry the load is 1.036 of the link " +
				"rate; want less than 0.917"},
		{"impossible load", "workload: [{kind: poisson, load: 0.95}]\n",
			"f:1:34: workload.0.load: 0.95: impossible: with headers and telemetry the load is 1.036 of the link " +
				"rate; want less than 0.917"},
		{"too many senders", "topology: {kind: star, hosts: 4}\nworkload: [{kind: incast, senders: 4, receiver: 4}]\n",
			"f:2:36: workload.0.senders: 4: want fewer than the 4 hosts\n" +
				"f:2:49: workload.0.receiver: 4: want a host below 4"},
		{"flow to itself", "topology: {kind: star, hosts: 4}\n" +
			"workload: [{kind: list, flows: [{src: 1, dst: 1, size: 1KB}, {src: 4, dst: 5, size: 1KB}]}]\n",
			"f:2:47: workload.0.flows.0.dst: 1: want a host other than src\n" +
				"f:2:68: workload.0.flows.1.src: 4: want a host below 4\n" +
				"f:2:76: workload.0.flows.1.dst: 5: want a host below 4"},
		{"no room for payload", "transport: {segment: mtu, mtu: 64B}\n",
			"f:1:32: transport.mtu: 64B: leaves no room for payload after 34B of headers and 42B of telemetry"},
		{"timeouts", "transport: {rto_min: 2ms, rto_max: 500us}\n",
			"f:1:22: transport.rto_min: 2ms: want at most rto_max = 500us"},
		{"delayed ACK without need", "transport: {ack_delay: 1us}\n",
			"f:1:24: transport.ack_delay: 1us: has no effect with transport.ack_every = 1 (accepted: never)"},
		{"delayed ACK without end", "transport: {ack_every: 20}\n",
			"f:1:24: transport.ack_delay: never: want a time with transport.ack_every = 20: a window with fewer " +
				"packets would otherwise wait forever"},
		{"echo of marks without marks", "transport: {mark_echo: change, ack_every: 2, ack_delay: 1us}\n",
			`f:1:24: transport.mark_echo: "change": has no effect with network.ecn.enabled = false (accepted: any)`},
		{"echo of changes with every ACK", "transport: {mark_echo: change}\nnetwork: {ecn: {enabled: true}}\n",
			`f:1:24: transport.mark_echo: "change": has no effect with transport.ack_every = 1 (accepted: any, latch)`},
		{"latch over go-back-N", "transport: {mark_echo: latch}\nnetwork: {ecn: {enabled: true}}\n",
			`f:1:24: transport.mark_echo: "latch": want any or change with transport.kind = gobackn`},
		{"dctcp without marks", "cc: {kind: dctcp}\ntelemetry: {kind: none}\ntransport: {kind: newreno}\n" +
			"network: {ecn: {enabled: false}}\n",
			`f:4:26: network.ecn.enabled: false: want true with cc.kind = dctcp, which needs marks`},
		{"dcqcn without marks", "cc: {kind: dcqcn}\ntelemetry: {kind: none}\nnetwork: {ecn: {enabled: false}}\n",
			`f:3:26: network.ecn.enabled: false: want true with cc.kind = dcqcn, which needs marks`},
		{"ECN without marks", "cc: {kind: reno, ecn: true}\ntelemetry: {kind: none}\n" +
			"transport: {kind: newreno}\nnetwork: {ecn: {enabled: false}}\n",
			`f:4:26: network.ecn.enabled: false: want true with cc.kind = reno, which needs marks`},
		{"first timeout", "transport: {rto_min: 2ms, rto_initial: 1ms}\n",
			"f:1:22: transport.rto_min: 2ms: want at most rto_initial = 1ms"},
		{"timeouts of IRN", "transport: {kind: irn, rto_low: 1ms, rto_high: 320us}\n",
			"f:1:33: transport.rto_low: 1ms: want at most rto_high = 320us"},
		{"timeouts of others", "transport: {kind: irn, rto_min: 1ms}\n",
			`f:1:33: transport.rto_min: "1ms": has no effect (only with transport.timer = true and transport.kind = ` +
				`gobackn or newreno or reno or tahoe or sack or rack)`},
		{"IRN without a timer", "transport: {kind: irn, timer: false}\n",
			"f:1:31: transport.timer: false: want true with transport.kind = irn"},
		{"spraying over go-back-N",
			"cc: {kind: fixed}\ntelemetry: {kind: none}\nnetwork: {balancing: {kind: spray}}\n",
			`f:3:29: transport.kind: "gobackn": want irn, … newreno, reno, tahoe, sack or rack with ` +
				`network.balancing.kind = spray, which reorders packets: go-back-N drops packets that overtake others`},
		{"spraying of INT", "transport: {kind: irn}\nnetwork: {balancing: {kind: spray}}\n",
			`f:2:29: cc.kind: "hpcc": compares records of the same hop in successive packets: want ecmp, wcmp or ` +
				`letflow as network.balancing.kind, cc.records = port (hpcc), or a control without telemetry`},
		{"flowlets of a published host", "profile: ns3-artifact\nnetwork: {balancing: {kind: letflow}}\n",
			`f:2:29: network.balancing.kind: "letflow": want ecmp: ` +
				`the hosts of the published simulator support no other balancer`},
		{"flowlet table", "network: {balancing: {kind: letflow, entries: 1000}}\n",
			"f:1:47: network.balancing.entries: 1000: want a power of two"},
		{"unknown balancer", "network: {balancing: {kind: conga}}\n",
			`f:1:29: network.balancing.kind: "conga": not known (accepted: ecmp, … mixed)`},
		{"weights", "network: {scheduling: {kind: drr, weights: [3=4, 3=2]}}\n",
			`f:1:44: network.scheduling.weights: [3=4, 3=2]: "3=2": want CLASS=WEIGHT, each class from 1 to 7 once, ` +
				`weights from 1 to 1000`},
		{"weights without rounds", "network: {scheduling: {kind: strict, weights: [3=4]}}\n",
			`f:1:47: network.scheduling.weights: has no effect (only with network.scheduling.kind = drr or wrr)`},
		{"classes by size", "transport: {size_classes: [1MB=3, 10KB=7]}\n",
			`f:1:27: transport.size_classes: [1MB=3, 10KB=7]: "10KB=7": want SIZE=CLASS, sizes in rising order, ` +
				`classes from 1 to 7`},
		{"marking thresholds", "network: {ecn: {enabled: true, kmin: 2MB, kmax: 1.6MB}}\n",
			"f:1:38: network.ecn.kmin: 2MB: want at most kmax = 1.6MB"},
		{"ranks", "topology: {kind: star, hosts: 16}\nworkload: [{kind: collective, ranks: 100}]\n",
			"f:2:38: workload.0.ranks: 100: want at most the 16 hosts from first = 0 on"},
		{"training of one rank", "workload: [{kind: training, data: 1, tensor: 1, pipeline: 1}]\n",
			"f:1:35: workload.0.data: 1: data · tensor · pipeline = 1 rank, want 2 to 65536"},
		{"product of ranks", "topology: {kind: star, hosts: 16}\nworkload: [{kind: training, data: 50}]\n",
			"f:2:35: workload.0.data: 50: data · tensor · pipeline = 200 ranks, want at most the 16 hosts from " +
				"first = 0 on"},
		{"ends too early", "workload: [{kind: poisson, start: 20s}]\n",
			"f:1:35: run.until: 10s: ends before workload.0 starts at 20s"},
		{"nothing left", "run: {warmup: 1ms, cooldown: 1ms}\n",
			"f:1:15: run.warmup: 1ms: together with run.cooldown = 1ms excludes all flows of workload.0, which " +
				"lasts 2ms"},
		{"fault", "faults: [{kind: link-down, a: 1, b: 1, at: 2ms, until: 1ms}, {kind: host-pause, host: 320, " +
			"at: 0s}]\n", "f:1:37: faults.0.b: 1: want another node than a\n" +
			"f:1:56: faults.0.until: 1ms: want after at = 2ms\nf:1:87: faults.1.host: 320: want a host below 320"},
		{"faults that clash", "faults: [{kind: drop, a: 1, b: 320, probability: 0.1, at: 1ms}, {kind: drop, " +
			"a: 320, b: 1, probability: 0.2, at: 2ms}]\n",
			"f:1:114: faults.1.at: 2ms: overlaps faults.0, from 1ms to never: drop of the link between 320 and 1"},
		{"wrong entries that clash",
			"faults: [{kind: loop, a: 321, b: 322, at: 1ms, until: 3ms}, {kind: blackhole-entry, switch: 322, " +
				"dst: 4, at: 2ms}]\n",
			"f:1:110: faults.1.at: 2ms: overlaps faults.0, " +
				"from 1ms to 3ms: wrong forwarding of the same destination at switch 322"},
		{"wrong path to everywhere", "faults: [{kind: wrong-path, switch: 321, next: 322, at: 1ms}]\n",
			"f:1:10: faults.0.dst: -1: want one host: whether a path is longer than necessary depends on its " +
				"destination"},
		{"key of another fault", "faults: [{kind: drop, a: 1, b: 320, ttl: 4, probability: 0.1, at: 1ms}]\n",
			"f:1:42: faults.0.ttl: \"4\": has no effect (only with faults.0.kind = loop)"},
		{"fault that the published simulator does not know",
			"profile: ns3-artifact\nfaults: [{kind: blackhole, a: 1, b: 320, at: 1ms}]\n",
			`f:2:17: faults.0.kind: "blackhole": the published simulator (profile = ns3-artifact) supports link-down ` +
				`and host-pause only`},
		{"outputs", "run: {outputs: [fct.txt, fct.csv]}\n",
			`f:1:16: run.outputs: [fct.txt, fct.csv]: not known (accepted: flows.parquet, flows.csv, fct.txt, ` +
				`pfc.txt); did you mean "fct.txt"?`},
		{"same output twice", "run: {outputs: [fct.txt, fct.txt]}\n",
			"f:1:16: run.outputs: [fct.txt, fct.txt]: fct.txt is listed twice"},
		{"sampling", "run: {sampling: {enabled: true, from: 2ms, to: 1ms}}\n",
			"f:1:48: run.sampling.to: 1ms: want after from = 2ms"},
		{"digest too wide", "telemetry: {kind: pint, bits: 12}\n",
			"f:1:31: telemetry.wire_bytes: 1B: too few for telemetry.bits = 12"},
		{"digest that cannot say overloaded", "telemetry: {kind: pint, bits: 7}\n",
			"f:1:31: telemetry.base: 1.050625… at least 1.0561"},
		{"base too small", "telemetry: {kind: pint, base: 1.0000001}\n",
			"f:1:31: telemetry.base: 1.0000001… at least 1.0276"},
		{"base for two bits", "telemetry: {kind: pint, bits: 2, base: 10}\n",
			"f:1:40: telemetry.base: 10… at least 10.0794"},
		{"NDP alone", "cc: {kind: ndp}\ntelemetry: {kind: none}\ntransport: {kind: gobackn}\n",
			`f:3:19: transport.kind: "gobackn": want ndp with cc.kind = ndp`},
		{"NDP without trimming",
			"cc: {kind: ndp}\ntransport: {kind: ndp}\ntelemetry: {kind: none}\nnetwork: {trimming: {enabled: false}}\n",
			"f:4:31: network.trimming.enabled: false: want true with transport.kind = ndp, which needs trimmed " +
				"packets"},
		{"paths left out by switches that choose them",
			"cc: {kind: ndp, path_penalty: true}\ntransport: {kind: ndp}\ntelemetry: {kind: none}\n" +
				"network: {trimming: {enabled: true}, pfc: {enabled: false}, scheduling: {kind: strict}, " +
				"balancing: {kind: ecmp}}\n",
			`f:4:107: network.balancing.kind: "ecmp": want permute with ` +
				`cc.path_penalty = true: senders must choose the paths in order to exclude some`},
		{"paths that are not left out",
			"cc: {kind: ndp, path_rounds: 9}\ntransport: {kind: ndp}\ntelemetry: {kind: none}\n" +
				"network: {trimming: {enabled: true}, pfc: {enabled: false}, scheduling: {kind: strict}}\n",
			`f:1:30: cc.path_rounds: "9": has no effect (only with cc.path_penalty = true)`},
		{"hosts of NDP with another control",
			"cc: {kind: fixed}\ntransport: {kind: ndp}\ntelemetry: {kind: none}\n" +
				"network: {trimming: {enabled: true}, pfc: {enabled: false}, scheduling: {kind: strict}}\n",
			`f:1:12: cc.kind: "fixed": want ndp with transport.kind = ndp: receivers decide when to send`},
		{"trimming for others", "network: {trimming: {enabled: true}}\n",
			"f:1:31: network.trimming.enabled: true: want false with transport.kind = gobackn, whose receivers " +
				"ignore headers without payload (only ndp… requests the packet again)"},
		{"trimming and its opposites",
			"cc: {kind: ndp}\ntransport: {kind: ndp, ack_class: 0}\ntelemetry: {kind: none}\n" +
				"network: {trimming: {enabled: true}, port_limit: 1MB}\n",
			"f:2:35: transport.ack_class: 0: want 1 to 7 with network.trimming.enabled = true: headers and ACKs " +
				"need a separate class\n" +
				"f:4:31: network.pfc.enabled: true: want false with network.trimming.enabled = true: with PFC, a " +
				"port pauses its senders before its queue is full, so nothing is trimmed\n" +
				`f:4:31: network.scheduling.kind: "turns": want wrr or strict ` +
				`with network.trimming.enabled = true: trimmed headers must overtake data` + "\n" +
				"f:4:50: network.port_limit: 1MB: want none with network.trimming.enabled = true, which has its own " +
				"limits (queue, header_queue)"},
		{"keys of trimming without it", "network: {trimming: {queue: 4}}\n",
			`f:1:29: network.trimming.queue: "4": has no effect (only with network.trimming.enabled = true)`},
		{"delayed ACKs of NDP", "cc: {kind: ndp}\ntransport: {kind: ndp, ack_every: 2, ack_delay: 1ms}\n" +
			"telemetry: {kind: none}\nnetwork: {trimming: {enabled: true}, pfc: {enabled: false}, " +
			"scheduling: {kind: strict}}\n",
			"f:2:35: transport.ack_every: 2: want 1 with transport.kind = ndp"},
		{"windows of NDP", "cc: {kind: ndp}\ntransport: {kind: ndp, window_edge: fit}\n" +
			"telemetry: {kind: none}\nnetwork: {trimming: {enabled: true}, pfc: {enabled: false}, " +
			"scheduling: {kind: strict}}\n",
			`f:2:37: transport.window_edge: "fit": has no effect (only with transport.kind = gobackn or irn or ` +
				`newreno or reno or tahoe or sack or rack)`},
		{"loss without timer", "network: {link_error_rate: 0.01}\ntransport: {timer: false}\n",
			"f:1:28: network.link_error_rate: 0.01: a lost packet would never be sent again with " +
				"transport.timer = false"},
		{"keys of a map on another file", "topology: {kind: file, path: t.txt, map_hosts: 2, map_delay: 1ms}\n",
			"f:1:48: topology.map_hosts: 2: has no effect on t.txt (only on a map: .gml, .graphml, .xml)\n" +
				"f:1:62: topology.map_delay: 1ms: has no effect on t.txt (only on a map: .gml, .graphml, .xml)"},
		{"map without hosts", "topology: {kind: file, path: t.gml, map_host_rate: 1Gbps}\n",
			"f:1:30: topology.map_hosts: 0: missing: the map does not contain this value; want at least 1\n" +
				"f:1:30: topology.map_delay: 0s: missing: the map does not contain this value; want the delay of " +
				"its links"},
		{"file without path", "topology: {kind: file}\n", `f:1:11: topology.path: "": want the path of a file`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse([]byte(tt.text), "f")
			if err == nil || !errtest.Says(err, tt.want) {
				t.Errorf("%s\n got %v\nwant %s", tt.text, err, tt.want)
			}
		})
	}
}

// A long list of problems is truncated in the text, but errors.As still finds all of them.
func TestManyProblems(t *testing.T) {
	_, err := Parse([]byte(strings.Repeat("zzzzzz: 1\n", 60)), "f")
	var ps Problems
	if !errors.As(err, &ps) || len(ps) != 60 {
		t.Fatalf("%d problems, want 60", len(ps))
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 51 || lines[50] != "and 10 more" {
		t.Errorf("%d lines, the last is %q", len(lines), lines[len(lines)-1])
	}
}

func TestOpenErrors(t *testing.T) {
	_, err := Open("fat320-weeb")
	want := "fat320-weeb: … fat320-web? (presets: " + join(Presets()) + ")"
	if !errtest.Says(err, want) {
		t.Errorf("got %v\nwant %s", err, want)
	}
	if s, err := Open("solo"); err != nil || s.Name != "solo" {
		t.Errorf("%v, %v", s.Name, err)
	}
}

// A document may name its keys in any order.
func TestControlsGoFirst(t *testing.T) {
	a, err := Parse([]byte("telemetry: {bits: 4, base: 1.6, kind: pint}\n"), "a")
	if err != nil {
		t.Fatal(err)
	}
	b, err := Parse([]byte("telemetry: {kind: pint, bits: 4, base: 1.6}\n"), "b")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(a, b); diff != "" {
		t.Error(diff)
	}
}

// A profile is a set of defaults. The defaults apply to keys that are not set. They also apply to keys that have an
// effect only after a later choice.
func TestProfile(t *testing.T) {
	s, err := Parse([]byte("telemetry: {kind: pint, rounding: log}\nprofile: ns3-artifact\n"), "f")
	if err != nil {
		t.Fatal(err)
	}
	p, cc := s.Telemetry.Params.(*deploy.Params), s.CC.Params.(*hpcc.Params)
	if p.WireBytes != 2 || p.Base != 1.05 || p.Rounding != "log" || s.Network.Serialisation != "floor-ns" ||
		cc.Form != "rate" || s.Transport.Timer {
		t.Errorf("%+v", s)
	}
	if s.Transport.RTOMin != 0 {
		t.Errorf("rto_min = %v without a timer", s.Transport.RTOMin)
	}
	d := Default()
	if err := d.Set("profile=ns3-artifact"); err != nil {
		t.Fatal(err)
	}
	if err := d.Set("telemetry.kind=pint"); err != nil {
		t.Fatal(err)
	}
	d.Telemetry.Params.(*deploy.Params).Rounding = "log"
	if diff := cmp.Diff(s, d); diff != "" {
		t.Errorf("by --set instead:\n%s", diff)
	}
	// Every setting of the profile is an ordinary key. profile=default undoes the profile.
	if err := d.Set("profile=default", "telemetry.kind=int"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Default(), d); diff != "" {
		t.Errorf("back to the default:\n%s", diff)
	}
	list, err := Expand(ProfileNS3)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != len(profiles[ProfileNS3]) {
		t.Errorf("%d of %d settings of the profile are keys (%v)", len(list), len(profiles[ProfileNS3]), list)
	}
	if _, err := Expand("ns3"); !errtest.Says(err, `profile "ns3" is not known (accepted: default, ns3-artifact)`) {
		t.Errorf("unknown profile: %v", err)
	}
}

// The key profile accepts exactly the names of the profiles that exist.
func TestProfileNames(t *testing.T) {
	words := map[string][]string{}
	acceptedWords(reflect.TypeFor[Scenario](), "", words)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(profiles)), words["profile"]); diff != "" {
		t.Error(diff)
	}
}

func TestHash(t *testing.T) {
	hash := func(s Scenario) string {
		h, err := s.Hash()
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	with := func(s Scenario, set ...string) Scenario {
		c, err := s.With(set...)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	d := Default()
	if h := hash(d); len(h) != 16 || h != hash(Default()) {
		t.Errorf("hash %q, then %q", h, hash(Default()))
	}
	if hash(with(d, "name=other", "run.workers=2")) != hash(d) {
		t.Error("the name or the number of workers changes the hash")
	}
	seen := map[string]string{hash(d): "default"}
	for _, set := range []string{"seed=2", "cc.eta=0.9", "workload.0.load=0.3", "run.ties=fifo", "telemetry.hops=6"} {
		h := hash(with(d, set))
		if other, ok := seen[h]; ok {
			t.Errorf("%s and %s have the same hash", set, other)
		}
		seen[h] = set
	}
	// A profile equals the list of its settings.
	byHand := with(d, "telemetry.kind=pint")
	list, err := Expand(ProfileNS3)
	if err != nil {
		t.Fatal(err)
	}
	var sets []string
	for _, a := range list {
		key, _, _ := strings.Cut(a, "=")
		key, kind, _ := strings.Cut(key, "@")
		switch {
		case key == "telemetry.precision", key == "cc.variant", strings.HasPrefix(key, "network.ecn."),
			key == "cc.w_ai":
			// These are keys of INT, keys of other controls than HPCC, keys of marking, and keys of HPCC's other form.
		case kind == "" || kind == "hpcc":
			sets = append(sets, strings.Replace(a, "@hpcc", "", 1))
		}
	}
	byHand = with(byHand, sets...)
	if hash(byHand) != hash(with(d, "profile=ns3-artifact", "telemetry.kind=pint")) {
		t.Error("the profile and its settings have different hashes")
	}
	// The hash depends on the content of a file and not on its path.
	dir := t.TempDir()
	var hashes []string
	for _, f := range []struct{ name, text string }{{"a", "1"}, {"b", "1"}, {"c", "2"}} {
		path := filepath.Join(dir, f.name)
		if err := os.WriteFile(path, []byte(f.text), 0o666); err != nil {
			t.Fatal(err)
		}
		hashes = append(hashes, hash(with(d, "workload=[{kind: file, path: "+path+"}]")))
	}
	if hashes[0] != hashes[1] || hashes[0] == hashes[2] {
		t.Errorf("hashes %v of files with content 1, 1, 2", hashes)
	}
	if _, err := with(d, "workload=[{kind: file, path: /nonexistent/f}]").Hash(); err == nil ||
		!strings.HasPrefix(err.Error(), "workload.0.path: open /nonexistent/f") {
		t.Errorf("missing file: %v", err)
	}
	if name, err := d.DirName(); err != nil || name != "unnamed-"+hash(d) {
		t.Errorf("%s, %v", name, err)
	}
	for want, changes := range map[string][]string{
		"": {"name=unnamed", "run.workers=2"},
		"_cc-swift_load-0.7_sampling-true_seed-2": {"seed=2", "cc.kind=swift",
			"workload.0.load=0.7", "run.sampling.enabled=true"},
		"_workload-incast_1.load-0.7_outputs-fct.txt-pfc.txt": {"workload.0.kind=incast",
			"workload.1.load=0.7", "run.outputs=[fct.txt, pfc.txt]"},
		"_faults-kind-loop-a-24-b-32": {"faults=[{kind: loop, a: 24, b: 32}]"},
		"_path-long.names.txt_1.workload-file": {"topology.path=/here and there/long.names.txt",
			"workload.1.kind=file"},
		"_duration-1ms" + strings.Repeat("_rto_min-1ms", 5) +
			"_more": append([]string{"workload.0.duration=1ms"},
			slices.Repeat([]string{"transport.rto_min=1ms"}, 9)...),
	} {
		if name, err := d.DirName(changes...); err != nil || name != "unnamed"+want+"-"+hash(d) {
			t.Errorf("%s, %v; want %s", name, err, want)
		}
	}
}

// acceptedWords collects the words that each key accepts, by the full name of the key. Entries of lists have the number
// 0.
func acceptedWords(t reflect.Type, prefix string, into map[string][]string) {
	for _, f := range standard().kinds.Fields(t) {
		into[prefix+f.Key] = f.OneOf
		switch ft := f.Type(); {
		case ft.Kind() == reflect.Struct:
			acceptedWords(ft, prefix+f.Key+".", into)
		case ft.Kind() == reflect.Slice && ft.Elem().Kind() == reflect.Struct:
			acceptedWords(ft.Elem(), prefix+f.Key+".0.", into)
		}
	}
}

// sameAfterYAML fails if writing a scenario as YAML and reading it again changes the scenario.
func sameAfterYAML(t interface{ Fatalf(string, ...any) }, s Scenario) {
	got, err := Parse(s.YAML(), "again")
	if err != nil {
		t.Fatalf("%v\n%s", err, s.YAML())
	}
	if diff := cmp.Diff(s, got); diff != "" {
		t.Fatalf("changed by YAML:\n%s", diff)
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range Presets() {
		text, err := PresetYAML(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add(Default().YAML())
	f.Add([]byte("cc: {kind: reno}\nfaults: [{kind: link-down, a: 1, b: 2, at: 0s}]\n"))
	f.Add([]byte("a: &x [*x]\n<<: 1\n? b\n: !!int 3\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := Parse(text, "fuzz")
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without text")
			}
			return
		}
		sameAfterYAML(t, s)
	})
}

func BenchmarkParse(b *testing.B) {
	text := Default().YAML()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(text, "bench"); err != nil {
			b.Fatal(err)
		}
	}
}
