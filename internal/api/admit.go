package api

import (
	"context"
	"net/http"

	"parley"
	"parley/internal/access"
	"parley/internal/wire"
)

// admit counts the request, then asks who sent it and whether they may (decision 1: key, plan, scope; existence and feature
// follow in the handlers). A request without a good key counts for its address.
func (s *server) admit(ctx context.Context, r *http.Request, op *wire.Meta) (wire.Admission, error) {
	if err := s.Gate.Closed(); err != nil && !op.Exempt {
		return rateOf(s.Limiter.Look(anonymous+wire.Remote(r, s.TrustProxy), s.Now())), err
	}
	var who *access.Caller
	var refused error
	name := anonymous
	if header := r.Header.Get("Authorization"); !op.Open || header != "" && !op.Exempt { // health must not need the database
		if who, refused = s.Gate.Caller(ctx, header); refused == nil {
			name = string(who.Key.ID) + " "
		}
	}
	admission, err := s.count(name+wire.Remote(r, s.TrustProxy), op)
	if refused == nil && who != nil {
		admission.Caller, admission.Account = who, string(who.Account.ID)
	}
	switch {
	case err != nil || op.Open:
		return admission, err
	case refused != nil:
		return admission, refused
	}
	return admission, who.May(op.Scope)
}

// missing says AGENT_NOT_FOUND of a request that is wrong and speaks of an agent that is not the caller's: existence comes
// before what is wrong with the request.
func (s *server) missing(ctx context.Context, r *http.Request, caller any, _ *wire.Meta) error {
	who, ok := caller.(*access.Caller)
	id := r.PathValue("agentId")
	if !ok || id == "" {
		return nil
	}
	return s.DB.AgentLives(ctx, who.Account.ID, parley.AgentID(wire.Clean(id)))
}

// anonymous begins the name under which requests without a good key are counted.
const anonymous = "anonymous "

func rateOf(state access.Reading) wire.Admission {
	return wire.Admission{Rate: wire.Rate{Limit: state.Limit, Remaining: state.Remaining, Reset: state.Reset}}
}

// count takes the request from its rate limit; an exempt one only looks.
func (s *server) count(key string, op *wire.Meta) (wire.Admission, error) {
	take := s.Limiter.Take
	if op.Exempt {
		take = s.Limiter.Look
	}
	state := take(key, s.Now())
	admission := rateOf(state)
	if state.OK || op.Exempt {
		return admission, nil
	}
	e := parley.Fail(parley.CodeTooManyRequests)
	e.RetryAfter = state.RetryAfter
	return admission, e
}
