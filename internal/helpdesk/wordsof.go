package helpdesk

import (
	"context"
	"iter"
	"slices"
	"unicode"
	"unicode/utf8"

	"parley"
	"parley/internal/store"
	"parley/internal/words"
)

// How much a place tells in which a word of a ticket stands. A word counts where it tells most.
const (
	inSubject     = 8
	inCustomer    = 4
	inDescription = 2
	inMessage     = 1
)

const (
	mostWords   = 2000 // distinct ones that a ticket is found by
	longestWord = 64   // bytes that are told apart
)

// words gives the words that a new ticket is found by, those of the most telling places first, and behind them those of the messages
// that there are already.
func (d *Desk) words(t *parley.Ticket, said ...string) []store.TicketWord {
	return wordsIn(mostWords, append([]passage{
		{inSubject, t.Subject}, {inCustomer, t.Customer.Name}, {inCustomer, t.Customer.Email}, {inCustomer, t.Customer.Phone}, {inDescription, t.Description}},
		passages(said)...))
}

// learn has a ticket be found by the words of messages as well.
func (d *Desk) learn(ctx context.Context, tx *store.DB, t *parley.Ticket, said ...string) error {
	has, err := tx.CountTicketWords(ctx, t.AccountID, t.AgentID, t.ID)
	if err != nil || has >= mostWords {
		return err
	}
	return tx.AddTicketWords(ctx, t.AccountID, t.AgentID, t.ID, wordsIn(mostWords-has, passages(said)))
}

// mostSaid is how many messages of a conversation a ticket is found by that it gets later.
const mostSaid = 200

// transcript gives what has been said in a conversation so far, the newest first.
func transcript(ctx context.Context, tx *store.DB, c *parley.Conversation) ([]string, error) {
	list, err := tx.Recall(ctx, c.AccountID, c.AgentID, c.ID, 0, mostSaid)
	said := make([]string, len(list))
	for i := range list {
		said[len(list)-1-i] = list[i].Text()
	}
	return said, err
}

func passages(said []string) []passage {
	list := make([]passage, len(said))
	for i, text := range said {
		list[i] = passage{inMessage, text}
	}
	return list
}

// passage is a text of a ticket with the weight of its words.
type passage struct {
	weight int
	text   string
}

// wordsIn gives the distinct words of texts that run from the most telling to the least, at most so many.
func wordsIn(most int, texts []passage) (list []store.TicketWord) {
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

// asked gives what a query asks for: each of its words, the last one as far as it is typed.
func asked(query string) (terms []store.TicketTerm) {
	dense := ""
	for word := range tokens(query) {
		// The last character of a run without spaces stands for itself alone: the pair before it asks for it already.
		last := words.Dense(word) && utf8.RuneCountInString(word) == 1
		if last && dense != "" {
			dense = ""
			continue
		}
		if dense = ""; words.Dense(word) && !last {
			dense = word
		}
		terms = append(terms, store.TicketTerm{Word: word, Prefix: last})
	}
	if len(terms) > 0 && !words.Dense(terms[len(terms)-1].Word) {
		terms[len(terms)-1].Prefix = true
	}
	return distinct(terms)
}

func distinct(terms []store.TicketTerm) (list []store.TicketTerm) {
	for _, t := range terms {
		if !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	return list
}

// tokens gives the folded words of a text in order: letters and digits as package words cuts them, and symbols such as emoji each by
// itself.
func tokens(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for t := range words.Tokens(text) {
			if word := cut(t.Word); word != "" && !yield(word) {
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

// cut shortens a word to what is told apart, at the edge of a character.
func cut(word string) string {
	if len(word) <= longestWord {
		return word
	}
	end := longestWord
	for !utf8.RuneStart(word[end]) {
		end--
	}
	return word[:end]
}
