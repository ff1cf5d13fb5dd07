package ingest

import (
	"context"
	"time"

	"parley/bench/internal/harness"
	"parley/bench/internal/load"
	"parley/bench/internal/report"
	"parley/bench/internal/stub"
)

const (
	busyRounds = 3
	quietTime  = 5 * time.Second
)

// MeasureMeanwhile measures how long turns take during an ingest of 20 MB of text, compared with a quiet server.
func MeasureMeanwhile(ctx context.Context, b *harness.Run) ([]report.Row, error) {
	q := b.ParleyContender(load.Request{Model: stub.InstantModel})
	texts := newTexts(harness.UsualSizes.IngestBytes)
	var quiet, busy load.Series
	for range busyRounds {
		rest := time.After(quietTime)
		quiet = append(quiet, q.AskAtInterval(ctx, rest))
		done, failed := make(chan time.Time), make(chan error, 1)
		go func() {
			defer close(done)
			_, err := ingestTexts(ctx, b.Parley, texts)
			failed <- err
		}()
		busy = append(busy, q.AskAtInterval(ctx, done))
		if err := <-failed; err != nil {
			return nil, err
		}
	}
	bar := report.AtMostTimes(2)
	bar.Text = "≤ 2 × quiet"
	r := report.ComparedRow("plain turn during a 20 MB ingest (first column: quiet), p99", "ms",
		quiet.TotalQuantile(.99), busy.TotalQuantile(.99), &bar).WithFailures(busy.Failures())
	return []report.Row{r, report.ComparedRow("… p50", "ms", quiet.TotalQuantile(.5), busy.TotalQuantile(.5), nil)}, nil
}
