package voice

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"parley/bench/internal/process"
	"parley/bench/internal/report"
)

// percentileRows returns two rows, the median and the 95th percentile, compared with those of a baseline where there is
// one.
func percentileRows(measure string, baseline, measured []float64, p50, p95 *report.Threshold) []report.Row {
	if baseline == nil {
		return []report.Row{report.SingleRow(measure+", p50", "ms", percentiles(measured, .5), p50),
			report.SingleRow("… p95", "ms", percentiles(measured, .95), p95)}
	}
	return []report.Row{report.ComparedRow(measure+", p50", "ms", percentiles(baseline, .5), percentiles(measured, .5),
		p50),
		report.ComparedRow("… p95", "ms", percentiles(baseline, .95), percentiles(measured, .95), p95)}
}

func (r *voiceResult) firstError() error { return errors.New(r.Why) }

// measureVoiceTurns measures from the end of a question to the beginning of the answer, at the customer's client.
func measureVoiceTurns(ctx context.Context, v *voiceRun) ([]report.Row, error) {
	measured, err := runJob[voiceResult](ctx, v.callers, "turns",
		callerJob{v.newCallee(), v.voiceSizes.callerCount, v.turnsPerCaller})
	if err != nil {
		return nil, err
	}
	baseline, err := runJob[voiceResult](ctx, v.callers, "baseline", baselineJob{v.Stub.URL, v.turnsPerCaller})
	if err != nil {
		return nil, err
	}
	inside, err := v.serverStats(ctx)
	if err != nil {
		return nil, err
	}
	maxP50, maxP95 := report.AtMost(450, "ms"), report.AtMost(800, "ms")
	rows := percentileRows(fmt.Sprintf("end of speech → first packet of the answer, %d turns of %d callers",
		len(measured.Spoken), v.voiceSizes.callerCount), baseline.Spoken, measured.Spoken, &maxP50, &maxP95)
	rows[0] = rows[0].WithFailures(measured.Failed, measured.firstError())
	a, b := inside.SpokenP50, inside.SpokenP95
	for _, s := range []struct {
		name     string
		p50, p95 float64
	}{{"silence until the turn was over", a.Silence, b.Silence}, {"recognition after that", a.Hearing, b.Hearing},
		{"first text", a.Answer, b.Answer}, {"first clause", a.Piece, b.Piece}, {"first speech", a.Speech, b.Speech},
		{"first packet", a.Output, b.Output}, {"in all", a.Total, b.Total}} {
		rows = append(rows, serverRows(s.name, s.p50, s.p95)...)
	}
	return append(rows, percentileRows(fmt.Sprintf("message → first packet of the answer, %d turns", len(measured.Typed)),
		baseline.Typed, measured.Typed, nil, nil)...), nil
}

// measureVoiceBargeIn measures how fast the agent falls silent when it is interrupted.
func measureVoiceBargeIn(ctx context.Context, v *voiceRun) ([]report.Row, error) {
	t, err := runJob[voiceResult](ctx, v.callers, "barge",
		callerJob{v.newCallee(), v.voiceSizes.callerCount, v.bargesPerCaller})
	if err != nil {
		return nil, err
	}
	inside, err := v.serverStats(ctx)
	if err != nil {
		return nil, err
	}
	// 120 ms at the server, a packet, and the way
	maxSilence, maxReaction := report.AtMost(145, "ms"), report.AtMost(40, "ms")
	rows := percentileRows(fmt.Sprintf("beginning of voice → the agent is heard more softly, %d interruptions",
		len(t.Ducked)), nil, t.Ducked, nil, &maxSilence)
	rows[0] = rows[0].WithFailures(t.Failed, t.firstError())
	rows = append(rows, serverRows("ducked", inside.DuckedP50, inside.DuckedP95)...)
	rows = append(rows, percentileRows("beginning of voice → the last the agent is heard", nil, t.Silent, nil, nil)...)
	rows = append(rows, serverRows("held", inside.HeldP50, inside.HeldP95)...)
	return append(rows,
		percentileRows(fmt.Sprintf("message over the agent's words → the last of them is heard, %d messages",
			len(t.Cut)), nil, t.Cut, nil, &maxReaction)...), nil
}

func serverRows(name string, p50, p95 float64) []report.Row {
	return []report.Row{report.SingleRow("… as the server sees it: "+name+", p50", "ms", p50, nil),
		report.SingleRow("… … p95", "ms", p95, nil)}
}

// maxGroupTime bounds how long larger groups are tried.
const maxGroupTime = 5 * time.Minute

// measureVoiceCapacity measures how many sessions, with both sides sending without a pause, this machine carries
// together with the callers.
func measureVoiceCapacity(ctx context.Context, v *voiceRun) (rows []report.Row, err error) {
	defer func() {
		if _, down := runJob[growthResult](ctx, v.callers, "hangup", struct{}{}); err == nil {
			err = down
		}
	}()
	gapLimit := report.AtMost(25, "ms")
	sessions, share := 0, 0.0
	for began, i := time.Now(), 0; i < len(v.groupSizes) && time.Since(began) < maxGroupTime; i++ {
		g, err := runJob[growthResult](ctx, v.callers, "grow",
			callerJob{calledAgent: v.newCallee(), Callers: v.groupSizes[i]})
		if err != nil {
			return rows, err
		}
		process.Sleep(ctx, time.Second)
		w, used, err := v.watchGroup(ctx, g.Callers)
		if err != nil {
			return rows, err
		}
		v.Logf("  %d sessions: gaps p50 %.1f p95 %.1f p99 %.1f ms, %.1f packets/s, server %.4f and callers %.4f "+
			"cores for each %s",
			g.Callers, w.P50, w.P95, w.P99, w.PerSecond, used,
			w.Processor/v.voiceSizes.groupTime.Seconds()/float64(g.Callers), g.Refused)
		r := report.SingleRow(fmt.Sprintf("%d sessions that sound both ways: gap between packets, p95", g.Callers),
			"ms", w.P95, nil)
		if g.Refused != "" {
			r.Note = fmt.Sprintf("%d were to be; then: %s", v.groupSizes[i], g.Refused)
		}
		rows = append(rows, r, report.SingleRow("… p99", "ms", w.P99, nil),
			report.SingleRow("… processor time of the server and its media server for a second of a session", "ms",
				1000*used, nil))
		if gapLimit.IsMet(w.P95, 0) {
			sessions, share = g.Callers, used
		}
		if g.Refused != "" || !gapLimit.IsMet(w.P95, 0) {
			break
		}
	}
	rows = append(rows, report.SingleRow(fmt.Sprintf("most sessions with p95 ≤ 25 ms, on %d cores with the callers",
		runtime.NumCPU()), "", float64(sessions), nil))
	if share > 0 {
		rows = append(rows, report.SingleRow("… sessions that a core would carry by their processor time", "", 1/share, nil))
	}
	return rows, nil
}

// watchGroup measures a group; used is the share of a core that the server uses for each session.
func (v *voiceRun) watchGroup(ctx context.Context, callers int) (w groupResult, used float64, err error) {
	defer v.startCPUProfiles(ctx, fmt.Sprintf("crowd-%d", callers), v.voiceSizes.groupTime)()
	before := v.serverCPUTime()
	w, err = runJob[groupResult](ctx, v.callers, "gaps", v.voiceSizes.groupTime)
	return w, (v.serverCPUTime() - before).Seconds() / v.voiceSizes.groupTime.Seconds() / float64(max(1, callers)), err
}

// serverCPUTime returns the processor time of the server's processes.
func (v *voiceRun) serverCPUTime() (sum time.Duration) {
	for _, p := range v.serverProcesses() {
		sum += p.CPUTime()
	}
	return sum
}

// allowedGoroutines is how many more goroutines there may be: those of connections that stay open.
const allowedGoroutines = 5

func atMostMore(n float64) report.Threshold {
	return report.Threshold{Text: fmt.Sprintf("≤ before + %g", n), IsMet: func(measured, baseline float64) bool {
		return measured <= baseline+n
	}}
}

// sessionCleanupTime is how long ended sessions are given until the processes are looked at: the media server keeps
// what was theirs for a minute after they joined.
const sessionCleanupTime = 70 * time.Second

// measureVoiceLeak runs many short sessions and measures what is left of them. Those before the first sample fill pools
// and caches.
func measureVoiceLeak(ctx context.Context, v *voiceRun) ([]report.Row, error) {
	if _, err := runJob[voiceResult](ctx, v.callers, "shorts",
		callerJob{v.newCallee(), shortConcurrency, 2 * shortConcurrency}); err != nil {
		return nil, err
	}
	process.Sleep(ctx, sessionCleanupTime)
	before, err := v.waitForGoroutines(ctx, nil)
	if err != nil {
		return nil, err
	}
	v.writeProfiles(ctx, "before")
	t, err := runJob[voiceResult](ctx, v.callers, "shorts", callerJob{v.newCallee(), shortConcurrency, v.shortSessions})
	if err != nil {
		return nil, err
	}
	process.Sleep(ctx, sessionCleanupTime)
	after, err := v.waitForGoroutines(ctx, before)
	if err != nil {
		return nil, err
	}
	v.writeProfiles(ctx, "after")
	all := report.AtLeast(float64(v.shortSessions), "")
	rows := []report.Row{report.SingleRow(fmt.Sprintf("short sessions, %d at a time, in which a question was answered",
		shortConcurrency), "", float64(len(t.Spoken)), &all).WithFailures(t.Failed, t.firstError())}
	for _, p := range []struct{ name, title string }{{"server", "server"}, {"media", "media server"}} {
		a, b := before[p.name], after[p.name]
		same, near := atMostMore(allowedGoroutines), report.AtMostTimes(1.15)
		rows = append(rows,
			report.ComparedRow(fmt.Sprintf("goroutines of the %s before and after %d sessions", p.title,
				v.shortSessions), "", a.Goroutines, b.Goroutines, &same),
			report.ComparedRow("… its heap", "MB", a.Heap/report.Megabyte, b.Heap/report.Megabyte, &near),
			report.ComparedRow("… its resident memory", "MB", a.Resident/report.Megabyte, b.Resident/report.Megabyte, &near))
	}
	return rows, nil
}
