package access

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"parley"
	"parley/internal/wire"
)

// Door is where the faces let requests in: it counts them, tells who sent them and whether they may.
type Door struct {
	Gate       *Gate
	Limiter    *Limiter // nil where requests were counted before they come to this door
	Now        func() time.Time
	TrustProxy bool // take the caller's address from X-Forwarded-For
}

// Admit counts the request, then asks who sent it and whether they may (decision 1: key, plan, scope; existence and feature
// follow in the handlers). A request without a good key counts for its address. The admission's Caller is a *Caller.
func (d *Door) Admit(ctx context.Context, r *http.Request, op *wire.Meta) (wire.Admission, error) {
	if err := d.Gate.Closed(); err != nil && !op.Exempt {
		return d.look(anonymous + wire.Remote(r, d.TrustProxy)), err
	}
	var who *Caller
	var refused error
	name := anonymous
	if header := r.Header.Get("Authorization"); !op.Open || header != "" && !op.Exempt { // health must not need the database
		if who, refused = d.Gate.Caller(ctx, header); refused == nil {
			name = string(who.Key.ID) + " "
		}
	}
	admission, err := d.count(name+wire.Remote(r, d.TrustProxy), op)
	if refused == nil && who != nil {
		admission.Caller, admission.Account = who, string(who.Account.ID)
	}
	switch {
	case err != nil || op.Open:
		return admission, err
	case refused != nil:
		return admission, refused
	}
	if err = cmp.Or(who.May(op.Scope), who.May(op.Also)); op.NoAPI != "" && parley.IsCode(err, parley.CodePlanWithoutAPI) {
		err = parley.Fail(op.NoAPI)
	}
	return admission, err
}

// anonymous begins the name under which requests without a good key are counted.
const anonymous = "anonymous "

func rateOf(state Reading) wire.Admission {
	return wire.Admission{Rate: wire.Rate{Limit: state.Limit, Remaining: state.Remaining, Reset: state.Reset}}
}

func (d *Door) look(key string) wire.Admission {
	if d.Limiter == nil {
		return wire.Admission{}
	}
	return rateOf(d.Limiter.Look(key, d.Now()))
}

// count takes the request from its rate limit; an exempt one only looks.
func (d *Door) count(key string, op *wire.Meta) (wire.Admission, error) {
	if d.Limiter == nil || op.Exempt {
		return d.look(key), nil
	}
	state := d.Limiter.Take(key, d.Now())
	admission := rateOf(state)
	if state.OK {
		return admission, nil
	}
	e := parley.Fail(parley.CodeTooManyRequests)
	e.RetryAfter = state.RetryAfter
	return admission, e
}
