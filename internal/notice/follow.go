package notice

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"parley"
	"parley/internal/events"
	"parley/internal/helpdesk"
	"parley/internal/jobs"
	"parley/internal/mail"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// thread is the payload of the jobs about a conversation.
type thread struct {
	Agent        parley.AgentID        `json:"agent"`
	Conversation parley.ConversationID `json:"conversation"`
	DoneBy       string                `json:"doneBy,omitempty"` // who assigned the ticket
	Kind         mail.Kind             `json:"kind,omitempty"`   // of the mail to a member
	User         parley.UserID         `json:"user,omitempty"`   // the member
}

func (t thread) ref(account parley.AccountID) parley.ConversationRef {
	return account.AgentRef(t.Agent).ConversationRef(t.Conversation)
}

// handleEvents writes down the jobs that follow from events, with the position in the log.
func (s *Service) handleEvents(ctx context.Context, b *events.Batch) error {
	list, err := s.jobsOf(ctx, b)
	if err != nil {
		return err
	}
	return s.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		for _, j := range list {
			if err := s.Queue.Enqueue(ctx, tx.SQL(), j); err != nil {
				return err
			}
		}
		return b.Save(ctx, tx, b.End)
	})
}

// jobsOf returns the jobs that follow from events. It reads which of the new messages are those of members.
func (s *Service) jobsOf(ctx context.Context, b *events.Batch) (list []jobs.Job, err error) {
	since, created := s.Now().Add(-maxEventAge), map[parley.MessageID]store.Event{}
	for _, e := range b.Events {
		if e.At.Before(since) || e.AgentID == "" || e.ConversationID == "" {
			continue
		}
		if e.Kind == parley.EventMessageCreated {
			created[parley.MessageID(e.Subject)] = e
		}
		if j := jobOf(b.Account, e); j != nil {
			list = append(list, *j)
		}
	}
	replies, err := s.DB.MemberMessages(ctx, b.Account, slices.Collect(maps.Keys(created)))
	for _, id := range replies {
		e := created[id]
		list = append(list, later(conversationJob(replyJob, b.Account, e, ""), e.At.Add(replyDelay)))
	}
	return list, err
}

// jobOf returns the job that follows from an event, nil for none.
func jobOf(account parley.AccountID, e store.Event) *jobs.Job {
	switch e.Kind {
	case parley.EventConversationTakenOver:
		if !parley.IsUUID(doneBy(e)) { // a member who takes over answers
			return new(later(conversationJob(waitsJob, account, e, ""), e.At.Add(waitDelay)))
		}
	case parley.EventTicketCreated:
		return new(conversationJob(ticketJob, account, e, ""))
	case parley.EventTicketUpdated:
		var p helpdesk.TicketUpdatedPayload
		if json.Unmarshal([]byte(e.Payload), &p) == nil && slices.Contains(p.Kinds, "assign") {
			return new(conversationJob(ticketJob, account, e, p.DoneBy))
		}
	default:
	}
	return nil
}

// doneBy returns who has taken a conversation over.
func doneBy(e store.Event) string {
	var p struct {
		By string `json:"by"`
	}
	_ = json.Unmarshal([]byte(e.Payload), &p) // without it nobody is known
	return p.By
}

func conversationJob(kind string, account parley.AccountID, e store.Event, doneBy string) jobs.Job {
	return newJob(kind, string(e.ConversationID), account,
		thread{Agent: e.AgentID, Conversation: e.ConversationID, DoneBy: doneBy})
}

func later(j jobs.Job, at time.Time) jobs.Job {
	j.RunAt = at
	return j
}
