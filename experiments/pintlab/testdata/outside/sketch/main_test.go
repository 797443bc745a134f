package main

import (
	"testing"

	"pintlab/int/sketch/sketchtest"
)

func TestCount(t *testing.T) { sketchtest.Suite(t, count, 100_000) }
