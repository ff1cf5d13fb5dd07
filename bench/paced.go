package main

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const pacedRounds = 3

// paced opens many streams at the same moment whose model says a token every 20 ms. Every one must bring every word.
func paced(ctx context.Context, b *bench) ([]row, error) {
	q := question{model: steady, stream: true}
	floor, ours := b.onFloor(q, nil), b.onOurs(q)
	var onFloor, onOurs series
	for range min(b.rounds, pacedRounds) {
		onFloor = append(onFloor, floor.volley(ctx, b.paced))
		onOurs = append(onOurs, ours.volley(ctx, b.paced))
	}
	all := atLeast(float64(b.paced), "")
	complete := func(s series) float64 {
		return s.over(func(b *batch) float64 { return float64(len(b.total)) })
	}
	// How much later than the model said it the last word came, at worst one stream in a hundred.
	late := func(s series) float64 { return s.totals(.99) - ms((steadyTokens-1)*steadyPace) }
	return []row{
		beside(fmt.Sprintf("%d paced streams, complete and to the word", b.paced), "", complete(onFloor), complete(onOurs), &all).fault(onOurs.failures()),
		beside("… first token p50", "ms", onFloor.firsts(.5), onOurs.firsts(.5), &twice),
		beside("… first token p99", "ms", onFloor.firsts(.99), onOurs.firsts(.99), nil),
		beside("… last token behind the model's pace, p99", "ms", late(onFloor), late(onOurs), nil),
		beside("… processor time of the server for each", "ms", onFloor.cpu(), onOurs.cpu(), nil),
	}, nil
}

// volley asks n questions at the same moment.
func (c *contender) volley(ctx context.Context, n int) *batch {
	parts := make([]batch, n)
	var all sync.WaitGroup
	used, began := c.process.cpu(), time.Now()
	for i := range parts {
		all.Go(func() { c.once(ctx, i, &parts[i]) })
	}
	all.Wait()
	b := merged(parts)
	b.took, b.cpu = time.Since(began), c.process.cpu()-used
	return b
}
