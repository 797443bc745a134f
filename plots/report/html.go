package report

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"

	"pintlab/internal/number"
)

// The page is printed by functions and not by a template of the standard library. A template would call methods by
// name, so that the linker would keep every exported method in the program: 6 MB.

// markup is HTML that is printed unchanged.
type markup string

// escaper replaces characters that have a meaning in HTML by references.
var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;", "+", "&#43;")

// printer prints HTML.
type printer struct{ bytes.Buffer }

// printf prints markup. Arguments are texts, which are escaped, markup or numbers.
func (w *printer) printf(format markup, args ...any) {
	for i, a := range args {
		switch a := a.(type) {
		case markup, int:
		default:
			args[i] = escaper.Replace(fmt.Sprint(a))
		}
	}
	fmt.Fprintf(w, string(format), args...)
}

// optional prints markup with a text in it, unless the text is empty.
func (w *printer) optional(format markup, text string) {
	if text != "" {
		w.printf(format, text)
	}
}

// each prints the markup once for each of the texts.
func (w *printer) each(format markup, texts []string) {
	for _, t := range texts {
		w.printf(format, t)
	}
}

// when returns markup if a condition holds. Otherwise it returns nothing.
func when(condition bool, m markup) markup {
	if condition {
		return m
	}
	return ""
}

// class returns a class attribute. It is empty if there is no class.
func class(c string) markup { return when(c != "", markup(` class="`+c+`"`)) }

// numberClass is the attribute of cells with numbers.
const numberClass = ` class="number"`

// page prints a page.
func (w *printer) page(v *pageView) {
	w.printf(`<!DOCTYPE html>
<html lang="en" xmlns="http://www.w3.org/1999/xhtml">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="color-scheme" content="light dark"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>
<title>%s</title>
<style>
%s</style>
</head>
<body>
<header>
<h1>%[1]s</h1>
`, v.Title, v.Style)
	w.optional(`<p class="subtitle">%s</p>`+"\n", v.Subtitle)
	w.printf("</header>\n<main>\n")
	w.each(`<p class="verdict fails">%s</p>`+"\n", v.Warnings)
	w.answer(v)
	if len(v.Summary) > 0 {
		w.printf(`<section aria-labelledby="summary">` + "\n" + `<h2 id="summary">Summary</h2>` + "\n")
		w.verdicts(v.Summary)
		w.printf("</section>\n")
	}
	if len(v.Sections) > 2 {
		w.printf(`<nav aria-label="Contents">` + "\n<h2>Contents</h2>\n<ol>\n")
		for _, s := range v.Sections {
			w.printf(`<li><a href="#%s">%s</a></li>`+"\n", s.ID, s.Title)
		}
		w.printf("</ol>\n</nav>\n")
	}
	for i := range v.Sections {
		w.section(&v.Sections[i])
	}
	if len(v.Footnotes) > 0 {
		w.printf(`<section aria-labelledby="notes">` + "\n" + `<h2 id="notes">Notes</h2>` + "\n<ol>\n")
		for i, n := range v.Footnotes {
			w.printf(`<li id="note-%d">%s</li>`+"\n", i+1, n)
		}
		w.printf("</ol>\n</section>\n")
	}
	w.config(v)
	w.printf("</main>\n")
	w.optional("<footer>\n<p>%s</p>\n</footer>\n", v.Footer)
	w.printf("</body>\n</html>\n")
}

func (w *printer) answer(v *pageView) {
	if v.Answer == nil {
		return
	}
	w.printf(`<section aria-labelledby="answer">` + "\n" + `<h2 id="answer">Answer</h2>` + "\n")
	w.each(`<p class="answer">%s</p>`+"\n", v.Answer.Text)
	g := &v.Answer.Grid
	w.printf(`<div class="scroll" role="region" aria-label="Schemes" tabindex="0">
<table class="grid">
<caption>%s`, g.Caption)
	if g.leans() {
		w.printf(` <span class="better sure">better</span> <span class="worse sure">worse</span>`)
	}
	w.printf("</caption>\n<thead><tr>")
	for i, h := range g.Head {
		w.printf(`<th scope="col"%s>%s</th>`, when(i > 0, numberClass), h)
	}
	w.printf("</tr></thead>\n")
	for _, group := range g.Groups {
		w.printf(`<tbody>
<tr class="group"><th scope="rowgroup" colspan="%d">%s</th></tr>
`, len(g.Head), group.Title)
		for _, row := range group.Rows {
			w.printf("<tr>")
			for i, c := range row {
				if i == 0 {
					w.printf(`<th scope="row">%s</th>`, c.Text)
					continue
				}
				w.printf(`<td class="number%s%s" data-label="%s">%s`, when(c.Lean != Even, markup(" "+c.Lean)),
					when(c.Sure, " sure"), g.Head[i], c.Text)
				w.optional("<small>%s</small>", c.Detail)
				w.printf("</td>")
			}
			w.printf("</tr>\n")
		}
		w.printf("</tbody>\n")
	}
	w.printf("</table>\n</div>\n")
	w.figures(v.Main)
	w.printf("</section>\n")
}

func (w *printer) figures(list []figureView) {
	for _, f := range list {
		const drawing = `<div class="drawing%s" role="region" aria-label="Figure %d" tabindex="0">` + "\n%s</div>\n"
		w.printf("<figure%s>\n", when(f.Wide, ` class="wide"`))
		w.printf(drawing, when(f.Narrow != "", " broad"), f.Number, f.SVG)
		if f.Narrow != "" {
			w.printf(drawing, markup(" narrow"), f.Number, f.Narrow)
		}
		w.printf("<figcaption><strong>Figure %d.</strong> %s", f.Number, f.Caption)
		// The URL of a path has no scheme. If the first part of the path contains a colon, the URL therefore begins
		// with "./".
		w.optional(` <a href="%s">Plotted rows</a>`, (&url.URL{Path: f.Rows}).String())
		w.printf("</figcaption>\n</figure>\n")
	}
}

func (w *printer) verdicts(list []verdictView) {
	for _, v := range list {
		w.printf(`<p class="verdict%s">`, when(v.Outcome != Neutral, markup(" "+v.Outcome)))
		w.optional(`<strong class="outcome">%s</strong> `, v.Outcome.Label())
		w.printf("%s", v.Text)
		w.note(v.Note)
		w.printf("</p>\n")
	}
}

// note prints a link to a footnote. It prints nothing for 0.
func (w *printer) note(n int) {
	if n > 0 {
		w.printf(` <a href="#note-%d">(%[1]d)</a>`, n)
	}
}

func (w *printer) section(s *sectionView) {
	w.printf(`<section aria-labelledby="%s">`+"\n"+`<h2 id="%[1]s">%[2]s</h2>`+"\n", s.ID, s.Title)
	w.each("<p>%s</p>\n", s.Text)
	w.figures(s.Figures)
	for i := range s.Tables {
		w.table(&s.Tables[i])
	}
	w.verdicts(s.Verdicts)
	for i := range s.Comparisons {
		w.comparison(&s.Comparisons[i])
	}
	if len(s.Notes) > 0 {
		w.printf(`<aside aria-label="Notes">` + "\n<ul>\n")
		w.each("<li>%s</li>\n", s.Notes)
		w.printf("</ul>\n</aside>\n")
	}
	for _, c := range s.Commands {
		w.printf(`<div class="command">` + "\n")
		w.optional("<p>%s</p>\n", c.Text)
		w.printf(`<pre tabindex="0"><code>%s</code></pre>`+"\n</div>\n", c.Line)
	}
	w.printf("</section>\n")
}

// openTable prints the part of a table before the cells of its head.
func (w *printer) openTable(number int, caption markup, text string) {
	w.printf(`<div class="scroll" role="region" aria-label="Table %d" tabindex="0">`+"\n<table>\n<caption>", number)
	w.printf(caption, number, text)
	w.printf("</caption>\n<thead><tr>")
}

const numberedCaption = "<strong>Table %d.</strong> %s"

func (w *printer) table(t *tableView) {
	caption, text := markup(numberedCaption), t.Caption
	if t.Folded {
		w.printf("<details>\n<summary>Table %d. %s</summary>\n", t.Number, t.Caption)
		caption, text = "Table %d%s", ""
	}
	w.openTable(t.Number, caption, text)
	for _, h := range t.Head {
		w.printf(`<th scope="col"%s>%s</th>`, when(h.Number, numberClass), h.Text)
	}
	w.printf("</tr></thead>\n<tbody>\n")
	for _, row := range t.Rows {
		w.printf("<tr>")
		for i, c := range row {
			if c.Row {
				w.printf(`<th scope="row">%s</th>`, c.Text)
			} else {
				w.printf(`<td%s data-label="%s">%s</td>`, when(c.Number, numberClass), t.Head[i].Text, c.Text)
			}
		}
		w.printf("</tr>\n")
	}
	w.printf("</tbody>\n</table>\n</div>\n%s", when(t.Folded, "</details>\n"))
}

func (w *printer) comparison(c *comparisonView) {
	w.openTable(c.Number, numberedCaption, c.Caption)
	w.printf(`<th scope="col">Quantity</th>`)
	w.each(`<th scope="col" class="number">%s</th>`, []string{"Published", "Ours", "Deviation"})
	w.printf(`<th scope="col">Outcome</th>%s</tr></thead>`+"\n<tbody>\n",
		when(c.Sources, `<th scope="col">Source</th>`))
	for _, r := range c.Rows {
		w.printf(`<tr><th scope="row">%s`, r.Quantity)
		w.note(r.Note)
		w.printf(`</th><td class="number" data-label="Published">%s`, r.Published)
		w.optional("<small>%s</small>", r.Agreeing)
		w.printf(`</td><td class="number" data-label="Ours">%s`, r.Ours)
		w.optional("<small>%s</small>", r.Interval)
		w.printf(`</td><td class="number" data-label="Deviation">%s</td><td%s data-label="Outcome">%s`, r.Deviation,
			class(string(r.Outcome)), r.Outcome.Label())
		w.optional("<small>%s</small>", r.Cause.Text())
		w.printf("</td>")
		if c.Sources {
			w.printf(`<td data-label="Source">%s</td>`, r.Source)
		}
		w.printf("</tr>\n")
	}
	w.printf("</tbody>\n</table>\n</div>\n")
}

func (w *printer) config(v *pageView) {
	if len(v.Config) == 0 {
		return
	}
	w.printf(`<section aria-labelledby="configuration">` + "\n" + `<h2 id="configuration">Configuration</h2>` + "\n")
	if v.FoldConfig {
		w.printf("<details>\n<summary>%s</summary>\n", number.Count(len(v.Config), "setting"))
	}
	w.printf(`<div class="scroll" role="region" aria-label="Configuration" tabindex="0">
<table class="config">
<caption>The settings behind every number on this page</caption>
<thead><tr><th scope="col">Setting</th><th scope="col">Value</th>%s</tr></thead>
<tbody>
`, when(v.Sources, `<th scope="col">Source</th>`))
	for _, s := range v.Config {
		w.printf(`<tr><th scope="row">%s</th><td data-label="Value">%s</td>`, s.Key, s.Value)
		if v.Sources {
			w.printf(`<td data-label="Source">%s</td>`, s.Source)
		}
		w.printf("</tr>\n")
	}
	w.printf("</tbody>\n</table>\n</div>\n%s</section>\n", when(v.FoldConfig, "</details>\n"))
}
