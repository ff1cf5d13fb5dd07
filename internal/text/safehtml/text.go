package safehtml

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// ToText returns the text of HTML from FromMarkdown: a line for each line, an empty one between paragraphs, each link
// followed by its address.
func ToText(safe string) string {
	var w textWriter
	for z := html.NewTokenizer(strings.NewReader(safe)); ; {
		switch kind := z.Next(); kind {
		case html.ErrorToken: // the end: a string does not fail
			return strings.TrimSpace(w.b.String())
		case html.TextToken:
			w.text(z.Token().Data)
		case html.StartTagToken, html.SelfClosingTagToken:
			w.openTag(z.Token())
		case html.EndTagToken:
			w.closeTag(z.Token().Data)
		case html.CommentToken, html.DoctypeToken: // FromMarkdown writes none
		}
	}
}

type textWriter struct {
	b              strings.Builder
	pendingBreaks  int    // line ends that come before whatever comes next
	lists          []int  // the number of the next item of each open list; negative for bullets
	pendingMark    string // of an item whose text has not begun
	inPreformatted bool
	cells          int    // of the row so far
	href           string // of the open link
	labelStart     int    // where its text begins
}

// needLineBreaks puts at least n line breaks before the next text.
func (w *textWriter) needLineBreaks(n int) { w.pendingBreaks = max(w.pendingBreaks, n) }

// write writes text after the pending line breaks and the pending mark.
func (w *textWriter) write(s string) {
	if w.b.Len() > 0 {
		w.b.WriteString(strings.Repeat("\n", w.pendingBreaks))
	}
	w.b.WriteString(w.pendingMark + s)
	w.pendingBreaks, w.pendingMark = 0, ""
}

func (w *textWriter) text(s string) {
	if w.inPreformatted {
		s = strings.TrimSuffix(s, "\n")
	} else if s = strings.ReplaceAll(s, "\n", ""); w.pendingBreaks > 0 ||
		w.b.Len() == 0 { // line ends only lay the HTML out
		s = strings.TrimLeft(s, " ")
	}
	if s != "" {
		w.write(s)
	}
}

// beginItem begins an item, indented by the depth of its list.
func (w *textWriter) beginItem() {
	last := len(w.lists) - 1
	if w.pendingMark == "" {
		w.needLineBreaks(1)
		w.pendingMark = strings.Repeat("  ", max(last, 0))
	}
	if last < 0 || w.lists[last] < 0 {
		w.pendingMark += "- "
		return
	}
	w.pendingMark += fmt.Sprintf("%d. ", w.lists[last])
	w.lists[last]++
}

func (w *textWriter) openTag(t html.Token) {
	switch t.Data {
	case "br":
		w.pendingBreaks++
	case "hr", "p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "table":
		w.breakBlock()
	case "pre":
		w.breakBlock()
		w.inPreformatted = true
	case "ol":
		w.breakBlock()
		w.lists = append(w.lists, listStart(t))
	case "ul":
		w.breakBlock()
		w.lists = append(w.lists, -1)
	case "li":
		w.beginItem()
	case "tr":
		w.needLineBreaks(1)
		w.cells = 0
	case "td", "th":
		if w.cells++; w.cells > 1 {
			w.write(" | ")
		}
	case "a":
		w.write("")
		w.href, w.labelStart = attribute(t, "href"), w.b.Len()
	}
}

func (w *textWriter) closeTag(tag string) {
	switch tag {
	case "p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "table":
		w.breakBlock()
	case "pre":
		w.inPreformatted = false
		w.breakBlock()
	case "ol", "ul":
		w.lists = w.lists[:max(len(w.lists)-1, 0)]
		w.breakBlock()
	case "li":
		w.pendingMark = ""
	case "a":
		w.writeAddress()
	}
}

// breakBlock begins or ends a paragraph; in lists there are no empty lines.
func (w *textWriter) breakBlock() {
	switch {
	case w.pendingMark != "": // it begins with its item
	case len(w.lists) > 0:
		w.needLineBreaks(1)
	default:
		w.needLineBreaks(2)
	}
}

// writeAddress writes the address of a link after its text, unless they are equal.
func (w *textWriter) writeAddress() {
	label := strings.TrimSpace(w.b.String()[min(w.labelStart, w.b.Len()):])
	address := strings.TrimPrefix(w.href, "mailto:")
	if w.href != "" && label != "" && label != w.href && label != address && "http://"+label != w.href {
		w.write(" (" + address + ")")
	}
	w.href = ""
}

func listStart(list html.Token) int {
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
