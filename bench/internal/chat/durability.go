package chat

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"

	"parley/bench/internal/baseline"
	"parley/bench/internal/harness"
	"parley/bench/internal/load"
	"parley/bench/internal/report"
	"parley/bench/internal/stub"
)

// MeasureDurability measures what it costs that a turn, once answered, survives a loss of power: plain turns at sixteen
// connections with and without it. The server has no switch for that, so a second one is built that has its pragma
// turned off.
func MeasureDurability(ctx context.Context, b *harness.Run) ([]report.Row, error) {
	unsafe, err := startUnsafeServer(ctx, b)
	if err != nil {
		return nil, err
	}
	defer unsafe.Stop()
	q := load.Request{Model: stub.InstantModel}
	withCommits := func(mode string) *load.Contender {
		return b.BaselineContender(q, func(r *baseline.Request) { r.Commit = mode })
	}
	s := b.RunInTurns(ctx, connectionCount, []*load.Contender{withCommits(baseline.UnsyncedCommits),
		withCommits(baseline.GroupedCommits), withCommits(baseline.SingleCommits), b.ParleyContender(q),
		{Target: unsafe.NewTarget(), Request: q, Process: unsafe.Server}})
	none, single, measured, measuredNone := s[0].Rate(), s[2].Rate(), s[3].Rate(), s[4].Rate()
	each := percentLoss(single, none)
	return []report.Row{
		report.ComparedRow("turns lost to full durability with group commit, 16 connections", "%",
			percentLoss(s[1].Rate(), none), percentLoss(measured, measuredNone), nil),
		{Measure: "… with a commit for each turn", Unit: "%", Baseline: &each},
	}, nil
}

func percentLoss(with, without float64) float64 { return 100 * (1 - with/without) }

// startUnsafeServer starts a server that does not wait for the disk.
func startUnsafeServer(ctx context.Context, b *harness.Run) (*harness.Server, error) {
	dir, err := harness.ModuleRoot(ctx)
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
	copied := filepath.Join(b.Dir, "unsafe.go")
	if err := os.WriteFile(copied, changed, 0o600); err != nil {
		return nil, err
	}
	binary, err := b.BuildBinary(ctx, map[string]string{file: copied})
	if err != nil {
		return nil, err
	}
	return b.NewServerFrom(ctx, binary, "unsafe")
}
