package voice

import (
	"context"
	"slices"
	"sync"
	"time"

	"parley/bench/internal/process"
	"parley/bench/internal/report"
)

// callerGroup is a group of callers that all send and receive at the same time.
type callerGroup struct {
	counters []*gapCounter
}

// gapCounter is a caller of the group: it measures the gaps between the agent's packets.
type gapCounter struct {
	*voiceClient
	mu           sync.Mutex
	lastPacketAt time.Time
	gaps         []time.Duration
	isCounting   bool
}

// maxGap between packets of one answer; what is longer is a pause.
const maxGap = time.Second

func (g *gapCounter) addPacket(a receivedPacket) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if gap := a.receivedAt.Sub(g.lastPacketAt); g.isCounting && gap < maxGap {
		g.gaps = append(g.gaps, gap)
	}
	g.lastPacketAt = a.receivedAt
}

// silentTime is how long the agent has been silent.
func (g *gapCounter) silentTime() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return time.Since(g.lastPacketAt)
}

func (g *gapCounter) setCounting(on bool) []time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	list := g.gaps
	g.isCounting, g.gaps = on, nil
	return list
}

// growthResult is how many callers there are, and why there are no more.
type growthResult struct {
	Callers int
	Refused string
}

// addCallers adds callers until there are so many and each hears the agent. Their microphones send music.
func (c *callerProcess) addCallers(ctx context.Context, w callerJob) (growthResult, error) {
	var fresh []*gapCounter
	var cause error
	for range w.Callers - len(c.group.counters) {
		g := &gapCounter{lastPacketAt: time.Now()}
		if g.voiceClient, cause = startCall(ctx, w.calledAgent, c.sounds.tone, g.addPacket); cause != nil {
			break
		}
		g.sendText(longQuestion)
		fresh = append(fresh, g)
		c.group.counters = append(c.group.counters, g)
	}
	for _, g := range fresh {
		for began := time.Now(); g.silentTime() > 100*time.Millisecond && time.Since(began) < answerLimit; {
			process.Sleep(ctx, 20*time.Millisecond)
		}
	}
	out := growthResult{Callers: len(c.group.counters)}
	if cause != nil {
		out.Refused = cause.Error()
	}
	return out, ctx.Err()
}

// groupResult is how the group was served for a while.
type groupResult struct {
	P50, P95, P99 float64 // of the gaps, in milliseconds
	PerSecond     float64 // packets that each heard
	Processor     float64 // seconds that the callers themselves used
}

func (c *callerProcess) measureGaps(ctx context.Context, span time.Duration) (groupResult, error) {
	for _, g := range c.group.counters {
		g.setCounting(true)
	}
	used := process.OwnCPUTime()
	process.Sleep(ctx, span)
	used = process.OwnCPUTime() - used
	var all []time.Duration
	for _, g := range c.group.counters {
		all = append(all, g.setCounting(false)...)
		if g.silentTime() > maxGap {
			g.sendText(longQuestion) // the agent has finished
		}
	}
	slices.Sort(all)
	each := float64(len(all)) / float64(max(1, len(c.group.counters))) / span.Seconds()
	return groupResult{report.Milliseconds(report.Quantile(all, .5)), report.Milliseconds(report.Quantile(all, .95)),
		report.Milliseconds(report.Quantile(all, .99)), each, used.Seconds()}, ctx.Err()
}

func (c *callerProcess) hangUpAll(ctx context.Context, _ struct{}) (growthResult, error) {
	var group sync.WaitGroup
	for _, g := range c.group.counters {
		group.Go(g.hangUp)
	}
	group.Wait()
	c.group.counters = nil
	return growthResult{}, ctx.Err()
}
