package voice

import (
	"errors"

	"parley"
)

// Watch is told of the sessions of a Desk. Its functions must not wait; each may be nil.
type Watch struct {
	Opened  func()
	Refused func(reason string) // details.reason of a limit, else server_limit, server_overloaded, not_available, credits, failed or other
	Ended   func(reason parley.SessionEnd)
}

func (w *Watch) asked(err error) {
	switch {
	case err == nil && w.Opened != nil:
		w.Opened()
	case err != nil && w.Refused != nil:
		w.Refused(refusal(err))
	}
}

func (w *Watch) ended(reason parley.SessionEnd) {
	if w.Ended != nil {
		w.Ended(reason)
	}
}

// refusal names what a session was refused for.
func refusal(err error) string {
	switch {
	case errors.Is(err, errMost):
		return "server_limit"
	case errors.Is(err, errFull):
		return "server_overloaded"
	}
	switch e := parley.ErrorOf(err); e.Code {
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
