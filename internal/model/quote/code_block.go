package quote

import (
	"regexp"
	"slices"
	"strings"

	"parley/internal/model"
	"parley/internal/text/markdown"
)

// Code is quoted to those who ask about code. To anybody else its keys and examples only look like an answer: "name:
// Opening hours".

// codeNotationPattern finds words that only code has: `name`, --flag, some_name, someName, /a/path, name.ext, {…}.
var codeNotationPattern = regexp.MustCompile(
	"`|(^|\\s)--?[a-z]|[A-Za-z0-9]_[A-Za-z0-9]|[a-z][a-z][A-Z]|(^|\\s)/[a-z]|\\w\\.[a-z]{2,4}\\b|[{}<>=]")

// isAboutCode reports whether the question is about code, configuration or a command, or how something is done, which a
// command may answer.
func (q *parsedQuestion) isAboutCode() bool {
	if q.wantsSteps || codeNotationPattern.MatchString(q.originalText) ||
		containsAny(q.originalText, codeTopicWordsUnspaced()...) || len(findCodes(q.originalText)) > 0 {
		return true
	}
	return containsWord(q.foldedText, func(w string) bool { return codeTopicWords()[w] })
}

func stripCodeBlocks(text string, blocks []markdown.Block) string {
	if !slices.ContainsFunc(blocks, isCodeBlock) {
		return text
	}
	var b strings.Builder
	at := 0
	for _, c := range blocks {
		if isCodeBlock(c) {
			b.WriteString(text[at:c.Start])
			at = c.End
		}
	}
	return b.String() + text[at:]
}

func isCodeBlock(b markdown.Block) bool { return b.Kind == markdown.Code }

// shareOutsideCode returns how much of what the passage holds of the question is outside its code, 0 to 1; 1 if
// the question is about code.
func (q *parsedQuestion) shareOutsideCode(p model.Passage) float64 {
	if q.wantsCode {
		return 1
	}
	plain := stripCodeBlocks(p.Text, parseBlocks(p.Text))
	if plain == p.Text {
		return 1
	}
	title := mergeMatches(q.matchText(p.Heading), q.matchText(p.SourceName))
	if all := q.matchedShare(mergeMatches(title, q.matchText(p.Text)), q.isSingleWord); all > 0 {
		return q.matchedShare(mergeMatches(title, q.matchText(plain)), q.isSingleWord) / all
	}
	return 1
}

// scoredUnitText returns what of a unit counts: of code with the line that leads to it the line alone, where the
// question is not about code.
func (p *passageLayout) scoredUnitText(t *parsedQuestion, u quotableUnit) string {
	if last := p.blocks[u.lastBlock]; !t.wantsCode && isCodeBlock(last) && last.Start > u.start {
		return p.text[u.start:last.Start]
	}
	return p.text[u.start:u.end]
}

// parseBlocks returns the blocks of a passage. One that was cut out of code begins with the rest of it.
func parseBlocks(text string) []markdown.Block {
	end := leadingCodeEnd(text)
	if end == 0 {
		return markdown.Blocks(text)
	}
	blocks := []markdown.Block{{Kind: markdown.Code, End: len(strings.TrimRight(text[:end], "\r\n"))}}
	for _, b := range markdown.Blocks(text[end:]) {
		b.Start, b.End, b.ContentStart = b.Start+end, b.End+end, b.ContentStart+end
		blocks = append(blocks, b)
	}
	return blocks
}

// leadingCodeEnd returns where the code ends that the text begins in the middle of, 0 if it does not: behind a fence
// that ends code and before which there is none, or at the end of lines that are all of the form of code.
func leadingCodeEnd(text string) int {
	at, before := 0, ""
	for line := range strings.Lines(text) {
		at += len(line)
		if body := strings.TrimSpace(line); strings.HasPrefix(body, "```") || strings.HasPrefix(body, "~~~") {
			if strings.Trim(body, body[:1]) == "" && before != "" {
				return at
			}
			return 0
		}
		before = strings.TrimSpace(line)
	}
	if looksLikeCode(text) {
		return len(text)
	}
	return 0
}

const (
	minCodeLines = 4   // of which no form shows
	minCodeShare = 0.7 // of the lines
)

// codeLinePattern is the form of a line of configuration or of a program: a key with its value, brackets, the end of a
// statement, a comment.
var codeLinePattern = regexp.MustCompile(`^\s*(-\s+)?[\w.$"'-]+\s*[:=](\s|$)|^\s+-\s|[{}\[\](;,\\]\s*$|` +
	`^\s*[{}\[\])]|^\s*(#|//|\$ )|^(\s{4}|\t)`)

// looksLikeCode reports whether most lines of the text have the form of code, and the text begins in the middle of it:
// a line is indented.
func looksLikeCode(text string) bool {
	lines, code, deep := 0, 0, false
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		lines++
		if codeLinePattern.MatchString(strings.TrimRight(line, "\r\n")) {
			code++
		}
		deep = deep || line[0] == ' ' || line[0] == '\t'
	}
	return deep && lines >= minCodeLines && float64(code) >= minCodeShare*float64(lines)
}

// openFence returns the mark that would end the code which the text ends within; empty if it ends within none.
func openFence(text string, blocks []markdown.Block) string {
	if len(blocks) == 0 || !isCodeBlock(blocks[len(blocks)-1]) {
		return ""
	}
	b := blocks[len(blocks)-1]
	opening, rest, _ := strings.Cut(text[b.Start:b.End], "\n")
	fence := opening[:len(opening)-len(strings.TrimLeft(opening, "`~"))]
	if len(fence) < 3 || endOfCode(rest, fence) >= 0 {
		return ""
	}
	return fence
}

// endOfCode returns where the line ends that the fence ends code with, -1 if there is none.
func endOfCode(text, fence string) int {
	at := 0
	for line := range strings.Lines(text) {
		body := strings.TrimSpace(line)
		if strings.HasPrefix(body, fence) && strings.Trim(body, fence[:1]) == "" {
			return at + len(strings.TrimRight(line, "\r\n"))
		}
		at += len(line)
	}
	return -1
}

// restOfCode returns the parts of the following passages up to the end of the code that passage i ends within; nil if
// the passages do not hold all of it.
func restOfCode(passages []model.Passage, i int, fence string) (rest []excerpt) {
	for range maxProcedureParts {
		next, from := followingPassage(passages, i)
		if next < 0 || !strings.HasSuffix(passages[i].Text, "\n") { // a line is cut, too
			return nil
		}
		text := passages[next].Text
		s := excerpt{passageIndex: next, start: from, end: len(strings.TrimSuffix(text, "\n")), continuesPrevious: true}
		end := endOfCode(text[from:], fence)
		if end >= 0 {
			s.end = from + end
		}
		if rest = append(rest, s); end >= 0 {
			return rest
		}
		i = next
	}
	return nil
}

// endsInOpenCode reports whether the block is code that goes on in another passage, if anywhere.
func (p *passageLayout) endsInOpenCode(n int) bool {
	return p.openFence != "" && n == len(p.blocks)-1
}

// codeRestOf returns what of other passages belongs to an excerpt that ends within code.
func (p *passageLayout) codeRestOf(s excerpt) []excerpt {
	if p.openFence != "" && s.end == p.blocks[len(p.blocks)-1].End {
		return p.codeRest
	}
	return nil
}

func excerptBytes(all []excerpt) (n int) {
	for _, s := range all {
		n += s.end - s.start
	}
	return n
}
