package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
)

// measureDurability is what it costs that a turn, once answered, survives the loss of power: plain turns at sixteen connections
// with it and without. The server has no switch for that, so a second one is built that has its pragma turned off.
func measureDurability(ctx context.Context, b *bench) ([]row, error) {
	unsafe, err := b.startUnsafeServer(ctx)
	if err != nil {
		return nil, err
	}
	defer unsafe.stop()
	q := chatRequest{model: instantModel}
	floor := func(way string) *contender {
		return b.baselineContender(q, func(r *baselineRequest) { r.Commit = way })
	}
	s := b.runInTurns(ctx, connectionCount, []*contender{floor(unsyncedCommits), floor(groupedCommits), floor(singleCommits), b.parleyContender(q),
		{chatTarget: unsafe.newTarget(), chatRequest: q, process: unsafe.serverProcess}})
	none, single, ours, oursNone := s[0].rate(), s[2].rate(), s[3].rate(), s[4].rate()
	each := percentLoss(single, none)
	return []row{
		comparedRow("turns lost to full durability with group commit, 16 connections", "%", percentLoss(s[1].rate(), none), percentLoss(ours, oursNone), nil),
		{Measure: "… with a commit for each turn", Unit: "%", Baseline: &each},
	}, nil
}

func percentLoss(with, without float64) float64 { return 100 * (1 - with/without) }

// startUnsafeServer is a server that does not wait for the disk.
func (b *bench) startUnsafeServer(ctx context.Context) (*parleyServer, error) {
	dir, err := moduleRoot(ctx)
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
	binary, err := b.buildBinary(ctx, map[string]string{file: copied})
	if err != nil {
		return nil, err
	}
	return b.newParleyServerFrom(ctx, binary, "careless")
}
