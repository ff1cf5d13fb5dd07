package html

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// movePanels moves panels that are elsewhere on the page behind the heading or the term that opens them.
func (p *panelOpener) movePanels(doc *html.Node) {
	places, order := map[*html.Node]int{}, 0 // of openers and panels, in the order of the page
	for n := range doc.Descendants() {
		if order++; p.isOpener[n] || p.isPanel[n] {
			places[n] = order
		}
	}
	isMoved := map[*html.Node]bool{}
	for i, o := range p.openers {
		label := labelAround(o.node)
		if label == nil || len(o.panels) != 1 || !p.isOpener[o.node] || isMoved[o.panels[0]] {
			continue
		}
		panel := o.panels[0]
		if places[panel] < places[o.node] || p.isBetween(i+1, label, panel, places) {
			isMoved[panel] = true
			movePanel(panel, label)
		}
	}
}

// isBetween reports whether the opener with an index, of another label, comes before a panel.
func (p *panelOpener) isBetween(next int, label, panel *html.Node, places map[*html.Node]int) bool {
	for _, o := range p.openers[next:min(next+maxNearSiblings, len(p.openers))] {
		if p.isOpener[o.node] && labelAround(o.node) != nil {
			return labelAround(o.node) != label && places[o.node] < places[panel]
		}
	}
	return false
}

// labelAround returns the heading or the term that an opener is in.
func labelAround(n *html.Node) *html.Node {
	for range maxWrapperDepth {
		if n = n.Parent; n == nil {
			return nil
		}
		if hasTag(headingTags...)(n) || n.DataAtom == atom.Dt {
			return n
		}
	}
	return nil
}

// movePanel moves a panel behind a label; an item or a cell becomes a box.
func movePanel(panel, label *html.Node) {
	if panel.Parent == nil || label.Parent == nil || isAround(panel, label) {
		return
	}
	panel.Parent.RemoveChild(panel)
	if label.DataAtom == atom.Dt {
		panel.DataAtom, panel.Data = atom.Dd, atom.Dd.String()
	} else if hasTag(atom.Li, atom.Dd, atom.Td)(panel) {
		panel.DataAtom, panel.Data = atom.Div, atom.Div.String()
	}
	label.Parent.InsertBefore(panel, label.NextSibling)
}

func isAround(outer, n *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if n == outer {
			return true
		}
	}
	return false
}
