package lint

import (
	"fmt"
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"
)

// absolute matches a path that exists only on one machine. Tests may invent such paths.
var absolute = regexp.MustCompile(`(^|[\s"'` + "`" + `(=])(/(work|tmp|root|home|Users|mnt)/|[A-Z]:\\)[A-Za-z0-9]`)

// unfinished matches marks of unfinished work.
var unfinished = regexp.MustCompile(`\b(TODO|FIXME|XXX)\b`)

// Texts complains about lines of a file that contain a path of one machine, the name of one of the hosts, or a mark of
// unfinished work.
func Texts(name, text string, hosts []string) []string {
	var bad []string
	test := strings.HasSuffix(name, "_test.go")
	for i, line := range strings.Split(text, "\n") {
		complain := func(what string) { bad = append(bad, fmt.Sprintf("%s:%d: %s", name, i+1, what)) }
		if !test && absolute.MatchString(line) {
			complain("a path that exists on one machine only")
		}
		for _, h := range hosts {
			if strings.Contains(line, h) {
				complain("the name of a private host")
			}
		}
		if unfinished.MatchString(line) {
			complain("unfinished business")
		}
	}
	return bad
}

// american matches American spellings of words, because all texts use British spelling. "artifact" is allowed as the
// term for a paper's code.
var american = regexp.MustCompile(`\b(behaviors?|cent(er|ers|ered)|colors?|colored|defense|favors?|gray|neighbors?|` +
	`neighboring|(label|model|travel|signal)(ed|ing)|analyz(e|es|ed|ing)|` +
	`((max|min|opt)im|normal|random|real|recogn|serial|summar|synchron|util|initial)iz(es?|ed|ing|ations?|able))\b`)

// quoted matches code and quotations.
var quoted = regexp.MustCompile("\"[^\"]*\"|`[^`]*`|[\\w-]+\\.(org|go)")

// Spelling complains about American spellings in comments. Identifiers may have American spellings.
func Spelling(f File) []string {
	var bad []string
	names := map[string]bool{}
	ast.Inspect(f.AST, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			names[id.Name] = true
		}
		return true
	})
	for _, c := range f.AST.Comments {
		for _, word := range american.FindAllString(quoted.ReplaceAllString(c.Text(), ""), -1) {
			if !names[word] {
				bad = append(bad, fmt.Sprintf("%s: %q, want the British spelling", f.at(c), word))
			}
		}
	}
	return bad
}

// columns is the largest width of a line of Go; a tab counts 4.
const columns = 120

// tagged matches a field whose tag ends its line. A tag is one literal, which cannot be broken.
var tagged = regexp.MustCompile("^\t[^`\"]+ `[a-z]+:\".*\"`( //.*)?$")

// Wide complains about lines that are too wide, except for tags of struct fields.
func Wide(name, text string) []string {
	var bad []string
	for i, line := range strings.Split(text, "\n") {
		if n := utf8.RuneCountInString(line) + 3*strings.Count(line, "\t"); n > columns && !tagged.MatchString(line) {
			bad = append(bad, fmt.Sprintf("%s:%d: %d columns, want at most %d", name, i+1, n, columns))
		}
	}
	return bad
}

var (
	link = regexp.MustCompile(`\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"`)
	// page matches a page of the documentation in a comment or a message.
	page = regexp.MustCompile(`\bdocs/[\w./-]*\.(md|svg|lua)\b`)
	// unanchored matches characters of a heading that its anchor omits.
	unanchored = regexp.MustCompile(`[^\pL\pN _-]`)
)

// Links complains about broken relative links in a Markdown file. It also complains if a file of any kind mentions a
// page of docs that does not exist. name is relative to root.
func Links(root, name, text string) []string {
	var bad []string
	complain := func(i int, what string) {
		bad = append(bad, fmt.Sprintf("%s:%d: link to %s, which does not exist", name, i+1, what))
	}
	fenced := path.Ext(name) != ".md"
	for i, line := range strings.Split(text, "\n") {
		for _, named := range page.FindAllString(link.ReplaceAllString(line, ""), -1) {
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(named))); err != nil {
				complain(i, named)
			}
		}
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		if fenced {
			continue
		}
		for _, m := range link.FindAllStringSubmatch(line, -1) {
			to := m[1] + m[2]
			target, anchor, _ := strings.Cut(to, "#")
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			file := filepath.Join(root, filepath.FromSlash(path.Join(path.Dir(name), target)))
			there := []byte(text)
			_, err := os.Stat(file)
			if err == nil && anchor != "" && target != "" {
				there, err = os.ReadFile(file)
			}
			if err != nil || anchor != "" && !anchors(string(there))[anchor] {
				complain(i, to)
			}
		}
	}
	return bad
}

// anchors returns the anchors of the headings in a Markdown file.
func anchors(text string) map[string]bool {
	list := map[string]bool{}
	fenced := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		if title := strings.TrimLeft(line, "#"); title != line && !fenced {
			title = unanchored.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), "")
			list[strings.ReplaceAll(title, " ", "-")] = true
		}
	}
	return list
}
