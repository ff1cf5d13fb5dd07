package speech

import (
	"errors"

	"parley"
	"parley/internal/httpclient"
)

// What can be wrong with the text or the sound of any engine.
var (
	ErrTextTooLong  = errors.New("the text is too long to be spoken in one go")
	ErrNoSound      = errors.New("the speech server's answer holds no sound")
	ErrSoundTooLong = errors.New("the sound does not end")
)

// SynthesisError returns the error that a user may see when speaking has failed. Its cause is err without the key.
func SynthesisError(err error, key string) error {
	return wrapError("The agent cannot speak at the moment.", err, key)
}

// TranscriptionError returns the error that a user may see when understanding speech has failed. Its cause is err
// without the key.
func TranscriptionError(err error, key string) error {
	return wrapError("The agent cannot understand speech at the moment.", err, key)
}

func wrapError(message string, err error, key string) error {
	var wrapped *parley.Error
	if errors.As(err, &wrapped) {
		return err
	}
	return httpclient.WithCause(parley.NewErrorf(parley.CodeInternal, "%s", message), err, key)
}
