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
	callers int // who ask at the same time
	turns   int // of each
	barges  int // of each, by voice and in writing
	crowd   []int
	span    time.Duration // each crowd is watched
	shorts  int           // sessions that are to leave nothing behind
}

var (
	usualVoice = voiceSizes{callers: 4, turns: 20, barges: 8, crowd: []int{5, 10, 15, 20, 30, 40, 50, 60, 80}, span: 10 * time.Second, shorts: 200}
	quickVoice = voiceSizes{callers: 2, turns: 6, barges: 3, crowd: []int{5, 10}, span: 5 * time.Second, shorts: 40}
)

const shortsTogether = 10

// voiceBench is a run: a server with voice, the stub that speaks and hears, and the process with the callers.
type voiceBench struct {
	*bench
	voiceSizes
	doors   string // folder
	callers *child
	agent   string
}

// voiceMeasures are taken one after the other; each leaves no session behind.
var voiceMeasures = []struct {
	name string
	run  func(context.Context, *voiceBench) ([]row, error)
}{
	{"turns", voiceTurns},
	{"barge", voiceBarge},
	{"crowd", voiceCrowd},
	{"leak", voiceLeak},
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
	v := &voiceBench{bench: &bench{options: opt, dir: dir, log: log}, voiceSizes: usualVoice, doors: filepath.Join(dir, "doors")}
	if opt.rounds <= quick.rounds {
		v.voiceSizes = quickVoice
	}
	defer v.stopAll()
	if err := v.open(ctx); err != nil {
		return nil, err
	}
	rep := &report{Machine: about(dir), Command: "go run ./bench " + opt.args}
	for _, m := range voiceMeasures {
		if len(opt.only) > 0 && !opt.only[m.name] {
			continue
		}
		v.say("measuring %s …", m.name)
		began := time.Now()
		rows, err := m.run(ctx, v)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			v.say("%s: %v", m.name, err)
			rows = append(rows, row{Measure: m.name, Note: "could not be measured: " + err.Error(), Pass: new(bool)})
		}
		v.say("  %.1f s", time.Since(began).Seconds())
		rep.add(m.name, rows)
	}
	return rep, nil
}

// open builds the server with its doors, and starts everything.
func (v *voiceBench) open(ctx context.Context) error {
	root, err := root(ctx)
	if err != nil {
		return err
	}
	if err := os.Mkdir(v.doors, 0o700); err != nil {
		return err
	}
	file := filepath.Join(v.dir, "voicedoor.go")
	if err := os.WriteFile(file, fmt.Appendf(nil, voiceDoor, v.doors), 0o600); err != nil {
		return err
	}
	if v.binary, err = v.build(ctx, map[string]string{filepath.Join(root, "cmd", "parley", "bench_voicedoor.go"): file}); err != nil {
		return err
	}
	if v.stub, err = v.self(ctx, "voicestub"); err != nil {
		return err
	}
	if v.callers, err = v.self(ctx, "callers"); err != nil {
		return err
	}
	return v.host(ctx)
}

// host starts the server and makes an agent that speaks.
func (v *voiceBench) host(ctx context.Context) error {
	data, err := v.folder("voice")
	if err != nil {
		return err
	}
	s := &server{data: data, client: newClient()}
	if s.child, err = v.boot(ctx, v.binary, data, "PARLEY_TTS=openai", "PARLEY_TTS_URL="+v.stub.url, "PARLEY_STT=openai", "PARLEY_STT_URL="+v.stub.url); err != nil {
		return err
	}
	v.ours = s
	if err := s.account(ctx, v.binary); err != nil {
		return err
	}
	if v.agent, err = s.agent(ctx, instant); err != nil {
		return err
	}
	var out any
	return s.call(ctx, http.MethodPut, "/agents/"+v.agent, map[string]any{"voiceSettings": map[string]any{}}, &out)
}

func (v *voiceBench) stopAll() {
	if v.callers != nil {
		v.callers.stop()
	}
	v.stop()
}

func (v *voiceBench) callee() callee { return callee{v.ours.url, v.ours.key, v.agent} }

// step is a part of an answer's delay as the server measures it.
type step struct{ Silence, Hearing, Answer, Piece, Speech, Output, Total float64 }

// stats is what the server itself measured, in milliseconds.
type stats struct {
	Spoken               int
	SpokenP50, SpokenP95 step
	HeldP50, HeldP95     float64
	DuckedP50, DuckedP95 float64
}

// stats asks the server as an operator does.
func (v *voiceBench) stats(ctx context.Context) (s stats, err error) {
	out, err := exec.CommandContext(ctx, v.binary, "voice", "stats", "--json", "--data", v.ours.data).Output()
	if err != nil {
		return s, fmt.Errorf("voice stats: %w", err)
	}
	return s, json.Unmarshal(out, &s)
}
