package quote

import (
	"slices"

	"parley/internal/text/prose"
)

// completeness tells steps that go on from others, which are not there, from those that begin at the beginning.
func (u quotableUnit) completeness(text string) float64 {
	if u.ordered && '2' <= text[0] && text[0] <= '9' {
		return 0.6
	}
	return 1
}

// Weights of how well the kind of a unit suits the form of the question.
const (
	stepsFit       = 0.8  // steps, as far as what stands above them names what is asked
	strayStepsFit  = 0.25 // steps under a heading that names nothing of it: they lead to something else
	listFit        = 0.15 // a list that tells no steps
	instructionFit = 0.1  // a sentence that tells what to do
	definitionFit  = 0.35 // the first sentence under the heading that names a thing, where the question is what it is
	numberFit      = 0.2  // a unit without a number, where one is asked for
	permissionFit  = 0.2  // a sentence that says who may, where that is the question
	tableFit       = 0.5  // a table or a list, where the question is which things there are
	negationFit    = 0.5  // a unit that denies what the question denies; against one that does not
)

func (t *parsedQuestion) formFit(c *unitContext, u quotableUnit) float64 {
	f := 1.0
	switch {
	case t.wantsSteps && c.layout.isProcedure(u):
		f += stepsFit*t.ownCoverage(c.leadMatch(t, u)) - strayStepsFit
	case t.wantsSteps && u.kind == prose.Item:
		f -= listFit
	case t.wantsSteps && c.layout.effectiveKind(u) == prose.Paragraph && givesInstruction(c.layout.text[u.start:u.end]):
		f += instructionFit * t.ownCoverage(c.headingMatch)
	case (t.wantsDefinition || t.wantsFact) && c.layout.isProcedure(u):
		f -= strayStepsFit
	case t.asksWhoMay && u.kind == prose.Paragraph && statesPermission(c.layout.text[u.start:u.end]):
		f += permissionFit
	case t.wantsList && (u.kind == prose.Table || u.kind == prose.Item || u.kind == prose.Paragraph && c.layout.isAboveTable(u)):
		f += tableFit * t.ownCoverage(c.listTitleMatch(t, u))
	case t.wantsDefinition && c.isFirstUnderHeading:
		f += definitionFit * c.headingFocus
	}
	if t.wantsNumber && !u.isTableRow && !t.hasNewNumber(c.layout.text[u.start:u.end]) {
		f -= numberFit
	}
	if len(t.negatedTerms) > 0 {
		denies := t.findNegatedTerms(c.layout.text[u.start:u.end])
		if slices.ContainsFunc(t.negatedTerms, func(i int) bool { return slices.Contains(denies, i) }) {
			f += negationFit
		} else {
			f -= negationFit
		}
	}
	return f
}

// leadMatch is how the headings and the line that leads to the unit match.
func (c *unitContext) leadMatch(t *parsedQuestion, u quotableUnit) []float64 {
	if b := c.layout.blocks[u.firstBlock]; b.Kind == prose.Paragraph {
		return mergeMatches(c.headingMatch, t.matchText(c.layout.text[b.Start:b.End]))
	}
	return c.headingMatch
}

// scoringKind tells as what the unit is read; a row is a statement, once its head is said.
func (u quotableUnit) scoringKind(p *passageLayout) prose.Kind {
	if u.isTableRow {
		return prose.Item
	}
	return p.effectiveKind(u)
}

// effectiveKind tells as what the unit is read: code behind a sentence is part of it.
func (p *passageLayout) effectiveKind(u quotableUnit) prose.Kind {
	if u.kind == prose.Code && p.blocks[u.firstBlock].Kind == prose.Paragraph {
		return prose.Paragraph
	}
	return u.kind
}

// isProcedure reports that the unit tells what to do, one thing after the other.
func (p *passageLayout) isProcedure(u quotableUnit) bool {
	if u.ordered {
		return true
	}
	items, telling := 0, 0
	for _, b := range p.blocks[u.firstBlock : u.lastBlock+1] {
		if b.Kind == prose.Item {
			items++
			if givesInstruction(p.text[b.ContentStart:b.End]) {
				telling++
			}
		}
	}
	return telling > 0 && 2*telling >= items
}

// listTitleMatch is how that matches which says what a table or a list holds: the headings above, a sentence that leads to it, the head of its
// first column.
func (c *unitContext) listTitleMatch(t *parsedQuestion, u quotableUnit) []float64 {
	text := c.layout.text[u.start:u.end]
	switch {
	case u.kind == prose.Table:
		text = c.layout.firstColumnHeader(u)
	case u.kind == prose.Item && !c.layout.isLeadIn(u.firstBlock):
		return c.headingMatch
	case u.kind == prose.Item:
		b := c.layout.blocks[u.firstBlock]
		text = c.layout.text[b.Start:b.End]
	}
	return mergeMatches(c.headingMatch, t.matchText(text))
}

// firstColumnHeader is the head of a table's first column.
func (p *passageLayout) firstColumnHeader(u quotableUnit) string {
	return firstCell(p.text[u.start:u.end])
}

// isAboveTable reports a sentence of a paragraph with a table right below it.
func (p *passageLayout) isAboveTable(u quotableUnit) bool {
	return u.lastBlock+1 < len(p.blocks) && p.blocks[u.lastBlock+1].Kind == prose.Table
}
