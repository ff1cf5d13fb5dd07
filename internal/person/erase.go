package person

import (
	"context"
	"errors"

	"parley"
	"parley/internal/store"
)

// Erased is what was erased of a person.
type Erased struct {
	Conversations, Leads, People, Visitors int

	Texts int // deliveries of webhooks, kept replies and jobs

	// IsComplete is false where rows of conversations are still to be erased, which is tried again until they are: an
	// answer is being made in one, or an event of one is still to be sent to webhooks.
	IsComplete bool
}

// Erase deletes what an account holds of a person: conversations with messages, files, recordings, tickets and traces,
// leads, contacts, visitors, deliveries of webhooks, kept replies and jobs such as mails. It may be repeated. What
// stays is said in docs/manual/privacy.md. Fails with VALIDATION_INVALID_BODY.
func (s *Service) Erase(ctx context.Context, w Who) (*Erased, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	out := &Erased{IsComplete: true}
	err := s.erase(ctx, w, out)
	return out, errors.Join(err, s.DB.NotePerson(context.WithoutCancel(ctx), w.Account, s.Now(), w.Actor,
		store.PersonErased, s.mark(w), map[string]any{"conversations": out.Conversations, "leads": out.Leads,
			"people": out.People, "visitors": out.Visitors, "texts": out.Texts, "isComplete": out.IsComplete && err == nil}))
}

// erase erases texts before the rows that tell which ones are the person's, so that one that is stopped can be
// repeated, and those that were written meanwhile behind them. The contacts of all agents come last, in one
// transaction: one may tell by what another agent knows the person.
func (s *Service) erase(ctx context.Context, w Who, out *Erased) error {
	keys, err := s.findKeys(ctx, w)
	if err != nil {
		return err
	}
	m, people := newMarks(w), []parley.PersonID{}
	if err := s.eachAgent(ctx, w.Account, keys, func(_ parley.AgentRef, d *store.PersonData) error {
		m.add(d)
		return nil
	}); err != nil {
		return err
	}
	if err := s.eraseTexts(ctx, w, m, out); err != nil {
		return err
	}
	if err := s.eachAgent(ctx, w.Account, keys, func(ref parley.AgentRef, d *store.PersonData) error {
		for _, p := range d.People {
			people = append(people, p.ID)
		}
		return s.eraseOfAgent(ctx, ref, d, out)
	}); err != nil {
		return err
	}
	if err := s.DB.ErasePeople(ctx, w.Account, people); err != nil {
		return err
	}
	out.People += len(people)
	if err := s.PurgeSearch(ctx, w.Account); err != nil {
		return err
	}
	return s.eraseTexts(ctx, w, m, out)
}

func (s *Service) eraseTexts(ctx context.Context, w Who, m *marks, out *Erased) error {
	n, err := s.DB.EraseTexts(ctx, w.Account, m.areIn)
	out.Texts += n
	return err
}

func (s *Service) eraseOfAgent(ctx context.Context, ref parley.AgentRef, d *store.PersonData, out *Erased) error {
	if err := s.ForgetWords(ctx, ref, d.Conversations); err != nil {
		return err
	}
	n, err := s.DeleteConversations(ctx, ref, d.Conversations, nil)
	if out.Conversations += n; err != nil {
		return err
	}
	if err := s.DB.ErasePersonRows(ctx, ref, d); err != nil {
		return err
	}
	out.Leads, out.Visitors = out.Leads+len(d.Leads), out.Visitors+len(d.Visitors)
	isErased, err := s.DB.EraseConversations(ctx, ref)
	if out.IsComplete = out.IsComplete && isErased; err != nil {
		return err
	}
	return s.DeleteUnusedFiles(ctx, ref)
}
