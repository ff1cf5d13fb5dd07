package helpdesk

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/html"
)

// textOf gives the text that our own HTML shows: a line for each line, an empty one between paragraphs.
func textOf(safe string) string {
	var w textWriter
	for z := html.NewTokenizer(strings.NewReader(safe)); ; {
		switch kind := z.Next(); kind {
		case html.ErrorToken: // the end: a string does not fail
			return strings.TrimSpace(w.b.String())
		case html.TextToken:
			w.text(z.Token().Data)
		case html.StartTagToken, html.SelfClosingTagToken:
			w.open(z.Token())
		case html.EndTagToken:
			w.close(z.Token().Data)
		case html.CommentToken, html.DoctypeToken: // there are none
		}
	}
}

// textWriter writes the tokens of HTML as text.
type textWriter struct {
	b     strings.Builder
	due   int    // line ends that come before whatever comes next
	lists []int  // the number of the next item of each open list; negative in one without numbers
	mark  string // of an item of which nothing was written yet
	pre   bool
	cells int    // of the row so far
	href  string // of the open link
	label int    // where its text begins
}

// breaks has at least so many line ends come next.
func (w *textWriter) breaks(n int) { w.due = max(w.due, n) }

// put writes what comes next, behind the line ends and the mark that are due.
func (w *textWriter) put(s string) {
	if w.b.Len() > 0 {
		w.b.WriteString(strings.Repeat("\n", w.due))
	}
	w.b.WriteString(w.mark + s)
	w.due, w.mark = 0, ""
}

func (w *textWriter) text(s string) {
	if w.pre {
		s = strings.TrimSuffix(s, "\n")
	} else if s = strings.ReplaceAll(s, "\n", ""); w.due > 0 || w.b.Len() == 0 { // line ends only lay the HTML out
		s = strings.TrimLeft(s, " ")
	}
	if s != "" {
		w.put(s)
	}
}

// item begins an item, as far to the right as its list stands deep in others.
func (w *textWriter) item() {
	last := len(w.lists) - 1
	if w.mark == "" {
		w.breaks(1)
		w.mark = strings.Repeat("  ", max(last, 0))
	}
	if last < 0 || w.lists[last] < 0 {
		w.mark += "- "
		return
	}
	w.mark += fmt.Sprintf("%d. ", w.lists[last])
	w.lists[last]++
}

func (w *textWriter) open(t html.Token) {
	switch t.Data {
	case "br":
		w.due++
	case "hr", "p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "table":
		w.block()
	case "pre":
		w.block()
		w.pre = true
	case "ol":
		w.list(start(t))
	case "ul":
		w.list(-1)
	case "li":
		w.item()
	case "tr":
		w.breaks(1)
		w.cells = 0
	case "td", "th":
		if w.cells++; w.cells > 1 {
			w.put(" | ")
		}
	case "a":
		w.put("")
		w.href, w.label = attribute(t, "href"), w.b.Len()
	}
}

func (w *textWriter) close(tag string) {
	switch tag {
	case "p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "table":
		w.block()
	case "pre":
		w.pre = false
		w.block()
	case "ol", "ul":
		w.lists = w.lists[:max(len(w.lists)-1, 0)]
		w.block()
	case "li":
		w.mark = ""
	case "a":
		w.address()
	}
}

// block begins or ends a paragraph; in a list lines follow each other closely.
func (w *textWriter) block() {
	switch {
	case w.mark != "": // it begins where its item does
	case len(w.lists) > 0:
		w.breaks(1)
	default:
		w.breaks(2)
	}
}

func (w *textWriter) list(first int) {
	w.block()
	w.lists = append(w.lists, first)
}

// address follows the text of a link, unless it is the text.
func (w *textWriter) address() {
	label := strings.TrimSpace(w.b.String()[min(w.label, w.b.Len()):])
	bare := strings.TrimPrefix(w.href, "mailto:")
	if w.href != "" && label != "" && label != w.href && label != bare && "http://"+label != w.href {
		w.put(" (" + bare + ")")
	}
	w.href = ""
}

func start(list html.Token) int {
	if n, err := strconv.Atoi(attribute(list, "start")); err == nil {
		return n
	}
	return 1
}

func attribute(t html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// visible reports whether a reader sees anything of a text: letters, signs, pictures, but neither space nor marks that only steer
// how others are shown.
func visible(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.Zs, r) && r != '\u2800' &&
			!unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
	})
}
