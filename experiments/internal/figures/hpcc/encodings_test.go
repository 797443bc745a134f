package hpcc

import (
	"testing"

	"pintlab/experiments/internal/figures/figure/figuretest"
)

// No claim is contradicted by the rows of the smoke scale, or by the stored rows of the laptop scale. The latter decide
// the claims.
func TestEncodingsMeasured(t *testing.T) { figuretest.Compared(t, &Encodings, 14) }
