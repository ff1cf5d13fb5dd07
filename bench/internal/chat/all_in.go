package chat

import (
	"context"
	"time"

	"parley/bench/internal/harness"
	"parley/bench/internal/load"
	"parley/bench/internal/process"
	"parley/bench/internal/report"
	"parley/bench/internal/stub"
)

// A server counts as quiet once it has used at most quietShare of a processor in each quietSpan for settleTime, which
// is longer than a conversation rests before it is analyzed.
const (
	quietSpan     = 2 * time.Second
	quietShare    = 0.02
	settleTime    = 34 * time.Second
	maxQuietDelay = 4 * time.Minute
)

// MeasureAllIn measures what a turn costs with all the work that it leaves behind: indexing, insight, merging of the
// log. A server of its own answers for a while and is watched until it is quiet again.
func MeasureAllIn(ctx context.Context, b *harness.Run) ([]report.Row, error) {
	s, err := b.NewServer(ctx, "all-in")
	if err != nil {
		return nil, err
	}
	defer s.Stop()
	c := &load.Contender{Target: s.NewTarget(), Request: load.Request{Model: stub.InstantModel}, Process: s.Server}
	used := s.CPUTime()
	batch := c.AskContinuously(ctx, connectionCount, b.AllInSpan)
	inPhase := s.CPUTime() - used
	delay, err := waitUntilQuiet(ctx, s.Server)
	if err != nil {
		return nil, err
	}
	turns := float64(max(1, len(batch.Totals)))
	maxWork, maxDelay := report.AtMost(1.5, "ms"), report.AtMost(35, "s")
	return []report.Row{
		report.SingleRow("processor time of a plain turn while turns run", "ms",
			report.Milliseconds(inPhase)/turns, nil).WithFailures(batch.Failures, batch.FirstErr),
		report.SingleRow("… with all the work that it leaves behind", "ms",
			report.Milliseconds(s.CPUTime()-used)/turns, &maxWork),
		report.SingleRow("… and the server is quiet after", "s", delay.Seconds(), &maxDelay),
	}, nil
}

// waitUntilQuiet waits until the process does next to nothing, and returns for how long it went on.
func waitUntilQuiet(ctx context.Context, p *process.Server) (busy time.Duration, err error) {
	began := time.Now()
	for elapsed := time.Duration(0); elapsed-busy < settleTime && elapsed < maxQuietDelay; elapsed = time.Since(began) {
		used, before := p.CPUTime(), time.Now()
		if !process.Sleep(ctx, quietSpan) {
			return 0, ctx.Err()
		}
		if float64(p.CPUTime()-used) > quietShare*float64(time.Since(before)) {
			busy = time.Since(began)
		}
	}
	return busy, nil
}
