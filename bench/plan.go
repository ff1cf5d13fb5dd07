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

// measure is one thing to find out. Long ones are taken only when asked for, thorough ones not in a quick run.
type measure struct {
	name     string
	run      func(context.Context, *bench) ([]row, error)
	long     bool
	thorough bool
}

var measures = []measure{
	{name: "start", run: starting},
	{name: "latency", run: latency},
	{name: "first-token", run: firstToken},
	{name: "turns", run: turns},
	{name: "streams", run: streams},
	{name: "paced", run: paced},
	{name: "memory", run: peak},
	{name: "durability", run: durability, thorough: true},
	{name: "edit", run: edit},
	{name: "ingest", run: ingestion},
	{name: "edit-large", run: editOver, thorough: true},
	{name: "files", run: files, thorough: true},
	{name: "pdf", run: pdfReading, thorough: true},
	{name: "binary", run: binary},
	{name: "meanwhile", run: meanwhile, long: true},
	{name: "idle", run: idle, long: true},
}

func names() []string {
	var all []string
	for _, m := range measures {
		all = append(all, m.name)
	}
	return all
}

func (o options) known() error {
	known := names()
	if o.voice {
		known = voiceNames()
	}
	for name := range o.only {
		if !slices.Contains(known, name) {
			return fmt.Errorf("-only: there is no measure %q", name)
		}
	}
	return nil
}

func (o options) wants(m measure) bool {
	if len(o.only) > 0 {
		return o.only[m.name]
	}
	return (o.long || !m.long) && (o.rounds > quick.rounds || !m.thorough)
}

// bench is one run: its processes, and where they keep their files.
type bench struct {
	options
	dir    string
	binary string // of the server
	log    io.Writer
	stub   *child
	floor  *child
	ours   *server
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
	rep := &report{Machine: about(dir), Command: "go run ./bench " + opt.args}
	for _, m := range measures {
		if !opt.wants(m) {
			continue
		}
		b.say("measuring %s …", m.name)
		began := time.Now()
		rows, err := b.profiled(ctx, m)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			b.say("%s: %v", m.name, err)
			rows = append(rows, row{Measure: m.name, Note: "could not be measured: " + err.Error(), Pass: new(bool)})
		}
		b.say("  %.1f s", time.Since(began).Seconds())
		rep.add(m.name, rows)
	}
	return rep, nil
}

func (b *bench) say(format string, args ...any) { fmt.Fprintf(b.log, format+"\n", args...) }

func (b *bench) start(ctx context.Context) (err error) {
	overlay, err := b.overlay(ctx)
	if err != nil {
		return err
	}
	if b.binary, err = b.build(ctx, overlay); err != nil {
		return err
	}
	if b.stub, err = b.self(ctx, "stub"); err != nil {
		return err
	}
	if b.floor, err = b.startFloor(ctx, "floor"); err != nil {
		return err
	}
	b.ours, err = b.houseOf(ctx, b.binary, "main", "BENCH_PROFILER="+profilerAt)
	return err
}

func (b *bench) stop() {
	for _, c := range []*child{b.ours.process(), b.floor, b.stub} {
		if c != nil {
			c.stop()
		}
	}
}

// folder makes a new folder for one process.
func (b *bench) folder(name string) (string, error) {
	return os.MkdirTemp(b.dir, filepath.Base(name)+"-")
}
