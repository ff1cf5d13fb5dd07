package main

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const pacedRounds = 3

// measurePaced opens many streams at the same moment whose model says a token every 20 ms. Every one must bring every word.
func measurePaced(ctx context.Context, b *bench) ([]row, error) {
	q := chatRequest{model: steadyModel, stream: true}
	floor, ours := b.baselineContender(q, nil), b.parleyContender(q)
	var onFloor, onOurs series
	for range min(b.rounds, pacedRounds) {
		onFloor = append(onFloor, floor.askAtOnce(ctx, b.pacedStreams))
		onOurs = append(onOurs, ours.askAtOnce(ctx, b.pacedStreams))
	}
	all := atLeast(float64(b.pacedStreams), "")
	complete := func(s series) float64 {
		return s.medianOf(func(b *batch) float64 { return float64(len(b.totals)) })
	}
	// How much later than the model said it the last word came, at worst one stream in a hundred.
	late := func(s series) float64 { return s.totalQuantile(.99) - milliseconds((steadyTokens-1)*steadyPace) }
	return []row{
		comparedRow(fmt.Sprintf("%d paced streams, complete and to the word", b.pacedStreams), "", complete(onFloor), complete(onOurs), &all).withFailures(onOurs.failures()),
		comparedRow("… first token p50", "ms", onFloor.firstTokenQuantile(.5), onOurs.firstTokenQuantile(.5), &atMostTwofold),
		comparedRow("… first token p99", "ms", onFloor.firstTokenQuantile(.99), onOurs.firstTokenQuantile(.99), nil),
		comparedRow("… last token behind the model's pace, p99", "ms", late(onFloor), late(onOurs), nil),
		comparedRow("… processor time of the server for each", "ms", onFloor.cpuPerAnswer(), onOurs.cpuPerAnswer(), nil),
	}, nil
}

// askAtOnce asks n questions at the same moment.
func (c *contender) askAtOnce(ctx context.Context, n int) *batch {
	parts := make([]batch, n)
	var all sync.WaitGroup
	used, began := c.process.cpuTime(), time.Now()
	for i := range parts {
		all.Go(func() { c.askOnce(ctx, i, &parts[i]) })
	}
	all.Wait()
	b := mergeBatches(parts)
	b.duration, b.cpuTime = time.Since(began), c.process.cpuTime()-used
	return b
}
