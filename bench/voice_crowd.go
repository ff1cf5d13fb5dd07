package main

import (
	"context"
	"slices"
	"sync"
	"time"
)

// crowd is callers who all sound and hear at the same time.
type crowd struct {
	list []*gapper
}

// gapper is one of the crowd: it counts how far apart the agent's packets come.
type gapper struct {
	*caller
	mu    sync.Mutex
	last  time.Time
	gaps  []time.Duration
	count bool
}

// longestGap between packets of one answer; what is longer is a pause.
const longestGap = time.Second

func (g *gapper) came(a reception) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if gap := a.at.Sub(g.last); g.count && gap < longestGap {
		g.gaps = append(g.gaps, gap)
	}
	g.last = a.at
}

// since is how long the agent has been silent.
func (g *gapper) since() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return time.Since(g.last)
}

func (g *gapper) counts(on bool) []time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	list := g.gaps
	g.count, g.gaps = on, nil
	return list
}

// grown says how many there are, and why there are no more.
type grown struct {
	Callers int
	Refused string
}

// grow has more callers come, until there are so many, and each hears the agent. Their rooms have music in them.
func (c *callers) grow(ctx context.Context, w work) (grown, error) {
	var fresh []*gapper
	var why error
	for range w.Callers - len(c.crowd.list) {
		g := &gapper{last: time.Now()}
		if g.caller, why = dial(ctx, w.callee, c.sounds.tone, g.came); why != nil {
			break
		}
		g.writes(longQuestion)
		fresh = append(fresh, g)
		c.crowd.list = append(c.crowd.list, g)
	}
	for _, g := range fresh {
		for began := time.Now(); g.since() > 100*time.Millisecond && time.Since(began) < answersIn; {
			pause(ctx, 20*time.Millisecond)
		}
	}
	out := grown{Callers: len(c.crowd.list)}
	if why != nil {
		out.Refused = why.Error()
	}
	return out, ctx.Err()
}

// watched is how the crowd was served for a while.
type watched struct {
	P50, P95, P99 float64 // of the gaps, in milliseconds
	PerSecond     float64 // packets that each heard
	Processor     float64 // seconds that the callers themselves used
}

// gaps counts for a while.
func (c *callers) gaps(ctx context.Context, span time.Duration) (watched, error) {
	for _, g := range c.crowd.list {
		g.counts(true)
	}
	used := processor()
	pause(ctx, span)
	used = processor() - used
	var all []time.Duration
	for _, g := range c.crowd.list {
		all = append(all, g.counts(false)...)
		if g.since() > longestGap {
			g.writes(longQuestion) // the agent has finished
		}
	}
	slices.Sort(all)
	each := float64(len(all)) / float64(max(1, len(c.crowd.list))) / span.Seconds()
	return watched{ms(quantile(all, .5)), ms(quantile(all, .95)), ms(quantile(all, .99)), each, used.Seconds()}, ctx.Err()
}

// hangUp sends the crowd away.
func (c *callers) hangUp(ctx context.Context, _ struct{}) (grown, error) {
	var group sync.WaitGroup
	for _, g := range c.crowd.list {
		group.Go(g.leaves)
	}
	group.Wait()
	c.crowd.list = nil
	return grown{}, ctx.Err()
}
