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

// tell answers a packet that is sent now.
func tell(o *route.Order, path uint8, ack bool) { o.Answer(path, o.Epoch(), ack) }

// lose loses a packet that is sent now.
func lose(o *route.Order, path uint8) { o.Lose(path, o.Epoch()) }

// next returns the paths of the next k packets, sorted.
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
		tell(o, p, !slices.Contains(bad, p) || seen[p]%2 == 0)
	}
}

// stays holds that the packets of each of the next ten rounds take these paths.
func stays(t *testing.T, o *route.Order, paths []uint8, when string) {
	t.Helper()
	for range 10 {
		if got := next(o, len(paths)); !slices.Equal(got, paths) {
			t.Fatalf("%v %s", got, when)
		}
	}
}

var all4, without2 = []uint8{0, 1, 2, 3}, []uint8{0, 1, 3}

// Four paths, sixteen packets on each. Path 2 has 8 NACKs and 8 ACKs, the others 16 ACKs: its ratio
// is 1, the ratio of all is 8 to 56. At the share of all, an eighth, it would have 2 NACKs of 16
// with a standard deviation of √(16·1/8·7/8) = 1.32; 8 is 4.5 of these above. After 15 packets on
// each it is not judged.
func TestOutlierByHand(t *testing.T) {
	o := penalised(4)
	answer(o, 60, 2)
	if got := next(o, 4); !slices.Equal(got, all4) {
		t.Errorf("after 15 answers of each path: %v", got)
	}
	for _, p := range all4 { // of these four packets
		tell(o, p, true)
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
	stays(t, o, without2, "while path 2 is on trial")
	// Its loss doubles the time.
	lose(o, 2)
	for range 7 {
		if got := next(o, 3); !slices.Equal(got, without2) {
			t.Errorf("%v after the trial's packet was lost", got)
		}
	}
	if got := next(o, 4); !slices.Equal(got, all4) {
		t.Errorf("%v, want a second trial", got)
	}
	next(o, 3)
	tell(o, 2, true)
	stays(t, o, all4, "after an ACK")
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
			lose(o, 2)
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
			lose(o, p)
		} else {
			tell(o, p, true)
		}
	}
	// 4 + 8 + … + 4096 orders of seven packets are 57 000.
	if lost > 20 {
		t.Errorf("%d packets lost", lost)
	}
}

// packet is one that has been sent.
type packet struct {
	path  uint8
	epoch uint32
}

// Whatever is reported about the packets that were sent, and however late, each order has at least
// half of the paths, each once, and nothing is allocated. Each path has a mood, which changes: most
// of its packets are ACKed, trimmed or lost then, so that several are outliers in different ways.
func TestOrdersWithAPenalty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "paths")
		p := route.Penalty{
			Answers: rapid.SampledFrom([]int{1, 4, 16}).Draw(t, "enough"), Ratio: 0.3, Excess: 1.25,
			Rounds: rapid.IntRange(1, 6).Draw(t, "rounds"),
		}
		o := orders(9, n)
		o.Penalise(&p)
		late := rapid.IntRange(0, 12).Draw(t, "late")
		seen := map[uint8]bool{}
		var out []packet
		for range rapid.IntRange(1, 12).Draw(t, "phases") {
			moods := rapid.SliceOfN(rapid.IntRange(0, 2), n, n).Draw(t, "moods")
			dice := rapid.Uint64().Draw(t, "dice")
			for range rapid.IntRange(1, 60).Draw(t, "packets") {
				path := o.Next()
				if int(path) >= n {
					t.Fatalf("path %d of %d", path, n)
				}
				used, listed := o.Progress()
				if 2*listed < n {
					t.Fatalf("%d paths of %d in an order", listed, n)
				}
				if used == 1 {
					clear(seen)
				}
				if seen[path] {
					t.Fatalf("path %d twice in an order", path)
				}
				seen[path] = true
				out = append(out, packet{path, o.Epoch()})
				for len(out) > late {
					dice = hash.Mix64(dice)
					i := int(dice % uint64(len(out)))
					sent, mood := out[i], moods[out[i].path]
					out = slices.Delete(out, i, i+1)
					if dice>>32%8 == 0 {
						mood = int(dice >> 40 % 3)
					}
					switch mood {
					case 0:
						o.Answer(sent.path, sent.epoch, true)
					case 1:
						o.Answer(sent.path, sent.epoch, false)
					default:
						o.Lose(sent.path, sent.epoch)
					}
				}
			}
		}
	})
	o := penalised(16)
	if n := testing.AllocsPerRun(1000, func() { answerOne(o) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func answerOne(o *route.Order) { p := o.Next(); tell(o, p, p != 3) }

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
			tell(o, p, dice%100 >= share)
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
	tell(o, 2, true)
	lose(o, 255)
	o = orders(9, 4)
	lose(o, 1)
	if got := next(o, 4); !slices.Equal(got, all4) {
		t.Errorf("%v", got)
	}
}

// Of four paths 0 and 1 are left out together and come back on trial together, when 2 has 40 ACKs
// and 60 losses, 3 has 16 ACKs and 50 NACKs. Each of these is an outlier, by 3960² to 9·100·60·106
// for losses and 2000² to 9·66·50·56 for NACKs. But then only the two on trial would be left, and
// none after the packet of either.
func TestPathsOnTrialAreNotEnough(t *testing.T) {
	o := penalised(4)
	for range 64 {
		p := o.Next()
		tell(o, p, p >= 2)
	}
	for range 4 {
		if got := next(o, 2); !slices.Equal(got, []uint8{2, 3}) {
			t.Fatalf("%v, want 0 and 1 left out", got)
		}
	}
	for i := range 60 {
		if i < 24 {
			tell(o, 2, true)
		}
		lose(o, 2)
		if i < 50 {
			tell(o, 3, false)
		}
	}
	if got := next(o, 4); !slices.Equal(got, all4) {
		t.Errorf("%v, want 0 and 1 on trial, 2 and 3 still there", got)
	}
	if got := next(o, 2); !slices.Equal(got, []uint8{2, 3}) {
		t.Errorf("%v while 0 and 1 have their packets out", got)
	}
}

// A path of which every second packet comes back trimmed is left out whatever Answers is.
func TestAnyNumberOfAnswers(t *testing.T) {
	for _, answers := range []int{16, 63, 64, 100, 127, 128} {
		o, p := orders(9, 4), penalty
		p.Answers = answers
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		o.Penalise(&p)
		answer(o, 4*answers-4, 2)
		early := next(o, 4)
		for _, p := range early {
			tell(o, p, true)
		}
		if got := next(o, 3); !slices.Equal(early, all4) || !slices.Equal(got, without2) {
			t.Errorf("%d answers: %v, then %v", answers, early, got)
		}
	}
}

// Of the packets on path 2 that were out when it was left out seven are lost while it is, and one is
// answered while its packet of the trial is out. Only that packet's answer brings the path back, and
// nothing is left of the losses: seven of eight would be an outlier.
func TestOnlyItsOwnPacketDecidesATrial(t *testing.T) {
	o := penalised(4)
	before := o.Epoch()
	answer(o, 64, 2)
	next(o, 3)
	for range 7 {
		o.Lose(2, before)
	}
	for range 3 {
		next(o, 3)
	}
	var trial uint32
	for range 4 {
		if o.Next() == 2 {
			trial = o.Epoch()
		}
	}
	o.Answer(2, before, true)
	stays(t, o, without2, "after the answer to a packet sent before the trial")
	o.Lose(2, before)
	o.Answer(2, trial, true)
	stays(t, o, all4, "after the answer to the trial")
}

// Before its packet of a trial has been sent, nothing that is heard of earlier ones ends the trial.
func TestATrialBeginsWithItsPacket(t *testing.T) {
	o := penalised(4)
	before := o.Epoch()
	answer(o, 64, 2)
	for range 4 {
		next(o, 3)
	}
	if o.Next() == 2 {
		t.Fatal("choose another flow: the trial's packet is the first of its order")
	}
	o.Answer(2, before, true)
	next(o, 3)
	stays(t, o, without2, "before the answer to the packet of the trial")
}

// When paths get new numbers, packets sent under the old numbers do not count for the new ones:
// seven losses would be enough (TestLossesByHand).
func TestPathsNumberedAnew(t *testing.T) {
	o := penalised(4)
	before := o.Epoch()
	answer(o, 20)
	p := penalty
	o.Penalise(&p)
	answer(o, 40)
	for range 7 {
		o.Lose(2, before)
	}
	if got := next(o, 4); !slices.Equal(got, all4) {
		t.Errorf("%v after losses on a path that had number 2 before", got)
	}
}
