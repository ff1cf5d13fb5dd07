package main

import (
	"context"
	"sync"
	"time"
)

const (
	arrival = 10 * time.Millisecond // a question comes every so often, whether or not those before it are answered
	calm    = 5 * time.Second
)

// meanwhile is how long turns take while 20 MB of text are learned, beside a quiet server.
func meanwhile(ctx context.Context, b *bench) ([]row, error) {
	q := b.onOurs(question{model: instant})
	texts := library(usual.ingest)
	var quiet, busy series
	for range pacedRounds {
		rest := time.After(calm)
		quiet = append(quiet, q.stroll(ctx, rest))
		done, failed := make(chan time.Time), make(chan error, 1)
		go func() {
			defer close(done)
			_, err := b.ours.feed(ctx, texts)
			failed <- err
		}()
		busy = append(busy, q.stroll(ctx, done))
		if err := <-failed; err != nil {
			return nil, err
		}
	}
	bar := atMostTimes(2)
	bar.text = "≤ 2 × quiet"
	r := beside("plain turn during a 20 MB ingest (first column: quiet), p99", "ms", quiet.totals(.99), busy.totals(.99), &bar).fault(busy.failures())
	return []row{r, beside("… p50", "ms", quiet.totals(.5), busy.totals(.5), nil)}, nil
}

// stroll asks at fixed moments until told to end. An answer's time counts from the moment its question was due.
func (c *contender) stroll(ctx context.Context, end <-chan time.Time) *batch {
	var (
		mu  sync.Mutex
		out batch
		all sync.WaitGroup
	)
	tick := time.NewTicker(arrival)
	defer tick.Stop()
	for n := 0; n < mostAnswers; n++ {
		select {
		case due := <-tick.C:
			all.Go(func() {
				var one batch
				c.once(ctx, n, &one)
				took := time.Since(due)
				mu.Lock()
				defer mu.Unlock()
				out.note(answer{first: took, total: took}, one.why)
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
