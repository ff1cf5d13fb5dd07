package voice

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
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
	_ "net/http/pprof"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
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
	file := filepath.Join(%q, strconv.Itoa(os.Getpid()))
	if err := os.WriteFile(file, []byte("http://"+l.Addr().String()), 0o600); err != nil {
		panic(err)
	}
	http.HandleFunc("/state", func(w http.ResponseWriter, r *http.Request) {
		for range 3 {
			runtime.GC()
			time.Sleep(20 * time.Millisecond)
		}
		debug.FreeOSMemory()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		state := map[string]any{"goroutines": runtime.NumGoroutine(), "heap": s.HeapAlloc, "stacks": s.StackInuse}
		json.NewEncoder(w).Encode(state)
	})
	go http.Serve(l, nil)
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
	reply, err := v.callDebugServer(ctx, p, "/state")
	if err == nil {
		err = json.Unmarshal(reply, &in)
	}
	if err != nil {
		return in, err
	}
	in.Resident, err = p.Status("VmRSS")
	return in, err
}

func (v *voiceRun) callDebugServer(ctx context.Context, p process.ID, path string) ([]byte, error) {
	address, err := os.ReadFile(filepath.Join(v.debugDir, fmt.Sprint(int(p))))
	if err != nil {
		return nil, err
	}
	return sendRequest(ctx, http.MethodGet, string(address)+path, nil)
}

// writeProfiles writes profiles of the server's processes, where they are asked for.
func (v *voiceRun) writeProfiles(ctx context.Context, when string) {
	for name, p := range v.serverProcesses() {
		for _, profile := range []string{"heap", "goroutine"} {
			v.writeProfile(ctx, p, profile, fmt.Sprintf("%s-%s.%s", name, when, profile))
		}
	}
}

// startCPUProfiles profiles the processor time of the processes for a time, for which wait waits.
func (v *voiceRun) startCPUProfiles(ctx context.Context, when string, length time.Duration) (wait func()) {
	var work sync.WaitGroup
	for name, p := range v.serverProcesses() {
		work.Go(func() {
			v.writeProfile(ctx, p, fmt.Sprintf("profile?seconds=%g", length.Seconds()), name+"-"+when+".cpu")
		})
	}
	return work.Wait
}

func (v *voiceRun) writeProfile(ctx context.Context, p process.ID, profile, file string) {
	if v.ProfileDir == "" {
		return
	}
	b, err := v.callDebugServer(ctx, p, "/debug/pprof/"+profile)
	if err == nil {
		err = os.WriteFile(filepath.Join(v.ProfileDir, file), b, 0o600)
	}
	if err != nil {
		v.Logf("profile: %v", err)
	}
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
func (v *voiceRun) waitForGoroutines(ctx context.Context,
	before map[string]processState) (map[string]processState, error) {
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
