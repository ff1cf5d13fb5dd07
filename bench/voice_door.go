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
const voiceDoor = `package main

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

// insides is what a process holds when all that is garbage is gone.
type insides struct {
	Goroutines float64 `json:"goroutines"`
	Heap       float64 `json:"heap"` // bytes
	Stacks     float64 `json:"stacks"`
	Resident   float64
}

// look finds out what a process holds.
func (v *voiceBench) look(ctx context.Context, p pid) (in insides, err error) {
	if err := v.enter(ctx, p, "/look", &in); err != nil {
		return in, err
	}
	in.Resident, err = p.status("VmRSS")
	return in, err
}

// enter goes through a process's door.
func (v *voiceBench) enter(ctx context.Context, p pid, path string, out any) error {
	address, err := os.ReadFile(filepath.Join(v.doors, fmt.Sprint(int(p))))
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

// keep writes profiles of the server's processes, where they are asked for.
func (v *voiceBench) keep(ctx context.Context, when string) {
	if v.profile == "" {
		return
	}
	for name, p := range v.processes() {
		for _, profile := range []string{"heap", "goroutine"} {
			if err := v.enter(ctx, p, "/keep?"+v.file(fmt.Sprintf("%s-%s.%s", name, when, profile), profile), nil); err != nil {
				v.say("profile: %v", err)
			}
		}
	}
}

// profiling keeps what the processes' processor time goes into until it is told to stop.
func (v *voiceBench) profiling(ctx context.Context, when string) (stop func()) {
	if v.profile == "" {
		return func() {}
	}
	all := v.processes()
	for name, p := range all {
		if err := v.enter(ctx, p, "/begin?"+v.file(name+"-"+when+".cpu", ""), nil); err != nil {
			v.say("profile: %v", err)
		}
	}
	return func() {
		for _, p := range all {
			if err := v.enter(ctx, p, "/end", nil); err != nil {
				v.say("profile: %v", err)
			}
		}
	}
}

func (v *voiceBench) file(name, profile string) string {
	path, err := filepath.Abs(filepath.Join(v.profile, name))
	if err != nil {
		path = name
	}
	return url.Values{"file": {path}, "profile": {profile}}.Encode()
}

// processes are the server's two, as far as they run.
func (v *voiceBench) processes() map[string]pid {
	all := map[string]pid{"server": v.ours.pid()}
	for _, p := range v.ours.pid().below() {
		all["media"] = p
	}
	return all
}

// settled looks at the processes again and again until their goroutines are no more than they were, or a while has passed.
// Where nothing was before, once is enough.
func (v *voiceBench) settled(ctx context.Context, before map[string]insides) (map[string]insides, error) {
	for began := time.Now(); ; {
		now, fine := map[string]insides{}, true
		for name, p := range v.processes() {
			in, err := v.look(ctx, p)
			if err != nil {
				return nil, err
			}
			now[name] = in
			fine = fine && in.Goroutines <= before[name].Goroutines
		}
		if fine || before == nil || time.Since(began) > settleIn {
			return now, nil
		}
		if !pause(ctx, time.Second) {
			return nil, ctx.Err()
		}
	}
}

const settleIn = 45 * time.Second
