package recovery

import (
	"pintlab/experiments/figures/cc/contest"
	"pintlab/experiments/figures/figure"
)

func check(all []Row) []figure.Finding {
	quiet, lossy := figure.Pick(all, func(r *Row) bool { return r.X == 0 }), contest.From(all, 0.1)
	worst := contest.From(all, 1)
	of := func(rows []Row, s, against scheme, quantity string) []Row {
		return contest.Pick(rows, s.of, s.name, against.name, quantity)
	}
	return []figure.Finding{
		figure.Lower("IRN without PFC is faster than go-back-N with it", of(quiet, irnDrops, goBackN, mean)),
		figure.Lower("IRN is no slower without PFC", of(quiet, irnDrops, irn, mean)),
		figure.Higher("go-back-N is slower without PFC", of(quiet, goBackNDrops, goBackN, mean)),
		figure.Lower("and IRN without PFC is faster than go-back-N with it at all loss rates up to 1 %", of(all, irnDrops, goBackN, mean)),
		figure.Lower("Reno is faster with SACK where links lose 0.1 % and more", of(lossy, renoSACK, reno, mean)),
		figure.Lower("and so is CUBIC", of(lossy, cubicSACK, cubic, mean)),
		figure.Lower("RACK-TLP speeds up the slowest short flows of Reno there", of(lossy, renoRACK, renoSACK, short99)),
		figure.Lower("and of CUBIC", of(lossy, cubicRACK, cubicSACK, short99)),
		contest.More("Reno has fewer timeouts with RACK-TLP where links lose 1 %", worst, renoSACK.name, renoRACK.name, timeouts, reno.of),
		contest.More("and so has CUBIC", worst, cubicSACK.name, cubicRACK.name, timeouts, cubic.of),
		figure.Lower("Reno is faster with ECN where links lose nothing", of(quiet, renoECN, renoSACK, mean)),
		figure.Lower("and so is CUBIC", of(quiet, cubicECN, cubicSACK, mean)),
	}
}
