package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"parley/bench/internal/report"
)

// The server has no endpoint for profilers. A run that writes profiles adds one to package main with an overlay.
const profilerSource = `package main

import (
	"net/http"
	"os"
	"runtime"
	"runtime/pprof"
)

func init() {
	open := func(r *http.Request) *os.File {
		f, err := os.Create(r.FormValue("file"))
		if err != nil {
			panic(err)
		}
		return f
	}
	m := http.NewServeMux()
	m.HandleFunc("/begin", func(w http.ResponseWriter, r *http.Request) { pprof.StartCPUProfile(open(r)) })
	m.HandleFunc("/end", func(w http.ResponseWriter, r *http.Request) { pprof.StopCPUProfile() })
	m.HandleFunc("/allocs", func(w http.ResponseWriter, r *http.Request) {
		runtime.GC()
		pprof.Lookup("allocs").WriteTo(open(r), 0)
	})
	if addr := os.Getenv("BENCH_PROFILER"); addr != "" {
		go http.ListenAndServe(addr, m)
	}
}
`

// profilerAddress is where the measured server serves profiles; the other servers of the run do not.
const profilerAddress = "127.0.0.1:16061"

func (rn *Run) buildOverlay(ctx context.Context) (map[string]string, error) {
	if rn.ProfileDir == "" {
		return nil, nil
	}
	dir, err := ModuleRoot(ctx)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(rn.Dir, "door.go")
	return map[string]string{filepath.Join(dir, "cmd", "parley", "bench_door.go"): file},
		os.WriteFile(file, []byte(profilerSource), 0o600)
}

// runProfiled runs a measure and writes NAME.cpu and NAME.allocs of the server, for go tool pprof.
func (rn *Run) runProfiled(ctx context.Context, m Measure) (rows []report.Row, err error) {
	if rn.ProfileDir == "" {
		return m.Run(ctx, rn)
	}
	if err := rn.callProfiler(ctx, "begin", m.Name+".cpu"); err != nil {
		return nil, err
	}
	rows, err = m.Run(ctx, rn)
	return rows, errors.Join(err, rn.callProfiler(ctx, "end", ""), rn.callProfiler(ctx, "allocs", m.Name+".allocs"))
}

func (rn *Run) callProfiler(ctx context.Context, verb, name string) error {
	file, err := filepath.Abs(filepath.Join(rn.ProfileDir, name))
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet,
		"http://"+profilerAddress+"/"+verb+"?file="+url.QueryEscape(file), nil)
	if err != nil {
		return err
	}
	resp, err := rn.Parley.Client.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("profiler: %s", resp.Status)
	}
	return nil
}
