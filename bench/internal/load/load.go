package load

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"parley/bench/internal/corpus"
	"parley/bench/internal/process"
	"parley/bench/internal/report"
	"parley/bench/internal/stub"
)

// Most answers of one target in one round, and the longest a single answer may take.
const (
	maxAnswers    = 100_000
	answerTimeout = 60 * time.Second
)

// turnsPerConversation is how many turns a followed conversation gets.
const turnsPerConversation = 20

// Contender is a target with the requests that it gets.
type Contender struct {
	*Target
	Request
	Process               *process.Server // whose processor time is counted
	Database              process.Family  // whose processor time is counted apart
	ContinuesConversation bool            // continue one conversation; for one connection only
	turnCount             int
}

// AskContinuously keeps conns connections busy for a while: each asks, reads the whole answer and asks again.
func (c *Contender) AskContinuously(ctx context.Context, conns int, span time.Duration) *Batch {
	var sent atomic.Int64
	var all sync.WaitGroup
	parts := make([]Batch, conns)
	used, ofDatabase, began := c.Process.CPUTime(), c.Database.CPUTime(), time.Now()
	for i := range parts {
		all.Go(func() {
			for time.Since(began) < span && ctx.Err() == nil {
				n := sent.Add(1)
				if n > maxAnswers {
					return
				}
				c.askOnce(ctx, int(n), &parts[i])
			}
		})
	}
	all.Wait()
	b := mergeBatches(parts)
	b.duration, b.cpuTime = time.Since(began), c.Process.CPUTime()-used
	b.databaseCPU = c.Database.CPUTime() - ofDatabase
	return b
}

// askOnce asks one question and records the result.
func (c *Contender) askOnce(ctx context.Context, n int, into *Batch) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	q := c.Request
	q.Message = corpus.Questions[n%len(corpus.Questions)]
	a, err := c.AskExactly(ctx, q, stub.ScriptText(q.Model))
	into.AddResult(a, err)
	if c.ContinuesConversation {
		if c.turnCount++; c.turnCount%turnsPerConversation == 0 {
			a.conversation = ""
		}
		c.Conversation = a.conversation
	}
}

func (b *Batch) AddResult(a Answer, err error) {
	if err != nil {
		b.Failures++
		b.FirstErr = report.FirstError(b.FirstErr, err)
		return
	}
	b.firstTokens = append(b.firstTokens, a.FirstToken)
	b.Totals = append(b.Totals, a.Total)
}

func mergeBatches(parts []Batch) *Batch {
	all := &Batch{}
	for i := range parts {
		p := &parts[i]
		all.firstTokens = append(all.firstTokens, p.firstTokens...)
		all.Totals = append(all.Totals, p.Totals...)
		all.Failures += p.Failures
		all.FirstErr = report.FirstError(all.FirstErr, p.FirstErr)
	}
	all.Sort()
	return all
}

// AskAtOnce asks n questions at the same moment.
func (c *Contender) AskAtOnce(ctx context.Context, n int) *Batch {
	parts := make([]Batch, n)
	var all sync.WaitGroup
	used, began := c.Process.CPUTime(), time.Now()
	for i := range parts {
		all.Go(func() { c.askOnce(ctx, i, &parts[i]) })
	}
	all.Wait()
	b := mergeBatches(parts)
	b.duration, b.cpuTime = time.Since(began), c.Process.CPUTime()-used
	return b
}

// AskAtInterval asks at fixed moments until told to end. An answer's time counts from the moment its question was due.
func (c *Contender) AskAtInterval(ctx context.Context, end <-chan time.Time) *Batch {
	var (
		mu  sync.Mutex
		out Batch
		all sync.WaitGroup
	)
	tick := time.NewTicker(arrivalInterval)
	defer tick.Stop()
	for n := 0; n < maxAnswers; n++ {
		select {
		case due := <-tick.C:
			all.Go(func() {
				var one Batch
				c.askOnce(ctx, n, &one)
				elapsed := time.Since(due)
				mu.Lock()
				defer mu.Unlock()
				out.AddResult(Answer{FirstToken: elapsed, Total: elapsed}, one.FirstErr)
			})
			continue
		case <-end:
		case <-ctx.Done():
		}
		break
	}
	all.Wait()
	out.Sort()
	return &out
}

// arrivalInterval is the time between two questions, whether or not the earlier ones are answered.
const arrivalInterval = 10 * time.Millisecond
