package main

import (
	"context"
	"sync"
	"time"
)

const (
	arrivalInterval = 10 * time.Millisecond // a question comes every so often, whether or not those before it are answered
	quietTime       = 5 * time.Second
)

// measureMeanwhile is how long turns take while 20 MB of text are learned, beside a quiet server.
func measureMeanwhile(ctx context.Context, b *bench) ([]row, error) {
	q := b.parleyContender(chatRequest{model: instantModel})
	texts := newTexts(usualSizes.ingestBytes)
	var quiet, busy series
	for range pacedRounds {
		rest := time.After(quietTime)
		quiet = append(quiet, q.askAtInterval(ctx, rest))
		done, failed := make(chan time.Time), make(chan error, 1)
		go func() {
			defer close(done)
			_, err := b.parley.ingestTexts(ctx, texts)
			failed <- err
		}()
		busy = append(busy, q.askAtInterval(ctx, done))
		if err := <-failed; err != nil {
			return nil, err
		}
	}
	bar := atMostTimes(2)
	bar.text = "≤ 2 × quiet"
	r := comparedRow("plain turn during a 20 MB ingest (first column: quiet), p99", "ms", quiet.totalQuantile(.99), busy.totalQuantile(.99), &bar).withFailures(busy.failures())
	return []row{r, comparedRow("… p50", "ms", quiet.totalQuantile(.5), busy.totalQuantile(.5), nil)}, nil
}

// askAtInterval asks at fixed moments until told to end. An answer's time counts from the moment its question was due.
func (c *contender) askAtInterval(ctx context.Context, end <-chan time.Time) *batch {
	var (
		mu  sync.Mutex
		out batch
		all sync.WaitGroup
	)
	tick := time.NewTicker(arrivalInterval)
	defer tick.Stop()
	for n := 0; n < maxAnswers; n++ {
		select {
		case due := <-tick.C:
			all.Go(func() {
				var one batch
				c.askOnce(ctx, n, &one)
				took := time.Since(due)
				mu.Lock()
				defer mu.Unlock()
				out.addResult(chatAnswer{firstToken: took, total: took}, one.firstErr)
			})
			continue
		case <-end:
		case <-ctx.Done():
		}
		break
	}
	all.Wait()
	out.sort()
	return &out
}
