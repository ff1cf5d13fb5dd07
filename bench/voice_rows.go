package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"
)

// both gives two rows, the median and the 95th percentile, beside those of a floor where there is one.
func both(measure string, floor, ours []float64, p50, p95 *bar) []row {
	if floor == nil {
		return []row{only(measure+", p50", "ms", spread(ours, .5), p50), only("… p95", "ms", spread(ours, .95), p95)}
	}
	return []row{beside(measure+", p50", "ms", spread(floor, .5), spread(ours, .5), p50), beside("… p95", "ms", spread(floor, .95), spread(ours, .95), p95)}
}

func (t *talked) why() error { return errors.New(t.Why) }

// voiceTurns is from the end of a question to the beginning of the answer, at the customer's end of the line.
func voiceTurns(ctx context.Context, v *voiceBench) ([]row, error) {
	ours, err := have[talked](ctx, v.callers, "turns", work{v.callee(), v.voiceSizes.callers, v.turns})
	if err != nil {
		return nil, err
	}
	floor, err := have[talked](ctx, v.callers, "floor", floorWork{v.stub.url, v.turns})
	if err != nil {
		return nil, err
	}
	inside, err := v.stats(ctx)
	if err != nil {
		return nil, err
	}
	half, most := atMost(450, "ms"), atMost(800, "ms")
	rows := both(fmt.Sprintf("end of speech → first packet of the answer, %d turns of %d callers", len(ours.Spoken), v.voiceSizes.callers), floor.Spoken, ours.Spoken, &half, &most)
	rows[0] = rows[0].fault(ours.Failed, ours.why())
	a, b := inside.SpokenP50, inside.SpokenP95
	for _, s := range []struct {
		name     string
		p50, p95 float64
	}{{"silence until the turn was over", a.Silence, b.Silence}, {"recognition after that", a.Hearing, b.Hearing}, {"first text", a.Answer, b.Answer},
		{"first clause", a.Piece, b.Piece}, {"first speech", a.Speech, b.Speech}, {"first packet", a.Output, b.Output}, {"in all", a.Total, b.Total}} {
		rows = append(rows, only("… as the server sees it: "+s.name+", p50", "ms", s.p50, nil), only("… … p95", "ms", s.p95, nil))
	}
	return append(rows, both(fmt.Sprintf("message → first packet of the answer, %d turns", len(ours.Typed)), floor.Typed, ours.Typed, nil, nil)...), nil
}

// voiceBarge is how fast the agent gives way.
func voiceBarge(ctx context.Context, v *voiceBench) ([]row, error) {
	t, err := have[talked](ctx, v.callers, "barge", work{v.callee(), v.voiceSizes.callers, v.barges})
	if err != nil {
		return nil, err
	}
	inside, err := v.stats(ctx)
	if err != nil {
		return nil, err
	}
	soon, atOnce := atMost(145, "ms"), atMost(40, "ms") // 120 ms at the server, a packet, and the way
	rows := both(fmt.Sprintf("beginning of voice → the agent is heard more softly, %d interruptions", len(t.Ducked)), nil, t.Ducked, nil, &soon)
	rows[0] = rows[0].fault(t.Failed, t.why())
	rows = append(rows, only("… as the server sees it: ducked, p50", "ms", inside.DuckedP50, nil), only("… … p95", "ms", inside.DuckedP95, nil))
	rows = append(rows, both("beginning of voice → the last the agent is heard", nil, t.Silent, nil, nil)...)
	rows = append(rows, only("… as the server sees it: held, p50", "ms", inside.HeldP50, nil), only("… … p95", "ms", inside.HeldP95, nil))
	return append(rows, both(fmt.Sprintf("message over the agent's words → the last of them is heard, %d messages", len(t.Cut)), nil, t.Cut, nil, &atOnce)...), nil
}

// crowdTime bounds how long larger crowds are tried.
const crowdTime = 5 * time.Minute

// voiceCrowd finds how many sessions in which both sides sound without a pause this machine carries, with the callers on it as well.
func voiceCrowd(ctx context.Context, v *voiceBench) (rows []row, err error) {
	defer func() {
		if _, down := have[grown](ctx, v.callers, "hangup", struct{}{}); err == nil {
			err = down
		}
	}()
	even := atMost(25, "ms")
	most, share := 0, 0.0
	for began, i := time.Now(), 0; i < len(v.crowd) && time.Since(began) < crowdTime; i++ {
		g, err := have[grown](ctx, v.callers, "grow", work{callee: v.callee(), Callers: v.crowd[i]})
		if err != nil {
			return rows, err
		}
		pause(ctx, time.Second)
		w, used, err := v.watched(ctx, g.Callers)
		if err != nil {
			return rows, err
		}
		v.say("  %d sessions: gaps p50 %.1f p95 %.1f p99 %.1f ms, %.1f packets/s, server %.4f and callers %.4f cores for each %s", g.Callers, w.P50, w.P95, w.P99, w.PerSecond, used,
			w.Processor/v.voiceSizes.span.Seconds()/float64(g.Callers), g.Refused)
		r := only(fmt.Sprintf("%d sessions that sound both ways: gap between packets, p95", g.Callers), "ms", w.P95, nil)
		if g.Refused != "" {
			r.Note = fmt.Sprintf("%d were to be; then: %s", v.crowd[i], g.Refused)
		}
		rows = append(rows, r, only("… p99", "ms", w.P99, nil), only("… processor time of the server and its media server for a second of a session", "ms", 1000*used, nil))
		if even.held(w.P95, 0) {
			most, share = g.Callers, used
		}
		if g.Refused != "" || !even.held(w.P95, 0) {
			break
		}
	}
	rows = append(rows, only(fmt.Sprintf("most sessions with p95 ≤ 25 ms, on %d cores with the callers", runtime.NumCPU()), "", float64(most), nil))
	if share > 0 {
		rows = append(rows, only("… sessions that a core would carry by their processor time", "", 1/share, nil))
	}
	return rows, nil
}

// watched watches a crowd; used is the share of a core that the server has for each session.
func (v *voiceBench) watched(ctx context.Context, callers int) (w watched, used float64, err error) {
	defer v.profiling(ctx, fmt.Sprintf("crowd-%d", callers))()
	before := v.cpu()
	w, err = have[watched](ctx, v.callers, "gaps", v.voiceSizes.span)
	return w, (v.cpu() - before).Seconds() / v.voiceSizes.span.Seconds() / float64(max(1, callers)), err
}

// cpu is the processor time of the server's processes.
func (v *voiceBench) cpu() (sum time.Duration) {
	for _, p := range v.processes() {
		sum += p.cpu()
	}
	return sum
}

// few goroutines more are those of connections that are kept.
const few = 5

func atMostMore(n float64) bar {
	return bar{fmt.Sprintf("≤ before + %g", n), func(ours, floor float64) bool { return ours <= floor+n }}
}

// restsFor is how long ended sessions are given until the processes are looked at: the media server keeps what
// was theirs for a minute after they joined.
const restsFor = 70 * time.Second

// voiceLeak holds many short sessions and looks what is left of them. Those before the first look fill what is kept for the next.
func voiceLeak(ctx context.Context, v *voiceBench) ([]row, error) {
	if _, err := have[talked](ctx, v.callers, "shorts", work{v.callee(), shortsTogether, 2 * shortsTogether}); err != nil {
		return nil, err
	}
	pause(ctx, restsFor)
	before, err := v.settled(ctx, nil)
	if err != nil {
		return nil, err
	}
	v.keep(ctx, "before")
	t, err := have[talked](ctx, v.callers, "shorts", work{v.callee(), shortsTogether, v.shorts})
	if err != nil {
		return nil, err
	}
	pause(ctx, restsFor)
	after, err := v.settled(ctx, before)
	if err != nil {
		return nil, err
	}
	v.keep(ctx, "after")
	all := atLeast(float64(v.shorts), "")
	rows := []row{only(fmt.Sprintf("short sessions, %d at a time, in which a question was answered", shortsTogether), "", float64(len(t.Spoken)), &all).fault(t.Failed, t.why())}
	for _, p := range []struct{ name, title string }{{"server", "server"}, {"media", "media server"}} {
		a, b := before[p.name], after[p.name]
		same, near := atMostMore(few), atMostTimes(1.15)
		rows = append(rows,
			beside(fmt.Sprintf("goroutines of the %s before and after %d sessions", p.title, v.shorts), "", a.Goroutines, b.Goroutines, &same),
			beside("… its heap", "MB", a.Heap/megabyte, b.Heap/megabyte, &near),
			beside("… its resident memory", "MB", a.Resident/megabyte, b.Resident/megabyte, &near))
	}
	return rows, nil
}
