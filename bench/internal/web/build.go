package web

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"parley/bench/internal/report"
)

// measureBinaryGrowth compares the program with one that is built without the console's pages.
func measureBinaryGrowth(ctx context.Context, w *webRun) ([]report.Row, error) {
	whole := w.Binary
	if w.ParleyBinary != "" || w.ProfileDir != "" {
		var err error
		if whole, err = w.Compile(ctx); err != nil {
			return nil, err
		}
	}
	without, err := w.Compile(ctx, "-tags", "parley_noweb")
	if err != nil {
		return nil, err
	}
	sizes := make([]float64, 2)
	for i, file := range []string{whole, without} {
		info, err := os.Stat(file)
		if err != nil {
			return nil, err
		}
		sizes[i] = float64(info.Size()) / report.Megabyte
	}
	limit := report.AtMost(6, "MB")
	return []report.Row{report.SingleRow("console: growth of the binary by it", "MB", sizes[0]-sizes[1], &limit)}, nil
}

// maxBuildTime bounds a build and an installation.
const maxBuildTime = 3 * time.Minute

// measureBuild builds the front end into a folder of its own.
func measureBuild(ctx context.Context, w *webRun) ([]report.Row, error) {
	dir, err := w.NewDir("front")
	if err != nil {
		return nil, err
	}
	seconds, err := timeCommand(ctx, w.console, "node", filepath.Join("bench", "build.js"), dir)
	if err != nil {
		return nil, err
	}
	limit := report.AtMost(15, "s")
	return []report.Row{report.SingleRow("console: build of the front end", "s", seconds, &limit)}, nil
}

// measureInstall runs npm ci in a folder of its own.
func measureInstall(ctx context.Context, w *webRun) ([]report.Row, error) {
	dir, err := w.NewDir("install")
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"package.json", "package-lock.json"} {
		b, err := os.ReadFile(filepath.Join(w.console, name))
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			return nil, err
		}
	}
	seconds, err := timeCommand(ctx, dir, "npm", "ci", "--silent", "--no-audit", "--no-fund")
	if err != nil {
		return nil, err
	}
	limit := report.AtMost(60, "s")
	return []report.Row{report.SingleRow("console: npm ci", "s", seconds, &limit)}, nil
}

func timeCommand(ctx context.Context, dir, name string, words ...string) (seconds float64, err error) {
	ctx, cancel := context.WithTimeout(ctx, maxBuildTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, words...)
	cmd.Dir, cmd.WaitDelay = dir, 10*time.Second
	began := time.Now()
	_, err = runCommand(cmd)
	return time.Since(began).Seconds(), err
}
