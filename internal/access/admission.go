package access

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"parley"
	"parley/internal/httpapi"
)

// Admission admits the requests of all APIs: it counts them, authenticates the caller and checks what the caller may
// do.
type Admission struct {
	Authenticator *Authenticator
	Limiter       *Limiter // nil where requests are counted before
	Now           func() time.Time
	TrustProxy    bool // take the caller's address from X-Forwarded-For
}

// Admit counts the request, then checks its key, the plan and the scope, in this order; existence and feature follow in
// the handlers. A request without a valid key counts for its address. The admission's Caller is a *Caller.
func (d *Admission) Admit(ctx context.Context, r *http.Request, op *httpapi.Operation) (httpapi.Admission, error) {
	if err := d.Authenticator.CheckMaintenance(); err != nil && !op.RateExempt {
		return d.currentRate(anonymousPrefix + httpapi.ClientAddress(r, d.TrustProxy)), err
	}
	var caller *Caller
	var authErr error
	name := anonymousPrefix
	// health must not need the database
	if header := r.Header.Get("Authorization"); !op.Public || header != "" && !op.RateExempt {
		if caller, authErr = d.Authenticator.Authenticate(ctx, header); authErr == nil {
			name = string(caller.Key.ID) + " "
		}
	}
	admission, err := d.countRequest(name+httpapi.ClientAddress(r, d.TrustProxy), op)
	if authErr == nil && caller != nil {
		admission.Caller, admission.Account = caller, string(caller.Account.ID)
	}
	switch {
	case err != nil || op.Public:
		return admission, err
	case authErr != nil:
		return admission, authErr
	}
	if err = cmp.Or(caller.CheckScope(op.Scope), caller.CheckScope(op.AdditionalScope)); op.NoAPICode != "" &&
		parley.IsCode(err, parley.CodePlanWithoutAPI) {
		err = parley.NewError(op.NoAPICode)
	}
	return admission, err
}

// anonymousPrefix begins the name under which requests without a valid key are counted.
const anonymousPrefix = "anonymous "

func admissionWithRate(state RateState) httpapi.Admission {
	return httpapi.Admission{Rate: httpapi.Rate{Limit: state.Limit, Remaining: state.Remaining, Reset: state.Reset}}
}

func (d *Admission) currentRate(key string) httpapi.Admission {
	if d.Limiter == nil {
		return httpapi.Admission{}
	}
	return admissionWithRate(d.Limiter.Peek(key, d.Now()))
}

// countRequest counts the request against its rate limit; an exempt one is not counted.
func (d *Admission) countRequest(key string, op *httpapi.Operation) (httpapi.Admission, error) {
	if d.Limiter == nil || op.RateExempt {
		return d.currentRate(key), nil
	}
	state := d.Limiter.Take(key, d.Now())
	admission := admissionWithRate(state)
	if state.OK {
		return admission, nil
	}
	e := parley.NewError(parley.CodeTooManyRequests)
	e.RetryAfter = state.RetryAfter
	return admission, e
}
