package main

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Most answers of one target in one round, and the longest a single answer may take.
const (
	maxAnswers    = 100_000
	answerTimeout = 60 * time.Second
)

// turnsPerConversation is how many turns a followed conversation gets.
const turnsPerConversation = 20

// contender is a target with how it is asked.
type contender struct {
	*chatTarget
	chatRequest
	process               *serverProcess // whose processor time is counted
	continuesConversation bool           // continue one conversation; for one connection only
	turnCount             int
}

// askContinuously keeps a number of connections busy for a while: each asks, reads the whole answer and asks again.
func (c *contender) askContinuously(ctx context.Context, conns int, span time.Duration) *batch {
	var asked atomic.Int64
	var all sync.WaitGroup
	parts := make([]batch, conns)
	used, began := c.process.cpuTime(), time.Now()
	for i := range parts {
		all.Go(func() {
			for time.Since(began) < span && ctx.Err() == nil {
				n := asked.Add(1)
				if n > maxAnswers {
					return
				}
				c.askOnce(ctx, int(n), &parts[i])
			}
		})
	}
	all.Wait()
	b := mergeBatches(parts)
	b.duration, b.cpuTime = time.Since(began), c.process.cpuTime()-used
	return b
}

// askOnce asks one question and notes what came of it.
func (c *contender) askOnce(ctx context.Context, n int, into *batch) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	q := c.chatRequest
	q.message = manualQuestions[n%len(manualQuestions)]
	a, err := c.askExactly(ctx, q, scriptText(q.model))
	into.addResult(a, err)
	if c.continuesConversation {
		if c.turnCount++; c.turnCount%turnsPerConversation == 0 {
			a.conversation = ""
		}
		c.conversation = a.conversation
	}
}

func (b *batch) addResult(a chatAnswer, err error) {
	if err != nil {
		b.failures++
		b.firstErr = firstError(b.firstErr, err)
		return
	}
	b.firstTokens = append(b.firstTokens, a.firstToken)
	b.totals = append(b.totals, a.total)
}

func mergeBatches(parts []batch) *batch {
	all := &batch{}
	for i := range parts {
		p := &parts[i]
		all.firstTokens = append(all.firstTokens, p.firstTokens...)
		all.totals = append(all.totals, p.totals...)
		all.failures += p.failures
		all.firstErr = firstError(all.firstErr, p.firstErr)
	}
	all.sort()
	return all
}

// runInTurns lets the contenders take turns, each beginning one round in as many. A first, short one is for warming up.
func (b *bench) runInTurns(ctx context.Context, conns int, field []*contender) []series {
	out := make([]series, len(field))
	for _, c := range field {
		c.askContinuously(ctx, conns, b.span/4)
	}
	for round := range b.rounds {
		for i := range field {
			at := (round + i) % len(field)
			out[at] = append(out[at], field[at].askContinuously(ctx, conns, b.span))
		}
	}
	return out
}
