// Package prose tells how a text is laid out: headings, paragraphs, list items, tables, code, and the sentences in them. It
// reads Markdown and plain text alike, never fails, and takes time in proportion to the text. All spans are byte spans of the
// text that was handed in, on code point boundaries.
package prose

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
	Kind       Kind
	Level      int  // of a heading 1 to 6; of an item or paragraph how many columns it is indented
	Ordered    bool // an item with a number
	Start, End int  // without the line break behind it
	Inner      int  // where its words begin, behind the marker of a heading or an item
}

// Blocks gives the blocks of the text in order.
func Blocks(text string) []Block { return slices.Collect(EachBlock(text)) }

// EachBlock hands out the blocks of the text in order, one at a time: there may be one for every two bytes of a long
// text.
func EachBlock(text string) iter.Seq[Block] {
	return func(yield func(Block) bool) {
		p := parser{text: text, yield: yield}
		p.frontMatter()
		for p.at < len(text) && !p.stopped {
			p.line()
		}
		p.hand()
	}
}

type parser struct {
	text    string
	at      int
	open    bool // the last block goes on with the next line
	last    Block
	any     bool // last is a block that was not handed out yet
	lines   bool // it has more than one line
	yield   func(Block) bool
	stopped bool
}

// hand hands out the last block.
func (p *parser) hand() {
	if p.any && !p.stopped {
		p.stopped = !p.yield(p.last)
	}
	p.any = false
}

// next cuts the next line off: its span without the line break.
func (p *parser) next() (start, end int) {
	start = p.at
	if n := strings.IndexByte(p.text[start:], '\n'); n >= 0 {
		p.at = start + n + 1
		end = start + n
	} else {
		p.at = len(p.text)
		end = p.at
	}
	if end > start && p.text[end-1] == '\r' {
		end--
	}
	return start, end
}

func (p *parser) close() { p.open = false }

func (p *parser) add(b Block) {
	p.hand()
	p.last, p.any, p.lines = b, true, false
}

// frontMatterLines bounds the search for the end of front matter.
const frontMatterLines = 200

func (p *parser) frontMatter() {
	if !strings.HasPrefix(p.text, "---\n") && !strings.HasPrefix(p.text, "---\r\n") {
		return
	}
	p.next()
	for range frontMatterLines {
		if p.at >= len(p.text) {
			break
		}
		if s, e := p.next(); strings.TrimRight(p.text[s:e], " \t") == "---" {
			p.add(Block{Kind: Markup, Start: 0, End: e})
			return
		}
	}
	p.at = 0
}

func (p *parser) line() {
	start, end := p.next()
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
		p.close()
	case isFence(body):
		p.code(from, body)
	case strings.HasPrefix(body, "<!--"):
		p.until(from, "-->")
	case headingLevel(body) > 0 && indent < 4:
		level := headingLevel(body)
		p.close()
		p.add(Block{Kind: Heading, Level: level, Start: from, End: from + len(strings.TrimRight(body, " \t#")), Inner: from + level + 1})
	case p.underlines(body):
	case isMarkup(body):
		p.close()
		p.add(Block{Kind: Markup, Start: from, End: end, Inner: from})
	case body[0] == '|':
		p.grow(Table, Block{Kind: Table, Start: from, End: end, Inner: from})
	default:
		p.words(indent, from, end, body)
	}
}

// words takes a line of a paragraph or of an item.
func (p *parser) words(indent, from, end int, body string) {
	if marker, ordered := itemMarker(body); marker > 0 {
		p.add(Block{Kind: Item, Level: indent, Ordered: ordered, Start: from, End: end, Inner: from + marker})
		p.open = true
		return
	}
	if p.open && p.last.Kind == Item {
		p.last.End = end
		return
	}
	p.grow(Paragraph, Block{Kind: Paragraph, Level: indent, Start: from, End: end, Inner: from})
}

// grow adds the line to the open block of the kind, or begins a new one with it.
func (p *parser) grow(kind Kind, b Block) {
	if p.open && p.last.Kind == kind {
		p.last.End, p.lines = b.End, true
		return
	}
	p.add(b)
	p.open = true
}

// underlines makes the paragraph above a heading when the line underlines it.
func (p *parser) underlines(body string) bool {
	body = strings.TrimRight(body, " \t")
	if len(body) < 2 || !p.open || p.last.Kind != Paragraph || strings.Trim(body, body[:1]) != "" || body[0] != '=' && body[0] != '-' {
		return false
	}
	if p.lines {
		return false
	}
	b := &p.last
	b.Kind, b.Level = Heading, 1
	if body[0] == '-' {
		b.Level = 2
	}
	p.close()
	return true
}

func (p *parser) code(from int, opening string) {
	p.close()
	fence := opening[:len(opening)-len(strings.TrimLeft(opening, opening[:1]))]
	_, end := from, from+len(opening)
	for p.at < len(p.text) {
		s, e := p.next()
		end = e
		if line := strings.TrimSpace(p.text[s:e]); strings.HasPrefix(line, fence) && strings.Trim(line, fence[:1]) == "" {
			break
		}
	}
	p.add(Block{Kind: Code, Start: from, End: end, Inner: from})
}

// longComment bounds the search for the end of a comment.
const longComment = 8 << 10

// until takes everything up to the mark, or one line where the mark never comes.
func (p *parser) until(from int, mark string) {
	p.close()
	_, end := from, p.at
	if n := strings.Index(p.text[from:min(len(p.text), from+longComment)], mark); n >= 0 {
		end = from + n + len(mark)
	}
	for p.at < end {
		p.next()
	}
	end = p.at
	for end > from && (p.text[end-1] == '\n' || p.text[end-1] == '\r') {
		end--
	}
	p.add(Block{Kind: Markup, Start: from, End: end, Inner: from})
}
