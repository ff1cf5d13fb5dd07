package testkit

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// SettleTimeout is how long after its last request a server may take until no turn is open, every source is trained and
// the credits are exact.
const SettleTimeout = 30 * time.Second

// Verify reads everything back. At once, every agent, source, message and answer that was acknowledged must be there,
// once, in order and equal byte for byte; a message that was not acknowledged may be there once. Within SettleTimeout
// the credits must be those of the stored answers, and every source trained.
func (c *VerifyingClient) Verify(ctx context.Context) error {
	return c.VerifyWithin(ctx, SettleTimeout)
}

// VerifyWithin is Verify with another timeout. Only one of them may run at a time, and nothing may be sent meanwhile.
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
	there, err := readPages[struct{ ID, Name string }](ctx, c, "/agents")
	if err != nil {
		return err, nil
	}
	names := newDuplicateCheck("agent")
	for _, a := range there {
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
	there, err := readPages[struct{ ID, Name, Status string }](ctx, c, "/agents/"+agent+"/sources")
	if err != nil {
		return err, nil
	}
	names := newDuplicateCheck("source")
	for _, source := range there {
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
