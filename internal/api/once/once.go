// Package once answers requests with an Idempotency-Key: the first one runs, and those that repeat it have no effect
// and get its reply.
package once

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"parley"
	"parley/internal/chat"
	"parley/internal/httpapi"
	"parley/internal/store"
)

// ReplayedHeader marks a reply to a request that has been answered before, and that had no effect this time.
const ReplayedHeader = "Idempotent-Replayed"

// Rule describes how an operation answers a request that has had its effect before.
type Rule struct {
	StoresReply bool // the reply is stored and sent again as it was; for replies that are short and hold no text of users
	Render      func(ctx context.Context, c *httpapi.Call, in any, done Effect) (any, error)
}

// Effect is what a request has done. It is recorded as "turn:ID", for the kind turn.
type Effect struct{ Kind, ID string }

// Owner is whose a key is: two owners may use the same key.
type Owner struct {
	Account parley.AccountID
	Name    string // within the account; empty for the account itself
}

// Runner runs the requests of an API that have an Idempotency-Key.
type Runner struct {
	DB     *store.DB
	Now    func() time.Time
	Logger *slog.Logger

	Rules   map[string]Rule // by the name of the operation; one without a rule runs again
	OwnerOf func(c *httpapi.Call) Owner
	// CheckReplay fails where a reply must not be made again; may be nil.
	CheckReplay func(ctx context.Context, c *httpapi.Call) error
	// FindTurn looks up a turn of an earlier request. It fails with chat.ErrNoAnswer if the turn ended without an answer;
	// other failures do not count.
	FindTurn func(ctx context.Context, c *httpapi.Call, in any, turn parley.TurnID) error
}

// Run answers a request with an Idempotency-Key: the first one runs, and the others get the reply of the first. A key
// belongs to its owner, the method and the path.
func (r *Runner) Run(ctx context.Context, c *httpapi.Call, o httpapi.IdempotentRequest) (any, error) {
	if _, hasRule := r.Rules[c.Operation.Name]; !hasRule {
		return o.Run(ctx)
	}
	claim := r.newClaim(c, o)
	record, err := r.DB.ClaimIdempotencyKey(ctx, claim, r.Now())
	if err != nil {
		return nil, err
	}
	if record == nil {
		return r.runFirst(ctx, c, claim, o)
	}
	var out any
	if record.BodyDiffers {
		err = r.checkSpentKey(ctx, c, o, record)
	} else {
		out, err = r.replayReply(ctx, c, o, record)
	}
	if !errors.Is(err, chat.ErrNoAnswer) {
		return out, err
	}
	if err := r.DB.TakeOverIdempotencyKey(ctx, claim, *record, r.Now()); err != nil {
		return nil, err
	}
	if turn, isTurn := strings.CutPrefix(record.Subject, "turn:"); isTurn && !record.BodyDiffers {
		claim.FailedTurn = parley.TurnID(turn)
	}
	return r.runFirst(ctx, c, claim, o)
}

func (r *Runner) newClaim(c *httpapi.Call, o httpapi.IdempotentRequest) store.Claim {
	owner := r.OwnerOf(c)
	claim := store.Claim{Account: owner.Account, Key: o.Key, Hash: o.Hash, Token: parley.NewUUID()}
	if owner.Name != "" {
		sum := sha256.Sum256([]byte(owner.Name + "\n" + o.Key))
		claim.Key = hex.EncodeToString(sum[:])
	}
	return claim
}

// runFirst runs a request that has claimed its key. If it fails before it has done anything, the key is released.
func (r *Runner) runFirst(ctx context.Context, c *httpapi.Call, claim store.Claim,
	o httpapi.IdempotentRequest) (any, error) {
	isDone := false
	defer func() {
		if !isDone {
			r.releaseClaim(ctx, claim)
		}
	}()
	out, err := o.Run(store.WithClaim(ctx, claim))
	if err != nil {
		return nil, err
	}
	isDone = true
	if r.Rules[c.Operation.Name].StoresReply {
		r.storeReply(ctx, c, claim, out)
	}
	return out, nil
}

// storeReply stores the reply. If that fails, the reply is rendered again from the effect when it is needed.
func (r *Runner) storeReply(ctx context.Context, c *httpapi.Call, claim store.Claim, out any) {
	reply, err := json.Marshal(out)
	if err == nil {
		ctx, stop := Detach(ctx)
		defer stop()
		err = r.DB.SaveIdempotentReply(ctx, claim, c.Operation.Status, string(reply))
	}
	if err != nil {
		r.Logger.Warn("the reply to a request with an Idempotency-Key was not kept", "request", c.RequestID, "err", err)
	}
}

// releaseClaim releases the key. If that fails, the claim expires.
func (r *Runner) releaseClaim(ctx context.Context, claim store.Claim) {
	ctx, stop := Detach(ctx)
	defer stop()
	if err := r.DB.ReleaseIdempotencyKey(ctx, claim); err != nil {
		r.Logger.Warn("an Idempotency-Key was not given back", "err", err)
	}
}

// Detach returns a context for what must be written even if the client is gone.
func Detach(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
}

// checkSpentKey returns the failure of a request whose key was used with another body. The key of an answer that
// failed may be used again: then the failure is chat.ErrNoAnswer.
func (r *Runner) checkSpentKey(ctx context.Context, c *httpapi.Call, o httpapi.IdempotentRequest,
	record *store.IdempotencyRecord) error {
	if id, isTurn := strings.CutPrefix(record.Subject, "turn:"); isTurn {
		if err := r.FindTurn(ctx, c, o.Input, parley.TurnID(id)); errors.Is(err, chat.ErrNoAnswer) {
			return err
		}
	}
	return parley.NewError(parley.CodeKeyReused)
}

func (r *Runner) replayReply(ctx context.Context, c *httpapi.Call, o httpapi.IdempotentRequest,
	record *store.IdempotencyRecord) (any, error) {
	if record.Reply != "" {
		c.Header().Set(ReplayedHeader, "true")
		return json.RawMessage(record.Reply), nil
	}
	if r.CheckReplay != nil {
		if err := r.CheckReplay(ctx, c); err != nil {
			return nil, fmt.Errorf("answer again: %w", err)
		}
	}
	c.Header().Set(ReplayedHeader, "true") // before Render, which may begin a stream
	kind, id, _ := strings.Cut(record.Subject, ":")
	out, err := r.Rules[c.Operation.Name].Render(ctx, c, o.Input, Effect{kind, id})
	if err != nil {
		c.Header().Del(ReplayedHeader)
		return nil, fmt.Errorf("answer again: %w", err)
	}
	return out, nil
}
