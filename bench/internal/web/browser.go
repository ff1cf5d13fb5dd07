package web

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"parley/bench/internal/report"
)

// slowdown is by how much the processor is slowed down where a row says so; web/console/bench knows the same.
const slowdown = "4× slowdown"

func measureSignIn(ctx context.Context, w *webRun) ([]report.Row, error) {
	f, err := w.runScript(ctx, "sign-in")
	if err != nil {
		return nil, err
	}
	usable, usable4G, lcp, cls := report.AtMost(300, "ms"), report.AtMost(2500, "ms"), report.AtMost(2500, "ms"),
		report.AtMost(0.02, "")
	shift := f.singleRow("… layout shift", "cls", 1, &cls)
	shift.Unit = ""
	return []report.Row{
		f.comparedRow(fmt.Sprintf("console: sign-in page usable, empty cache, median of %d", len(f.Console["usable"])),
			"usable", .5, &usable),
		f.comparedRow("… slowest", "usable", 1, nil),
		f.comparedRow("… on slow 4G, median", "usable4G", .5, &usable4G),
		f.singleRow("… largest contentful paint there, median", "lcp4G", .5, &lcp),
		shift,
	}, nil
}

func measureScreens(ctx context.Context, w *webRun) ([]report.Row, error) {
	f, err := w.runScript(ctx, "screens")
	if err != nil {
		return nil, err
	}
	lcpLimit, clsLimit, inpLimit := report.AtMost(2500, "ms"), report.AtMost(0.02, ""), report.AtMost(100, "ms")
	lcp, slowest := worst(f.Console["lcp"], f.Names)
	cls, unsteady := worst(f.Console["cls"], f.Names)
	inp, step := worst(f.Console["inp"], f.Steps)
	count, lack := lackOf(f.Console["lcp"])
	walk := report.ComparedRow(fmt.Sprintf("… longest of %d interactions", len(f.Steps)), "ms",
		longest(f.Baseline["inp"]), inp, &inpLimit).WithFailures(lackOf(f.Console["inp"]))
	walk.Note = describeWalk(f, step)
	shift := report.SingleRow("… most layout shift", "", cls, &clsLimit)
	shift.Note = describeEach(f.Console["cls"], f.Names, unsteady)
	paint := report.SingleRow(fmt.Sprintf("console: latest largest contentful paint of %d screens, %s", len(f.Names),
		slowdown), "ms", lcp, &lcpLimit).WithFailures(count, lack)
	paint.Note = describeEach(f.Console["lcp"], f.Names, slowest)
	return []report.Row{paint, shift, walk}, nil
}

func describeEach(values []float64, names []string, first string) string {
	var list []string
	for i, name := range names {
		if i < len(values) {
			list = append(list, fmt.Sprintf("%s %.3g", name, values[i]))
		}
	}
	return first + "; " + strings.Join(list, ", ")
}

func describeWalk(f *figures, step string) string {
	note := describeEach(f.Console["inp"], f.Steps, step)
	if len(f.Missed) > 0 {
		note += "; could not be done: " + strings.Join(f.Missed, "; ")
	}
	return note
}

func measureEvents(ctx context.Context, w *webRun) ([]report.Row, error) {
	f, err := w.runScript(ctx, "events")
	if err != nil {
		return nil, err
	}
	limit, none := report.AtMost(300, "ms"), report.AtMost(0, "")
	var rows []report.Row
	for _, subject := range []struct{ key, title string }{{"agent", "an agent's new name"}, {"source", "a new source"}} {
		rows = append(rows,
			f.comparedRow(fmt.Sprintf("console: %s sent → its row is painted, p95 of %d", subject.title,
				len(f.Console[subject.key])), subject.key, .95, &limit),
			f.comparedRow("… p50", subject.key, .5, nil))
	}
	return append(rows, report.SingleRow("… rows that never came", "", float64(f.Lost), &none)), nil
}

func measureSleep(ctx context.Context, w *webRun) ([]report.Row, error) {
	f, err := w.runScript(ctx, "sleep")
	if err != nil {
		return nil, err
	}
	limit, none := report.AtMost(2000, "ms"), report.AtMost(0, "")
	return []report.Row{
		f.singleRow(fmt.Sprintf("console: ten minutes of sleep → %d changed rows are right, slowest of %d", w.job.Sleepers,
			len(f.Console["online"])), "online", 1, &limit),
		f.singleRow("… with a connection that died without a word", "silent", 1, &limit),
		report.SingleRow("… rows lost", "", float64(f.Lost), &none),
		report.SingleRow("… rows doubled", "", float64(f.Doubled), &none),
	}, nil
}

func measureStream(ctx context.Context, w *webRun) ([]report.Row, error) {
	f, err := w.runScript(ctx, "stream")
	if err != nil {
		return nil, err
	}
	return streamRows(f, "console"), nil
}

func measureList(ctx context.Context, w *webRun) ([]report.Row, error) {
	f, err := w.runScript(ctx, "list")
	if err != nil {
		return nil, err
	}
	limit := report.AtMost(200, "ms")
	at := f.Walk
	return []report.Row{
		f.comparedRow("console: list of 10,000 sources, data → first rows painted, median", "rows", .5, &limit),
		f.comparedRow("… slowest", "rows", 1, nil),
		f.singleRow("… request → data, median", "answer", .5, nil),
		report.SingleRow("… rows walked through", "", at.Read, nil),
		report.SingleRow("… time for each", "ms", at.Time/max(1, at.Read), nil),
		report.SingleRow("… elements in the page then", "", at.Elements, nil),
		report.SingleRow("… heap then", "MB", at.Heap, nil),
		report.SingleRow("… longest frame on the way (0: none of 50 ms or more)", "ms", at.Frame, nil),
	}, nil
}

var firstRunLine = regexp.MustCompile(`the first cited answer: (\d+) clicks, ([\d.]+) s`)

// measureFirstRun runs the test that does what a person does first, on the front end as it is committed.
func measureFirstRun(ctx context.Context, w *webRun) ([]report.Row, error) {
	ctx, cancel := context.WithTimeout(ctx, maxScriptTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "--test", "--test-reporter=spec", "--test-name-pattern=with a mouse",
		filepath.Join(w.console, "test", "first-run.test.js"))
	cmd.Env = append(os.Environ(), "PARLEY_PROGRAM="+w.Binary,
		"PARLEY_CONSOLE_BUILD="+filepath.Join(w.console, "..", "built", "console"))
	cmd.WaitDelay = 10 * time.Second
	out, err := runCommand(cmd)
	found := firstRunLine.FindSubmatch(out)
	if err != nil || found == nil {
		return nil, fmt.Errorf("first-run.test.js: %w\n%s", err, out)
	}
	clicks, _ := strconv.ParseFloat(string(found[1]), 64)
	seconds, _ := strconv.ParseFloat(string(found[2]), 64)
	maxTime, maxClicks := report.AtMost(90, "s"), report.AtMost(8, "")
	return []report.Row{
		report.SingleRow("console: printed link → first cited answer, the program's start among it", "s", seconds, &maxTime),
		report.SingleRow("… clicks", "", clicks, &maxClicks),
	}, nil
}

// mostGuesses ends the measure of a server that hears them all.
const mostGuesses = 20

// measureGuesses counts the wrong passwords for one person that the server hears from one address.
func measureGuesses(ctx context.Context, w *webRun) ([]report.Row, error) {
	const email = "guessed@shop.example"
	if err := w.addOwner(ctx, email); err != nil {
		return nil, err
	}
	answered := 0
	for range mostGuesses {
		reply, err := w.signIn(ctx, email, fmt.Sprintf("wrong password %d", answered))
		if err != nil {
			return nil, err
		}
		_ = reply.Body.Close()
		if reply.StatusCode == http.StatusTooManyRequests {
			break
		}
		answered++
	}
	limit := report.AtMost(10, "")
	return []report.Row{report.SingleRow("console: guesses heard for one person from one address", "", float64(answered),
		&limit)}, nil
}
