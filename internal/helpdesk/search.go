package helpdesk

import (
	"context"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley"
	"parley/internal/store"
	"parley/internal/text/words"
)

// Search finds tickets by the words of their subject, customer, description, replies and notes, the best first, at most
// limit, and reports whether there are more. Every word must be in the ticket, the last one as the beginning of a word.
// A ticket whose number is the query comes first.
func (s *Service) Search(ctx context.Context, ref parley.AgentRef, query string,
	limit int) (list []parley.Ticket, more bool, err error) {
	if list, err = s.ticketByNumber(ctx, ref, query); err != nil {
		return nil, false, err
	}
	if terms := queryTerms(query); len(terms) > 0 {
		found, err := s.DB.SearchTickets(ctx, ref, terms, limit+1)
		if err != nil {
			return nil, false, err
		}
		for _, t := range found {
			if len(list) == 0 || t.ID != list[0].ID {
				list = append(list, t)
			}
		}
	}
	return list[:min(len(list), limit)], len(list) > limit, nil
}

// SearchAccount is Search of all agents of an account. Of a number it finds the ticket of each agent, which come first.
func (s *Service) SearchAccount(ctx context.Context, account parley.AccountID, query string,
	limit int) (list []parley.Ticket, more bool, err error) {
	agents, err := s.DB.AgentIDs(ctx, account.AgentRef(""))
	if err != nil {
		return nil, false, err
	}
	for _, agent := range agents {
		found, err := s.ticketByNumber(ctx, account.AgentRef(agent), query)
		if err != nil {
			return nil, false, err
		}
		list = append(list, found...)
	}
	if terms := queryTerms(query); len(terms) > 0 {
		found, err := s.DB.SearchAccountTickets(ctx, account, agents, terms, limit+len(list)+1)
		if err != nil {
			return nil, false, err
		}
		for _, t := range found {
			if !slices.ContainsFunc(list, func(known parley.Ticket) bool { return known.ID == t.ID }) {
				list = append(list, t)
			}
		}
	}
	return list[:min(len(list), limit)], len(list) > limit, nil
}

// ticketByNumber returns the ticket whose number a query is, such as 12, #12, "Ticket #12" or "No. 12", if there is
// one.
func (s *Service) ticketByNumber(ctx context.Context, ref parley.AgentRef, query string) ([]parley.Ticket, error) {
	number, ok := ticketNumber(query)
	if !ok {
		return nil, nil
	}
	t, err := s.DB.Ticket(ctx, ref, number)
	switch {
	case parley.IsCode(err, parley.CodeTicketNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return []parley.Ticket{*t}, nil
}

// maxNumberWords is how many words may be before the number of a ticket: "ticket no. 12".
const maxNumberWords = 2

// ticketNumber returns the number that a query names and nothing else.
func ticketNumber(query string) (number int64, ok bool) {
	query = words.ToStandardForm(strings.TrimSpace(query))
	digits := strings.TrimLeftFunc(query, func(r rune) bool { return r < '0' || r > '9' })
	number, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, false
	}
	before := slices.Collect(words.Tokens(query[:len(query)-len(digits)]))
	isOther := func(t words.Token) bool { return !numberWords[t.Word] }
	return number, len(before) <= maxNumberWords && !slices.ContainsFunc(before, isOther)
}

// numberWords are what a ticket is called, and the words before numbers of all sorts.
var numberWords = words.NewSet(words.Fold(`ticket tickets case request issue reference ref n no nr num number
	nummer vorgang anfrage fall numéro número numero demande dossier caso solicitud chamado richiesta zaak verzoek
	ärende sak sag pyyntö talep заявка тикет номер تذكرة رقم`))

// The weights of words by their place in a ticket. A word counts with its highest weight.
const (
	subjectWeight     = 8
	customerWeight    = 4
	descriptionWeight = 2
	messageWeight     = 1
)

const (
	maxTicketWords = 2000 // distinct words of a ticket that are indexed
	maxWordBytes   = 64   // bytes of a word that are indexed
)

// ticketWords returns the words to index for a new ticket and its messages, those with the highest weight first.
func ticketWords(t *parley.Ticket, texts ...string) []store.TicketWord {
	return weightedWords(maxTicketWords, append([]weightedText{
		{subjectWeight, t.Subject}, {customerWeight, t.Customer.Name}, {customerWeight, t.Customer.Email},
		{customerWeight, t.Customer.Phone}, {descriptionWeight, t.Description},
	}, messageTexts(texts)...))
}

func (u *update) indexWords(ctx context.Context, t *parley.Ticket, texts ...string) error {
	count, err := u.tx.CountTicketWords(ctx, t.AgentRef(), t.ID)
	if err != nil || count >= maxTicketWords {
		return err
	}
	return u.tx.AddTicketWords(ctx, t.AgentRef(), t.ID, weightedWords(maxTicketWords-count, messageTexts(texts)))
}

// maxTranscriptMessages is how many messages of a conversation are indexed when it gets a ticket.
const maxTranscriptMessages = 200

// transcript returns the texts of a conversation so far, the newest first.
func transcript(ctx context.Context, tx *store.DB, c *parley.Conversation) ([]string, error) {
	list, err := tx.RecentMessages(ctx, c.Ref(), 0, maxTranscriptMessages)
	texts := make([]string, len(list))
	for i := range list {
		texts[len(list)-1-i] = list[i].Text()
	}
	return texts, err
}

func messageTexts(texts []string) []weightedText {
	list := make([]weightedText, len(texts))
	for i, text := range texts {
		list[i] = weightedText{messageWeight, text}
	}
	return list
}

type weightedText struct {
	weight int
	text   string
}

// weightedWords returns the distinct words of texts, which are sorted by weight, at most so many.
func weightedWords(limit int, texts []weightedText) (list []store.TicketWord) {
	seen := map[string]bool{}
	for _, p := range texts {
		for word := range tokens(p.text) {
			if len(list) == limit {
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

// queryTerms returns the terms of a query: its words, the last one as a prefix.
func queryTerms(query string) (terms []store.TicketTerm) {
	dense := ""
	for word := range tokens(query) {
		// The last character of a run without spaces is left out: the pair before it contains it already.
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

// tokens returns the folded words of a text in order: letters and digits as package words cuts them, and symbols such
// as emoji each by itself.
func tokens(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for t := range words.Tokens(text) {
			if word := parley.ClipBytes(t.Word, maxWordBytes); word != "" && !yield(word) {
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
