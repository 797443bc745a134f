package diagnose

// Score compares reports with the truth, as in appendix C of the LightGuardian paper.
type Score struct {
	Right    int // number of true reports
	Reported int
	Found    int // number of true instances that were reported
	True     int
}

// Precision returns the share of the reports that are true; 1 if there are none.
func (s Score) Precision() float64 { return share(s.Right, s.Reported) }

// Recall returns the share of the true instances that are reported; 1 if there are none.
func (s Score) Recall() float64 { return share(s.Found, s.True) }

// F1 returns the harmonic mean of precision and recall, or 0 if both are 0.
func (s Score) F1() float64 {
	p, r := s.Precision(), s.Recall()
	if p+r == 0 {
		return 0
	}
	return 2 * p * r / (p + r)
}

// Add adds the counts of another score.
func (s *Score) Add(x Score) {
	s.Right += x.Right
	s.Reported += x.Reported
	s.Found += x.Found
	s.True += x.True
}

func share(n, of int) float64 {
	if of == 0 {
		return 1
	}
	return float64(n) / float64(of)
}
