package speech

import (
	"context"
	"time"

	"parley/internal/httpclient"
)

const (
	// MaxRetries is small: somebody is waiting to hear an answer.
	MaxRetries = 1

	// FirstByteTimeout is the longest wait for a speech server where none is set.
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
