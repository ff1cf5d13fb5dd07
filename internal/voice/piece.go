package voice

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"parley"
	"parley/internal/text/prose"
)

const (
	// the first piece of an answer may end at a comma from here on, so that speech begins early
	minFirstClauseBytes = 24
	maxPieceLookahead   = 1 << 10 // bytes that are searched for the end of a piece
	// a longer piece is cut at a comma or a space, so that it can be interrupted, and shown, in time
	maxPieceBytes = 280
)

// nextPieceEnd returns where the piece of an answer that begins at from ends: after a sentence with the space behind
// it, after a clause where the answer begins, or after a block of code. It returns false while the text so far does not
// tell; if isComplete, no more text follows. Pieces follow each other without a gap.
func nextPieceEnd(text string, from int, isComplete bool) (end int, ok bool) {
	rest := text[from:]
	words := strings.TrimLeftFunc(rest, unicode.IsSpace)
	if words == "" {
		return len(text), isComplete && rest != ""
	}
	begin := len(text) - len(words)
	if strings.HasPrefix(words, "```") || strings.HasPrefix(words, "~~~") {
		return codeBlockEnd(text, begin, isComplete)
	}
	until, closed := min(len(text), begin+maxPieceLookahead), isComplete
	for _, fence := range []string{"\n```", "\n~~~"} {
		if i := strings.Index(text[begin:until], fence); i >= 0 {
			until, closed = begin+i+1, true
		}
	}
	n := 0
	end = until
	for sentence := range prose.EachSentence(text, begin, until) {
		if n++; n == 2 {
			end, closed = sentence.Start, true
			break
		}
	}
	if n == 0 {
		return until, closed
	}
	return shortenPiece(text, from, end, closed)
}

// shortenPiece ends a piece before the sentence ends, if it begins the answer or is very long.
func shortenPiece(text string, from, end int, closed bool) (int, bool) {
	if from == 0 {
		if i := firstClauseEnd(text[:end], minFirstClauseBytes); i > 0 {
			return i, true
		}
	}
	if end-from <= maxPieceBytes {
		return end, closed
	}
	piece := text[from : from+maxPieceBytes]
	at := strings.LastIndexAny(piece, ",;:–—")
	if at >= maxPieceBytes/3 {
		_, n := utf8.DecodeRuneInString(piece[at:])
		at += n
		for at < len(piece) && piece[at] == ' ' {
			at++
		}
		return from + at, true
	}
	if at = strings.LastIndexByte(piece, ' '); at > 0 {
		return from + at + 1, true
	}
	return from + len(parley.ClipBytes(text[from:], maxPieceBytes)), true
}

// firstClauseEnd returns the end of a first clause of at least minBytes; 0 if there is none, or hardly anything would
// follow.
func firstClauseEnd(text string, minBytes int) int {
	for i := minBytes; i+1 < len(text); i++ {
		if strings.IndexByte(",;:", text[i]) >= 0 && text[i+1] == ' ' {
			if len(strings.TrimSpace(text[i+1:])) < 8 {
				return 0
			}
			return i + 2
		}
	}
	return 0
}

// codeBlockEnd returns the end of the code block that begins at begin.
func codeBlockEnd(text string, begin int, isComplete bool) (end int, ok bool) {
	fence := "\n" + text[begin:begin+3]
	i := strings.Index(text[begin+3:], fence)
	if i < 0 {
		return len(text), isComplete
	}
	end = begin + 3 + i + len(fence)
	if line := strings.IndexByte(text[end:], '\n'); line >= 0 {
		return end + line + 1, true
	}
	return len(text), isComplete
}
