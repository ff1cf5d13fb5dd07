package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley"
	"parley/internal/chat"
	"parley/internal/store"
	"parley/internal/wire"
)

// replayed marks a reply that was given before: nothing has happened this time.
const replayed = "Idempotent-Replayed"

// again is how an operation answers a request whose effect is there already.
type again struct {
	keep   bool // the reply is kept as it was: it is short and holds nobody's words
	render func(ctx context.Context, c *wire.Call, in any, did subject) (any, error)
}

// subject is what a request has done, as store.Did was told: "turn:ID" is the kind turn and its id.
type subject struct{ kind, id string }

// once answers a request with an Idempotency-Key: the first one runs, the others get what it got. A key belongs to the account,
// the method and the path.
func (s *server) once(ctx context.Context, c *wire.Call, o wire.Once) (any, error) {
	claim := store.Claim{Account: caller(c).Account.ID, Key: o.Key, Hash: o.Hash, Token: parley.NewUUID()}
	kept, err := s.DB.Claim(ctx, claim, s.Now())
	if err != nil {
		return nil, err
	}
	if kept == nil {
		return s.first(ctx, c, claim, o)
	}
	var out any
	if kept.Other {
		err = s.spent(ctx, c, o, kept)
	} else {
		out, err = s.repeat(ctx, c, o, kept)
	}
	if !errors.Is(err, chat.ErrFailed) {
		return out, err
	}
	if err := s.DB.TakeOver(ctx, claim, *kept, s.Now()); err != nil {
		return nil, err
	}
	if turn, isTurn := strings.CutPrefix(kept.Subject, "turn:"); isTurn && !kept.Other {
		claim.Failed = parley.TurnID(turn)
	}
	return s.first(ctx, c, claim, o)
}

// first runs a request that holds its key. One that fails before it has done anything gives the key back.
func (s *server) first(ctx context.Context, c *wire.Call, claim store.Claim, o wire.Once) (any, error) {
	kept := false
	defer func() {
		if !kept {
			s.release(ctx, claim)
		}
	}()
	out, err := o.Run(store.WithClaim(ctx, claim))
	if err != nil {
		return nil, err
	}
	kept = true
	if s.agains[c.Meta.Name].keep {
		s.keep(ctx, c, claim, out)
	}
	return out, nil
}

// keep stores the reply. Where that fails, the next reply is made from what was done.
func (s *server) keep(ctx context.Context, c *wire.Call, claim store.Claim, out any) {
	reply, err := json.Marshal(out)
	if err == nil {
		ctx, stop := afterwards(ctx)
		defer stop()
		err = s.DB.Keep(ctx, claim, c.Meta.Status, string(reply))
	}
	if err != nil {
		s.Logger.Warn("the reply to a request with an Idempotency-Key was not kept", "request", c.RequestID, "err", err)
	}
}

// release gives the key back. Where that fails, the claim runs out.
func (s *server) release(ctx context.Context, claim store.Claim) {
	ctx, stop := afterwards(ctx)
	defer stop()
	if err := s.DB.Release(ctx, claim); err != nil {
		s.Logger.Warn("an Idempotency-Key was not given back", "err", err)
	}
}

// afterwards is for what must be written although the client may have gone.
func afterwards(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
}

// spent judges a request whose key stands for another body: only an answer that failed has given its key back.
func (s *server) spent(ctx context.Context, c *wire.Call, o wire.Once, kept *store.Kept) error {
	id, isTurn := strings.CutPrefix(kept.Subject, "turn:")
	if in, ok := o.In.(streaming); ok && isTurn {
		agent, _ := in.streaming()
		if _, err := s.Chat.Again(ctx, caller(c).Account.ID, parley.AgentID(agent), parley.TurnID(id)); errors.Is(err, chat.ErrFailed) {
			return err
		}
	}
	return parley.Fail(parley.CodeKeyReused)
}

func (s *server) repeat(ctx context.Context, c *wire.Call, o wire.Once, kept *store.Kept) (any, error) {
	c.Header().Set(replayed, "true")
	if kept.Reply != "" {
		return json.RawMessage(kept.Reply), nil
	}
	kind, id, _ := strings.Cut(kept.Subject, ":")
	out, err := s.agains[c.Meta.Name].render(ctx, c, o.In, subject{kind, id})
	if err != nil {
		c.Header().Del(replayed)
		return nil, fmt.Errorf("answer again: %w", err)
	}
	return out, nil
}
