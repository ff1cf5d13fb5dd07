package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
)

// durability is what it costs that a turn, once answered, survives the loss of power: plain turns at sixteen connections
// with it and without. The server has no switch for that, so a second one is built that has its pragma turned off.
func durability(ctx context.Context, b *bench) ([]row, error) {
	unsafe, err := b.careless(ctx)
	if err != nil {
		return nil, err
	}
	defer unsafe.stop()
	q := question{model: instant}
	floor := func(way string) *contender { return b.onFloor(q, func(r *floorRequest) { r.Commit = way }) }
	s := b.inTurns(ctx, connections, []*contender{floor(lax), floor(grouped), floor(alone), b.onOurs(q),
		{target: unsafe.target(), question: q, process: unsafe.child}})
	none, single, ours, oursNone := s[0].rate(), s[2].rate(), s[3].rate(), s[4].rate()
	each := percent(single, none)
	return []row{
		beside("turns lost to full durability with group commit, 16 connections", "%", percent(s[1].rate(), none), percent(ours, oursNone), nil),
		{Measure: "… with a commit for each turn", Unit: "%", Floor: &each},
	}, nil
}

func percent(with, without float64) float64 { return 100 * (1 - with/without) }

// careless is a server that does not wait for the disk.
func (b *bench) careless(ctx context.Context) (*server, error) {
	dir, err := root(ctx)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "internal", "sqldb", "sqlite.go")
	source, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	changed := bytes.ReplaceAll(source, []byte("synchronous(full)"), []byte("synchronous(off)"))
	if bytes.Equal(changed, source) {
		return nil, errors.New("sqlite.go sets no synchronous(full) that could be turned off")
	}
	copied := filepath.Join(b.dir, "careless.go")
	if err := os.WriteFile(copied, changed, 0o600); err != nil {
		return nil, err
	}
	binary, err := b.build(ctx, map[string]string{file: copied})
	if err != nil {
		return nil, err
	}
	return b.houseOf(ctx, binary, "careless")
}
