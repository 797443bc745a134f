package route_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pintlab/internal/hash"
	"pintlab/netsim/route"
)

var penalty = route.Penalty{Answers: 16, Ratio: 0.3, Excess: 1.25, Rounds: 4}

// penalised makes an order of n paths that leaves outliers out.
func penalised(n int) *route.Order {
	o := orders(9, n)
	p := penalty
	o.Penalise(&p)
	return o
}

// next is the paths of the next k packets, sorted.
func next(o *route.Order, k int) []uint8 {
	var list []uint8
	for range k {
		list = append(list, o.Next())
	}
	slices.Sort(list)
	return list
}

// answer sends rounds of packets over n paths and answers them at once: of each path in bad
// every second one with a NACK.
func answer(o *route.Order, packets int, bad ...uint8) {
	seen := map[uint8]int{}
	for range packets {
		p := o.Next()
		seen[p]++
		o.Answer(p, !slices.Contains(bad, p) || seen[p]%2 == 0)
	}
}

var all4, without2 = []uint8{0, 1, 2, 3}, []uint8{0, 1, 3}

// Four paths, sixteen packets on each. Path 2 has 8 NACKs and 8 ACKs, the others 16 ACKs: its
// ratio is 1, that of all is 8 to 56. At the share of all, an eighth, it would have 2 NACKs of 16
// with a standard deviation of √(16·1/8·7/8) = 1.32; 8 is 4.5 of these above. After 15 packets on
// each it is not judged.
func TestOutlierByHand(t *testing.T) {
	o := penalised(4)
	answer(o, 60, 2)
	if got := next(o, 4); !slices.Equal(got, all4) {
		t.Errorf("after 15 answers of each path: %v", got)
	}
	for _, p := range all4 { // of these four packets
		o.Answer(p, true)
	}
	if got := next(o, 3); !slices.Equal(got, without2) {
		t.Errorf("after 16 answers: %v", got)
	}
	// Left out for four orders, of which this was the first; in the fifth it has one packet.
	for range 3 {
		if got := next(o, 3); !slices.Equal(got, without2) {
			t.Errorf("%v while path 2 is left out", got)
		}
	}
	if got := next(o, 4); !slices.Equal(got, all4) {
		t.Errorf("%v, want path 2 on trial", got)
	}
	// And none until that is answered.
	for range 10 {
		if got := next(o, 3); !slices.Equal(got, without2) {
			t.Errorf("%v while path 2 is on trial", got)
		}
	}
	// Its loss doubles the time.
	o.Lose(2)
	for range 7 {
		if got := next(o, 3); !slices.Equal(got, without2) {
			t.Errorf("%v after the trial's packet was lost", got)
		}
	}
	if got := next(o, 4); !slices.Equal(got, all4) {
		t.Errorf("%v, want a second trial", got)
	}
	next(o, 3)
	o.Answer(2, true)
	for range 10 {
		if got := next(o, 4); !slices.Equal(got, all4) {
			t.Errorf("%v after an ACK", got)
		}
	}
	// An outlier once more, with the ACK and 15 answers: twice the eight orders of the last time.
	answer(o, 60, 2)
	out := 0
	for slices.Equal(next(o, 3), without2) {
		out++
	}
	if out != 16 {
		t.Errorf("left out for %d orders, want 16", out)
	}
}

// Ten packets on each of four paths have been ACKed, then L more are lost on one: L of 10+L, where
// all have L of 40+L. The excess over the share of all is 30·L/(40+L), the standard deviation
// √((10+L)·L·40)/(40+L): three of these are more than it with L = 6, and less with L = 7.
func TestLossesByHand(t *testing.T) {
	for losses, want := range map[int][]uint8{1: all4, 6: all4, 7: without2} {
		o := penalised(4)
		answer(o, 40)
		for range losses {
			o.Lose(2)
		}
		if got := next(o, len(want)); !slices.Equal(got, want) {
			t.Errorf("%d losses: %v, want %v", losses, got, want)
		}
	}
}

// A path that loses all its packets has one for each trial, and these come less and less often.
func TestBlackholeCostsLittle(t *testing.T) {
	o := penalised(8)
	lost := 0
	for range 40_000 {
		if p := o.Next(); p == 5 {
			lost++
			o.Lose(p)
		} else {
			o.Answer(p, true)
		}
	}
	// 4 + 8 + … + 4096 orders of seven packets are 57 000.
	if lost > 20 {
		t.Errorf("%d packets lost", lost)
	}
}

// Whatever is told of the packets, at least half of the paths are in each order, each once, and
// nothing is allocated.
func TestOrdersWithAPenalty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "paths")
		o := penalised(n)
		seen := map[uint8]bool{}
		for range rapid.IntRange(1, 400).Draw(t, "packets") {
			p := o.Next()
			if int(p) >= n {
				t.Fatalf("path %d of %d", p, n)
			}
			if seen[p] {
				if 2*len(seen) < n {
					t.Fatalf("path %d twice after %d of %d", p, len(seen), n)
				}
				clear(seen)
			}
			seen[p] = true
			for range rapid.IntRange(0, 20).Draw(t, "answers") {
				q := uint8(rapid.IntRange(0, n-1).Draw(t, "of path"))
				switch rapid.IntRange(0, 3).Draw(t, "kind") {
				case 0:
					o.Answer(q, false)
				case 1:
					o.Lose(q)
				default:
					o.Answer(q, true)
				}
			}
		}
	})
	o := penalised(16)
	if n := testing.AllocsPerRun(1000, func() { answerOne(o) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func answerOne(o *route.Order) { p := o.Next(); o.Answer(p, p != 3) }

// Where every path is trimmed alike, hardly any is left out: with ratios of 1 to 20 and of 2 to 1,
// in 2000 orders of 16 paths with independent answers. One path in 740 would be beyond three
// standard deviations, judged at every order; most of these judgements see the same answers.
func TestAlikePathsStay(t *testing.T) {
	for _, share := range []uint64{5, 66} {
		o := penalised(16)
		dice, used := uint64(1), map[uint8]int{}
		for range 2000 * 16 {
			dice = hash.Mix64(dice)
			p := o.Next()
			used[p]++
			o.Answer(p, dice%100 >= share)
		}
		least := 2000 * 16
		for _, n := range used {
			least = min(least, n)
		}
		if least < 1990 {
			t.Errorf("%d %% trimmed: %v packets by path", share, used)
		}
	}
}

func TestPenaltyRefuses(t *testing.T) {
	for _, change := range []func(*route.Penalty){
		func(p *route.Penalty) { p.Answers = 0 }, func(p *route.Penalty) { p.Answers = 129 },
		func(p *route.Penalty) { p.Ratio = -1 }, func(p *route.Penalty) { p.Excess = 0.9 },
		func(p *route.Penalty) { p.Rounds = 0 }, func(p *route.Penalty) { p.Rounds = 4097 },
	} {
		p := penalty
		change(&p)
		if p.Check() == nil {
			t.Errorf("%+v was accepted", p)
		}
	}
	if err := penalty.Check(); err != nil {
		t.Error(err)
	}
}

// Answers about paths that are gone after a change of routes, and answers without a penalty, are
// passed over.
func TestAnswersAboutOtherPaths(t *testing.T) {
	o := penalised(2)
	o.Answer(2, true)
	o.Lose(255)
	o = orders(9, 4)
	o.Lose(1)
	if got := next(o, 4); !slices.Equal(got, all4) {
		t.Errorf("%v", got)
	}
}
