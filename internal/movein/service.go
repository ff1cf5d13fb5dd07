// Package movein takes over what an account has at another service that speaks REST v2: agents with their settings, the
// sources whose addresses it tells, and all conversations with their messages. It reads through the public endpoints,
// step by step; what was read and how far that is are written in one transaction, so that whoever is stopped goes on
// where that was. What is here already stays as it is.
package movein

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"parley"
	"parley/internal/ingest"
	"parley/internal/outbound"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// Service takes over accounts.
type Service struct {
	DB     *store.DB
	Ingest *ingest.Service
	Now    func() time.Time

	// ApplySettings changes an agent by a JSON object of settings. Fails with VALIDATION_INVALID_BODY.
	ApplySettings func(a *parley.Agent, settings json.RawMessage) error
}

// Request asks for a step.
type Request struct {
	parley.Caller
	Actor string // for the audit chain
	URL   string // of the other service's interface, with or without its path
	Key   string // of the other service
	Begin bool   // read again from the beginning where all was read before
}

// Progress is how far an account has come.
type Progress struct {
	Agents        int           // that are known
	AgentsDone    int           // whose conversations are all read
	Conversations int64         // that were written
	Present       int64         // that were here already, and stay as they are
	Deleted       int64         // that were deleted here before, and stay so
	Total         int64         // that the service counts, of the agents that were looked at
	Wait          time.Duration // before the next step
	Problem       string        // why it waits, if not by the service's limits
	Done          bool
	LeftOut       []LeftOut // once it is done
	LeftOutMore   int       // further ones, which are not listed
}

const (
	pagesPerStep = 10
	maxFailures  = 8 // in a row
	maxAgents    = 10_000
)

// Step reads some pages and writes what they hold. Steps are taken until one is done. Fails with
// VALIDATION_INVALID_BODY, and the field url or key, for an address that is none of the interface, for what the service
// refuses, and after several attempts in a row that failed; what was read stays.
func (s *Service) Step(ctx context.Context, in Request) (*Progress, error) {
	base, err := parseBase(in.URL)
	if err != nil {
		return nil, err
	}
	if in.Key == "" {
		return nil, parley.Invalid("key", "is missing")
	}
	m, err := s.begin(ctx, in, base)
	if err != nil {
		return nil, err
	}
	r := &run{Service: s, in: in, moveIn: m, client: newClient(newHTTP(base), base, in.Key, s.Now)}
	defer r.client.http.Close()
	var wait time.Duration
	for range pagesPerStep {
		if r.moveIn.FinishedAt != nil || wait > 0 {
			break
		}
		if wait, err = r.readPage(ctx); err != nil {
			return r.afterFailure(ctx, err)
		}
	}
	return r.progress(ctx, wait)
}

// parseBase returns the base URL of the interface: of a bare origin, where it usually is.
func parseBase(text string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	switch {
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "":
		return nil, parley.Invalid("url", "must be the address of a service, such as https://host.example/api/v2")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, parley.Invalid("url", "must hold neither a user, a query nor a fragment; the key has a field of its own")
	}
	u.Path = strings.TrimRight(u.Path, "/")
	if u.Path == "" {
		u.Path = defaultPath
	}
	u.RawPath = ""
	return u, nil
}

const defaultPath = "/api/v2"

// newHTTP returns a client that reaches the host of the address, wherever it is: the operator has named it.
func newHTTP(base *url.URL) *outbound.Client {
	return &outbound.Client{AllowedHosts: []string{outbound.HostPort(base)}}
}

// begin finds how far the account has come with the service, or begins.
func (s *Service) begin(ctx context.Context, in Request, base *url.URL) (*store.MoveIn, error) {
	now := s.Now()
	m, err := s.DB.MoveIn(ctx, in.Account.ID, base.String())
	if err != nil {
		return nil, err
	}
	if m == nil {
		first := &store.MoveIn{ID: parley.NewTimedUUID(), AccountID: in.Account.ID, URL: base.String(), StartedAt: now,
			UpdatedAt: now}
		if err := s.DB.CreateMoveIn(ctx, first); err != nil {
			return nil, err
		}
		return s.DB.MoveIn(ctx, in.Account.ID, base.String())
	}
	if m.FinishedAt == nil || !in.Begin {
		return m, nil
	}
	again := *m
	again.FinishedAt, again.AgentsRead, again.Walk = nil, false, store.MoveInWalk{}
	again.Failures, again.UpdatedAt = 0, now
	err = s.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if isFirst, err := tx.SaveMoveIn(ctx, &again); err != nil || !isFirst {
			return err
		}
		return tx.RestartMoveInAgents(ctx, m)
	})
	if err != nil {
		return nil, err
	}
	return s.DB.MoveIn(ctx, in.Account.ID, base.String())
}

// errBehind is returned by a transaction where another process has written a step meanwhile: nothing of this one is
// written, and the next step looks where that has come to.
var errBehind = errors.New("movein: another process has written a step meanwhile")

func errBehindUnless(isFirst bool) error {
	if isFirst {
		return nil
	}
	return errBehind
}

// run is one step.
type run struct {
	*Service
	in     Request
	moveIn *store.MoveIn
	client *client
}

// readPage reads the next page of whatever is to be read next, and returns how long to wait before the one after it.
func (r *run) readPage(ctx context.Context) (time.Duration, error) {
	if !r.moveIn.AgentsRead {
		return r.readAgents(ctx)
	}
	list, err := r.DB.MoveInAgents(ctx, r.moveIn)
	if err != nil {
		return 0, err
	}
	for _, stage := range []store.MoveInStage{store.MoveInSources, store.MoveInCount, store.MoveInConversations} {
		for i := range list {
			if list[i].Stage == stage {
				return r.readAgentPage(ctx, &list[i])
			}
		}
	}
	return 0, r.write(ctx, func(_ *store.DB, m *store.MoveIn) error {
		now := r.Now()
		m.FinishedAt = &now
		return nil
	})
}

// readAgentPage reads the next page of an agent. One that was deleted at the service meanwhile has come to its end.
func (r *run) readAgentPage(ctx context.Context, a *store.MoveInAgent) (time.Duration, error) {
	wait, err := r.readStage(ctx, a)
	switch {
	case errors.Is(err, errAgentGone):
		return 0, r.endGoneAgent(ctx, a)
	case r.isCursorOver(err, a.Walk):
		return 0, r.write(ctx, func(tx *store.DB, _ *store.MoveIn) error {
			to := *a
			to.Walk = store.MoveInWalk{}
			return tx.SaveMoveInAgent(ctx, &to)
		})
	}
	return wait, err
}

// cursorLifetime is how long a cursor is expected to be good.
const cursorLifetime = 10 * time.Minute

// isCursorOver reports whether a service may have refused a page for its cursor, which is from a while ago. Its list is
// then read from the beginning: what is here already stays.
func (r *run) isCursorOver(err error, walk store.MoveInWalk) bool {
	return errors.Is(err, errBadRequest) && walk.Cursor != "" && r.Now().Sub(r.moveIn.UpdatedAt) > cursorLifetime
}

// endGoneAgent ends an agent that the service does not have any more, and notes that.
func (r *run) endGoneAgent(ctx context.Context, a *store.MoveInAgent) error {
	return r.write(ctx, func(tx *store.DB, _ *store.MoveIn) error {
		err := tx.CheckAgent(ctx, a.Ref, r.Now())
		if err == nil {
			err = tx.AddMoveInItem(ctx, &store.MoveInItem{ID: parley.NewTimedUUID(), MoveInID: a.MoveInID, Ref: a.Ref,
				Kind: store.MoveInConversation, RemoteID: a.RemoteID, Name: "all others", Reason: reasonAgentGone})
		}
		if err != nil && !parley.IsCode(err, parley.CodeAgentNotFound) { // it may be deleted here as well
			return err
		}
		to := *a
		to.Walk, to.Stage = store.MoveInWalk{}, store.MoveInDone
		return tx.SaveMoveInAgent(ctx, &to)
	})
}

const reasonAgentGone = "the service does not have the agent any more"

func (r *run) readStage(ctx context.Context, a *store.MoveInAgent) (time.Duration, error) {
	switch a.Stage {
	case store.MoveInSources:
		return r.readSources(ctx, a)
	case store.MoveInCount:
		return r.countConversations(ctx, a)
	default:
		return r.readConversations(ctx, a)
	}
}

// write runs the closure with the state to be written, and writes that, in one transaction. Where another process was
// first, nothing is written, and the state is read again.
func (r *run) write(ctx context.Context, fn func(tx *store.DB, m *store.MoveIn) error) error {
	now := r.Now()
	err := r.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		next := *r.moveIn
		next.Failures, next.UpdatedAt = 0, now
		if err := fn(tx, &next); err != nil {
			return err
		}
		isFirst, err := tx.SaveMoveIn(ctx, &next)
		if err != nil {
			return err
		}
		return errBehindUnless(isFirst)
	})
	if err != nil && !errors.Is(err, errBehind) {
		return err
	}
	latest, err := r.DB.MoveIn(ctx, r.moveIn.AccountID, r.moveIn.URL)
	if err == nil && latest == nil {
		err = parley.NewError(parley.CodeAccountNotFound)
	}
	if err == nil {
		r.moveIn = latest
	}
	return err
}

// afterFailure returns how long to wait after an attempt that may succeed later, or fails.
func (r *run) afterFailure(ctx context.Context, err error) (*Progress, error) {
	var t *passingFailure
	if !errors.As(err, &t) {
		return nil, err
	}
	attempts := r.moveIn.Failures + 1
	saveErr := r.write(ctx, func(_ *store.DB, m *store.MoveIn) error {
		m.Failures = attempts
		return nil
	})
	if saveErr != nil {
		return nil, saveErr
	}
	wait := max(t.wait, backoff(attempts))
	if attempts >= maxFailures || wait > maxWait {
		reason := t.text
		if wait > maxWait {
			reason = fmt.Sprintf("%s, and asks to wait for %s", t.text, wait.Round(time.Second))
		}
		_ = r.write(ctx, func(_ *store.DB, m *store.MoveIn) error { return nil }) // the next run has all attempts again
		return nil, parley.Invalid("url", reason+"; nothing is lost, and the next run goes on from here")
	}
	p, err := r.progress(ctx, wait)
	if err == nil && !t.isLimit {
		p.Problem = t.text
	}
	return p, err
}

// progress sums up how far the account has come.
func (r *run) progress(ctx context.Context, wait time.Duration) (*Progress, error) {
	list, err := r.DB.MoveInAgents(ctx, r.moveIn)
	if err != nil {
		return nil, err
	}
	p := &Progress{Agents: len(list), Conversations: sumOf(list, movedOf), Wait: wait, Done: r.moveIn.FinishedAt != nil,
		Present: sumOf(list, func(a *store.MoveInAgent) int64 { return a.Present }),
		Deleted: sumOf(list, func(a *store.MoveInAgent) int64 { return a.Deleted }),
		Total:   sumOf(list, func(a *store.MoveInAgent) int64 { return a.Total })}
	for i := range list {
		if list[i].Stage == store.MoveInDone {
			p.AgentsDone++
		}
	}
	if p.Done {
		p.Wait = 0
		p.LeftOut, p.LeftOutMore, err = r.leftOut(ctx, list)
	}
	return p, err
}

func movedOf(a *store.MoveInAgent) int64 { return a.Moved }

func sumOf(list []store.MoveInAgent, f func(*store.MoveInAgent) int64) (sum int64) {
	for i := range list {
		sum += f(&list[i])
	}
	return sum
}
