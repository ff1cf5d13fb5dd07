package web

import (
	"context"
	"fmt"

	"parley/bench/internal/report"
)

// measureButton takes what a page of a site pays that only shows the button of the chat.
func measureButton(ctx context.Context, w *webRun) ([]report.Row, error) {
	f, err := w.runScriptOf(ctx, w.widgetFolder(), "button")
	if err != nil {
		return nil, err
	}
	requests, size, frame, none := report.AtMost(2, ""), report.AtMost(8, "kB"), report.AtMost(50, "ms"),
		report.AtMost(0, "")
	script := report.AtMost(15, "ms")
	count := f.singleRow("widget: requests of a page that only shows the button", "requests", 1, &requests)
	bytes := report.SingleRow("… bytes, with their headers", "kB", longest(f.Console["bytes"])/1000, &size).
		WithFailures(lackOf(f.Console["bytes"]))
	shift := f.singleRow("… layout shift", "cls", 1, &none)
	count.Unit, shift.Unit = "", ""
	own := quantile(f.Console["script"], .5) - quantile(f.Baseline["script"], .5)
	return []report.Row{count, bytes, shift,
		report.SingleRow(fmt.Sprintf("… script, more than the bare page, %s, median of %d", slowdown,
			len(f.Console["script"])), "ms", max(0, own), &script).WithFailures(lackOf(f.Console["script"])),
		f.comparedRow("… longest frame (0: none of 50 ms or more), median", "frame", .5, &frame),
	}, nil
}

// measureOpening takes how soon somebody who opens the chat can write in it, and reads the first of an answer.
func measureOpening(ctx context.Context, w *webRun) ([]report.Row, error) {
	f, err := w.runScriptOf(ctx, w.widgetFolder(), "open")
	if err != nil {
		return nil, err
	}
	warm, cold := report.AtMost(150, "ms"), report.AtMost(1800, "ms")
	return []report.Row{
		f.singleRow(fmt.Sprintf("widget: click → the field has the focus, files in the cache, median of %d",
			len(f.Console["warm"])), "warm", .5, &warm),
		f.singleRow("… with an empty cache on slow 4G, median", "cold4G", .5, &cold),
		f.comparedRow("… Enter → the first of the answer is painted, median", "token", .5, nil),
	}, nil
}

func measureWidgetStream(ctx context.Context, w *webRun) ([]report.Row, error) {
	f, err := w.runScriptOf(ctx, w.widgetFolder(), "stream")
	if err != nil {
		return nil, err
	}
	return streamRows(f, "widget"), nil
}

// streamRows are of a long answer that is streamed into a page of the subject.
func streamRows(f *figures, subject string) []report.Row {
	script, frame := report.AtMost(400, "ms"), report.AtMost(50, "ms")
	return []report.Row{
		f.comparedRow(subject+": answer of 24 kB in 1,200 deltas, "+slowdown+", script in all, median",
			"script", .5, &script),
		f.comparedRow("… longest frame (0: none of 50 ms or more)", "frame", 1, &frame),
		f.comparedRow("… styles", "style", .5, nil),
		f.comparedRow("… layout", "layout", .5, nil),
		f.comparedRow("… all work of the main thread", "task", .5, nil),
	}
}
