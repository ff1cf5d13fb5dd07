package llm

import (
	"errors"
	"net/url"
	"strings"

	"parley"
)

// What users are told when speech fails.
const (
	cannotSpeak = "The agent cannot speak at the moment."
	cannotHear  = "The agent cannot understand speech at the moment."
)

var (
	errTooLong  = errors.New("the text is too long to be spoken in one go")
	errNoSound  = errors.New("the speech server's answer holds no sound")
	errSoundEnd = errors.New("the sound does not end")
)

// speechFailed makes an error for the user out of one for the log, from which the key is removed.
func speechFailed(message string, err error, key string) error {
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	var done *parley.Error
	if errors.As(err, &done) {
		return err
	}
	text := strings.ToValidUTF8(err.Error(), "\uFFFD")
	if key != "" {
		text = strings.ReplaceAll(text, key, "***")
	}
	failure := parley.Failf(parley.CodeInternal, "%s", message)
	failure.Err = &cause{text: trimmed(text, maxCause), err: err}
	var r *refusal
	if errors.As(err, &r) {
		failure.RetryAfter = r.after
	}
	return failure
}
