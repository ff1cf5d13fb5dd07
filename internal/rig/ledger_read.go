package rig

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sync"
)

// reading is the reading back of one agent's conversations.
type reading struct {
	ledger *Ledger
	agent  string

	mu      sync.Mutex
	found   map[string]string // conversation by text of the user's message
	answers int
	errs    []error
	pending []error
}

const readers = 8

// all reads every conversation of the agent and then looks for what none of them holds.
func (r *reading) all(ctx context.Context) error {
	list, err := pages[struct{ ID string }](ctx, r.ledger, "/agents/"+r.agent+"/conversations")
	if err != nil {
		return err
	}
	ids := newOnce("conversation")
	work := make(chan string)
	var all sync.WaitGroup
	for range readers {
		all.Go(func() {
			for id := range work {
				r.conversation(ctx, id)
			}
		})
	}
	for _, c := range list {
		ids.see(c.ID, c.ID)
		work <- c.ID
	}
	close(work)
	all.Wait()
	r.errs = append(r.errs, ids.errs...)
	r.missing()
	return errors.Join(r.errs[:min(len(r.errs), 10)]...)
}

type storedMessage struct {
	ID, Role string
	Parts    []struct{ Type, Text string }
}

func (m storedMessage) text() (text string) {
	for _, p := range m.Parts {
		text += p.Text
	}
	return text
}

// conversation reads one conversation, in small pages that walk backward.
func (r *reading) conversation(ctx context.Context, id string) {
	messages, err := backwards[storedMessage](ctx, r.ledger, "/agents/"+r.agent+"/conversations/"+url.PathEscape(id)+"/messages")
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.errs = append(r.errs, err)
		return
	}
	for _, err := range r.compare(id, messages) {
		r.errs = append(r.errs, fmt.Errorf("conversation %s: %w", id, err))
	}
}

// compare holds a conversation against what was sent and acknowledged.
func (r *reading) compare(id string, messages []storedMessage) (errs []error) {
	l := r.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	ids := newOnce("message")
	var last *said // the user's message that an answer must come after
	order := 0
	for _, m := range messages {
		ids.see(m.ID, m.ID)
		if m.Role == "assistant" {
			if last == nil || last.answer == nil || last.answer.Reason == "stop" { // one that was cut short costs nothing
				r.answers++
			}
			errs = append(errs, l.compareAnswer(m, last))
			last = nil
			continue
		}
		s := l.said[m.text()]
		switch where, twice := r.found[m.text()]; {
		case s == nil || s.agent != r.agent:
			errs = append(errs, fmt.Errorf("message %s %q was never sent", m.ID, m.text()))
			continue
		case twice:
			errs = append(errs, fmt.Errorf("message %s %q is there twice, first in %s", m.ID, m.text(), where))
		case s.conversation != "" && s.conversation != id:
			errs = append(errs, fmt.Errorf("message %s %q belongs to %s", m.ID, m.text(), s.conversation))
		case s.order < order:
			errs = append(errs, fmt.Errorf("message %s %q is out of order", m.ID, m.text()))
		case s.answer != nil && s.answer.UserMessage != m.ID:
			errs = append(errs, fmt.Errorf("message %q was acknowledged as %s and is %s", m.text(), s.answer.UserMessage, m.ID))
		}
		r.found[m.text()], last, order = id, s, s.order
	}
	return slices.DeleteFunc(append(errs, ids.errs...), func(err error) bool { return err == nil })
}

// compareAnswer holds an answer against the message before it.
func (l *Ledger) compareAnswer(m storedMessage, to *said) error {
	switch {
	case to == nil:
		return fmt.Errorf("answer %s %q follows no message", m.ID, m.text())
	case to.answer != nil && to.answer.Text != m.text():
		return fmt.Errorf("answer %s to %q is stored as %q and was acknowledged as %q", m.ID, to.text, m.text(), to.answer.Text)
	case to.answer != nil && to.answer.ID != m.ID:
		return fmt.Errorf("answer %s to %q was acknowledged as %s", m.ID, to.text, to.answer.ID)
	case l.Answer != nil && (to.answer == nil || to.answer.Reason == "stop") && l.Answer(to.text) != m.text():
		return fmt.Errorf("answer %s to %q is %q", m.ID, to.text, m.text())
	}
	to.read = true
	return nil
}

// missing finds the messages and answers that had to be there.
func (r *reading) missing() {
	r.ledger.mu.Lock()
	defer r.ledger.mu.Unlock()
	for text, s := range r.ledger.said {
		_, there := r.found[text]
		switch {
		case s.agent != r.agent:
		case s.kept && !there:
			r.errs = append(r.errs, fmt.Errorf("message %q of conversation %q is lost (acknowledged: %t)", text, s.conversation, s.answer != nil))
		case s.answer != nil && s.answer.Reason == "stop" && !s.read:
			r.errs = append(r.errs, fmt.Errorf("the answer %s to %q is lost", s.answer.ID, text))
		case r.ledger.Whole && there && !s.read:
			r.pending = append(r.pending, fmt.Errorf("message %q is not answered", text))
		}
		s.read = false
	}
}
