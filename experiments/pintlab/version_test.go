package pintlab

import (
	"strings"
	"testing"

	"pintlab/experiments/results/store"
)

func TestVersionLine(t *testing.T) {
	for _, x := range []struct {
		program store.Program
		want    string
	}{
		{
			store.Program{Version: "unknown", Revision: "9db96aa75609c9cb6d92d71195a307911267b93f",
				Time: "2026-11-23T01:18:58Z", Modified: true, Go: "go1.26.8"},
			"pintlab, commit 9db96aa75609 of 2026-11-23T01:18:58Z, modified since; go1.26.8 ",
		},
		{store.Program{Version: "v1.2.3", Revision: "unknown", Go: "go1.26.8"}, "pintlab v1.2.3; go1.26.8 "},
		{store.Program{Version: "unknown", Revision: "unknown", Go: "go1.26.8"},
			"pintlab, commit unknown (the build did not record it); go1.26.8 "},
	} {
		if got := versionLine(x.program); !strings.HasPrefix(got, x.want) {
			t.Errorf("got %q, want %q", got, x.want)
		}
	}
}
