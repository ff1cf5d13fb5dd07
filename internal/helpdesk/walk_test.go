package helpdesk

import (
	"testing"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// TestTicketsArePatchedDuringAWalk holds that a walk through a list shows every ticket that does not change meanwhile
// exactly once, while others are patched: those that were shown, those on the next page and those at the end, at the
// time of their neighbors and later.
func TestTicketsArePatchedDuringAWalk(t *testing.T) {
	const n, page = 40, 6
	forEachDatabase(t, func(w *testHelpdesk) {
		for _, sort := range []store.TicketSort{store.SortByUpdated, store.SortByCreated, store.SortByLastMessage} {
			for _, ascending := range []bool{false, true} {
				agent := w.addAgent(w.Account)
				w.manyTickets(agent, n)
				patched, shown := map[int64]bool{}, map[int64]int{}
				f, ask := store.TicketFilter{Sort: sort, Ascending: ascending}, parley.PageRequest{Limit: page}
				for next := int64(0); ; next++ {
					got, err := w.DB.Tickets(w, w.Account.AgentRef(agent), f, ask)
					w.must(err)
					for _, one := range got.Items {
						shown[one.Number]++
					}
					if ask.After = got.Next; got.Next == nil {
						break
					}
					for _, number := range []int64{got.Items[0].Number, 1 + next*5%n, n - next*3} {
						w.Clock = w.Clock.Add(time.Duration(next%2) * time.Second)
						w.togglePriority(agent, number, patched)
					}
				}
				if len(patched) < 10 || len(patched) > n-10 {
					w.Fatalf("%d of %d tickets were patched", len(patched), n)
				}
				for number := int64(1); number <= n; number++ {
					if times := shown[number]; times != 1 && (!patched[number] || !ascending && times > 1) {
						w.Errorf("by %s, ascending %v: ticket %d was shown %d times, patched: %v", sort, ascending,
							number, times, patched[number])
					}
				}
			}
		}
	})
}

// manyTickets opens n tickets, several at the same time.
func (w *testHelpdesk) manyTickets(agent parley.AgentID, n int) {
	w.Helper()
	for i := range n {
		if i%4 == 0 {
			w.Clock = w.Clock.Add(time.Second)
		}
		_, err := w.Open(w, w.Account.AgentRef(agent), newTicketRequest(i))
		w.must(err)
	}
}

// togglePriority returns a ticket another priority, and the customer the word.
func (w *testHelpdesk) togglePriority(agent parley.AgentID, number int64, patched map[int64]bool) {
	w.Helper()
	to := "high"
	if patched[number] {
		to = "low"
	}
	t, err := w.Change(w, w.Account.AgentRef(agent), number, Change{Priority: to}, "api")
	w.must(err)
	w.must(w.DB.Transact(w, sqldb.Interactive, func(tx *store.DB) error {
		c, err := tx.LockConversation(w, w.Account.AgentRef(agent).ConversationRef(t.ConversationID))
		if err != nil {
			return err
		}
		m := &parley.Message{ID: parley.NewMessageID(), ConversationID: c.ID, Author: parley.AuthorUser,
			State: parley.MessageComplete,
			Parts: []parley.Part{{Type: "text", Text: "And another thing"}}, CreatedAt: w.now()}
		if err := tx.AddMessage(w, w.Account.AgentRef(agent), m, nil); err != nil {
			return err
		}
		return w.MessageWritten(w, tx, c, m)
	}))
	patched[number] = true
}
