package voice

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

	"parley/bench/internal/process"
	"parley/bench/internal/report"
)

// callerProcess is the process of the callers, so that their cost does not count as the server's. Each of its
// jobs has a JSON request and a JSON reply.
type callerProcess struct {
	sounds callerSounds
	group  callerGroup
}

func RunCallers(ctx context.Context, stdout io.Writer) (err error) {
	c := &callerProcess{}
	if c.sounds, err = newCallerSounds(); err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("POST /turns", jobHandler(c.measureTurns))
	mux.Handle("POST /barge", jobHandler(c.measureBargeIn))
	mux.Handle("POST /shorts", jobHandler(c.runShortSessions))
	mux.Handle("POST /baseline", jobHandler(c.measureBaseline))
	mux.Handle("POST /grow", jobHandler(c.addCallers))
	mux.Handle("POST /gaps", jobHandler(c.measureGaps))
	mux.Handle("POST /hangup", jobHandler(c.hangUpAll))
	return process.ServeUntilDone(ctx, stdout, mux)
}

func jobHandler[In, Out any](do func(context.Context, In) (Out, error)) http.Handler {
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

func runJob[Out any](ctx context.Context, c *process.Server, name string, in any) (out Out, err error) {
	reply, err := sendRequest(ctx, http.MethodPost, c.URL+"/"+name, in)
	if err != nil {
		return out, err
	}
	return out, json.Unmarshal(reply, &out)
}

// sendRequest sends JSON and returns the reply.
func sendRequest(ctx context.Context, method, url string, in any) ([]byte, error) {
	body, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	resp, err := apiClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	reply, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %s", r.URL.Path, resp.Status, reply[:min(len(reply), 500)])
	}
	return reply, err
}

// callerJob is a job of callers: how many callers, and how many times each.
type callerJob struct {
	calledAgent
	Callers int
	Times   int
}

// runConcurrently runs do for all callers concurrently, and merges their results.
func (c *callerProcess) runConcurrently(ctx context.Context, w callerJob,
	do func(context.Context, *voiceClient, *voiceResult) error) voiceResult {
	all := make([]voiceResult, w.Callers)
	var group sync.WaitGroup
	for i := range all {
		group.Go(func() {
			process.Sleep(ctx, time.Duration(i)*170*time.Millisecond) // not in step
			one, err := startCall(ctx, w.calledAgent, c.sounds.silence, nil)
			if err != nil {
				all[i].fail(err)
				return
			}
			defer one.hangUp()
			if err := do(ctx, one, &all[i]); err != nil {
				all[i].fail(err)
			}
		})
	}
	group.Wait()
	var sum voiceResult
	for i := range all {
		sum.add(&all[i])
	}
	return sum
}

func (c *callerProcess) measureTurns(ctx context.Context, w callerJob) (voiceResult, error) {
	return c.runConcurrently(ctx, w, func(ctx context.Context, one *voiceClient, t *voiceResult) error {
		for n := range w.Times {
			if err := one.askByVoice(ctx, &c.sounds, n, t); err != nil {
				t.fail(err)
			}
			if n%3 == 0 {
				if err := one.askByText(ctx, t); err != nil {
					t.fail(err)
				}
			}
		}
		return nil
	}), ctx.Err()
}

func (c *callerProcess) measureBargeIn(ctx context.Context, w callerJob) (voiceResult, error) {
	return c.runConcurrently(ctx, w, func(ctx context.Context, one *voiceClient, t *voiceResult) error {
		if err := one.waitForLongAnswer(ctx, echoGuardTime); err != nil {
			return err
		}
		one.sendText(spokenQuestion)
		for n := range w.Times {
			if err := one.interruptByVoice(ctx, &c.sounds, n, t); err != nil {
				t.fail(err)
			}
			if err := one.interruptByText(ctx, n, t); err != nil {
				t.fail(err)
			}
		}
		return nil
	}), ctx.Err()
}

// runShortSessions runs many short sessions, a number of them at a time: a question, the answer, and the end.
func (c *callerProcess) runShortSessions(ctx context.Context, w callerJob) (voiceResult, error) {
	var sum voiceResult
	for left := w.Times; left > 0 && ctx.Err() == nil; left -= w.Callers {
		w.Callers = min(w.Callers, left)
		t := c.runConcurrently(ctx, w, func(ctx context.Context, one *voiceClient, t *voiceResult) error {
			return one.askByVoice(ctx, &c.sounds, 0, t)
		})
		sum.add(&t)
	}
	apiClient.CloseIdleConnections() // they would be the server's goroutines, too
	return sum, ctx.Err()
}

// percentiles returns the percentiles of measurements in milliseconds.
func percentiles(list []float64, q float64) float64 {
	return report.Quantile(slices.Sorted(slices.Values(list)), q)
}
