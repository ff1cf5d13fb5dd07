package speech

import (
	"context"
	"errors"
	"time"

	"parley"
	"parley/internal/httpclient"
)

const (
	// MaxRetries is small: somebody is waiting to hear an answer.
	MaxRetries = 1

	// FirstByteTimeout is the longest wait for a speech server if none is set.
	FirstByteTimeout = 8 * time.Second

	idleTimeout = 5 * time.Second
)

// Post sends a request until the server accepts it; it retries once where that can help.
func Post(ctx context.Context, client *httpclient.Client, req httpclient.Request) (*httpclient.Response, error) {
	req.FirstByteTimeout, req.IdleTimeout = FirstByteTimeout, idleTimeout
	for attempt := 0; ; attempt++ {
		resp, err := client.Send(ctx, req)
		if err == nil || ctx.Err() != nil || attempt == MaxRetries {
			return resp, err
		}
		delay, canRetry := httpclient.RetryDelay(client.Backoff, attempt, err)
		if !canRetry {
			return nil, err
		}
		if err := httpclient.Sleep(ctx, delay); err != nil {
			return nil, err
		}
	}
}

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
