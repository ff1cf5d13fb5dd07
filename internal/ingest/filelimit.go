package ingest

import (
	"context"
	"fmt"
	"time"

	"parley"
)

// What an account may upload (facts 5).
const (
	MostUploads  = 10
	UploadWindow = time.Minute
)

// CountUpload counts an upload that arrives, whatever becomes of it. Fails with RATE_LIMIT_TOO_MANY_REQUESTS, and then it does not
// count.
func (d *Desk) CountUpload(ctx context.Context, account parley.AccountID) error {
	wait, err := d.DB.TakeUpload(ctx, account, d.Now(), MostUploads, UploadWindow)
	if err != nil {
		return fmt.Errorf("count an upload: %w", err)
	}
	if wait <= 0 {
		return nil
	}
	e := parley.Failf(parley.CodeTooManyRequests, "An account may upload %d files a minute.", MostUploads)
	e.RetryAfter, e.Limit = wait, MostUploads
	return e
}
