package helpdesk

import (
	"context"
	"iter"
	"slices"
	"unicode"
	"unicode/utf8"

	"parley"
	"parley/internal/store"
	"parley/internal/text/words"
)

// How much a place tells in which a word of a ticket stands. A word counts where it tells most.
const (
	subjectWeight     = 8
	customerWeight    = 4
	descriptionWeight = 2
	messageWeight     = 1
)

const (
	maxTicketWords = 2000 // distinct ones that a ticket is found by
	maxWordBytes   = 64   // bytes that are told apart
)

// ticketWords returns the words that a new ticket is found by, those of the most telling places first, and behind them those of the messages
// that there are already.
func (d *Service) ticketWords(t *parley.Ticket, said ...string) []store.TicketWord {
	return weightedWords(maxTicketWords, append([]weightedText{
		{subjectWeight, t.Subject}, {customerWeight, t.Customer.Name}, {customerWeight, t.Customer.Email}, {customerWeight, t.Customer.Phone}, {descriptionWeight, t.Description}},
		messageTexts(said)...))
}

// indexWords has a ticket be found by the words of messages as well.
func (d *Service) indexWords(ctx context.Context, tx *store.DB, t *parley.Ticket, said ...string) error {
	has, err := tx.CountTicketWords(ctx, t.AccountID, t.AgentID, t.ID)
	if err != nil || has >= maxTicketWords {
		return err
	}
	return tx.AddTicketWords(ctx, t.AccountID, t.AgentID, t.ID, weightedWords(maxTicketWords-has, messageTexts(said)))
}

// maxTranscriptMessages is how many messages of a conversation a ticket is found by that it gets later.
const maxTranscriptMessages = 200

// transcript returns what has been said in a conversation so far, the newest first.
func transcript(ctx context.Context, tx *store.DB, c *parley.Conversation) ([]string, error) {
	list, err := tx.RecentMessages(ctx, c.AccountID, c.AgentID, c.ID, 0, maxTranscriptMessages)
	said := make([]string, len(list))
	for i := range list {
		said[len(list)-1-i] = list[i].Text()
	}
	return said, err
}

func messageTexts(said []string) []weightedText {
	list := make([]weightedText, len(said))
	for i, text := range said {
		list[i] = weightedText{messageWeight, text}
	}
	return list
}

// weightedText is a text of a ticket with the weight of its words.
type weightedText struct {
	weight int
	text   string
}

// weightedWords returns the distinct words of texts that run from the most telling to the least, at most so many.
func weightedWords(most int, texts []weightedText) (list []store.TicketWord) {
	seen := map[string]bool{}
	for _, p := range texts {
		for word := range tokens(p.text) {
			if len(list) == most {
				return list
			}
			if !seen[word] {
				seen[word] = true
				list = append(list, store.TicketWord{Word: word, Weight: p.weight})
			}
		}
	}
	return list
}

// queryTerms returns what a query asks for: each of its words, the last one as far as it is typed.
func queryTerms(query string) (terms []store.TicketTerm) {
	dense := ""
	for word := range tokens(query) {
		// The last character of a run without spaces stands for itself alone: the pair before it asks for it already.
		last := words.IsUnspaced(word) && utf8.RuneCountInString(word) == 1
		if last && dense != "" {
			dense = ""
			continue
		}
		if dense = ""; words.IsUnspaced(word) && !last {
			dense = word
		}
		terms = append(terms, store.TicketTerm{Word: word, IsPrefix: last})
	}
	if len(terms) > 0 && !words.IsUnspaced(terms[len(terms)-1].Word) {
		terms[len(terms)-1].IsPrefix = true
	}
	return uniqueTerms(terms)
}

func uniqueTerms(terms []store.TicketTerm) (list []store.TicketTerm) {
	for _, t := range terms {
		if !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	return list
}

// tokens returns the folded words of a text in order: letters and digits as package words cuts them, and symbols such as emoji each by
// itself.
func tokens(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for t := range words.Tokens(text) {
			if word := truncateWord(t.Word); word != "" && !yield(word) {
				return
			}
		}
		for _, r := range text {
			if unicode.Is(unicode.So, r) && !yield(string(r)) {
				return
			}
		}
	}
}

// truncateWord shortens a word to what is told apart, at the edge of a character.
func truncateWord(word string) string {
	if len(word) <= maxWordBytes {
		return word
	}
	end := maxWordBytes
	for !utf8.RuneStart(word[end]) {
		end--
	}
	return word[:end]
}
