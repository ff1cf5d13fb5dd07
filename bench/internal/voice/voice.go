package voice

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

	"parley/bench/internal/harness"
	"parley/bench/internal/load"
	"parley/bench/internal/process"
	"parley/bench/internal/report"
	"parley/bench/internal/stub"
	"parley/internal/voice"
)

type voiceSizes struct {
	callerCount     int // who ask at the same time
	turnsPerCaller  int // of each
	bargesPerCaller int // of each, by voice and in writing
	groupSizes      []int
	groupTime       time.Duration // how long each group is measured
	shortSessions   int           // sessions of the leak measure
}

var (
	usualVoice = voiceSizes{callerCount: 4, turnsPerCaller: 20, bargesPerCaller: 8,
		groupSizes: []int{5, 10, 15, 20, 30, 40, 50, 60, 80}, groupTime: 10 * time.Second, shortSessions: 200}
	quickVoice = voiceSizes{callerCount: 2, turnsPerCaller: 6, bargesPerCaller: 3, groupSizes: []int{5, 10},
		groupTime: 5 * time.Second, shortSessions: 40}
)

const shortConcurrency = 10

// voiceRun is a run: a server with voice, the stub that speaks and hears, and the process with the callers.
type voiceRun struct {
	*harness.Run
	voiceSizes
	debugDir string // folder
	callers  *process.Server
	agent    string
}

// voiceMeasures are taken one after the other; each leaves no session behind.
var voiceMeasures = []struct {
	name string
	run  func(context.Context, *voiceRun) ([]report.Row, error)
}{
	{"turns", measureVoiceTurns},
	{"barge", measureVoiceBargeIn},
	{"crowd", measureVoiceCapacity},
	{"leak", measureVoiceLeak},
}

func MeasureNames() []string {
	var all []string
	for _, m := range voiceMeasures {
		all = append(all, m.name)
	}
	return all
}

// Measure measures voice sessions on the real binary.
func Measure(ctx context.Context, opt harness.Options, log io.Writer) (*report.Report, error) {
	dir, err := os.MkdirTemp(opt.Dir, "parley-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	v := &voiceRun{Run: &harness.Run{Options: opt, Dir: dir, Log: log}, voiceSizes: usualVoice,
		debugDir: filepath.Join(dir, "debug")}
	if opt.Rounds <= harness.QuickSizes.Rounds {
		v.voiceSizes = quickVoice
	}
	defer v.stopAll()
	if err := v.startAll(ctx); err != nil {
		return nil, err
	}
	rep := &report.Report{Machine: report.DescribeMachine(dir), Command: "go run ./bench " + opt.Args}
	for _, m := range voiceMeasures {
		if len(opt.MeasureNames) > 0 && !opt.MeasureNames[m.name] {
			continue
		}
		v.Logf("measuring %s …", m.name)
		began := time.Now()
		rows, err := m.run(ctx, v)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			v.Logf("%s: %v", m.name, err)
			rows = append(rows, report.Row{Measure: m.name, Note: "could not be measured: " + err.Error(), Pass: new(bool)})
		}
		v.Logf("  %.1f s", time.Since(began).Seconds())
		rep.Add(m.name, rows)
	}
	return rep, nil
}

// startAll builds the server with its debug endpoints, and starts everything.
func (v *voiceRun) startAll(ctx context.Context) error {
	root, err := harness.ModuleRoot(ctx)
	if err != nil {
		return err
	}
	if err := os.Mkdir(v.debugDir, 0o700); err != nil {
		return err
	}
	file := filepath.Join(v.Dir, "voice_debug.go")
	if err := os.WriteFile(file, fmt.Appendf(nil, debugServerSource, v.debugDir), 0o600); err != nil {
		return err
	}
	if v.Binary, err = v.BuildBinary(ctx,
		map[string]string{filepath.Join(root, "cmd", "parley", "bench_voice_debug.go"): file}); err != nil {
		return err
	}
	if v.Stub, err = process.StartSelf(ctx, v.Dir, "voicestub"); err != nil {
		return err
	}
	if v.callers, err = process.StartSelf(ctx, v.Dir, "callers"); err != nil {
		return err
	}
	return v.startServer(ctx)
}

// startServer starts the server and creates an agent with voice.
func (v *voiceRun) startServer(ctx context.Context) error {
	data, err := v.NewDir("voice")
	if err != nil {
		return err
	}
	s := &harness.Server{DataDir: data, Client: load.NewClient()}
	if s.Server, err = v.StartServer(ctx, v.Binary, data, "PARLEY_TTS=openai", "PARLEY_TTS_URL="+v.Stub.URL,
		"PARLEY_STT=openai", "PARLEY_STT_URL="+v.Stub.URL); err != nil {
		return err
	}
	v.Parley = s
	if err := s.CreateAccount(ctx, v.Binary); err != nil {
		return err
	}
	if v.agent, err = s.CreateAgent(ctx, stub.InstantModel); err != nil {
		return err
	}
	var out any
	return s.CallAPI(ctx, http.MethodPut, "/agents/"+v.agent, map[string]any{"voiceSettings": map[string]any{}}, &out)
}

func (v *voiceRun) stopAll() {
	if v.callers != nil {
		v.callers.Stop()
	}
	v.Stop()
}

func (v *voiceRun) newCallee() calledAgent { return calledAgent{v.Parley.URL, v.Parley.Key, v.agent} }

// serverStats asks the server as an operator does.
func (v *voiceRun) serverStats(ctx context.Context) (s voice.StatsSnapshot, err error) {
	out, err := exec.CommandContext(ctx, v.Binary, "voice", "stats", "--json", "--data", v.Parley.DataDir).Output()
	if err != nil {
		return s, fmt.Errorf("voice stats: %w", err)
	}
	return s, json.Unmarshal(out, &s)
}
