package testkit

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sync"
)

// conversationReader is the reading back of one agent's conversations.
type conversationReader struct {
	client *VerifyingClient
	agent  string

	mu                 sync.Mutex
	conversationByText map[string]string // conversation by text of the user's message
	answers            int
	errs               []error
	pending            []error
}

const maxReaders = 8

// readAll reads every conversation of the agent and then looks for what is in none of them.
func (r *conversationReader) readAll(ctx context.Context) error {
	list, err := readPages[struct{ ID string }](ctx, r.client, "/agents/"+r.agent+"/conversations")
	if err != nil {
		return err
	}
	ids := newDuplicateCheck("conversation")
	work := make(chan string)
	var all sync.WaitGroup
	for range maxReaders {
		all.Go(func() {
			for id := range work {
				r.readConversation(ctx, id)
			}
		})
	}
	for _, c := range list {
		ids.add(c.ID, c.ID)
		work <- c.ID
	}
	close(work)
	all.Wait()
	r.errs = append(r.errs, ids.errs...)
	r.addMissing()
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

// readConversation reads one conversation, in small pages that walk backward.
func (r *conversationReader) readConversation(ctx context.Context, id string) {
	messages, err := readPagesBackward[storedMessage](ctx, r.client,
		"/agents/"+r.agent+"/conversations/"+url.PathEscape(id)+"/messages")
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.errs = append(r.errs, err)
		return
	}
	for _, err := range r.compareConversation(id, messages) {
		r.errs = append(r.errs, fmt.Errorf("conversation %s: %w", id, err))
	}
}

// compareConversation compares a conversation with what was sent and acknowledged.
func (r *conversationReader) compareConversation(id string, messages []storedMessage) (errs []error) {
	l := r.client
	l.mu.Lock()
	defer l.mu.Unlock()
	ids := newDuplicateCheck("message")
	var last *sentMessage // the user's message that an answer must come after
	order := 0
	for _, m := range messages {
		ids.add(m.ID, m.ID)
		if m.Role == "assistant" {
			// one that was cut short costs nothing
			if last == nil || last.acknowledged == nil || last.acknowledged.Reason == "stop" {
				r.answers++
			}
			errs = append(errs, l.compareAnswer(m, last))
			last = nil
			continue
		}
		s := l.messages[m.text()]
		switch where, twice := r.conversationByText[m.text()]; {
		case s == nil || s.agent != r.agent:
			errs = append(errs, fmt.Errorf("message %s %q was never sent", m.ID, m.text()))
			continue
		case twice:
			errs = append(errs, fmt.Errorf("message %s %q is there twice, first in %s", m.ID, m.text(), where))
		case s.conversation != "" && s.conversation != id:
			errs = append(errs, fmt.Errorf("message %s %q belongs to %s", m.ID, m.text(), s.conversation))
		case s.order < order:
			errs = append(errs, fmt.Errorf("message %s %q is out of order", m.ID, m.text()))
		case s.acknowledged != nil && s.acknowledged.UserMessage != m.ID:
			errs = append(errs,
				fmt.Errorf("message %q was acknowledged as %s and is %s", m.text(), s.acknowledged.UserMessage, m.ID))
		}
		r.conversationByText[m.text()], last, order = id, s, s.order
	}
	return slices.DeleteFunc(append(errs, ids.errs...), func(err error) bool { return err == nil })
}

// compareAnswer compares an answer with the message before it.
func (c *VerifyingClient) compareAnswer(m storedMessage, to *sentMessage) error {
	switch {
	case to == nil:
		return fmt.Errorf("answer %s %q follows no message", m.ID, m.text())
	case to.acknowledged != nil && to.acknowledged.Text != m.text():
		return fmt.Errorf("answer %s to %q is stored as %q and was acknowledged as %q", m.ID, to.text, m.text(),
			to.acknowledged.Text)
	case to.acknowledged != nil && to.acknowledged.ID != m.ID:
		return fmt.Errorf("answer %s to %q was acknowledged as %s", m.ID, to.text, to.acknowledged.ID)
	case c.ExpectedAnswer != nil && (to.acknowledged == nil || to.acknowledged.Reason == "stop") &&
		c.ExpectedAnswer(to.text) != m.text():
		return fmt.Errorf("answer %s to %q is %q", m.ID, to.text, m.text())
	}
	to.answerVerified = true
	return nil
}

// addMissing finds the messages and answers that had to be there.
func (r *conversationReader) addMissing() {
	r.client.mu.Lock()
	defer r.client.mu.Unlock()
	for text, s := range r.client.messages {
		_, there := r.conversationByText[text]
		switch {
		case s.agent != r.agent:
		case s.mustBeStored && !there:
			r.errs = append(r.errs, fmt.Errorf("message %q of conversation %q is lost (acknowledged: %t)", text,
				s.conversation, s.acknowledged != nil))
		case s.acknowledged != nil && s.acknowledged.Reason == "stop" && !s.answerVerified:
			r.errs = append(r.errs, fmt.Errorf("the answer %s to %q is lost", s.acknowledged.ID, text))
		case r.client.RequireAnswers && there && !s.answerVerified:
			r.pending = append(r.pending, fmt.Errorf("message %q is not answered", text))
		}
		s.answerVerified = false
	}
}
