package helpdesk

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/store"
	"parley/internal/testkit/dbs"
)

// wantFound asserts the numbers of the tickets that a query finds, in order.
func (h *testHelpdesk) wantFound(query, want string) {
	h.Helper()
	list, _, err := h.Search(h, h.ref(), query, 20)
	h.Must(err)
	var got []string
	for _, t := range list {
		got = append(got, fmt.Sprint(t.Number))
	}
	if strings.Join(got, " ") != want {
		h.Errorf("%q finds %v, want %s", query, got, want)
	}
}

func TestSearch(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		ann := h.addMember(h.Account, "ann")
		for _, in := range []NewTicket{
			{Subject: "Refund for order 4711", Description: "My parcel never came.", Email: "maria@example.org",
				Name: "María Núñez"},
			{Subject: "Parcel is broken", Description: "I want a refund, please.", Email: "jo@example.com"},
			{Subject: "Überweisung fehlt", Description: "Straße nicht gefunden", Email: "max@beispiel.de", Name: "Max"},
			{Subject: "配送について", Description: "荷物が届きません", Email: "k@example.jp"},
			{Subject: "🔥 urgent", Description: "12 refunds", Email: "z@example.com"},
			{Subject: "Version 6.15.0 fails", Description: "1,000 errors", Email: "v@example.com"},
		} {
			h.Clock = h.Clock.Add(time.Minute)
			h.mustOpen(in)
		}
		h.wantFound("refund", "1 5 2") // in the subject; then in descriptions, the latest first
		h.wantFound("REFUND parcel", "2 1")
		h.wantFound("parcel refu", "2 1")
		h.wantFound("refu parcel", "")
		h.wantFound("maria", "1")
		h.wantFound("nunez", "1")
		h.wantFound("jo@example.com", "2")
		h.wantFound("example.com", "6 5 2")
		h.wantFound("ueberweisung", "")
		h.wantFound("uberweisung strasse", "3")
		h.wantFound("配送", "4")
		h.wantFound("届", "4")
		h.wantFound("荷物が届", "4")
		h.wantFound("荷届", "")
		h.wantFound("🔥", "5")
		h.wantFound("6.15", "6")
		h.wantFound("1000", "6")
		h.wantFound("#2", "2")
		for _, query := range []string{"Ticket #2", "ticket 2", "No. 2", "no 2", "Ticket no. 2", "ticket-2", "TICKET: 2",
			"Nr. 2", "Vorgang 2", "número 2", "№ 2", "case ２"} {
			h.wantFound(query, "2")
		}
		for _, query := range []string{"order 2", "my ticket no 2", "ticket 2 3", "ticket 77", "ticket"} {
			h.wantFound(query, "")
		}
		h.wantFound(" 1 ", "1 6 5") // the ticket of that number first, then those whose words begin with it
		h.wantFound("12", "5")
		h.wantFound("99999999999999999999", "")
		h.wantFound("nothing refund", "")
		h.wantFound("?!", "")
		h.wantFound("%", "")
		h.wantFound("_efund", "")
		h.wantFound("' or 1=1 --", "")
		h.wantFound(strings.Repeat("refund ", 70), "1 2") // all but the last are whole words

		third := &parley.Ticket{AccountID: h.Account, AgentID: h.Agent, Number: 3,
			ConversationID: h.reloadTicket(&parley.Ticket{AccountID: h.Account, AgentID: h.Agent, Number: 3}).ConversationID}
		h.mustReply(third, store.MessageTypeReply, ann, "The **refund** is on its way")
		h.mustReply(third, store.MessageTypeNote, ann, "Checked with [Visa](https://visa.example)")
		h.wantFound("refund", "1 5 2 3")
		h.wantFound("visa", "3")
		h.addCustomerMessage(third, "Merci beaucoup")
		h.wantFound("merci", "3")

		other := h.addAgent(h.Account)
		if list, _, err := h.Search(h, h.Account.AgentRef(other), "refund", 20); err != nil || len(list) > 0 {
			h.Errorf("another agent finds %v %v", list, err)
		}
		if list, _, err := h.Search(h, h.addAccount("Other").AgentRef(h.Agent), "#1", 20); err != nil || len(list) > 0 {
			h.Errorf("another account finds %v %v", list, err)
		}
	})
}

func TestSearchReportsWhetherThereIsMore(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		for i := range 7 {
			h.mustOpen(NewTicket{Subject: "Same thing", Description: "x", Email: fmt.Sprint("c", i, "@example.com")})
		}
		for _, c := range []struct {
			query string
			limit int
			n     int
			more  bool
		}{{"same", 6, 6, true}, {"same", 7, 7, false}, {"same", 50, 7, false}, {"#3", 1, 1, false}, {"3", 1, 1, false}} {
			list, more, err := h.Search(h, h.ref(), c.query, c.limit)
			if err != nil || len(list) != c.n || more != c.more {
				h.Errorf("%q up to %d: %d, %v, %v", c.query, c.limit, len(list), more, err)
			}
		}
	})
}

// A search for a very common word, whole or in part, finds the latest tickets.
func TestSearchForCommonWords(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		const n = 1100
		h.mustOpen(newTicketRequest(1))
		for _, statement := range []string{
			`insert into tickets (id, account_id, agent_id, number, subject, description, status_id, category, is_open,
				person_id, metadata, channel, priority, created_at, updated_at)
				with recursive n (i) as (select 1 union all select i + 1 from n where i < ?)
				select 'ticket' || (100000 + i), account_id, agent_id, 1 + i, subject, description, status_id, category,
				is_open, person_id, metadata, channel, priority, created_at, updated_at + i
				from n cross join tickets t where t.number = 1`,
			`insert into ticket_words (agent_id, word, ticket_id, account_id, weight)
				with recursive n (i) as (select 1 union all select i + 1 from n where i < ?)
				select agent_id, 'common', 'ticket' || (100000 + i), account_id, 2 from n cross join tickets t where t.number = 1`,
		} {
			if _, err := h.DB.SQL().Exec(h, statement, n); err != nil {
				h.Fatal(err)
			}
		}
		if _, err := h.DB.SQL().Exec(h, `analyze`); err != nil { // a server does that by itself, after a while
			h.Fatal(err)
		}
		for _, query := range []string{"common", "comm", "common common", "common comm"} {
			list, more, err := h.Search(h, h.ref(), query, 20)
			if err != nil || len(list) != 20 || !more || list[0].Number != n+1 || list[19].Number != n-18 {
				h.Errorf("%q: %d, %v, %v", query, len(list), more, err)
			}
		}
	})
}

func TestWordsOfATicketAreBounded(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		ann := h.addMember(h.Account, "ann")
		many := func(word string, n int) string {
			var b strings.Builder
			for i := range n {
				fmt.Fprintf(&b, "%s%d ", word, i)
			}
			return b.String()
		}
		first := h.mustOpen(NewTicket{Subject: "Much", Description: many("a", 1500), Email: "c@example.com"})
		h.mustReply(first, store.MessageTypeNote, ann, many("b", 1000))
		h.mustReply(first, store.MessageTypeNote, ann, many("c", 1000))
		if n := dbs.CountRows(h.TB, h.DB.SQL(), `select count(*) from ticket_words`); n != maxTicketWords {
			h.Errorf("%d words", n)
		}
		h.wantFound("b100", "1")
		h.wantFound("c100", "")
		h.wantFound(strings.Repeat("y", 80), "")
		h.mustOpen(NewTicket{Subject: strings.Repeat("x", 100), Description: "y", Email: "c@example.com"})
		h.wantFound(strings.Repeat("x", 100), "2")
	})
}
