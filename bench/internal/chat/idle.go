package chat

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"syscall"
	"time"

	"parley/bench/internal/baseline"
	"parley/bench/internal/corpus"
	"parley/bench/internal/harness"
	"parley/bench/internal/load"
	"parley/bench/internal/process"
	"parley/bench/internal/report"
	"parley/bench/internal/stub"
)

// idleResult is what many idle streams cost a server.
type idleResult struct {
	openStreams    int             // streams that stayed open to the end
	bytesPerStream float64         // bytes
	gaps           []time.Duration // between two signs of life on a stream, sorted
	firstErr       error           // of the first that did not stay open
}

// MeasureIdle opens many streams whose model sends a token every 25 s, and watches them: each must get a heartbeat in
// between. Baseline and server are new processes, so that no memory freed earlier hides what a stream takes.
func MeasureIdle(ctx context.Context, b *harness.Run) ([]report.Row, error) {
	n := b.IdleStreams
	note := ""
	if limit := maxOpenStreams(); n > limit {
		note = fmt.Sprintf("Only %d: the limit of open files does not allow %d, each needing two.", limit, n)
		n = limit
	}
	baselineServer, err := b.StartBaseline(ctx, "idle")
	if err != nil {
		return nil, err
	}
	onBaseline, err := holdIdleStreams(ctx, b, baselineServer, baseline.NewTarget(baselineServer.URL, nil), n)
	baselineServer.Stop()
	if err != nil {
		return nil, err
	}
	server, err := b.NewServer(ctx, "idle")
	if err != nil {
		return nil, err
	}
	defer server.Stop()
	measured, err := holdIdleStreams(ctx, b, server.Server, server.NewTarget(), n)
	if err != nil {
		return nil, err
	}
	minStreams, maxMemory, maxGap := report.AtLeast(float64(n), ""), report.AtMostTimes(1.1), report.AtMost(17, "s")
	gap := func(s idleResult) float64 { return report.Quantile(s.gaps, .99).Seconds() }
	rows := []report.Row{
		report.ComparedRow("idle streams open together", "", float64(onBaseline.openStreams), float64(measured.openStreams),
			&minStreams).WithFailures(n-measured.openStreams, measured.firstErr),
		report.ComparedRow("… memory of each", "kB", onBaseline.bytesPerStream/1000, measured.bytesPerStream/1000,
			&maxMemory),
		report.ComparedRow("… silence between two signs of life, p99", "s", gap(onBaseline), gap(measured), &maxGap),
	}
	if rows[0].Note == "" {
		rows[0].Note = note
	}
	return rows, nil
}

// maxOpenStreams returns how many streams the limit of open files allows a server: each needs one connection to the
// client and one to the model.
func maxOpenStreams() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 400
	}
	return max(1, int(min(limit.Max, 1<<20)/2)-500)
}

// holdIdleStreams opens n streams, leaves them open for a while and then cancels them.
func holdIdleStreams(ctx context.Context, b *harness.Run, c *process.Server, t *load.Target,
	n int) (idleResult, error) {
	for i := range 50 {
		if _, err := t.AskExactly(ctx, load.Request{Model: stub.InstantModel, Stream: true,
			Message: corpus.Questions[i%len(corpus.Questions)]}, stub.ScriptText(stub.InstantModel)); err != nil {
			return idleResult{}, err
		}
	}
	before, err := c.Status("VmRSS")
	if err != nil {
		return idleResult{}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	w := &streamWatch{}
	w.openStreams(ctx, t, n, &all)
	if !process.Sleep(ctx, b.IdleTime) {
		return idleResult{}, ctx.Err()
	}
	after, err := c.Status("VmRSS")
	s := w.finish()
	s.bytesPerStream = (after - before) / float64(max(1, s.openStreams))
	return s, err
}

const openConcurrency = 64

// streamWatch records the events of the streams.
type streamWatch struct {
	mu          sync.Mutex
	isEnded     bool
	result      idleResult
	lastEventAt map[int]time.Time
}

// openStreams opens n streams and returns when each has had its first event, or failed.
func (w *streamWatch) openStreams(ctx context.Context, t *load.Target, n int, all *sync.WaitGroup) {
	w.lastEventAt = map[int]time.Time{}
	slots := make(chan struct{}, openConcurrency)
	var begun sync.WaitGroup
	for i := range n {
		slots <- struct{}{}
		begun.Add(1)
		all.Go(func() {
			spoken := sync.OnceFunc(func() { <-slots; begun.Done() })
			defer spoken()
			err := w.readStream(ctx, t, i, spoken)
			w.mu.Lock()
			defer w.mu.Unlock()
			if !w.isEnded {
				delete(w.lastEventAt, i)
				w.result.firstErr = report.FirstError(w.result.firstErr, err)
			}
		})
	}
	begun.Wait()
}

func (w *streamWatch) readStream(ctx context.Context, t *load.Target, i int, spoken func()) error {
	resp, err := t.OpenResponse(ctx,
		load.Request{Model: stub.SilentModel, Stream: true, Message: corpus.Questions[i%len(corpus.Questions)]})
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	some := make([]byte, 512)
	for {
		if _, err := resp.Body.Read(some); err != nil {
			return err
		}
		w.noteEvent(i)
		spoken()
	}
}

func (w *streamWatch) noteEvent(i int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	if last, ok := w.lastEventAt[i]; ok && !w.isEnded {
		w.result.gaps = append(w.result.gaps, now.Sub(last))
	}
	w.lastEventAt[i] = now
}

// finish ends the watch and returns its result. A silence that still lasts counts when it is longer than any should be.
func (w *streamWatch) finish() idleResult {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.isEnded = true
	w.result.openStreams = len(w.lastEventAt)
	for _, last := range w.lastEventAt {
		if gap := time.Since(last); gap > baseline.HeartbeatInterval {
			w.result.gaps = append(w.result.gaps, gap)
		}
	}
	slices.Sort(w.result.gaps)
	return w.result
}
