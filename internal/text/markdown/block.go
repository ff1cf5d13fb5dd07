// Package markdown finds the blocks of a text: headings, paragraphs, list items, tables, code. It reads Markdown and
// plain text alike, never fails, and takes time in proportion to the text. All spans are byte spans of the text that
// was handed in, on code point boundaries.
package markdown

import (
	"iter"
	"slices"
	"strings"
)

// Kind is the kind of a block.
type Kind uint8

// The kinds of block.
const (
	Paragraph Kind = iota
	Heading
	Item   // one item of a list
	Table  // rows
	Code   // with its fences
	Markup // what is not for readers: front matter, comments, rules, containers, tags, link targets
)

// Block is a stretch of lines that belong together.
type Block struct {
	Kind         Kind
	Level        int  // of a heading 1 to 6; of an item or paragraph how many columns it is indented
	Ordered      bool // an item with a number
	Start, End   int  // without the line break behind it
	ContentStart int  // where its words begin, behind the marker of a heading or an item
}

// Blocks returns the blocks of the text in order.
func Blocks(text string) []Block { return slices.Collect(EachBlock(text)) }

// EachBlock yields the blocks of the text in order, one at a time: there may be one for every two bytes of a long
// text.
func EachBlock(text string) iter.Seq[Block] {
	return func(yield func(Block) bool) {
		p := blockParser{text: text, yield: yield}
		p.parseFrontMatter()
		for p.pos < len(text) && !p.isStopped {
			p.parseLine()
		}
		p.yieldPending()
	}
}

type blockParser struct {
	text        string
	pos         int
	isOpen      bool // the last block goes on with the next line
	pending     Block
	hasPending  bool // pending was not handed out yet
	isMultiline bool // it has more than one line
	yield       func(Block) bool
	isStopped   bool
}

func (p *blockParser) yieldPending() {
	if p.hasPending && !p.isStopped {
		p.isStopped = !p.yield(p.pending)
	}
	p.hasPending = false
}

// nextLine cuts the next line off: its span without the line break.
func (p *blockParser) nextLine() (start, end int) {
	start = p.pos
	if n := strings.IndexByte(p.text[start:], '\n'); n >= 0 {
		p.pos = start + n + 1
		end = start + n
	} else {
		p.pos = len(p.text)
		end = p.pos
	}
	if end > start && p.text[end-1] == '\r' {
		end--
	}
	return start, end
}

func (p *blockParser) startBlock(b Block) {
	p.yieldPending()
	p.pending, p.hasPending, p.isMultiline = b, true, false
}

const maxFrontMatterLines = 200

func (p *blockParser) parseFrontMatter() {
	if !strings.HasPrefix(p.text, "---\n") && !strings.HasPrefix(p.text, "---\r\n") {
		return
	}
	p.nextLine()
	for range maxFrontMatterLines {
		if p.pos >= len(p.text) {
			break
		}
		if s, e := p.nextLine(); strings.TrimRight(p.text[s:e], " \t") == "---" {
			p.startBlock(Block{Kind: Markup, Start: 0, End: e})
			return
		}
	}
	p.pos = 0
}

func (p *blockParser) parseLine() {
	start, end := p.nextLine()
	line := p.text[start:end]
	body := strings.TrimLeft(line, " \t")
	indent := len(line) - len(body)
	from := start + indent
	if strings.HasPrefix(body, ">") { // a quotation is read like the rest of the page
		inner := strings.TrimLeft(body, "> \t")
		from += len(body) - len(inner)
		body, indent = inner, 0
	}
	switch {
	case strings.TrimSpace(body) == "":
		p.isOpen = false
	case isFence(body):
		p.parseCode(from, body)
	case strings.HasPrefix(body, "<!--"):
		p.parseMarkupUntil(from, "-->")
	case headingLevel(body) > 0 && indent < 4:
		level := headingLevel(body)
		p.isOpen = false
		p.startBlock(Block{Kind: Heading, Level: level, Start: from, End: from + len(strings.TrimRight(body, " \t#")),
			ContentStart: from + level + 1})
	case p.parseUnderline(body):
	case isMarkup(body):
		p.isOpen = false
		p.startBlock(Block{Kind: Markup, Start: from, End: end, ContentStart: from})
	case body[0] == '|':
		p.extendOrStart(Table, Block{Kind: Table, Start: from, End: end, ContentStart: from})
	default:
		p.parseTextLine(indent, from, end, body)
	}
}

// parseTextLine takes a line of a paragraph or of an item.
func (p *blockParser) parseTextLine(indent, from, end int, body string) {
	if marker, ordered := ItemMarker(body); marker > 0 {
		p.startBlock(Block{Kind: Item, Level: indent, Ordered: ordered, Start: from, End: end, ContentStart: from + marker})
		p.isOpen = true
		return
	}
	if p.isOpen && p.pending.Kind == Item {
		p.pending.End = end
		return
	}
	p.extendOrStart(Paragraph, Block{Kind: Paragraph, Level: indent, Start: from, End: end, ContentStart: from})
}

// extendOrStart adds the line to the open block of the kind, or begins a new one with it.
func (p *blockParser) extendOrStart(kind Kind, b Block) {
	if p.isOpen && p.pending.Kind == kind {
		p.pending.End, p.isMultiline = b.End, true
		return
	}
	p.startBlock(b)
	p.isOpen = true
}

// parseUnderline makes the paragraph above a heading when the line underlines it.
func (p *blockParser) parseUnderline(body string) bool {
	body = strings.TrimRight(body, " \t")
	if len(body) < 2 || !p.isOpen || p.isMultiline || p.pending.Kind != Paragraph ||
		strings.Trim(body, body[:1]) != "" || body[0] != '=' && body[0] != '-' {
		return false
	}
	b := &p.pending
	b.Kind, b.Level = Heading, 1
	if body[0] == '-' {
		b.Level = 2
	}
	p.isOpen = false
	return true
}

func (p *blockParser) parseCode(from int, opening string) {
	p.isOpen = false
	fence := opening[:len(opening)-len(strings.TrimLeft(opening, opening[:1]))]
	end := from + len(opening)
	for p.pos < len(p.text) {
		s, e := p.nextLine()
		end = e
		if line := strings.TrimSpace(p.text[s:e]); strings.HasPrefix(line, fence) && strings.Trim(line, fence[:1]) == "" {
			break
		}
	}
	p.startBlock(Block{Kind: Code, Start: from, End: end, ContentStart: from})
}

const maxCommentBytes = 8 << 10

// parseMarkupUntil takes everything up to the mark, or one line where the mark never comes.
func (p *blockParser) parseMarkupUntil(from int, mark string) {
	p.isOpen = false
	end := p.pos
	if n := strings.Index(p.text[from:min(len(p.text), from+maxCommentBytes)], mark); n >= 0 {
		end = from + n + len(mark)
	}
	for p.pos < end {
		p.nextLine()
	}
	end = p.pos
	for end > from && (p.text[end-1] == '\n' || p.text[end-1] == '\r') {
		end--
	}
	p.startBlock(Block{Kind: Markup, Start: from, End: end, ContentStart: from})
}
