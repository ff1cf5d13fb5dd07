package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// benchmark is one thing to find out. Long ones are taken only when asked for, thorough ones not in a quick run.
type benchmark struct {
	name       string
	run        func(context.Context, *bench) ([]row, error)
	isLong     bool
	isThorough bool
}

var benchmarks = []benchmark{
	{name: "start", run: measureStarts},
	{name: "latency", run: measureLatency},
	{name: "first-token", run: measureFirstToken},
	{name: "turns", run: measureTurns},
	{name: "streams", run: measureStreams},
	{name: "paced", run: measurePaced},
	{name: "memory", run: measurePeakMemory},
	{name: "durability", run: measureDurability, isThorough: true},
	{name: "edit", run: measureEdit},
	{name: "ingest", run: measureIngestion},
	{name: "edit-large", run: measureEditOver, isThorough: true},
	{name: "files", run: measureFiles, isThorough: true},
	{name: "pdf", run: measurePDFs, isThorough: true},
	{name: "binary", run: measureBinarySize},
	{name: "meanwhile", run: measureMeanwhile, isLong: true},
	{name: "idle", run: measureIdle, isLong: true},
}

func benchmarkNames() []string {
	var all []string
	for _, m := range benchmarks {
		all = append(all, m.name)
	}
	return all
}

func (o options) checkNames() error {
	known := benchmarkNames()
	if o.voice {
		known = voiceNames()
	}
	for name := range o.measureNames {
		if !slices.Contains(known, name) {
			return fmt.Errorf("-only: there is no measure %q", name)
		}
	}
	return nil
}

func (o options) isWanted(m benchmark) bool {
	if len(o.measureNames) > 0 {
		return o.measureNames[m.name]
	}
	return (o.long || !m.isLong) && (o.rounds > quickSizes.rounds || !m.isThorough)
}

// bench is one run: its processes, and where they keep their files.
type bench struct {
	options
	dir      string
	binary   string // of the server
	log      io.Writer
	stub     *serverProcess
	baseline *serverProcess
	parley   *parleyServer
}

// measureAll takes every measure that is wanted. One that fails is told in its place, and the others are taken.
func measureAll(ctx context.Context, opt options, log io.Writer) (*report, error) {
	dir, err := os.MkdirTemp(opt.dir, "parley-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	b := &bench{options: opt, dir: dir, log: log}
	defer b.stop()
	if err := b.start(ctx); err != nil {
		return nil, err
	}
	rep := &report{Machine: describeMachine(dir), Command: "go run ./bench " + opt.args}
	for _, m := range benchmarks {
		if !opt.isWanted(m) {
			continue
		}
		b.logf("measuring %s …", m.name)
		began := time.Now()
		rows, err := b.runProfiled(ctx, m)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			b.logf("%s: %v", m.name, err)
			rows = append(rows, row{Measure: m.name, Note: "could not be measured: " + err.Error(), Pass: new(bool)})
		}
		b.logf("  %.1f s", time.Since(began).Seconds())
		rep.add(m.name, rows)
	}
	return rep, nil
}

func (b *bench) logf(format string, args ...any) { fmt.Fprintf(b.log, format+"\n", args...) }

func (b *bench) start(ctx context.Context) (err error) {
	overlay, err := b.buildOverlay(ctx)
	if err != nil {
		return err
	}
	if b.binary, err = b.buildBinary(ctx, overlay); err != nil {
		return err
	}
	if b.stub, err = b.startSelf(ctx, "stub"); err != nil {
		return err
	}
	if b.baseline, err = b.startBaseline(ctx, "floor"); err != nil {
		return err
	}
	b.parley, err = b.newParleyServerFrom(ctx, b.binary, "main", "BENCH_PROFILER="+profilerAddress)
	return err
}

func (b *bench) stop() {
	for _, c := range []*serverProcess{b.parley.ownProcess(), b.baseline, b.stub} {
		if c != nil {
			c.stop()
		}
	}
}

// newDir makes a new folder for one process.
func (b *bench) newDir(name string) (string, error) {
	return os.MkdirTemp(b.dir, filepath.Base(name)+"-")
}
