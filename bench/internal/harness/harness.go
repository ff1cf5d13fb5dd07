package harness

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"parley/bench/internal/baseline"
	"parley/bench/internal/load"
	"parley/bench/internal/process"
	"parley/bench/internal/report"
)

// Measure is one measure of the bench. Long ones are taken only on request, thorough ones not in a quick run.
type Measure struct {
	Name       string
	Run        func(context.Context, *Run) ([]report.Row, error)
	IsLong     bool
	IsThorough bool
}

func (o Options) isWanted(m Measure) bool {
	if m.Name == "postgres" && o.PostgresURL == "" {
		return false
	}
	if len(o.MeasureNames) > 0 {
		return o.MeasureNames[m.Name]
	}
	return (o.Long || !m.IsLong) && (o.Rounds > QuickSizes.Rounds || !m.IsThorough)
}

// Run is one run of the bench: its processes and the folder of their files.
type Run struct {
	Options
	Dir      string
	Binary   string // of the server
	Log      io.Writer
	Stub     *process.Server
	Baseline *process.Server
	Parley   *Server
}

// MeasureAll takes every measure that is wanted. One that fails is reported in its place, and the others are taken.
func MeasureAll(ctx context.Context, opt Options, benchmarks []Measure, log io.Writer) (*report.Report, error) {
	dir, err := os.MkdirTemp(opt.Dir, "parley-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	b := &Run{Options: opt, Dir: dir, Log: log}
	defer b.Stop()
	if err := b.start(ctx); err != nil {
		return nil, err
	}
	rep := &report.Report{Machine: report.DescribeMachine(dir), Command: "go run ./bench " + opt.Args}
	for _, m := range benchmarks {
		if !opt.isWanted(m) {
			continue
		}
		b.Logf("measuring %s …", m.Name)
		began := time.Now()
		rows, err := b.runProfiled(ctx, m)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			b.Logf("%s: %v", m.Name, err)
			rows = append(rows, report.Row{Measure: m.Name, Note: "could not be measured: " + err.Error(), Pass: new(bool)})
		}
		b.Logf("  %.1f s", time.Since(began).Seconds())
		rep.Add(m.Name, rows)
	}
	return rep, nil
}

func (rn *Run) Logf(format string, args ...any) { fmt.Fprintf(rn.Log, format+"\n", args...) }

func (rn *Run) start(ctx context.Context) (err error) {
	overlay, err := rn.buildOverlay(ctx)
	if err != nil {
		return err
	}
	if rn.Binary, err = rn.BuildBinary(ctx, overlay); err != nil {
		return err
	}
	if rn.Stub, err = process.StartSelf(ctx, rn.Dir, "stub"); err != nil {
		return err
	}
	if rn.Baseline, err = rn.StartBaseline(ctx, "baseline"); err != nil {
		return err
	}
	rn.Parley, err = rn.NewServerFrom(ctx, rn.Binary, "main", "BENCH_PROFILER="+profilerAddress)
	return err
}

func (rn *Run) Stop() {
	for _, c := range []*process.Server{rn.Parley.OwnProcess(), rn.Baseline, rn.Stub} {
		if c != nil {
			c.Stop()
		}
	}
}

// NewDir creates a folder for one process.
func (rn *Run) NewDir(name string) (string, error) {
	return os.MkdirTemp(rn.Dir, filepath.Base(name)+"-")
}

// modelTarget is the model itself.
func (rn *Run) modelTarget() *load.Target {
	return &load.Target{Name: "stub", Client: load.NewClient(), Post: func(q load.Request) (string, any) {
		return rn.Stub.URL + "/chat/completions", map[string]any{"model": q.Model, "stream": q.Stream,
			"messages": []map[string]string{{"role": "user", "content": q.Message}}}
	}}
}

func (rn *Run) StartBaseline(ctx context.Context, name string, args ...string) (*process.Server, error) {
	dir, err := rn.NewDir(name)
	if err != nil {
		return nil, err
	}
	return process.StartSelf(ctx, rn.Dir, append([]string{"baseline", "-dir", dir, "-model", rn.Stub.URL}, args...)...)
}

func (rn *Run) BaselineContender(q load.Request, change func(*baseline.Request)) *load.Contender {
	return &load.Contender{Target: baseline.NewTarget(rn.Baseline.URL, change), Request: q, Process: rn.Baseline}
}

func (rn *Run) ParleyContender(q load.Request) *load.Contender {
	return &load.Contender{Target: rn.Parley.NewTarget(), Request: q, Process: rn.Parley.Server}
}

func (rn *Run) ModelContender(q load.Request) *load.Contender {
	return &load.Contender{Target: rn.modelTarget(), Request: q, Process: rn.Stub}
}

// RunInTurns lets the contenders take turns, each beginning one round in as many. A first, short one is for warming up.
func (rn *Run) RunInTurns(ctx context.Context, conns int, field []*load.Contender) []load.Series {
	out := make([]load.Series, len(field))
	for _, c := range field {
		c.AskContinuously(ctx, conns, rn.span/4)
	}
	for round := range rn.Rounds {
		for i := range field {
			at := (round + i) % len(field)
			out[at] = append(out[at], field[at].AskContinuously(ctx, conns, rn.span))
			awaitRest(ctx, field[at].Process)
		}
	}
	return out
}

// A process is at rest once it has used at most restShare of a processor for restSpan; what comes next is measured
// after maxRestTime anyway.
const (
	restSpan    = 2500 * time.Millisecond
	restShare   = 0.1
	maxRestTime = 30 * time.Second
)

// awaitRest waits until a contender has done the work that it has put off, which the next one would suffer from.
func awaitRest(ctx context.Context, p *process.Server) {
	for began := time.Now(); time.Since(began) < maxRestTime; {
		used, before := p.CPUTime(), time.Now()
		if !process.Sleep(ctx, restSpan) || float64(p.CPUTime()-used) <= restShare*float64(time.Since(before)) {
			return
		}
	}
}
