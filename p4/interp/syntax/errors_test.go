package syntax

import "testing"

func TestListOrdersAndMergesErrors(t *testing.T) {
	var l List
	if l.Err() != nil {
		t.Fatal("an empty list is an error")
	}
	at := func(line, col int) Pos { return Pos{"a.p4", line, col} }
	l.Errorf(at(9, 1), "second")
	l.Errorf(at(3, 7), "first %d", 1)
	l.Errorf(at(3, 9), "first %d", 1)
	l.Errorf(Pos{File: "b.p4"}, "no line")
	l.Warnf(at(1, 1), "odd")
	want := "a.p4:3:7: first 1\na.p4:9:1: second\nb.p4: no line"
	if got := l.Err().Error(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if len(l.Warnings) != 1 {
		t.Errorf("%d warnings, want 1", len(l.Warnings))
	}
	for i := range 2 * MaxErrors {
		l.Errorf(at(100+i, 1), "e")
	}
	if !l.Full() || len(l.Errors) != MaxErrors {
		t.Errorf("%d errors kept, want %d", len(l.Errors), MaxErrors)
	}
}
