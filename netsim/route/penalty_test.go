package route_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pintlab/internal/hash"
	"pintlab/netsim/route"
)

var penalty = route.Penalty{Answers: 16, Ratio: 0.3, Excess: 1.25, Rounds: 4}

// penalised returns an order of n paths that omits outliers.
func penalised(n int) *route.Order {
	o := orders(9, n)
	p := penalty
	o.Penalise(&p)
	return o
}

// tell reports the answer to a packet that was sent just now.
func tell(o *route.Order, path uint8, ack bool) { o.Answer(path, o.Epoch(), ack) }

// lose reports the loss of a packet that was sent just now.
func lose(o *route.Order, path uint8) { o.Lose(path, o.Epoch()) }

// next returns the sorted paths of the next k packets.
func next(o *route.Order, k int) []uint8 {
	var list []uint8
	for range k {
		list = append(list, o.Next())
	}
	slices.Sort(list)
	return list
}

// answer sends rounds of packets over n paths and answers them at once. On each path in bad it answers every second
// packet with a NACK.
func answer(o *route.Order, packets int, bad ...uint8) {
	seen := map[uint8]int{}
	for range packets {
		p := o.Next()
		seen[p]++
		tell(o, p, !slices.Contains(bad, p) || seen[p]%2 == 0)
	}
}

// stays checks that the packets of each of the next ten rounds take these paths.
func stays(t *testing.T, o *route.Order, paths []uint8, when string) {
	t.Helper()
	for range 10 {
		if got := next(o, len(paths)); !slices.Equal(got, paths) {
			t.Fatalf("%v %s", got, when)
		}
	}
}

var all4, without2 = []uint8{0, 1, 2, 3}, []uint8{0, 1, 3}

// Four paths have sixteen packets each. Path 2 has 8 NACKs and 8 ACKs, and each other path has 16 ACKs. So the ratio of
// path 2 is 1, and the ratio of all paths together is 8 to 56. At the share of all paths, an eighth, path 2 would have
// 2 of 16 NACKs, with a standard deviation of √(16·1/8·7/8) = 1.32. So its 8 NACKs are 4.5 standard deviations more.
// With only 15 packets on each path, path 2 is not judged yet.
func TestOutlierByHand(t *testing.T) {
	o := penalised(4)
	answer(o, 60, 2)
	if got := next(o, 4); !slices.Equal(got, all4) {
		t.Errorf("after 15 answers of each path: %v", got)
	}
	for _, p := range all4 { // one more answer of each path
		tell(o, p, true)
	}
	if got := next(o, 3); !slices.Equal(got, without2) {
		t.Errorf("after 16 answers: %v", got)
	}
	// Path 2 is omitted for four orders, of which this was the first. In the fifth order it has one packet.
	for range 3 {
		if got := next(o, 3); !slices.Equal(got, without2) {
			t.Errorf("%v while path 2 is left out", got)
		}
	}
	if got := next(o, 4); !slices.Equal(got, all4) {
		t.Errorf("%v, want path 2 on trial", got)
	}
	// Path 2 has no further packet until this packet is answered.
	stays(t, o, without2, "while path 2 is on trial")
	// The loss of this packet doubles the number of orders without path 2.
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
	// After the ACK and 15 more answers, the path is an outlier again. It is omitted for twice the eight orders of the
	// last time.
	answer(o, 60, 2)
	out := 0
	for slices.Equal(next(o, 3), without2) {
		out++
	}
	if out != 16 {
		t.Errorf("left out for %d orders, want 16", out)
	}
}

// Ten packets on each of four paths are acknowledged, and then L more packets are lost on one path. This path has lost
// L of 10+L packets, and all paths together have lost L of 40+L. The losses of the path exceed the share of all paths
// by 30·L/(40+L), and the standard deviation is √((10+L)·L·40)/(40+L). The excess is below three standard deviations
// for L = 6, and above for L = 7.
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

// A path that loses all its packets gets one packet per trial, and trials become less and less frequent.
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
	// 4 + 8 + … + 4096 orders of seven packets each have 57 000 packets.
	if lost > 20 {
		t.Errorf("%d packets lost", lost)
	}
}

// packet is a packet that has been sent.
type packet struct {
	path  uint8
	epoch uint32
}

// For any reports about the sent packets, with any delay, each order contains at least half of the paths, each once,
// and nothing is allocated. At any time most packets of a path have the same result: acknowledged, trimmed or lost.
// This result changes, so that several paths are outliers in different ways.
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

// If switches trim equally on all paths, hardly any path is omitted: with ratios of 1 to 20 and of 2 to 1, in 2000
// orders of 16 paths with independent answers. One path in 740 would be above three standard deviations in each order,
// but most orders judge the same answers again.
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

// Answers about paths that no longer exist after a change of routes are ignored, and so are answers without a penalty.
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

// Paths 0 and 1 of four are omitted together and return on trial together. By then path 2 has 40 ACKs and 60 losses,
// and path 3 has 16 ACKs and 50 NACKs. Both are outliers: 3960² exceeds 9·100·60·106 for losses, and 2000² exceeds
// 9·66·50·56 for NACKs. But if paths 2 and 3 were omitted, only the two paths on trial would remain, and no path at all
// once each of these has sent its packet.
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

// A path on which every second packet is trimmed is omitted for any value of Answers.
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

// Some packets on path 2 are in flight when the path is omitted. Seven of them are lost meanwhile, and one is answered
// while the packet of the trial is in flight. Only the answer to the packet of the trial brings the path back. The
// earlier losses are forgotten: if seven of eight packets counted as lost, the path would be an outlier.
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

// Answers to earlier packets do not end a trial whose packet has not been sent yet.
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

// When paths get new numbers, packets sent under the old numbers do not count for the new numbers. Otherwise seven
// losses would be enough (TestLossesByHand).
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
