package html

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"parley/internal/ingest/extract/draft"
)

// An opener is what a reader clicks to see a panel: a button, a tab, a summary. Its label becomes the heading of its
// panel, and the panel text. How far the tree is searched around an opener is bounded, so that the work is linear.
const (
	maxLabelNodes   = 64
	maxLabelBytes   = 300
	maxNearSiblings = 8
	maxPanelIDs     = 8
	maxWrapperDepth = 4
)

type opener struct {
	node   *html.Node
	label  string
	level  int // of the heading that its label becomes
	panels []*html.Node
	isSure bool // what the page says is enough to take it for an opener
	inside bool // its label is within a heading, a term or a summary, or beside other text, which says what it opens
}

// panelOpener finds the openers of one page and their panels.
type panelOpener struct {
	byID       map[string]*html.Node
	byLabel    map[string]*html.Node // panels by the id of the element that labels them
	openers    []opener
	isOpener   map[*html.Node]bool
	isPanel    map[*html.Node]bool
	isOpened   map[*html.Node]bool
	labels     map[*html.Node]map[string]int // of what may be openers, by what holds their panels
	level      int                           // of the last heading of the page
	levelAbove int                           // of the one before
	heading    *html.Node
}

// openPanels makes text of what readers open by a click. What nobody can open stays hidden.
func openPanels(doc *html.Node) {
	p := panelOpener{byID: map[string]*html.Node{}, byLabel: map[string]*html.Node{}, isOpener: map[*html.Node]bool{},
		isPanel:  map[*html.Node]bool{},
		isOpened: map[*html.Node]bool{}, labels: map[*html.Node]map[string]int{}, level: 1, levelAbove: 1}
	for n := range doc.Descendants() {
		if id := attrValue(n, "id"); id != "" && p.byID[id] == nil {
			p.byID[id] = n
		}
		if id := attrValue(n, "aria-labelledby"); id != "" && !isFloating(n) && hasPanelRole(n) {
			p.byLabel[id] = n
		}
	}
	p.findOpeners(doc)
	for _, o := range p.openers {
		if o.isSure || p.isRepeated(o) {
			p.isOpener[o.node] = true
			for _, panel := range o.panels {
				p.isPanel[panel] = true
			}
		}
	}
	p.movePanels(doc)
	for _, o := range p.openers {
		if p.isOpener[o.node] {
			p.open(o)
		}
	}
	for _, n := range findElements(doc, isNamedPanel) {
		showElement(n)
	}
}

func (p *panelOpener) findOpeners(n *html.Node) {
	var next *html.Node
	for c := n.FirstChild; c != nil; c = next {
		next = c.NextSibling
		if c.Type != html.ElementNode {
			continue
		}
		if level := slices.Index(headingTags, c.DataAtom); level >= 0 {
			p.levelAbove, p.level, p.heading = p.level, level+1, c
		}
		if c.DataAtom == atom.Summary || !isClickable(c) || !p.addOpener(c) {
			p.findOpeners(c)
		}
		if c.DataAtom == atom.Summary {
			p.addOpener(c)
		}
	}
}

// isClickable reports whether an element may open another: not a control of a form, a menu or a dialog.
func isClickable(n *html.Node) bool {
	if popup := attrValue(n, "aria-haspopup"); popup != "" && popup != "false" {
		return false
	}
	switch attrValue(n, "data-toggle") + attrValue(n, "data-bs-toggle") {
	case "", "collapse", "tab", "pill", "list":
	default:
		return false
	}
	role := attrValue(n, "role")
	switch n.DataAtom {
	case atom.Summary:
		return true
	case atom.Button:
		return attrValue(n, "type") != "submit" && attrValue(n, "type") != "reset"
	case atom.Input, atom.Select, atom.Textarea, atom.Nav, atom.Html, atom.Body, atom.Main:
		return false
	case atom.A:
		return role == "button" || role == "tab" || strings.HasPrefix(attrValue(n, "href"), "#") || controls(n)
	default:
		return role == "button" || role == "tab" || controls(n)
	}
}

func controls(n *html.Node) bool {
	return hasAttr(n, "aria-controls") || hasAttr(n, "aria-expanded") || hasAttr(n, "data-toggle") ||
		hasAttr(n, "data-bs-toggle")
}

// addOpener reports whether an element is a control with a label; it is kept where it has a panel.
func (p *panelOpener) addOpener(n *html.Node) bool {
	label, ok := shortText(n)
	if !ok {
		return false
	}
	o := opener{node: n, label: label, level: min(p.level+1, 6), inside: n.DataAtom == atom.Summary}
	if !draft.HasWords(o.label) {
		o.label = draft.ShortLine(attrValue(n, "aria-label"))
	}
	for c := n; c.Parent != nil && !o.inside; c = c.Parent {
		if o.inside = hasTag(headingTags...)(c.Parent) || hasTag(atom.Dt, atom.Summary)(c.Parent); o.inside {
			break
		}
		if c != n && inlineElements[c.DataAtom] == 0 {
			break
		}
	}
	if o.inside && p.heading != nil && isWithin(n, p.heading) { // it is no heading of what follows other openers
		p.level = p.levelAbove
	}
	p.findPanels(&o)
	if len(o.panels) > 0 {
		p.openers = append(p.openers, o)
	}
	return true
}

func isWithin(n, outer *html.Node) bool {
	for range maxWrapperDepth {
		if n = n.Parent; n == outer {
			return true
		}
		if n == nil {
			return false
		}
	}
	return false
}

// findPanels finds the panels that an opener names, or the one right behind it.
func (p *panelOpener) findPanels(o *opener) {
	n := o.node
	if n.DataAtom == atom.Summary {
		if n.Parent != nil && n.Parent.DataAtom == atom.Details {
			o.panels, o.isSure = []*html.Node{n.Parent}, true
		}
		return
	}
	ids := strings.Fields(attrValue(n, "aria-controls"))
	for _, key := range []string{"data-target", "data-bs-target", "href"} {
		if id, ok := strings.CutPrefix(attrValue(n, key), "#"); ok && (key != "href" || p.isTabLink(n, id)) {
			ids = append(ids, id)
		}
	}
	for _, id := range ids[:min(len(ids), maxPanelIDs)] {
		if panel := p.byID[id]; panel != nil && !isFloating(panel) && !isWithin(n, panel) &&
			!slices.Contains(o.panels, panel) {
			o.panels = append(o.panels, panel)
		}
	}
	if panel := p.byLabel[attrValue(n, "id")]; panel != nil && len(o.panels) == 0 {
		o.panels = append(o.panels, panel)
	}
	if o.isSure = len(o.panels) > 0; !o.isSure && (n.DataAtom != atom.A || controls(n) || attrValue(n, "role") != "") {
		p.findPanelBehind(o)
	}
}

// isTabLink reports whether a link to a place of its page shows it as a tab does.
func (p *panelOpener) isTabLink(n *html.Node, id string) bool {
	panel := p.byID[id]
	if panel == nil {
		return false
	}
	list := n.Parent
	for range 2 {
		if list != nil && !hasTag(atom.Ul, atom.Ol, atom.Div)(list) {
			list = list.Parent
		}
	}
	return isConcealed(panel) || controls(n) || attrValue(panel, "role") == "tabpanel" ||
		list != nil && (attrValue(list, "role") == "tablist" || tabsPattern.MatchString(attrValue(list, "class")))
}

var tabsPattern = regexp.MustCompile(`(?i)(^|[\s_-])(nav-)?tabs?($|[\s_-])`)

// findPanelBehind finds the panel of an opener that names none: the element behind it, or behind what holds nothing
// but the opener, or behind a heading or a term around it.
func (p *panelOpener) findPanelBehind(o *opener) {
	isWhole := true
	for n, depth := o.node, 0; depth < maxWrapperDepth && n.Parent != nil; n, depth = n.Parent, depth+1 {
		panel := elementBehind(n)
		isPanel := panel != nil && !isFloating(panel) && panelTags[panel.DataAtom] && !holdsOpener(panel)
		named := attrValue(o.node, "aria-expanded") != "" ||
			panelPattern.MatchString(classOf(n)+" "+classOf(n.Parent)+" "+classOf(panel)) ||
			strings.HasSuffix(o.label, "?") || strings.HasSuffix(o.label, "？") || strings.HasSuffix(o.label, "؟")
		switch {
		case isPanel && (isConcealed(panel) || isWhole && named):
			o.panels, o.isSure = []*html.Node{panel}, true
			o.inside = o.inside || !isWhole
			return
		case isPanel && isWhole && o.node.DataAtom == atom.Button:
			o.panels = []*html.Node{panel}
			p.countLabel(panel.Parent, o.label)
			p.countLabel(panel.Parent.Parent, o.label)
			return
		case panel != nil && isWhole, hasTag(atom.Body, atom.Main, atom.Article, atom.Section, atom.Form)(n.Parent):
			return
		}
		isWhole = isWhole && (o.inside || holdsOnly(n.Parent, n))
	}
}

func (p *panelOpener) countLabel(group *html.Node, label string) {
	if p.labels[group] == nil {
		p.labels[group] = map[string]int{}
	}
	p.labels[group][label]++
}

// isRepeated reports whether a button is one of several with different labels, each with a panel and nothing else.
func (p *panelOpener) isRepeated(o opener) bool {
	box := o.panels[0].Parent
	for _, group := range []*html.Node{box, box.Parent} {
		if p.labels[group][o.label] == 1 && len(p.labels[group]) > 1 && box.FirstChild != nil &&
			(group == box || holdsOnly(box, box.FirstChild, o.node, o.node.Parent, o.panels[0])) {
			return true
		}
	}
	return false
}

var panelTags = map[atom.Atom]bool{atom.Div: true, atom.Section: true, atom.P: true, atom.Ul: true, atom.Ol: true,
	atom.Dl: true, atom.Dd: true, atom.Table: true, atom.Article: true, atom.Span: true, atom.Blockquote: true}

// elementBehind returns the element behind n, where no text is between them.
func elementBehind(n *html.Node) *html.Node {
	s := n.NextSibling
	for range maxNearSiblings {
		switch {
		case s == nil, s.Type == html.TextNode && strings.TrimSpace(s.Data) != "":
			return nil
		case s.Type == html.ElementNode && !hasTag(atom.Svg, atom.I, atom.Img, atom.Hr, atom.Br)(s):
			return s
		}
		s = s.NextSibling
	}
	return nil
}

// holdsOnly reports whether the text of an element is in some of its children.
func holdsOnly(n *html.Node, children ...*html.Node) bool {
	c := n.FirstChild
	for range maxNearSiblings {
		if c == nil {
			return true
		}
		if c.Type == html.TextNode && strings.TrimSpace(c.Data) != "" {
			return false
		}
		if c.Type == html.ElementNode && !slices.Contains(children, c) {
			if text, ok := shortText(c); text != "" || !ok {
				return false
			}
		}
		c = c.NextSibling
	}
	return false
}

// holdsOpener reports whether an element is a control, or begins with one.
func holdsOpener(n *html.Node) bool {
	for range maxWrapperDepth {
		if n == nil || n.Type != html.ElementNode {
			return false
		}
		if n.DataAtom == atom.Button || attrValue(n, "role") == "tab" {
			return true
		}
		for n = n.FirstChild; n != nil && n.Type == html.TextNode && strings.TrimSpace(n.Data) == ""; n = n.NextSibling {
			continue
		}
	}
	return false
}

// shortText returns the words of an element without its pictures; not ok if they are too many for a label.
func shortText(n *html.Node) (text string, ok bool) {
	var b strings.Builder
	nodes := 0
	var write func(n *html.Node) bool
	write = func(n *html.Node) bool {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if nodes++; nodes > maxLabelNodes || b.Len() > maxLabelBytes {
				return false
			}
			switch {
			case c.Type == html.TextNode:
				b.WriteString(c.Data)
			case c.Type != html.ElementNode, c.DataAtom != atom.Button && isHidden(c),
				attrValue(c, "aria-hidden") == "true":
			default:
				if inlineElements[c.DataAtom] == 0 {
					b.WriteByte(' ')
				}
				if !write(c) {
					return false
				}
			}
		}
		return true
	}
	ok = write(n)
	return draft.CollapseSpaces(b.String()), ok
}

func classOf(n *html.Node) string {
	if n == nil {
		return ""
	}
	return attrValue(n, "class") + " " + attrValue(n, "id")
}

// panelPattern matches what panels are called, floatingPattern what comes over the page instead.
var (
	panelPattern = regexp.MustCompile(`(?i)accordi|collaps|faq|answer|question|toggle|expand|spoiler|disclos|` +
		`tab-?pan|tab-?content|panel`)
	floatingPattern = regexp.MustCompile(`(?i)(^|[\s_-])(modal|pop-?up|popover|drop-?down|tooltip|dialog|lightbox|` +
		`overlay|cookies?|consent|off-?canvas|drawer|menu|nav|navbar|navigation|toast)($|[\s_-])`)
)

func isFloating(n *html.Node) bool {
	if role := attrValue(n, "role"); framingRoles[role] || role == "listbox" || role == "tooltip" || role == "alert" {
		return true
	}
	return hasTag(atom.Nav, atom.Dialog, atom.Form, atom.Html, atom.Body, atom.Main)(n) ||
		floatingPattern.MatchString(classOf(n))
}

func hasPanelRole(n *html.Node) bool {
	return attrValue(n, "role") == "tabpanel" || attrValue(n, "role") == "region"
}

// isNamedPanel reports whether a hidden element is called what panels are called, whatever opens it.
func isNamedPanel(n *html.Node) bool {
	return isConcealed(n) && panelTags[n.DataAtom] && !isFloating(n) && (attrValue(n, "role") == "tabpanel" ||
		panelPattern.MatchString(classOf(n)) || n.Parent != nil && hasAttr(n.Parent, "aria-expanded"))
}

// isConcealed reports whether an element itself is hidden.
func isConcealed(n *html.Node) bool {
	style := strings.ReplaceAll(strings.ToLower(attrValue(n, "style")), " ", "")
	return hasAttr(n, "hidden") && attrValue(n, "hidden") != "until-found" || strings.Contains(style, "display:none") ||
		strings.Contains(style, "visibility:hidden")
}

// showElement shows an element, also to what looks for the main text by the names of elements.
func showElement(n *html.Node) {
	n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool {
		return a.Key == "hidden" || a.Key == "style" || a.Key == "class" || a.Key == "aria-hidden"
	})
}

// open shows the panels of an opener, and makes its label their heading.
func (p *panelOpener) open(o opener) {
	first := o.panels[0]
	isTaken := p.isOpened[first]
	for _, panel := range o.panels {
		p.isOpened[panel] = true
		showElement(panel)
	}
	if o.inside {
		p.keepLabel(o)
		return
	}
	if len(o.panels) == 1 && !isTaken && draft.HasWords(o.label) && o.node.Parent != nil && !beginsWith(first, o.label) {
		tag := atom.P
		if p.endsSection(first) {
			tag = headingTags[o.level-1]
		}
		h := newElement(tag)
		h.AppendChild(&html.Node{Type: html.TextNode, Data: o.label})
		if hasTag(atom.Dd, atom.Li)(first) || first.Parent == nil {
			first.InsertBefore(h, first.FirstChild)
		} else {
			first.Parent.InsertBefore(h, first)
		}
	}
	removeNode(o.node)
}

// keepLabel leaves the label where it is.
func (p *panelOpener) keepLabel(o opener) {
	n := o.node
	switch {
	case n.DataAtom == atom.Summary:
		n.DataAtom, n.Data = atom.P, "p"
		if len(findElements(n, hasTag(headingTags...))) > 0 {
			n.DataAtom, n.Data = atom.Div, "div"
		} else if p.endsSection(n.Parent) {
			n.DataAtom, n.Data = headingTags[o.level-1], headingTags[o.level-1].String()
		}
		n.Parent.DataAtom, n.Parent.Data = atom.Div, "div"
	case n.Parent != nil:
		for h := n.Parent; h != nil && hasTag(headingTags...)(h); h = nil {
			showElement(h)
		}
		if holdsOnly(n.Parent, n) || inlineElements[n.Parent.DataAtom] > 0 {
			unwrapNode(n)
			return
		}
		removeNode(n)
	}
}

func newElement(tag atom.Atom) *html.Node {
	return &html.Node{Type: html.ElementNode, DataAtom: tag, Data: tag.String()}
}

func beginsWith(panel *html.Node, label string) bool {
	h := panel.FirstChild
	for h != nil && h.Type != html.ElementNode {
		h = h.NextSibling
	}
	if h == nil || !hasTag(headingTags...)(h) {
		return false
	}
	text, ok := shortText(h)
	return ok && text == label
}

// endsSection reports whether what follows a panel is not text that a heading above the panel would be wrong for.
func (p *panelOpener) endsSection(panel *html.Node) bool {
	for n := panel; n != nil && !hasTag(atom.Main, atom.Body, atom.Article, atom.Section)(n); n = n.Parent {
		if hasTag(atom.Li, atom.Td, atom.Th, atom.Dd)(n) {
			return false
		}
		s := n.NextSibling
		for range maxNearSiblings {
			if s == nil {
				break
			}
			if s.Type == html.TextNode && strings.TrimSpace(s.Data) != "" {
				return false
			}
			if s.Type == html.ElementNode {
				if p.beginsSection(s) {
					return true
				}
				if text, ok := shortText(s); text != "" || !ok {
					return isFraming(s)
				}
			}
			s = s.NextSibling
		}
	}
	return true
}

// beginsSection reports whether an element is a heading, an opener or a panel, or begins with one.
func (p *panelOpener) beginsSection(n *html.Node) bool {
	for range 2 * maxWrapperDepth {
		if n == nil {
			return false
		}
		if p.isOpener[n] || p.isPanel[n] || hasTag(headingTags...)(n) || hasTag(atom.Summary, atom.Details)(n) {
			return true
		}
		for n = n.FirstChild; n != nil && n.Type != html.ElementNode; n = n.NextSibling {
			if n.Type == html.TextNode && strings.TrimSpace(n.Data) != "" {
				return false
			}
		}
	}
	return false
}
