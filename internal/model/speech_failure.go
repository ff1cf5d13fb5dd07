package model

import (
	"errors"
	"net/url"
	"strings"

	"parley"
)

// What users are told when speech fails.
const (
	speakFailureMessage      = "The agent cannot speak at the moment."
	transcribeFailureMessage = "The agent cannot understand speech at the moment."
)

var (
	errTextTooLong  = errors.New("the text is too long to be spoken in one go")
	errNoSound      = errors.New("the speech server's answer holds no sound")
	errSoundTooLong = errors.New("the sound does not end")
)

// newSpeechError makes an error for the user out of one for the log, from which the key is removed.
func newSpeechError(message string, err error, key string) error {
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
	failure := parley.NewErrorf(parley.CodeInternal, "%s", message)
	failure.Err = &redactedError{text: truncateText(text, maxCauseBytes), err: err}
	var r *statusError
	if errors.As(err, &r) {
		failure.RetryAfter = r.retryAfter
	}
	return failure
}
