package rig

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// Settling is how long after its last request a server may take until no turn is open, every source is trained and the
// credits are exact.
const Settling = 30 * time.Second

// Verify reads everything back. At once, every agent, source, message and answer that was acknowledged must be there, once,
// in order and equal byte for byte; a message that was not acknowledged may be there once. Within Settling the credits must
// be those of the stored answers, and every source trained.
func (l *Ledger) Verify(ctx context.Context) error { return l.VerifyWithin(ctx, Settling) }

// VerifyWithin is Verify with another patience. Only one of them may run at a time, and nothing may be sent meanwhile.
func (l *Ledger) VerifyWithin(ctx context.Context, settling time.Duration) error {
	until := time.Now().Add(settling)
	for {
		wrong, pending := l.read(ctx)
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

func (l *Ledger) read(ctx context.Context) (wrong, pending error) {
	l.mu.Lock()
	faults := slices.Clone(l.faults)
	sheets := map[string]sheet{}
	for id, s := range l.agents {
		sheets[id] = *s
	}
	l.mu.Unlock()
	if len(faults) > 0 {
		return fmt.Errorf("the server broke the interface %d times, first: %w", len(faults), faults[0]), nil
	}
	there, err := pages[struct{ ID, Name string }](ctx, l, "/agents")
	if err != nil {
		return err, nil
	}
	names := newOnce("agent")
	for _, a := range there {
		names.see(a.ID, a.Name)
	}
	errs := names.errs
	for id, s := range sheets {
		if names.seen[id] != s.name {
			errs = append(errs, fmt.Errorf("agent %s is lost: it is named %q, not %q", id, names.seen[id], s.name))
			continue
		}
		w, p := l.readAgent(ctx, id, s)
		errs, pending = append(errs, w), errors.Join(pending, p)
	}
	return errors.Join(errs...), pending
}

func (l *Ledger) readAgent(ctx context.Context, id string, s sheet) (wrong, pending error) {
	if wrong, pending = l.readSources(ctx, id, s); wrong != nil {
		return wrong, pending
	}
	r := reading{ledger: l, agent: id, found: map[string]string{}}
	if err := r.all(ctx); err != nil {
		return err, pending
	}
	pending = errors.Join(pending, errors.Join(r.pending...))
	var agent struct{ CreditsUsed int64 }
	if err := l.Do(ctx, http.MethodGet, "/agents/"+id, nil, &agent); err != nil {
		return err, pending
	}
	if due := int64(r.answers) * l.Price; agent.CreditsUsed != due {
		pending = errors.Join(pending, fmt.Errorf("agent %s has used %d credits for %d answers, not %d", id, agent.CreditsUsed, r.answers, due))
	}
	return nil, pending
}

func (l *Ledger) readSources(ctx context.Context, agent string, s sheet) (wrong, pending error) {
	there, err := pages[struct{ ID, Name, Status string }](ctx, l, "/agents/"+agent+"/sources")
	if err != nil {
		return err, nil
	}
	names := newOnce("source")
	for _, source := range there {
		names.see(source.ID, source.Name)
		switch source.Status {
		case "trained":
		case "failed":
			names.errs = append(names.errs, fmt.Errorf("source %s %q has failed", source.ID, source.Name))
		default:
			pending = errors.Join(pending, fmt.Errorf("source %s is still %s", source.ID, source.Status))
		}
	}
	for id, name := range s.sources {
		if names.seen[id] != name {
			names.errs = append(names.errs, fmt.Errorf("source %s is lost: it is named %q, not %q", id, names.seen[id], name))
		}
	}
	return errors.Join(names.errs...), pending
}
