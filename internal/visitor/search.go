package visitor

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"parley"
	"parley/internal/store"
	"parley/internal/text/words"
)

// Bounds of a search in a visitor's conversations. What is older than they reach is not found.
const (
	maxSearchedConversations = 200
	maxSearchedBytes         = 4 << 20
	maxFoundConversations    = 50
	searchBatchSize          = 50 // messages
)

// FoundConversation is a conversation in which a search has found all words. Excerpt is what a message says there; it
// is empty where the title has them.
type FoundConversation struct {
	parley.Conversation
	Excerpt string
}

// Search finds the conversations of a visitor whose title and messages contain all words of a text, the latest
// first. Case and accents do not count, and a word may be a part of another.
func (s *Service) Search(ctx context.Context, v *parley.Visitor, text string) (found []FoundConversation, err error) {
	wanted := strings.Fields(words.Fold(text))
	if len(wanted) == 0 {
		return nil, nil
	}
	list, err := s.DB.VisitorConversations(ctx, v, maxSearchedConversations)
	if err != nil {
		return nil, err
	}
	left := maxSearchedBytes
	for i := range list {
		if left <= 0 || len(found) == maxFoundConversations {
			break
		}
		one := &conversationSearch{missing: slices.Clone(wanted)}
		if err := one.read(ctx, s.DB, &list[i], &left); err != nil {
			return nil, err
		}
		if len(one.missing) == 0 {
			found = append(found, FoundConversation{list[i], one.excerpt})
		}
	}
	return found, nil
}

// conversationSearch looks for words in a conversation.
type conversationSearch struct {
	missing []string // folded
	excerpt string
}

// read looks through a conversation until all words are found, and takes what it has read from left.
func (s *conversationSearch) read(ctx context.Context, db *store.DB, c *parley.Conversation, left *int) error {
	if s.remove(words.Fold(c.Title)); len(s.missing) == 0 {
		return nil
	}
	for seq := int64(0); *left > 0; {
		messages, err := db.MessagesAfter(ctx, c.Ref(), seq, searchBatchSize)
		if err != nil || len(messages) == 0 {
			return err
		}
		for i := range messages {
			text := messages[i].Text()
			*left -= len(text)
			if s.readText(text); len(s.missing) == 0 {
				return nil
			}
		}
		seq = messages[len(messages)-1].Seq
	}
	return nil
}

// readText looks for the words that are missing. The first text that has one is what is shown.
func (s *conversationSearch) readText(text string) {
	text = strings.Join(strings.Fields(markdownSigns.Replace(text)), " ")
	if first := s.remove(words.Fold(text)); first >= 0 && s.excerpt == "" {
		s.excerpt = cutExcerpt(text, originOf(text, first))
	}
}

// markdownSigns takes away what would be between the letters of an excerpt.
var markdownSigns = strings.NewReplacer("**", "", "`", "")

// remove removes the words that a text has from those that are missing, and returns where the first of them is; -1 for
// none.
func (s *conversationSearch) remove(folded string) (first int) {
	first = -1
	missing := s.missing[:0]
	for _, word := range s.missing {
		at := strings.Index(folded, word)
		switch {
		case at < 0:
			missing = append(missing, word)
		case first < 0 || at < first:
			first = at
		}
	}
	s.missing = missing
	return first
}

// originOf returns where the character of a text is that its folded form has at a byte.
func originOf(text string, at int) int {
	folded := 0
	for i, r := range text {
		if folded += len(words.Fold(string(r))); folded > at {
			return i
		}
	}
	return len(text)
}

// Bounds of an excerpt, in characters.
const (
	maxExcerptChars = 160
	excerptLead     = 40 // before what was found
)

// cutExcerpt cuts what is around a place out of a text on one line.
func cutExcerpt(text string, at int) string {
	begin := at
	for range excerptLead {
		_, size := utf8.DecodeLastRuneInString(text[:begin])
		begin -= size
	}
	if space := strings.IndexByte(text[begin:at], ' '); begin > 0 && space >= 0 {
		begin += space + 1
	}
	excerpt := parley.ClipText(text[begin:], maxExcerptChars)
	if begin+len(excerpt) < len(text) {
		excerpt += "…"
	}
	if begin > 0 {
		excerpt = "…" + excerpt
	}
	return excerpt
}
