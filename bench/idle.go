package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"syscall"
	"time"
)

// stillness is what many silent streams cost a server.
type stillness struct {
	open int             // streams that stood to the end
	each float64         // bytes
	gaps []time.Duration // between two signs of life on a stream, sorted
	why  error           // of the first that did not stand
}

// idle opens many streams whose model says a word every 25 s, and watches them: each must get a heartbeat in between. Floor
// and server are new processes, so that no memory freed earlier hides what a stream takes.
func idle(ctx context.Context, b *bench) ([]row, error) {
	n := b.idle
	note := ""
	if most := openable(); n > most {
		note = fmt.Sprintf("Only %d: the limit of open files does not allow %d, each needing two.", most, n)
		n = most
	}
	ground, err := b.startFloor(ctx, "idle")
	if err != nil {
		return nil, err
	}
	floor, err := b.hush(ctx, ground, ground.ground(nil), n)
	ground.stop()
	if err != nil {
		return nil, err
	}
	house, err := b.house(ctx, "idle")
	if err != nil {
		return nil, err
	}
	defer house.stop()
	ours, err := b.hush(ctx, house.child, house.target(), n)
	if err != nil {
		return nil, err
	}
	all, small, lively := atLeast(float64(n), ""), atMost(40, "kB"), atMost(17, "s")
	gap := func(s stillness) float64 { return quantile(s.gaps, .99).Seconds() }
	rows := []row{
		beside("idle streams open together", "", float64(floor.open), float64(ours.open), &all).fault(n-ours.open, ours.why),
		beside("… memory of each", "kB", floor.each/1000, ours.each/1000, &small),
		beside("… silence between two signs of life, p99", "s", gap(floor), gap(ours), &lively),
	}
	if rows[0].Note == "" {
		rows[0].Note = note
	}
	return rows, nil
}

// openable is how many streams a server may have by its limit of open files: each is one to the client and one to the model.
func openable() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 400
	}
	return max(1, int(min(limit.Max, 1<<20)/2)-500)
}

// hush opens n streams, lets them be for a while and then breaks them off.
func (b *bench) hush(ctx context.Context, c *child, t *target, n int) (stillness, error) {
	for i := range 50 {
		if _, err := t.exact(ctx, question{model: instant, stream: true, message: questions[i%len(questions)]}, said(instant)); err != nil {
			return stillness{}, err
		}
	}
	before, err := c.status("VmRSS")
	if err != nil {
		return stillness{}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	w := &watch{}
	w.open(ctx, t, n, &all)
	if !pause(ctx, b.silence) {
		return stillness{}, ctx.Err()
	}
	after, err := c.status("VmRSS")
	s := w.end()
	s.each = (after - before) / float64(max(1, s.open))
	return s, err
}

const openingTogether = 64

// watch listens to the streams.
type watch struct {
	mu    sync.Mutex
	ended bool
	still stillness
	heard map[int]time.Time
}

// open returns when each stream has brought its first word, or failed.
func (w *watch) open(ctx context.Context, t *target, n int, all *sync.WaitGroup) {
	w.heard = map[int]time.Time{}
	room := make(chan struct{}, openingTogether)
	var begun sync.WaitGroup
	for i := range n {
		room <- struct{}{}
		begun.Add(1)
		all.Go(func() {
			spoken := sync.OnceFunc(func() { <-room; begun.Done() })
			defer spoken()
			err := w.listen(ctx, t, i, spoken)
			w.mu.Lock()
			defer w.mu.Unlock()
			if !w.ended {
				delete(w.heard, i)
				w.still.why = firstError(w.still.why, err)
			}
		})
	}
	begun.Wait()
}

func (w *watch) listen(ctx context.Context, t *target, i int, spoken func()) error {
	resp, err := t.open(ctx, question{model: silent, stream: true, message: questions[i%len(questions)]})
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	some := make([]byte, 512)
	for {
		if _, err := resp.Body.Read(some); err != nil {
			return err
		}
		w.hear(i)
		spoken()
	}
}

func (w *watch) hear(i int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	if last, ok := w.heard[i]; ok && !w.ended {
		w.still.gaps = append(w.still.gaps, now.Sub(last))
	}
	w.heard[i] = now
}

// end closes the books. A silence that still lasts counts when it is longer than any should be.
func (w *watch) end() stillness {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	w.still.open = len(w.heard)
	for _, last := range w.heard {
		if gap := time.Since(last); gap > beat {
			w.still.gaps = append(w.still.gaps, gap)
		}
	}
	slices.Sort(w.still.gaps)
	return w.still
}

func firstError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}
