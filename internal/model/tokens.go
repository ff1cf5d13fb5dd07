package model

import "unicode/utf8"

// What text costs, in quarters of a token. There is one list for all models, and no tokenizer: the figures are on the
// high side of what the common ones need, so that a prompt which fits by them fits.
const (
	costLetter   = 1 // of ASCII, or a space: four bytes a token
	costSign     = 2 // digits, punctuation, markup
	costOther    = 2 // a letter of another alphabet: accented Latin, Greek, Cyrillic, Arabic, Hebrew
	costUnspaced = 4 // a character of Chinese, Japanese, Korean, Thai and other scripts of many signs
	costRare     = 8 // beyond the basic plane: emoji
)

const (
	messageOverheadTokens = 8   // around each message and source
	fixedPromptTokens     = 500 // the words of the prompt itself, with those about tools
)

// EstimateTokens returns about how many tokens the text is to a model.
func EstimateTokens(text string) int {
	quarters := 0
	for i := 0; i < len(text); {
		n := 1
		switch c := text[i]; {
		case c >= utf8.RuneSelf:
			var r rune
			r, n = utf8.DecodeRuneInString(text[i:])
			quarters += runeCost(r)
		case c == ' ' || c|0x20 >= 'a' && c|0x20 <= 'z':
			quarters += costLetter
		default:
			quarters += costSign
		}
		i += n
	}
	return (quarters + 3) / 4
}

func runeCost(r rune) int {
	switch {
	case r < 0x900:
		return costOther
	case r > 0xFFFF:
		return costRare
	}
	return costUnspaced
}

// Tokens estimates how many tokens the message takes.
func (m Message) Tokens() int {
	n := messageOverheadTokens + EstimateTokens(m.Text)
	for _, c := range m.ToolCalls {
		n += messageOverheadTokens + EstimateTokens(c.Name) + EstimateTokens(string(c.Input))
	}
	return n
}

// Tokens estimates how many tokens the passage takes.
func (p *Passage) Tokens() int {
	return messageOverheadTokens + EstimateTokens(p.SourceName) + EstimateTokens(p.Heading) + EstimateTokens(p.Text)
}

// FixedTokens estimates how many tokens the request takes without its messages and passages: instructions, rules,
// tools.
func (r *Request) FixedTokens() int {
	n := fixedPromptTokens + EstimateTokens(r.System) + EstimateTokens(r.UserData)
	for _, t := range r.Tools {
		n += messageOverheadTokens + EstimateTokens(t.Name) + EstimateTokens(t.Description) +
			EstimateTokens(string(t.Parameters))
	}
	return n
}
