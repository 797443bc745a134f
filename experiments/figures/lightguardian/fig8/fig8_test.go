package fig8

import (
	"testing"

	"pintlab/experiments/figures/figure/figuretest"
	"pintlab/experiments/figures/lightguardian/scores"
	"pintlab/experiments/measure/lightguardian/locate"
)

func TestSmoke(t *testing.T) {
	figuretest.NoneFails(t, scores.Check(figuretest.Golden[locate.Row](t), locate.Blackhole))
}
