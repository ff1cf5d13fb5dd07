package quote

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/model"
	"parley/internal/text/markdown"
	"parley/internal/text/prose"
	"parley/internal/text/words"
)

// passageLayout is a passage laid out for a question.
type passageLayout struct {
	text         string
	scoredText   string // the text that counts: without its code where the question is not about code
	blocks       []markdown.Block
	units        []quotableUnit
	passageMatch []float64 // how it matches with its title
	titleMatch   []float64

	innermostTitle string    // the heading right above
	openFence      string    // what would end the code that the text ends within; empty if it ends within none
	codeRest       []excerpt // of other passages, up to the end of that code; nil if they do not hold it
}

// quotableUnit is the least that can be quoted: a sentence, or a list, a table or code with the line that leads to it.
type quotableUnit struct {
	excerpt
	firstBlock, lastBlock int // blocks
	kind                  markdown.Kind
	ordered               bool      // numbered steps
	isTableRow            bool      // one row of a table
	isCompared            bool      // with others, whose words are among those that it matches
	ownMatch              []float64 // how its own words match
	meantMatch            []float64 // and with the sentence that its pronoun refers to
	contextMatch          []float64 // and with its context
	lineLoss              float64   // what a headline among headlines loses
	score                 float64
}

func (q *parsedQuestion) layOutPassage(passages []model.Passage, i int) passageLayout {
	p := passages[i]
	pg := passageLayout{text: p.Text, blocks: parseBlocks(p.Text)}
	if pg.openFence = openFence(p.Text, pg.blocks); pg.openFence != "" {
		pg.codeRest = restOfCode(passages, i, pg.openFence)
	}
	pg.innermostTitle = innermostHeading(p)
	pg.titleMatch = mergeMatches(q.matchText(p.Heading), q.matchText(p.SourceName))
	pg.scoredText = p.Text
	if !q.wantsCode {
		pg.scoredText = stripCodeBlocks(p.Text, pg.blocks)
	}
	pg.passageMatch = mergeMatches(pg.titleMatch, q.matchText(pg.scoredText))
	c := unitContext{layout: &pg, passageIndex: i, titles: headingPath(p), headingMatch: pg.titleMatch,
		headingFocus: q.headingPathFocus(p.Heading), isFirstUnderHeading: true, isQnA: p.IsQnA}
	c.passageWeight = (0.55 + 0.45*p.Score) * rankWeight(i) *
		(1 - focusLoss*(1-c.headingFocus)) * (1 - missingWordLoss*(1-q.ownCoverage(pg.passageMatch)))
	c.passageWeight *= 1 - missingSubjectLoss*q.missingSubject(pg.passageMatch)
	if q.lacksName(pg.passageMatch) {
		c.passageWeight *= 1 - missingNameLoss
	}
	if q.isOtherLanguage(p.Text) {
		c.passageWeight *= 1 - otherLanguageLoss
	}
	for n := 0; n < len(pg.blocks); {
		b, last := pg.blocks[n], pg.groupEnd(n)
		switch {
		case b.Kind == markdown.Heading:
			c.headingMatch, c.isFirstUnderHeading = mergeMatches(c.headingMatch, q.matchText(p.Text[b.Start:b.End])), true
		case b.Kind != markdown.Markup:
			q.addUnits(&c, n, last)
		}
		n = last + 1
	}
	return pg
}

// addUnits adds what can be quoted of the blocks, which belong together.
func (q *parsedQuestion) addUnits(c *unitContext, first, last int) {
	b, end := c.layout.blocks[first], c.layout.blocks[last].End
	if c.layout.isCut(first) || c.layout.endsInOpenCode(last) && c.layout.codeRest == nil {
		return
	}
	if first == last && b.Kind == markdown.Paragraph {
		if !c.isQnA && c.layout.isTitleOfNext(first) {
			return
		}
		for _, s := range prose.Sentences(c.layout.text, b.Start, b.End) {
			s.Start += c.titleLineBytes(c.layout.text[s.Start:s.End])
			if !endsWithColon(c.layout.text[s.Start:s.End]) {
				q.addUnit(c, quotableUnit{excerpt: excerpt{passageIndex: c.passageIndex, start: s.Start, end: s.End},
					firstBlock: first, lastBlock: first, kind: b.Kind})
			}
		}
		return
	}
	kind, ordered := b.Kind, b.Ordered
	if kind == markdown.Paragraph {
		kind, ordered = c.layout.blocks[first+1].Kind, c.layout.blocks[first+1].Ordered
	}
	u := quotableUnit{excerpt: excerpt{passageIndex: c.passageIndex, start: b.Start, end: end}, firstBlock: first,
		lastBlock: last, kind: kind, ordered: ordered}
	if c.layout.blocks[last].Kind == markdown.Table && q.addTableRows(c, u, last) || q.addListLines(c, u) {
		return
	}
	if end-b.Start <= maxListBytes || ordered || kind == markdown.Code { // steps and code are never cut
		q.addUnit(c, u)
		return
	}
	for _, b := range c.layout.blocks[first : last+1] {
		u.start, u.end = b.Start, b.End
		q.addUnit(c, u)
	}
}

// maxBytes returns how large the unit may be to be quoted.
func (u quotableUnit) maxBytes() int {
	switch {
	case u.ordered, u.kind == markdown.Code, u.isTableRow:
		return maxWholeUnitBytes
	case u.kind == markdown.Item:
		return maxListBytes
	}
	return maxUnitBytes
}

// Words of the headings above count less than words of the unit itself: they say what it is about, not what it says.
// What stands first under them is most likely to say it. The rest of the passage counts least.
const (
	headingShare      = 0.6
	headingShareFirst = 0.75
	passageShare      = 0.3
)

type unitContext struct {
	layout       *passageLayout
	passageIndex int
	titles       []string  // the name of the source, and the headings above
	headingMatch []float64 // how the headings above match
	// and the head of the table that the unit is a row of, which is read with it; nil for none
	tableHeadMatch      []float64
	isFirstUnderHeading bool    // nothing between it and the heading names anything of the question
	headingFocus        float64 // how much of the headings the question asks for
	passageWeight       float64 // of the passage
	isQnA               bool
}

// saysSomething reports whether the text is more than marks, numbers, the name of a file or an address.
func saysSomething(text string) bool {
	text = strings.Trim(text, "*_`|> \t\r\n")
	if strings.IndexFunc(text, unicode.IsLetter) < 0 {
		return false
	}
	return strings.ContainsAny(text, " \n") || !fileNamePattern.MatchString(text)
}

// fileNamePattern finds names of files, paths and addresses.
var fileNamePattern = regexp.MustCompile(`(?i)^(https?://\S+|[\w./-]+\.(md|markdown|txt|html?|pdf|docx?|xlsx?|` +
	`pptx?|csv|json|` +
	`ya?ml|png|jpe?g)|/?[\w.-]+/[\w./-]*)$`)

func (q *parsedQuestion) addUnit(c *unitContext, u quotableUnit) {
	if u.end-u.start+excerptBytes(c.layout.codeRestOf(u.excerpt)) > u.maxBytes() {
		return
	}
	if !q.wantsCode && u.scoringKind(c.layout) == markdown.Code {
		return
	}
	text := c.layout.text[u.start:u.end]
	if (u.kind == markdown.Paragraph || u.kind == markdown.Table) && !saysSomething(text) {
		return
	}
	if u.kind == markdown.Paragraph && (q.isRowOfNames(text) || c.isTitle(text)) {
		return
	}
	share := headingShare
	if c.isFirstUnderHeading {
		share = headingShareFirst
	}
	u.ownMatch = q.matchText(c.layout.scoredUnitText(q, u))
	if c.tableHeadMatch != nil {
		u.ownMatch = mergeMatches(u.ownMatch, c.tableHeadMatch)
		q.matchJoinedPairs(u.ownMatch)
	}
	if q.wantsList && u.kind == markdown.Table {
		u.ownMatch = q.matchText(firstCell(text))
	}
	above := c.headingMatch
	if title, isFirst := q.matchTitleLine(c, u); isFirst {
		u.ownMatch = mergeMatches(u.ownMatch, title)
		q.matchJoinedPairs(u.ownMatch)
	} else if title != nil {
		above = mergeMatches(above, title)
	}
	antecedent := c.antecedentOf(u)
	u.meantMatch = u.ownMatch
	if antecedent.end > 0 {
		u.meantMatch = q.matchMeant(u.ownMatch, antecedent.meantMatch)
	}
	u.contextMatch = slices.Clone(u.meantMatch)
	for i := range u.contextMatch {
		u.contextMatch[i] = max(u.contextMatch[i], share*above[i], passageShare*c.layout.passageMatch[i])
	}
	b := c.layout.blocks[u.firstBlock]
	if u.kind == markdown.Paragraph && (!endsAsSentence(text) && c.layout.isStackOfHeadlines() ||
		!c.isQnA && len(c.layout.blocks) > 1 && u.start == b.Start && u.end == b.End && isTitleLine(text)) {
		u.lineLoss = headlineLoss
	}
	u.score = (1 - u.lineLoss) * q.fullCoverage(u.contextMatch) * c.passageWeight * readability(text,
		u.scoringKind(c.layout)) * u.completeness(text) * q.formFit(c, u) *
		q.contrastFit(text, c.layout.text[antecedent.start:antecedent.end]) *
		(1 - q.codeLoss(c, text, c.layout.text[antecedent.start:antecedent.end]))
	if len(text) < shortUnitBytes && (q.unitHasAmount(u) || q.namesPlace(u, text) || q.saysAllowed(u, text)) &&
		!q.lacksName(u.ownMatch) && endsAsSentence(text) {
		u.score /= shortUnitFit // a short sentence with the amount or the place that is asked for is whole
	}
	c.layout.units = append(c.layout.units, u)
	c.isFirstUnderHeading = c.isFirstUnderHeading && q.ownCoverage(u.ownMatch) == 0
}

// antecedentShare is how surely a sentence speaks of what the one before it names that its pronoun refers to.
const antecedentShare = 0.9

// antecedentOf returns the sentence before the unit that it refers to; without an end for none.
func (c *unitContext) antecedentOf(u quotableUnit) (before quotableUnit) {
	n := len(c.layout.units) - 1
	if u.kind != markdown.Paragraph || n < 0 || !refersBack(c.layout.text[u.start:u.end]) ||
		!c.layout.isRightBelow(c.layout.units[n], u) {
		return before
	}
	return c.layout.units[n]
}

// matchMeant returns how a sentence matches together with the one that its pronoun refers to: of what is measured only
// its own amounts count.
func (q *parsedQuestion) matchMeant(own, before []float64) []float64 {
	all := slices.Clone(own)
	for i, s := range q.terms {
		if s.measure == measureNone {
			all[i] = max(all[i], antecedentShare*before[i])
		}
	}
	return all
}

// isTitle reports whether the text is the title of the page once more.
func (c *unitContext) isTitle(text string) bool {
	text = strings.TrimSpace(text)
	return len(text) < maxLineBytes && slices.Contains(c.titles, text)
}

// A text of so many words that ends as no sentence does, and has next to no word that only sentences have, or mostly
// names, was a table.
const (
	minRowWords         = 15
	maxRowFunctionShare = 0.12
	maxRowCapitals      = 0.55 // share of its words that begin with a capital: in German prose it is below .45
	maxSentenceCapitals = 0.75 // of what ends as a sentence
)

// isRowOfNames reports whether the text is what was a table once: cells without a mark between them.
func (q *parsedQuestion) isRowOfNames(text string) bool {
	switch {
	case len(text) < 4*minRowWords:
		return false
	case countDoubledNames(text) >= minDoubledNames:
		return true
	case strings.Count(text, ",")*minRowWords > len(text)/4:
		return false
	}
	isSentence, all, function, capitals := endsAsSentence(text), 0, 0, 0
	for token := range words.Tokens(text) {
		switch {
		case token.Unspaced:
			return false
		case '0' <= token.Word[0] && token.Word[0] <= '9':
			continue
		}
		all++
		if r, _ := utf8.DecodeRuneInString(text[token.Start:]); unicode.IsUpper(r) {
			capitals++
		}
		if !isSentence && (q.lang.IsStopWord(token.Word) || words.English.IsStopWord(token.Word)) {
			function++
		}
	}
	capitalShare := float64(capitals) / float64(max(all, 1))
	if isSentence {
		return all >= minRowWords && capitalShare > maxSentenceCapitals
	}
	return all >= minRowWords && (float64(function) < maxRowFunctionShare*float64(all) || capitalShare > maxRowCapitals)
}

// minDoubledNames is how many names are said twice in a row of a table, once to be sorted by.
const minDoubledNames = 3

// countDoubledNames counts the words with a capital that are right behind themselves.
func countDoubledNames(text string) (n int) {
	last := ""
	for token := range words.Tokens(text) {
		if 'A' <= text[token.Start] && text[token.Start] <= 'Z' && token.Word == last {
			n++
		}
		last = token.Word
	}
	return n
}

// Weights of what a passage loses.
const (
	rankLoss        = 0.3  // for each better one before it
	minRankWeight   = 0.1  // of those that come last
	focusLoss       = 0.35 // for headings that speak of something else
	missingWordLoss = 0.5  // for the words of the question that neither it nor its title holds

	missingSubjectLoss = 0.4 // for what the message before is about, where this one does not say what it is about

	headlineLoss = 0.5 // for a line among lines that lead to other pages

	missingNameLoss   = 0.3  // for a name of the question that neither it nor its title holds
	otherLanguageLoss = 0.25 // for another language than the question's, where both show
)

// rankWeight returns what a passage counts by its place in the search.
func rankWeight(i int) float64 { return max(minRankWeight, 1-rankLoss*float64(i)) }

// headingPathFocus returns how much of the outermost and of the innermost heading the question names.
func (q *parsedQuestion) headingPathFocus(heading string) float64 {
	page, _, _ := strings.Cut(heading, " › ")
	return (q.headingFocus(page) + q.headingFocus(heading[strings.LastIndex(heading, "›")+1:])) / 2
}

// headingFocus returns the share of the heading's content words that the question names.
func (q *parsedQuestion) headingFocus(heading string) float64 {
	content, matched := 0.0, 0.0
	for token := range words.Tokens(heading) {
		if !q.isPassedOver(token.Word) {
			content++
			matched += slices.Max(append(q.matchText(token.Word), 0))
		}
	}
	if content == 0 {
		return 0.5
	}
	return matched / content
}

func mergeMatches(a, b []float64) []float64 {
	all := slices.Clone(a)
	for i := range all {
		all[i] = max(all[i], b[i])
	}
	return all
}

// completeness distinguishes steps that go on from others, which are not there, from those that begin at the beginning.
func (u quotableUnit) completeness(text string) float64 {
	if u.ordered && stepNumber(text) > 1 {
		return 0.6
	}
	return 1
}

// Weights of how well the kind of a unit suits the form of the question.
const (
	stepsFit       = 0.8  // steps, as far as what is above them names what is asked
	strayStepsFit  = 0.25 // steps under a heading that names nothing of it: they lead to something else
	conditionFit   = 0.5  // what comes of that which the question asks how to do
	listFit        = 0.15 // a list that tells no steps
	instructionFit = 0.1  // a sentence that tells what to do
	definitionFit  = 0.35 // the first sentence under the heading that names a thing, where the question is what it is
	numberFit      = 0.2  // a unit without a number, where one is asked for
	permissionFit  = 0.2  // a sentence that says who may, where that is the question
	tableFit       = 0.5  // a table or a list, where the question is which things there are
	negationFit    = 0.5  // a unit that denies what the question denies; against one that does not
	placeFit       = 0.2  // a sentence with a name, where the question is where
)

func (q *parsedQuestion) formFit(c *unitContext, u quotableUnit) float64 {
	f := 1.0
	switch {
	case q.wantsSteps && q.isBehindCondition(c.layout, u):
		f -= conditionFit
	case q.wantsSteps && c.layout.isProcedure(u):
		f += stepsFit*q.ownCoverage(c.leadMatch(q, u)) - strayStepsFit
	case q.wantsSteps && u.kind == markdown.Item:
		f -= listFit
	case q.wantsSteps && c.layout.effectiveKind(u) == markdown.Paragraph && givesInstruction(c.layout.text[u.start:u.end]):
		f += instructionFit * q.ownCoverage(c.headingMatch)
	case (q.wantsDefinition || q.wantsFact) && (c.layout.isProcedure(u) ||
		u.kind == markdown.Paragraph && beginsWithOrder(c.layout.text[u.start:u.end])):
		f -= strayStepsFit
	case q.asksWhoMay && u.kind == markdown.Paragraph && statesPermission(c.layout.text[u.start:u.end]),
		q.saysAllowed(u, c.layout.text[u.start:u.end]):
		f += permissionFit
	case q.wantsList &&
		(u.kind == markdown.Table || u.kind == markdown.Item || u.kind == markdown.Paragraph && c.layout.isAboveTable(u)):
		f += tableFit * q.ownCoverage(c.listTitleMatch(q, u))
	case q.wantsDefinition && c.isFirstUnderHeading:
		f += definitionFit * c.headingFocus
	}
	if q.namesPlace(u, c.layout.text[u.start:u.end]) {
		f += placeFit
	}
	if q.wantsNumber && !u.isTableRow && !q.unitHasAmount(u) && !q.hasNewNumber(c.layout.text[u.start:u.end]) {
		f -= numberFit
	}
	if len(q.negatedTerms) > 0 {
		if q.deniesSame(c.layout.text[u.start:u.end]) {
			f += negationFit
		} else {
			f -= negationFit
		}
	}
	return f
}

// namesPlace reports whether the question asks where, and the unit is a sentence with a name that the question lacks.
func (q *parsedQuestion) namesPlace(u quotableUnit, text string) bool {
	return q.asksPlace && u.kind == markdown.Paragraph && q.readSentence(text).names > 0
}

// leadMatch returns how the headings and the line that leads to the unit match.
func (c *unitContext) leadMatch(t *parsedQuestion, u quotableUnit) []float64 {
	if b := c.layout.blocks[u.firstBlock]; b.Kind == markdown.Paragraph {
		return mergeMatches(c.headingMatch, t.matchText(c.layout.text[b.Start:b.End]))
	}
	return c.headingMatch
}

// scoringKind returns the kind that the unit is scored as; a row is a statement, once its head is said.
func (u quotableUnit) scoringKind(p *passageLayout) markdown.Kind {
	if u.isTableRow {
		return markdown.Item
	}
	return p.effectiveKind(u)
}

// effectiveKind returns the kind that the unit is read as: code behind a sentence is part of it.
func (p *passageLayout) effectiveKind(u quotableUnit) markdown.Kind {
	if u.kind == markdown.Code && p.blocks[u.firstBlock].Kind == markdown.Paragraph {
		return markdown.Paragraph
	}
	return u.kind
}

// minConditionShare is how much of the question a condition names that is all of it.
const minConditionShare = 0.8

// isBehindCondition reports whether the unit tells what comes of that which the question asks how to do: "When you turn
// it on:".
func (q *parsedQuestion) isBehindCondition(p *passageLayout, u quotableUnit) bool {
	if u.kind != markdown.Item || !p.isLeadIn(u.firstBlock) {
		return false
	}
	lead := p.blockText(u.firstBlock)
	return conditionWords()[words.Fold(openingWord(lead))] && q.ownCoverage(q.matchText(lead)) >= minConditionShare
}

func (p *passageLayout) isProcedure(u quotableUnit) bool {
	if u.ordered {
		return true
	}
	items, instructions := 0, 0
	for _, b := range p.blocks[u.firstBlock : u.lastBlock+1] {
		if b.Kind == markdown.Item {
			items++
			if givesInstruction(p.text[b.ContentStart:b.End]) {
				instructions++
			}
		}
	}
	return instructions > 0 && 2*instructions >= items
}

// listTitleMatch returns how well the title of a table or a list matches: the headings above, a sentence that
// leads to it, the head of its first column.
func (c *unitContext) listTitleMatch(t *parsedQuestion, u quotableUnit) []float64 {
	text := c.layout.text[u.start:u.end]
	switch {
	case u.kind == markdown.Table:
		text = firstCell(text)
	case u.kind == markdown.Item && !c.layout.isLeadIn(u.firstBlock):
		return c.headingMatch
	case u.kind == markdown.Item:
		b := c.layout.blocks[u.firstBlock]
		text = c.layout.text[b.Start:b.End]
	}
	return mergeMatches(c.headingMatch, t.matchText(text))
}

// isAboveTable reports whether the unit is a sentence of a paragraph with a table right below it.
func (p *passageLayout) isAboveTable(u quotableUnit) bool {
	return u.lastBlock+1 < len(p.blocks) && p.blocks[u.lastBlock+1].Kind == markdown.Table
}
