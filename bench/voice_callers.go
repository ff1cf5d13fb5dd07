package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// callers is the process that the customers of voice sessions are in, so that what they cost is not taken for the server's. Each of its
// jobs takes a JSON and gives one.
type callers struct {
	sounds sounds
	crowd  crowd
}

func runCallers(ctx context.Context, stdout io.Writer) (err error) {
	c := &callers{}
	if c.sounds, err = newSounds(); err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("POST /turns", job(c.turns))
	mux.Handle("POST /barge", job(c.barge))
	mux.Handle("POST /shorts", job(c.shorts))
	mux.Handle("POST /floor", job(c.floor))
	mux.Handle("POST /grow", job(c.grow))
	mux.Handle("POST /gaps", job(c.gaps))
	mux.Handle("POST /hangup", job(c.hangUp))
	return serve(ctx, stdout, mux)
}

// job serves one kind of job.
func job[In, Out any](do func(context.Context, In) (Out, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in In
		err := json.NewDecoder(r.Body).Decode(&in)
		var out Out
		if err == nil {
			out, err = do(r.Context(), in)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		_ = json.NewEncoder(w).Encode(out)
	})
}

// have has the other process do a job.
func have[Out any](ctx context.Context, c *child, name string, in any) (out Out, err error) {
	body, err := json.Marshal(in)
	if err != nil {
		return out, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+"/"+name, bytes.NewReader(body))
	if err != nil {
		return out, err
	}
	resp, err := apiClient.Do(r)
	if err != nil {
		return out, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(io.LimitReader(resp.Body, 500)) // what there is of it is enough
		return out, fmt.Errorf("%s: %s: %s", name, resp.Status, said)
	}
	return out, json.NewDecoder(resp.Body).Decode(&out)
}

// work is what callers are to do: so many of them, so many times each.
type work struct {
	callee
	Callers int
	Times   int
}

// together has the callers do something beside each other, and gathers what they found.
func (c *callers) together(ctx context.Context, w work, do func(context.Context, *caller, *talked) error) talked {
	all := make([]talked, w.Callers)
	var group sync.WaitGroup
	for i := range all {
		group.Go(func() {
			pause(ctx, time.Duration(i)*170*time.Millisecond) // not in step
			one, err := dial(ctx, w.callee, c.sounds.silence, nil)
			if err != nil {
				all[i].fail(err)
				return
			}
			defer one.leaves()
			if err := do(ctx, one, &all[i]); err != nil {
				all[i].fail(err)
			}
		})
	}
	group.Wait()
	var sum talked
	for i := range all {
		sum.add(&all[i])
	}
	return sum
}

// turns asks by voice and in writing.
func (c *callers) turns(ctx context.Context, w work) (talked, error) {
	return c.together(ctx, w, func(ctx context.Context, one *caller, t *talked) error {
		for n := range w.Times {
			if err := one.asks(ctx, &c.sounds, n, t); err != nil {
				t.fail(err)
			}
			if n%3 == 0 {
				if err := one.types(ctx, t); err != nil {
					t.fail(err)
				}
			}
		}
		return nil
	}), ctx.Err()
}

// barge interrupts by voice and in writing.
func (c *callers) barge(ctx context.Context, w work) (talked, error) {
	return c.together(ctx, w, func(ctx context.Context, one *caller, t *talked) error {
		if err := one.listens(ctx, guarded); err != nil {
			return err
		}
		one.writes(spokenQuestion)
		for n := range w.Times {
			if err := one.interrupts(ctx, &c.sounds, n, t); err != nil {
				t.fail(err)
			}
			if err := one.cuts(ctx, n, t); err != nil {
				t.fail(err)
			}
		}
		return nil
	}), ctx.Err()
}

// shorts holds many short sessions, so many at a time: a question, the answer, and goodbye.
func (c *callers) shorts(ctx context.Context, w work) (talked, error) {
	var sum talked
	for left := w.Times; left > 0 && ctx.Err() == nil; left -= w.Callers {
		w.Callers = min(w.Callers, left)
		t := c.together(ctx, w, func(ctx context.Context, one *caller, t *talked) error { return one.asks(ctx, &c.sounds, 0, t) })
		sum.add(&t)
	}
	apiClient.CloseIdleConnections() // they would be the server's goroutines, too
	return sum, ctx.Err()
}

// spread gives the percentiles of measurements in milliseconds.
func spread(list []float64, q float64) float64 {
	return quantile(slices.Sorted(slices.Values(list)), q)
}
