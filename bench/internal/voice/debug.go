package voice

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"parley/bench/internal/process"
)

// Leaks are visible only from inside. The server that voice is measured on gets a debug endpoint in each of its two
// processes, which writes its address to a file named after the process.
const debugServerSource = `package main

import (
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"time"
)

func init() {
	if len(os.Args) < 2 || os.Args[1] != "serve" && os.Args[1] != "sfu" {
		return
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	if err := os.WriteFile(filepath.Join(%q, strconv.Itoa(os.Getpid())), []byte("http://" + l.Addr().String()), 0o600); err != nil {
		panic(err)
	}
	m := http.NewServeMux()
	m.HandleFunc("/look", func(w http.ResponseWriter, r *http.Request) {
		for range 3 {
			runtime.GC()
			time.Sleep(20 * time.Millisecond)
		}
		debug.FreeOSMemory()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		json.NewEncoder(w).Encode(map[string]any{"goroutines": runtime.NumGoroutine(), "heap": s.HeapAlloc, "stacks": s.StackInuse})
	})
	m.HandleFunc("/keep", func(w http.ResponseWriter, r *http.Request) {
		f, err := os.Create(r.FormValue("file"))
		if err != nil {
			panic(err)
		}
		if pprof.Lookup(r.FormValue("profile")).WriteTo(f, 0); f.Close() != nil {
			panic("not kept")
		}
	})
	m.HandleFunc("/begin", func(w http.ResponseWriter, r *http.Request) {
		f, err := os.Create(r.FormValue("file"))
		if err != nil {
			panic(err)
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			panic(err)
		}
	})
	m.HandleFunc("/end", func(w http.ResponseWriter, r *http.Request) { pprof.StopCPUProfile() })
	go http.Serve(l, m)
}
`

// processState is what a process uses after a garbage collection.
type processState struct {
	Goroutines float64 `json:"goroutines"`
	Heap       float64 `json:"heap"` // bytes
	Stacks     float64 `json:"stacks"`
	Resident   float64
}

func (v *voiceRun) readProcessState(ctx context.Context, p process.ID) (in processState, err error) {
	if err := v.callDebugServer(ctx, p, "/look", &in); err != nil {
		return in, err
	}
	in.Resident, err = p.Status("VmRSS")
	return in, err
}

func (v *voiceRun) callDebugServer(ctx context.Context, p process.ID, path string, out any) error {
	address, err := os.ReadFile(filepath.Join(v.debugDir, fmt.Sprint(int(p))))
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, string(address)+path, nil)
	if err != nil {
		return err
	}
	resp, err := apiClient.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", path, resp.Status)
	}
	if out == nil {
		_, err = io.Copy(io.Discard, resp.Body)
		return err
	}
	return json.NewDecoder(resp.Body).Decode(out)
}

// writeProfiles writes profiles of the server's processes, where they are asked for.
func (v *voiceRun) writeProfiles(ctx context.Context, when string) {
	if v.ProfileDir == "" {
		return
	}
	for name, p := range v.serverProcesses() {
		for _, profile := range []string{"heap", "goroutine"} {
			if err := v.callDebugServer(ctx, p,
				"/keep?"+v.profilePath(fmt.Sprintf("%s-%s.%s", name, when, profile), profile), nil); err != nil {
				v.Logf("profile: %v", err)
			}
		}
	}
}

// startCPUProfiles profiles the processor time of the processes until stop is called.
func (v *voiceRun) startCPUProfiles(ctx context.Context, when string) (stop func()) {
	if v.ProfileDir == "" {
		return func() {}
	}
	all := v.serverProcesses()
	for name, p := range all {
		if err := v.callDebugServer(ctx, p, "/begin?"+v.profilePath(name+"-"+when+".cpu", ""), nil); err != nil {
			v.Logf("profile: %v", err)
		}
	}
	return func() {
		for _, p := range all {
			if err := v.callDebugServer(ctx, p, "/end", nil); err != nil {
				v.Logf("profile: %v", err)
			}
		}
	}
}

func (v *voiceRun) profilePath(name, profile string) string {
	path, err := filepath.Abs(filepath.Join(v.ProfileDir, name))
	if err != nil {
		path = name
	}
	return url.Values{"file": {path}, "profile": {profile}}.Encode()
}

// serverProcesses returns the server's two processes, as far as they run.
func (v *voiceRun) serverProcesses() map[string]process.ID {
	all := map[string]process.ID{"server": v.Parley.PID()}
	for _, p := range v.Parley.PID().Children() {
		all["media"] = p
	}
	return all
}

// waitForGoroutines polls the processes until they have no more goroutines than before, or a while has passed.
// Without an earlier state it reads them once.
func (v *voiceRun) waitForGoroutines(ctx context.Context, before map[string]processState) (map[string]processState,
	error) {
	for began := time.Now(); ; {
		now, fine := map[string]processState{}, true
		for name, p := range v.serverProcesses() {
			in, err := v.readProcessState(ctx, p)
			if err != nil {
				return nil, err
			}
			now[name] = in
			fine = fine && in.Goroutines <= before[name].Goroutines
		}
		if fine || before == nil || time.Since(began) > settleTimeout {
			return now, nil
		}
		if !process.Sleep(ctx, time.Second) {
			return nil, ctx.Err()
		}
	}
}

const settleTimeout = 45 * time.Second
