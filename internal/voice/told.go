package voice

import (
	"errors"

	"parley"
)

// Observer is told of the sessions of a Sessions. Its functions must not wait; each may be nil.
type Observer struct {
	OnOpen   func()
	OnRefuse func(reason string) // details.reason of a limit, else server_limit, server_overloaded, not_available, credits, failed or other
	OnEnd    func(reason parley.SessionEndReason)
}

func (w *Observer) notifyAdmission(err error) {
	switch {
	case err == nil && w.OnOpen != nil:
		w.OnOpen()
	case err != nil && w.OnRefuse != nil:
		w.OnRefuse(refusalReason(err))
	}
}

func (w *Observer) notifyEnd(reason parley.SessionEndReason) {
	if w.OnEnd != nil {
		w.OnEnd(reason)
	}
}

// refusalReason names what a session was refused for.
func refusalReason(err error) string {
	switch {
	case errors.Is(err, errTooManySessions):
		return "server_limit"
	case errors.Is(err, errOverloaded):
		return "server_overloaded"
	}
	switch e := parley.AsError(err); e.Code {
	case parley.CodeVoiceLimit:
		return e.Details["reason"]
	case parley.CodeVoiceNotAvailable:
		return "not_available"
	case parley.CodeVoiceCredits, parley.CodeVoiceAgentCredits:
		return "credits"
	case parley.CodeSessionFailed:
		return "failed"
	default:
		return "other"
	}
}
