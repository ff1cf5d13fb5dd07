package access

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"parley"
	"parley/internal/httpapi"
	"parley/internal/limits"
)

// Admission admits the requests of all APIs: it counts them, authenticates the caller and checks what the caller may
// do.
type Admission struct {
	Authenticator *Authenticator
	Limiter       *limits.Limiter // nil if requests are counted before
	Now           func() time.Time
	TrustProxy    bool // take the caller's address from X-Forwarded-For
}

// Admit counts the request, then checks its key, the plan and the scope, in this order; existence and feature follow in
// the handlers. A request without a valid key counts for its address. The admission's Caller is a *Caller.
func (a *Admission) Admit(ctx context.Context, r *http.Request, op *httpapi.Operation) (httpapi.Admission, error) {
	if err := a.Authenticator.CheckMaintenance(); err != nil && !op.RateExempt {
		return a.currentRate(anonymousPrefix + NetworkOf(httpapi.ClientAddress(r, a.TrustProxy))), err
	}
	var caller *Caller
	var authErr error
	name := anonymousPrefix
	// health must not need the database
	if header := r.Header.Get("Authorization"); !op.Public || header != "" && !op.RateExempt {
		if caller, authErr = a.Authenticator.Authenticate(ctx, header); authErr == nil {
			name = string(caller.Key.ID) + " "
		}
	}
	admission, err := a.countRequest(name+NetworkOf(httpapi.ClientAddress(r, a.TrustProxy)), op)
	if authErr == nil && caller != nil {
		admission.Caller, admission.Account = caller, string(caller.Account.ID)
		admission.CallerKind = httpapi.KeyCaller
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

func admissionWithRate(s limits.RateState) httpapi.Admission {
	return httpapi.Admission{Rate: httpapi.Rate{Limit: s.Limit, Remaining: s.Remaining, Reset: s.Reset}}
}

func (a *Admission) currentRate(key string) httpapi.Admission {
	if a.Limiter == nil {
		return httpapi.Admission{}
	}
	return admissionWithRate(a.Limiter.Peek(key, a.Now()))
}

// countRequest counts the request against its rate limit; an exempt one is not counted.
func (a *Admission) countRequest(key string, op *httpapi.Operation) (httpapi.Admission, error) {
	if a.Limiter == nil || op.RateExempt {
		return a.currentRate(key), nil
	}
	state := a.Limiter.Take(key, a.Now())
	return admissionWithRate(state), state.Err()
}
