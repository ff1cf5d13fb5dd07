package main

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Most answers of one target in one round, and the longest a single answer may take.
const (
	mostAnswers = 100_000
	patience    = 60 * time.Second
)

// threadLength is how many turns a followed conversation gets.
const threadLength = 20

// contender is a target with how it is asked.
type contender struct {
	*target
	question
	process *child // whose processor time is counted
	follow  bool   // continue one conversation; for one connection only
	turn    int
}

// drive keeps a number of connections busy for a while: each asks, reads the whole answer and asks again.
func (c *contender) drive(ctx context.Context, conns int, span time.Duration) *batch {
	var asked atomic.Int64
	var all sync.WaitGroup
	parts := make([]batch, conns)
	used, began := c.process.cpu(), time.Now()
	for i := range parts {
		all.Go(func() {
			for time.Since(began) < span && ctx.Err() == nil {
				n := asked.Add(1)
				if n > mostAnswers {
					return
				}
				c.once(ctx, int(n), &parts[i])
			}
		})
	}
	all.Wait()
	b := merged(parts)
	b.took, b.cpu = time.Since(began), c.process.cpu()-used
	return b
}

// once asks one question and notes what came of it.
func (c *contender) once(ctx context.Context, n int, into *batch) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	q := c.question
	q.message = questions[n%len(questions)]
	a, err := c.exact(ctx, q, said(q.model))
	into.note(a, err)
	if c.follow {
		if c.turn++; c.turn%threadLength == 0 {
			a.conversation = ""
		}
		c.conversation = a.conversation
	}
}

func (b *batch) note(a answer, err error) {
	if err != nil {
		b.failed++
		b.why = firstError(b.why, err)
		return
	}
	b.first = append(b.first, a.first)
	b.total = append(b.total, a.total)
}

func merged(parts []batch) *batch {
	all := &batch{}
	for i := range parts {
		p := &parts[i]
		all.first = append(all.first, p.first...)
		all.total = append(all.total, p.total...)
		all.failed += p.failed
		all.why = firstError(all.why, p.why)
	}
	all.sort()
	return all
}

// inTurns lets the contenders take turns, each beginning one round in as many. A first, short one is for warming up.
func (b *bench) inTurns(ctx context.Context, conns int, field []*contender) []series {
	out := make([]series, len(field))
	for _, c := range field {
		c.drive(ctx, conns, b.span/4)
	}
	for round := range b.rounds {
		for i := range field {
			at := (round + i) % len(field)
			out[at] = append(out[at], field[at].drive(ctx, conns, b.span))
		}
	}
	return out
}
