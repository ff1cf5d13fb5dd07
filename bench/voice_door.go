package main

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
)

// Whether something is left behind is seen from inside only. The server that voice is measured on gets a door into each of its two
// processes, which tells its address in a file named by the process.
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

// processState is what a process holds when all that is garbage is gone.
type processState struct {
	Goroutines float64 `json:"goroutines"`
	Heap       float64 `json:"heap"` // bytes
	Stacks     float64 `json:"stacks"`
	Resident   float64
}

// readProcessState finds out what a process holds.
func (v *voiceBench) readProcessState(ctx context.Context, p processID) (in processState, err error) {
	if err := v.callDebugServer(ctx, p, "/look", &in); err != nil {
		return in, err
	}
	in.Resident, err = p.status("VmRSS")
	return in, err
}

// callDebugServer goes through a process's door.
func (v *voiceBench) callDebugServer(ctx context.Context, p processID, path string, out any) error {
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
func (v *voiceBench) writeProfiles(ctx context.Context, when string) {
	if v.profileDir == "" {
		return
	}
	for name, p := range v.serverProcesses() {
		for _, profile := range []string{"heap", "goroutine"} {
			if err := v.callDebugServer(ctx, p, "/keep?"+v.profilePath(fmt.Sprintf("%s-%s.%s", name, when, profile), profile), nil); err != nil {
				v.logf("profile: %v", err)
			}
		}
	}
}

// startCPUProfiles keeps what the processes' processor time goes into until it is told to stop.
func (v *voiceBench) startCPUProfiles(ctx context.Context, when string) (stop func()) {
	if v.profileDir == "" {
		return func() {}
	}
	all := v.serverProcesses()
	for name, p := range all {
		if err := v.callDebugServer(ctx, p, "/begin?"+v.profilePath(name+"-"+when+".cpu", ""), nil); err != nil {
			v.logf("profile: %v", err)
		}
	}
	return func() {
		for _, p := range all {
			if err := v.callDebugServer(ctx, p, "/end", nil); err != nil {
				v.logf("profile: %v", err)
			}
		}
	}
}

func (v *voiceBench) profilePath(name, profile string) string {
	path, err := filepath.Abs(filepath.Join(v.profileDir, name))
	if err != nil {
		path = name
	}
	return url.Values{"file": {path}, "profile": {profile}}.Encode()
}

// serverProcesses are the server's two, as far as they run.
func (v *voiceBench) serverProcesses() map[string]processID {
	all := map[string]processID{"server": v.parley.pid()}
	for _, p := range v.parley.pid().children() {
		all["media"] = p
	}
	return all
}

// waitForGoroutines looks at the processes again and again until their goroutines are no more than they were, or a while has passed.
// Where nothing was before, once is enough.
func (v *voiceBench) waitForGoroutines(ctx context.Context, before map[string]processState) (map[string]processState, error) {
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
		if !sleepContext(ctx, time.Second) {
			return nil, ctx.Err()
		}
	}
}

const settleTimeout = 45 * time.Second
