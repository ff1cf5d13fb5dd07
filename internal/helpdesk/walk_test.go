package helpdesk

import (
	"testing"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// Reading all pages of a list returns every ticket that does not change meanwhile exactly once, while others are
// changed: those of earlier pages, of the next page and of the last one, at the same time as their neighbors and later.
func TestTicketsAreChangedWhileAListIsRead(t *testing.T) {
	const n, page = 40, 6
	forEachDatabase(t, func(h *testHelpdesk) {
		for _, sort := range []store.TicketSort{store.SortByUpdated, store.SortByCreated, store.SortByLastMessage} {
			for _, ascending := range []bool{false, true} {
				agent := h.addAgent(h.Account)
				h.manyTickets(agent, n)
				patched, shown := map[int64]bool{}, map[int64]int{}
				f, ask := store.TicketFilter{Sort: sort, Ascending: ascending}, parley.PageRequest{Limit: page}
				for next := int64(0); ; next++ {
					got, err := h.DB.Tickets(h, h.Account.AgentRef(agent), f, ask)
					h.Must(err)
					for _, one := range got.Items {
						shown[one.Number]++
					}
					if ask.After = got.Next; got.Next == nil {
						break
					}
					for _, number := range []int64{got.Items[0].Number, 1 + next*5%n, n - next*3} {
						h.Clock = h.Clock.Add(time.Duration(next%2) * time.Second)
						h.togglePriority(agent, number, patched)
					}
				}
				if len(patched) < 10 || len(patched) > n-10 {
					h.Fatalf("%d of %d tickets were patched", len(patched), n)
				}
				for number := int64(1); number <= n; number++ {
					if times := shown[number]; times != 1 && (!patched[number] || !ascending && times > 1) {
						h.Errorf("by %s, ascending %v: ticket %d was shown %d times, patched: %v", sort, ascending,
							number, times, patched[number])
					}
				}
			}
		}
	})
}

// manyTickets opens n tickets, several at the same time.
func (h *testHelpdesk) manyTickets(agent parley.AgentID, n int) {
	h.Helper()
	for i := range n {
		if i%4 == 0 {
			h.Clock = h.Clock.Add(time.Second)
		}
		_, err := h.Open(h, h.Account.AgentRef(agent), newTicketRequest(i))
		h.Must(err)
	}
}

// togglePriority changes a ticket's priority, and sets its status to waiting for the customer.
func (h *testHelpdesk) togglePriority(agent parley.AgentID, number int64, patched map[int64]bool) {
	h.Helper()
	to := "high"
	if patched[number] {
		to = "low"
	}
	t, err := h.Change(h, h.Account.AgentRef(agent), number, Change{Priority: to}, "api")
	h.Must(err)
	h.Must(h.DB.Transact(h, sqldb.Interactive, func(tx *store.DB) error {
		c, err := tx.LockConversation(h, h.Account.AgentRef(agent).ConversationRef(t.ConversationID))
		if err != nil {
			return err
		}
		m := &parley.Message{ID: parley.NewMessageID(), ConversationID: c.ID, Author: parley.AuthorUser,
			State: parley.MessageComplete,
			Parts: []parley.Part{{Type: "text", Text: "And another thing"}}, CreatedAt: h.now()}
		if err := tx.AddMessage(h, h.Account.AgentRef(agent), m, nil); err != nil {
			return err
		}
		return h.MessageWritten(h, tx, c, m)
	}))
	patched[number] = true
}
