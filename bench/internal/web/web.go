// Package web measures the console and the widget: the real server, its pages in Chromium, and beside them a bare page
// shows the same rows with nothing but the browser's own means.
package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"parley/bench/internal/harness"
	"parley/bench/internal/report"
)

// webSizes bound the work in the browser.
type webSizes struct {
	Loads     int `json:"loads"`     // of a page, each with an empty cache
	SlowLoads int `json:"slowLoads"` // of a page on a slow network
	Events    int `json:"events"`    // of each kind, each waited for
	Sleepers  int `json:"sleepers"`  // agents that are changed while the page sleeps
	Sleeps    int `json:"sleeps"`    // with and without a word of the browser
	Answers   int `json:"answers"`   // long ones
	Rows      int `json:"rows"`      // of long lists that are walked through
}

var (
	usualWeb = webSizes{Loads: 10, SlowLoads: 5, Events: 40, Sleepers: 40, Sleeps: 4, Answers: 4, Rows: 10_000}
	quickWeb = webSizes{Loads: 5, SlowLoads: 2, Events: 20, Sleepers: 40, Sleeps: 2, Answers: 2, Rows: 1000}
)

// webRun is a run: a server with what its pages are to show, and the bare pages in front of it.
type webRun struct {
	*harness.Run
	console string // folder of the front end's source
	job     job
	taken   []string // the conversations that people have

	server   *webServer
	startErr error // why there is none that the parts can use
}

// job is what a script in web/console/bench or web/widget/bench is told.
type job struct {
	webSizes
	Origin   string            `json:"origin"`
	Baseline string            `json:"floor"` // origin of the bare pages
	Account  string            `json:"account"`
	Key      string            `json:"key"`
	Cookie   cookie            `json:"cookie"`
	Agents   map[string]string `json:"agents"`
	Taken    []string          `json:"taken"` // conversations that people have, the longest first
}

type cookie struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type part struct {
	name      string
	run       func(context.Context, *webRun) ([]report.Row, error)
	programs  []string // that it needs
	hasServer bool     // it is about the server with the data
}

var browserPrograms = []string{"node", "chromium"}

var parts = []part{
	{name: "weight", run: measureWeight},
	{name: "binary", run: measureBinaryGrowth},
	{name: "build", run: measureBuild, programs: []string{"node"}},
	{name: "install", run: measureInstall, programs: []string{"npm"}},
	{name: "first-run", run: measureFirstRun, programs: browserPrograms},
	{name: "guesses", run: measureGuesses, hasServer: true},
	{name: "sign-in", run: measureSignIn, programs: browserPrograms, hasServer: true},
	{name: "screens", run: measureScreens, programs: browserPrograms, hasServer: true},
	{name: "events", run: measureEvents, programs: browserPrograms, hasServer: true},
	{name: "stream", run: measureStream, programs: browserPrograms, hasServer: true},
	{name: "list", run: measureList, programs: browserPrograms, hasServer: true},
	{name: "inbox", run: measureInbox, programs: browserPrograms, hasServer: true},
	{name: "sleep", run: measureSleep, programs: browserPrograms, hasServer: true},
	{name: "widget-button", run: measureButton, programs: browserPrograms, hasServer: true},
	{name: "widget-open", run: measureOpening, programs: browserPrograms, hasServer: true},
	{name: "widget-stream", run: measureWidgetStream, programs: browserPrograms, hasServer: true},
}

// title is what the part is called among rows.
func (p part) title() string {
	if name, isOfWidget := strings.CutPrefix(p.name, "widget-"); isOfWidget {
		return "widget: " + name
	}
	return "console: " + p.name
}

func PartNames() []string {
	var all []string
	for _, p := range parts {
		all = append(all, p.name)
	}
	return all
}

// Measure takes the parts one after the other. One that fails or cannot be taken is a row that says so.
func Measure(ctx context.Context, rn *harness.Run) (rows []report.Row, err error) {
	root, err := harness.ModuleRoot(ctx)
	if err != nil {
		return nil, err
	}
	w := &webRun{Run: rn, console: filepath.Join(root, "web", "console")}
	defer w.stop()
	for _, p := range parts {
		if !w.isWanted(p) {
			continue
		}
		if lack := w.lackFor(p); lack != "" {
			rn.Logf("  web: SKIPPED %s: %s", p.name, lack)
			rows = append(rows, report.Row{Measure: p.title(), Note: "SKIPPED: " + lack})
			continue
		}
		began := time.Now()
		more, err := w.take(ctx, p)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			rn.Logf("  web: %s: %v", p.name, err)
			more = append(more, report.Row{Measure: p.title(), Note: "could not be measured: " + oneLine(err),
				Pass: new(bool)})
		}
		rn.Logf("  web: %s, %.1f s", p.name, time.Since(began).Seconds())
		rows = append(rows, more...)
	}
	return rows, nil
}

func (w *webRun) isWanted(p part) bool {
	if p.name == "install" && !w.Install {
		return false
	}
	return len(w.WebParts) == 0 || w.WebParts[p.name]
}

// lackFor returns what a part needs and this machine has not.
func (w *webRun) lackFor(p part) string {
	for _, name := range p.programs {
		if !hasProgram(name) {
			return "no " + name + " on the PATH"
		}
	}
	if len(p.programs) > 0 && p.name != "install" {
		if list, _ := filepath.Glob(filepath.Join(w.console, "node_modules", "playwright-core")); len(list) == 0 {
			return "npm ci was not run in web/console"
		}
	}
	return ""
}

// hasProgram looks for a browser under all names under which web/console/test does.
func hasProgram(name string) bool {
	names := []string{name}
	if name == "chromium" {
		names = append(names, "chromium-browser", "google-chrome")
		if os.Getenv("PARLEY_CHROMIUM") != "" {
			return true
		}
	}
	for _, name := range names {
		if _, err := exec.LookPath(name); err == nil {
			return true
		}
	}
	return false
}

func (w *webRun) take(ctx context.Context, p part) ([]report.Row, error) {
	if p.hasServer && w.server == nil && w.startErr == nil {
		w.startErr = w.start(ctx)
	}
	if p.hasServer && w.startErr != nil {
		return nil, w.startErr
	}
	return p.run(ctx, w)
}

// maxScriptTime bounds a measure in the browser.
const maxScriptTime = 5 * time.Minute

// widgetFolder is that of the widget's source.
func (w *webRun) widgetFolder() string { return filepath.Join(w.console, "..", "widget") }

// runScript runs a measure of web/console/bench.
func (w *webRun) runScript(ctx context.Context, name string) (*figures, error) {
	return w.runScriptOf(ctx, w.console, name)
}

// runScriptOf runs a measure of the folder bench in that of a front end.
func (w *webRun) runScriptOf(ctx context.Context, folder, name string) (*figures, error) {
	ctx, cancel := context.WithTimeout(ctx, maxScriptTime)
	defer cancel()
	input, err := json.Marshal(w.job)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "node", filepath.Join(folder, "bench", "run.js"), name)
	cmd.Stdin = strings.NewReader(string(input))
	cmd.WaitDelay = 10 * time.Second
	out, err := runCommand(cmd)
	if err != nil {
		return nil, err
	}
	var f figures
	return &f, json.Unmarshal(out, &f)
}

// runCommand returns the standard output; an error has the end of what the program wrote about it.
func runCommand(cmd *exec.Cmd) ([]byte, error) {
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return out, fmt.Errorf("%s: %w: %s", filepath.Base(cmd.Path), err, exit.Stderr)
	}
	return out, err
}

func oneLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
