package html

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"parley/internal/ingest/extract/draft"
)

const (
	lineThrough     = "line-through"
	maxSheetBytes   = 256 << 10 // of all style sheets of a page
	maxStruckRules  = 200
	maxOuterMatches = 30 // elements around one that are compared with a selector
)

// compound is what a selector says of one element; empty fields match all.
type compound struct {
	tag, id string
	classes []string
}

// selector is compounds, the outermost first; the last is about the element itself.
type selector []compound

// removeStruckText removes what the page's own style sheets strike out. Elements that strike out by themselves are
// hidden.
func removeStruckText(doc *html.Node) {
	var rules []selector
	size := 0
	for _, n := range findElements(doc, hasTag(atom.Style)) {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if size += len(c.Data); size <= maxSheetBytes && strings.Contains(c.Data, lineThrough) {
				rules = append(rules, struckSelectors(c.Data)...)
			}
		}
	}
	if len(rules) == 0 {
		return
	}
	rules = rules[:min(len(rules), maxStruckRules)]
	for _, n := range findElements(doc, func(n *html.Node) bool {
		return slices.ContainsFunc(rules, func(s selector) bool { return s.matches(n) })
	}) {
		removeNode(n)
	}
}

var cssComment = regexp.MustCompile(`(?s)/\*.*?\*/`)

// struckSelectors returns the selectors of the rules that strike text out on screens. Rules for a state, such as
// :hover, are none.
func struckSelectors(sheet string) (all []selector) {
	sheet = cssComment.ReplaceAllString(sheet, "")
	head, skipped := "", 0
	for sheet != "" {
		at := strings.IndexAny(sheet, "{}")
		if at < 0 {
			break
		}
		text := sheet[:at]
		if sheet[at] == '{' {
			if skipped > 0 || strings.Contains(text, "@media") && strings.Contains(text, "print") {
				skipped++
			}
			head = text
		} else {
			if skipped == 0 && strings.Contains(text, lineThrough) && !strings.Contains(head, "@") {
				for one := range strings.SplitSeq(head, ",") {
					if s := parseSelector(one); s != nil {
						all = append(all, s)
					}
				}
			}
			head, skipped = "", max(skipped-1, 0)
		}
		sheet = sheet[at+1:]
	}
	return all
}

// parseSelector returns nil for what it does not know.
func parseSelector(text string) (s selector) {
	if strings.ContainsAny(text, ":[+~\\*") || len(text) > 500 {
		return nil
	}
	for part := range strings.FieldsSeq(strings.ReplaceAll(text[strings.LastIndexByte(text, ';')+1:], ">", " ")) {
		var c compound
		for i, piece := range strings.Split(strings.ReplaceAll(part, "#", ".#"), ".") {
			switch {
			case i == 0:
				c.tag = strings.ToLower(piece)
			case strings.HasPrefix(piece, "#"):
				c.id = piece[1:]
			default:
				c.classes = append(c.classes, piece)
			}
		}
		s = append(s, c)
	}
	return s
}

func (s selector) matches(n *html.Node) bool {
	last := len(s) - 1
	if !s[last].matches(n) {
		return false
	}
	for range maxOuterMatches {
		if last == 0 {
			return true
		}
		if n = n.Parent; n == nil {
			return false
		}
		if s[last-1].matches(n) {
			last--
		}
	}
	return last == 0
}

func (c compound) matches(n *html.Node) bool {
	if c.tag != "" && c.tag != n.Data || c.id != "" && c.id != attrValue(n, "id") {
		return false
	}
	classes := strings.Fields(attrValue(n, "class"))
	return !slices.ContainsFunc(c.classes, func(class string) bool { return !slices.Contains(classes, class) })
}

// keepPictureTexts puts what only the description of a picture says into its place: a number, an address, a sentence.
// Decorations say nothing.
func keepPictureTexts(doc *html.Node) {
	for _, n := range findElements(doc, hasTag(atom.Img)) {
		alt := draft.CollapseSpaces(attrValue(n, "alt"))
		role := attrValue(n, "role")
		if n.Parent == nil || role == "presentation" || role == "none" || attrValue(n, "aria-hidden") == "true" ||
			isConcealed(n) || !isTelling(alt) {
			continue
		}
		box := n.Parent
		for box.Parent != nil && inlineElements[box.DataAtom]+pictureBoxes[box.DataAtom] > 0 {
			box = box.Parent
		}
		if text, _ := shortText(box); strings.Contains(text, alt) {
			continue
		}
		place := n
		if n.Parent.DataAtom == atom.Picture && n.Parent.Parent != nil {
			place = n.Parent
		}
		place.Parent.InsertBefore(&html.Node{Type: html.TextNode, Data: " " + alt + " "}, place)
	}
}

var pictureBoxes = map[atom.Atom]int{atom.Picture: 1}

var fileNamePattern = regexp.MustCompile(`(?i)\.(jpe?g|png|gif|webp|svg|avif)$|^(img|dsc|image|photo|pic|picture|` +
	`slide|banner|logo|icon|figure|bild|foto)?[-_ ]?\d*$`)

// isTelling reports whether the description of a picture says what somebody may ask for.
func isTelling(alt string) bool {
	if len(alt) > 500 || fileNamePattern.MatchString(alt) {
		return false
	}
	digits := 0
	for _, r := range alt {
		if unicode.IsDigit(r) {
			digits++
		}
	}
	words := len(strings.Fields(alt))
	return strings.Contains(alt, "@") || digits > 2 || digits > 0 && words > 1 || words > 3 ||
		words == 1 && utf8.RuneCountInString(alt) > 7 && alt[0] >= 0xe3 // of a script without spaces
}

const maxRaisedBytes = 40

// markRaisedText marks superscripts, subscripts and powers of formulas; what they mean is decided by the text around.
func markRaisedText(doc *html.Node) {
	for _, n := range findElements(doc, func(n *html.Node) bool {
		return hasTag(atom.Sup, atom.Sub)(n) || n.Data == "msup" || n.Data == "msub" || n.Data == "mfrac"
	}) {
		if n.Parent == nil {
			continue
		}
		switch {
		case n.DataAtom == atom.Sup && isNoteReference(n):
			markNode(n, draft.NoteMark)
		case n.DataAtom == atom.Sup:
			markNode(n, draft.Raised)
		case n.DataAtom == atom.Sub:
			markNode(n, draft.Lowered)
		default:
			markFormula(n)
		}
	}
}

func markNode(n *html.Node, mark func(string) string) {
	text, ok := shortText(n)
	if text == "" || !ok || len(text) > maxRaisedBytes {
		return
	}
	for c := n.FirstChild; c != nil; c = n.FirstChild {
		n.RemoveChild(c)
	}
	n.AppendChild(&html.Node{Type: html.TextNode, Data: mark(text)})
	n.DataAtom, n.Data, n.Attr = atom.Span, "span", nil
}

func markFormula(n *html.Node) {
	var parts []*html.Node
	for c := n.FirstChild; c != nil && len(parts) < 3; c = c.NextSibling {
		if c.Type == html.ElementNode {
			parts = append(parts, c)
		}
	}
	switch {
	case len(parts) != 2:
	case n.Data == "msup":
		markNode(parts[1], draft.Raised)
	case n.Data == "msub":
		markNode(parts[1], draft.Lowered)
	default:
		n.InsertBefore(&html.Node{Type: html.TextNode, Data: "/"}, parts[1])
	}
}

var notePattern = regexp.MustCompile(`(?i)footnote|noteref|endnote|reference|cite|fnref`)

// isNoteReference reports whether a superscript refers to a note: it is a link within the page, or is called so.
func isNoteReference(n *html.Node) bool {
	link := n.Parent
	if c := n.FirstChild; c != nil && c.DataAtom == atom.A {
		link = c
	}
	return link.DataAtom == atom.A && strings.HasPrefix(attrValue(link, "href"), "#") ||
		notePattern.MatchString(classOf(n)+" "+attrValue(n, "role")+" "+attrValue(link, "role")+" "+classOf(link))
}
