package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// voiceSizes bound what is measured of voice.
type voiceSizes struct {
	callerCount     int // who ask at the same time
	turnsPerCaller  int // of each
	bargesPerCaller int // of each, by voice and in writing
	groupSizes      []int
	groupTime       time.Duration // each crowd is watched
	shortSessions   int           // sessions that are to leave nothing behind
}

var (
	usualVoice = voiceSizes{callerCount: 4, turnsPerCaller: 20, bargesPerCaller: 8, groupSizes: []int{5, 10, 15, 20, 30, 40, 50, 60, 80}, groupTime: 10 * time.Second, shortSessions: 200}
	quickVoice = voiceSizes{callerCount: 2, turnsPerCaller: 6, bargesPerCaller: 3, groupSizes: []int{5, 10}, groupTime: 5 * time.Second, shortSessions: 40}
)

const shortConcurrency = 10

// voiceBench is a run: a server with voice, the stub that speaks and hears, and the process with the callers.
type voiceBench struct {
	*bench
	voiceSizes
	debugDir string // folder
	callers  *serverProcess
	agent    string
}

// voiceMeasures are taken one after the other; each leaves no session behind.
var voiceMeasures = []struct {
	name string
	run  func(context.Context, *voiceBench) ([]row, error)
}{
	{"turns", measureVoiceTurns},
	{"barge", measureVoiceBargeIn},
	{"crowd", measureVoiceCapacity},
	{"leak", measureVoiceLeak},
}

func voiceNames() []string {
	var all []string
	for _, m := range voiceMeasures {
		all = append(all, m.name)
	}
	return all
}

// measureVoice measures voice sessions on the real binary.
func measureVoice(ctx context.Context, opt options, log io.Writer) (*report, error) {
	dir, err := os.MkdirTemp(opt.dir, "parley-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	v := &voiceBench{bench: &bench{options: opt, dir: dir, log: log}, voiceSizes: usualVoice, debugDir: filepath.Join(dir, "doors")}
	if opt.rounds <= quickSizes.rounds {
		v.voiceSizes = quickVoice
	}
	defer v.stopAll()
	if err := v.startAll(ctx); err != nil {
		return nil, err
	}
	rep := &report{Machine: describeMachine(dir), Command: "go run ./bench " + opt.args}
	for _, m := range voiceMeasures {
		if len(opt.measureNames) > 0 && !opt.measureNames[m.name] {
			continue
		}
		v.logf("measuring %s …", m.name)
		began := time.Now()
		rows, err := m.run(ctx, v)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			v.logf("%s: %v", m.name, err)
			rows = append(rows, row{Measure: m.name, Note: "could not be measured: " + err.Error(), Pass: new(bool)})
		}
		v.logf("  %.1f s", time.Since(began).Seconds())
		rep.add(m.name, rows)
	}
	return rep, nil
}

// startAll builds the server with its doors, and starts everything.
func (v *voiceBench) startAll(ctx context.Context) error {
	root, err := moduleRoot(ctx)
	if err != nil {
		return err
	}
	if err := os.Mkdir(v.debugDir, 0o700); err != nil {
		return err
	}
	file := filepath.Join(v.dir, "voicedoor.go")
	if err := os.WriteFile(file, fmt.Appendf(nil, debugServerSource, v.debugDir), 0o600); err != nil {
		return err
	}
	if v.binary, err = v.buildBinary(ctx, map[string]string{filepath.Join(root, "cmd", "parley", "bench_voicedoor.go"): file}); err != nil {
		return err
	}
	if v.stub, err = v.startSelf(ctx, "voicestub"); err != nil {
		return err
	}
	if v.callers, err = v.startSelf(ctx, "callers"); err != nil {
		return err
	}
	return v.startServer(ctx)
}

// startServer starts the server and makes an agent that speaks.
func (v *voiceBench) startServer(ctx context.Context) error {
	data, err := v.newDir("voice")
	if err != nil {
		return err
	}
	s := &parleyServer{dataDir: data, client: newClient()}
	if s.serverProcess, err = v.startParley(ctx, v.binary, data, "PARLEY_TTS=openai", "PARLEY_TTS_URL="+v.stub.url, "PARLEY_STT=openai", "PARLEY_STT_URL="+v.stub.url); err != nil {
		return err
	}
	v.parley = s
	if err := s.createAccount(ctx, v.binary); err != nil {
		return err
	}
	if v.agent, err = s.createAgent(ctx, instantModel); err != nil {
		return err
	}
	var out any
	return s.callAPI(ctx, http.MethodPut, "/agents/"+v.agent, map[string]any{"voiceSettings": map[string]any{}}, &out)
}

func (v *voiceBench) stopAll() {
	if v.callers != nil {
		v.callers.stop()
	}
	v.stop()
}

func (v *voiceBench) newCallee() calledAgent { return calledAgent{v.parley.url, v.parley.key, v.agent} }

// delaySteps is a part of an answer's delay as the server measures it.
type delaySteps struct{ Silence, Hearing, Answer, Piece, Speech, Output, Total float64 }

// voiceStats is what the server itself measured, in milliseconds.
type voiceStats struct {
	Spoken               int
	SpokenP50, SpokenP95 delaySteps
	HeldP50, HeldP95     float64
	DuckedP50, DuckedP95 float64
}

// serverStats asks the server as an operator does.
func (v *voiceBench) serverStats(ctx context.Context) (s voiceStats, err error) {
	out, err := exec.CommandContext(ctx, v.binary, "voice", "stats", "--json", "--data", v.parley.dataDir).Output()
	if err != nil {
		return s, fmt.Errorf("voice stats: %w", err)
	}
	return s, json.Unmarshal(out, &s)
}
