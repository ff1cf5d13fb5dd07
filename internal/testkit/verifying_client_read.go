package testkit

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"
)

// conversationReader reads the conversations of one agent back.
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

// readAll reads every conversation of the agent and reports what is in none of them.
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

// readConversation reads one conversation, backward in small pages.
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
			// interrupted answers cost nothing
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
			errs = append(errs, fmt.Errorf("message %s %q exists twice, first in %s", m.ID, m.text(), where))
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

// addMissing reports messages and answers that are missing.
func (r *conversationReader) addMissing() {
	r.client.mu.Lock()
	defer r.client.mu.Unlock()
	for text, s := range r.client.messages {
		_, ok := r.conversationByText[text]
		switch {
		case s.agent != r.agent:
		case s.mustBeStored && !ok:
			r.errs = append(r.errs, fmt.Errorf("message %q of conversation %q is lost (acknowledged: %t)", text,
				s.conversation, s.acknowledged != nil))
		case s.acknowledged != nil && s.acknowledged.Reason == "stop" && !s.answerVerified:
			r.errs = append(r.errs, fmt.Errorf("the answer %s to %q is lost", s.acknowledged.ID, text))
		case r.client.RequireAnswers && ok && !s.answerVerified:
			r.pending = append(r.pending, fmt.Errorf("message %q is not answered", text))
		}
		s.answerVerified = false
	}
}

// SettleTimeout is how long after its last request a server may take until no turn is open, every source is trained and
// the credits are exact. It only guards against waiting without end; within it the leases of a killed server run out,
// those of jobs after a minute.
const SettleTimeout = 3 * time.Minute

// Verify reads everything back. Every agent, source, message and answer that was acknowledged must exist exactly once,
// in order and equal byte for byte; a message that was not acknowledged may exist once. Within SettleTimeout the
// credits must be those of the stored answers, and every source must be trained.
func (c *VerifyingClient) Verify(ctx context.Context) error {
	return c.VerifyWithin(ctx, SettleTimeout)
}

// VerifyWithin is Verify with another timeout. Only one call may run at a time, and nothing may be sent meanwhile.
func (c *VerifyingClient) VerifyWithin(ctx context.Context, settling time.Duration) error {
	until := time.Now().Add(settling)
	for {
		wrong, pending := c.readBack(ctx)
		if wrong != nil || pending == nil {
			return wrong
		}
		if time.Now().After(until) {
			return fmt.Errorf("not settled within %v: %w", settling, pending)
		}
		select {
		case <-time.After(250 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (c *VerifyingClient) readBack(ctx context.Context) (wrong, pending error) {
	c.mu.Lock()
	faults := slices.Clone(c.faults)
	records := map[string]agentRecord{}
	for id, s := range c.agents {
		records[id] = *s
	}
	c.mu.Unlock()
	if len(faults) > 0 {
		return fmt.Errorf("the server broke the interface %d times, first: %w", len(faults), faults[0]), nil
	}
	agents, err := readPages[struct{ ID, Name string }](ctx, c, "/agents")
	if err != nil {
		return err, nil
	}
	names := newDuplicateCheck("agent")
	for _, a := range agents {
		names.add(a.ID, a.Name)
	}
	errs := names.errs
	for id, s := range records {
		if names.nameByID[id] != s.name {
			errs = append(errs, fmt.Errorf("agent %s is lost: it is named %q, not %q", id, names.nameByID[id], s.name))
			continue
		}
		w, p := c.readAgent(ctx, id, s)
		errs, pending = append(errs, w), errors.Join(pending, p)
	}
	return errors.Join(errs...), pending
}

func (c *VerifyingClient) readAgent(ctx context.Context, id string, s agentRecord) (wrong, pending error) {
	if wrong, pending = c.readSources(ctx, id, s); wrong != nil {
		return wrong, pending
	}
	r := conversationReader{client: c, agent: id, conversationByText: map[string]string{}}
	if err := r.readAll(ctx); err != nil {
		return err, pending
	}
	pending = errors.Join(pending, errors.Join(r.pending...))
	var agent struct{ CreditsUsed int64 }
	if err := c.Do(ctx, http.MethodGet, "/agents/"+id, nil, &agent); err != nil {
		return err, pending
	}
	if due := int64(r.answers) * c.Price; agent.CreditsUsed != due {
		pending = errors.Join(pending,
			fmt.Errorf("agent %s has used %d credits for %d answers, not %d", id, agent.CreditsUsed, r.answers, due))
	}
	return nil, pending
}

func (c *VerifyingClient) readSources(ctx context.Context, agent string, s agentRecord) (wrong, pending error) {
	sources, err := readPages[struct{ ID, Name, Status string }](ctx, c, "/agents/"+agent+"/sources")
	if err != nil {
		return err, nil
	}
	names := newDuplicateCheck("source")
	for _, source := range sources {
		names.add(source.ID, source.Name)
		switch source.Status {
		case "trained":
		case "failed":
			names.errs = append(names.errs, fmt.Errorf("source %s %q has failed", source.ID, source.Name))
		default:
			pending = errors.Join(pending, fmt.Errorf("source %s is still %s", source.ID, source.Status))
		}
	}
	for id, name := range s.sources {
		if names.nameByID[id] != name {
			names.errs = append(names.errs,
				fmt.Errorf("source %s is lost: it is named %q, not %q", id, names.nameByID[id], name))
		}
	}
	return errors.Join(names.errs...), pending
}

type duplicateCheck struct {
	noun     string
	nameByID map[string]string // name by id
	names    map[string]bool
	errs     []error
}

func newDuplicateCheck(noun string) *duplicateCheck {
	return &duplicateCheck{noun: noun, nameByID: map[string]string{}, names: map[string]bool{}}
}

func (d *duplicateCheck) add(id, name string) {
	if _, twice := d.nameByID[id]; twice || d.names[name] {
		d.errs = append(d.errs, fmt.Errorf("%s %s %q exists twice", d.noun, id, name))
	}
	d.nameByID[id], d.names[name] = name, true
}

// readPages reads every page of a list and checks that its total is right. The items of later pages come after those of
// earlier ones; see readPagesBackward for lists in the other order.
func readPages[T any](ctx context.Context, c *VerifyingClient, path string) ([]T, error) {
	pages, err := walkPages[T](ctx, c, path, 100)
	return slices.Concat(pages...), err
}

// readPagesBackward is readPages for a list whose first page has the newest items, with each page in ascending order.
func readPagesBackward[T any](ctx context.Context, c *VerifyingClient, path string) ([]T, error) {
	pages, err := walkPages[T](ctx, c, path, 10)
	slices.Reverse(pages)
	return slices.Concat(pages...), err
}

// walkPages returns the pages of a list in the order of reading.
func walkPages[T any](ctx context.Context, c *VerifyingClient, path string, limit int) (pages [][]T, err error) {
	query := url.Values{"limit": {strconv.Itoa(limit)}}
	for read := 0; ; {
		var page struct {
			Data       []T
			Pagination struct {
				Cursor  *string
				HasMore bool
				Total   int
			}
		}
		if err := c.Do(ctx, http.MethodGet, path+"?"+query.Encode(), nil, &page); err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		pages, read = append(pages, page.Data), read+len(page.Data)
		if !page.Pagination.HasMore || page.Pagination.Cursor == nil {
			if read != page.Pagination.Total {
				return nil, fmt.Errorf("read %s: %d items of %d", path, read, page.Pagination.Total)
			}
			return pages, nil
		}
		query.Set("cursor", *page.Pagination.Cursor)
	}
}
