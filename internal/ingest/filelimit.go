package ingest

import (
	"context"
	"fmt"
	"time"

	"parley"
)

// What an account may upload (facts 5).
const (
	MaxUploads   = 10
	UploadWindow = time.Minute
)

// CountUpload counts an upload that arrives, whatever becomes of it. Fails with RATE_LIMIT_TOO_MANY_REQUESTS, and then it does not
// count.
func (d *Service) CountUpload(ctx context.Context, account parley.AccountID) error {
	wait, err := d.DB.CountUpload(ctx, account, d.Now(), MaxUploads, UploadWindow)
	if err != nil {
		return fmt.Errorf("count an upload: %w", err)
	}
	if wait <= 0 {
		return nil
	}
	e := parley.NewErrorf(parley.CodeTooManyRequests, "An account may upload %d files a minute.", MaxUploads)
	e.RetryAfter, e.Limit = wait, MaxUploads
	return e
}
