package progress

import (
	"fmt"
	"math"
	"time"
)

// Percent returns a share as a whole percentage, rounded down, so that only finished work
// shows 100 %.
func Percent(share float64) string {
	return fmt.Sprintf("%d %%", int(math.Floor(100*share)))
}

// left estimates the remaining time of work from its finished share and the time spent,
// as "about 40 s left". It returns "" while there is too little data for an estimate.
func left(share float64, spent time.Duration) string {
	if share <= 0 || share >= 1 || spent < time.Second || (share < 0.01 && spent < 10*time.Second) {
		return ""
	}
	left := spent.Seconds() * (1 - share) / share
	if left > 365*24*3600 {
		return "more than a year left"
	}
	return "about " + duration(time.Duration(left*float64(time.Second))) + " left"
}

// duration returns a time with about two digits, such as "40 s", "3 min 20 s" or "2 h 5
// min".
func duration(d time.Duration) string {
	switch s := int64(math.Ceil(d.Seconds())); {
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 10*60:
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	case s < 3600:
		return fmt.Sprintf("%d min", (s+59)/60)
	default:
		m := (s + 59) / 60
		return fmt.Sprintf("%d h %d min", m/60, m%60)
	}
}
