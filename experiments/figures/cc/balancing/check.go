package balancing

import (
	"pintlab/experiments/figures/cc/contest"
	"pintlab/experiments/figures/figure"
)

func check(rows []Row) []figure.Finding {
	tcp, rdma := transports[0], transports[1]
	of := func(t transport, n network, s scheme, quantity string) []Row {
		return contest.Pick(rows, caseOf(t, n), s.name, t.schemes[0].name, quantity)
	}
	return []figure.Finding{
		figure.Lower("with all links, LetFlow is faster than ECMP", of(tcp, whole, letflow, mean)),
		figure.Lower("and so is random spraying with RACK-TLP", of(tcp, whole, spray, mean)),
		figure.Lower("and IRN that is sprayed", of(rdma, whole, rdmaSpray, mean)),
		figure.Lower("with a failed link, LetFlow is faster than ECMP", of(tcp, broken, letflow, mean)),
		figure.Lower("and so is weighted ECMP", of(tcp, broken, tcpWCMP, mean)),
		contest.More("NewReno takes reordering for loss: it sends more again than RACK-TLP when it is sprayed", rows, misplaced.name, spray.name, again, caseOf(tcp, whole), caseOf(tcp, broken)),
		contest.More("and so does IRN for which three packets are a loss", rows, rdmaHasty.name, rdmaSpray.name, again, caseOf(rdma, whole), caseOf(rdma, broken)),
	}
}
