package workloads

import (
	"errors"
	"fmt"
	"math"
)

// Share is a part of a mixture and how much of the mixture's load it makes up.
type Share struct {
	Part
	Of float64 // more than 0; the shares of a mixture add up to 1
}

// Mix is the parts of a mixture: each one's generator (Poisson or Incast) with the
// load set to its share of the total. On the same hosts, the parts together then
// have the total load; a part on some of the hosts has its share of it on those.
func Mix(total float64, shares ...Share) ([]Part, error) {
	errs := []error{checkLoad(total, false)}
	sum := 0.0
	parts := make([]Part, len(shares))
	for i, s := range shares {
		if !(s.Of > 0) {
			errs = append(errs, fmt.Errorf("part %q: share %v, want > 0", s.Name, s.Of))
		}
		sum += s.Of
		parts[i] = s.Part
		switch g := s.Generator.(type) {
		case Poisson:
			if g.Load != 0 {
				errs = append(errs, fmt.Errorf("part %q: both a load and a share, want one of them", s.Name))
			}
			g.Load = s.Of * total
			parts[i].Generator = g
		case Incast:
			if g.Load != 0 || g.Every != 0 {
				errs = append(errs, fmt.Errorf("part %q: a load or a time between events beside a share, want one of them", s.Name))
			}
			g.Load = s.Of * total
			parts[i].Generator = g
		default:
			errs = append(errs, fmt.Errorf("part %q: a %T has no load that could be a share", s.Name, g))
		}
	}
	if len(shares) == 0 {
		errs = append(errs, errors.New("no parts"))
	} else if !(math.Abs(sum-1) < 1e-9) {
		errs = append(errs, fmt.Errorf("the shares add up to %v, want 1", sum))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("workloads: bad mixture: %w", err)
	}
	return parts, nil
}
