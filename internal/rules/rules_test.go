package rules

import (
	"errors"
	"testing"
)

func TestBroken(t *testing.T) {
	var b Broken
	cause := errors.New("cause")
	b.If(false, "not this one")
	if err := b.Err("thing"); err != nil {
		t.Errorf("nothing is wrong: %v", err)
	}
	b.If(true, "size = %d, want more", 3)
	b.If(true, "deeper: %w", cause)
	err := b.Err("thing")
	if want := "thing: size = 3, want more\ndeeper: cause"; err == nil || err.Error() != want ||
		!errors.Is(err, cause) {
		t.Errorf("%v, want %s", err, want)
	}
}
