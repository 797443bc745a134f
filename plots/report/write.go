package report

import (
	_ "embed"
	"io"
	"strings"

	"pintlab/internal/outfile"
	"pintlab/plots"
)

//go:embed style.css
var style string

// darkStyle recolours the page and its drawings if the reader prefers a dark page. Printed pages are not recoloured.
func darkStyle() string {
	return "@media screen and (prefers-color-scheme: dark) {\n" + darkColors + plots.DarkStyle(".drawing") + "}\n"
}

const darkColors = `:root {
  --page: #0d1117; --card: #161b22; --ink: #e6edf3; --soft: #a9b4bf; --line: #30373f;
  --link: #79b8ff; --holds: #56d38a; --deviates: #e3b341; --fails: #ff8a80; --code: #1f252d;
}
`

// Write writes the page after checking it.
func (p *Page) Write(w io.Writer) error {
	v, err := p.view()
	if err != nil {
		return err
	}
	var b printer
	b.page(v)
	_, err = w.Write(b.Bytes())
	return err
}

// Save writes the page to a file. Afterwards the file is complete or unchanged.
func (p *Page) Save(path string) error { return outfile.Write(path, p.Write) }

// Label returns the outcome in words.
func (o Mark) Label() string {
	if o == Neutral {
		return ""
	}
	return strings.ToUpper(string(o[:1])) + string(o[1:])
}
