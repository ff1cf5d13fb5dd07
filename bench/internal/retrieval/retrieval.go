package retrieval

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"parley"
	"parley/bench/internal/corpus"
	"parley/bench/internal/harness"
	"parley/bench/internal/report"
	"parley/internal/retrieval"
)

// retrievalSizes are the agents that searches are measured on, by their passages.
var retrievalSizes = []int{1_000, 20_000, 200_000}

// Measure measures the search alone, in this process: no server, no model. The baseline is a plain scan of the
// posting lists of a question's trigrams.
func Measure(ctx context.Context, opt harness.Options, log io.Writer) (*report.Report, error) {
	dir, err := os.MkdirTemp(opt.Dir, "parley-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	rep := &report.Report{Machine: report.DescribeMachine(dir), Command: "go run ./bench " + opt.Args}
	all := readPools(corpus.DataSetsDir())
	queries := mixedQuestions(all)
	sizes := retrievalSizes
	if opt.Rounds <= harness.QuickSizes.Rounds {
		sizes = sizes[:2]
	}
	for _, n := range sizes {
		fmt.Fprintf(log, "measuring %d passages …\n", n)
		rows, err := measureIndexSearch(ctx, dir, generatePassages(all, n), queries)
		if err != nil {
			return nil, err
		}
		rep.Add("retrieval", rows)
	}
	return rep, nil
}

func measureIndexSearch(ctx context.Context, dir string, list []parley.Passage,
	queries []retrieval.Query) ([]report.Row, error) {
	var text float64
	for _, p := range list {
		text += float64(len(p.Text))
	}
	cold, err := loadCold(ctx, dir, list)
	if err != nil {
		return nil, err
	}
	maxBuildTime, maxSize := report.AtMost(4, "s"), report.AtMost(4, "")
	rows := []report.Row{
		report.SingleRow(fmt.Sprintf("**%d passages**, text", len(list)), "MB", text/report.Megabyte, nil),
		report.SingleRow("… memory for a byte of text, the text included", "", cold.heapBytes/text, &maxSize),
		report.SingleRow("… as the index counts it", "", cold.indexBytes/text, nil),
		report.SingleRow("… cold agent loaded from SQLite", "s", cold.duration.Seconds(), &maxBuildTime),
	}
	x := retrieval.NewIndex()
	began := time.Now()
	x.Put(list...)
	rows = append(rows,
		report.SingleRow("… built from texts in memory", "MB/s", text/report.Megabyte/time.Since(began).Seconds(), nil))
	scan := newGramScan(list, queries)
	for _, atOnce := range []int{1, 4} {
		ground := measureTimes(len(queries), atOnce, scan.scan)
		indexTimes := measureTimes(len(queries), atOnce, func(i int) { x.Nearest(queries[i]) })
		fast := report.AtMost(50, "ms")
		rows = append(rows,
			report.ComparedRow(fmt.Sprintf("… search, %d at a time, p50", atOnce), "ms",
				report.Milliseconds(report.Quantile(ground, .5)), report.Milliseconds(report.Quantile(indexTimes, .5)), nil),
			report.ComparedRow("… p99", "ms", report.Milliseconds(report.Quantile(ground, .99)),
				report.Milliseconds(report.Quantile(indexTimes, .99)), &fast))
	}
	added := measureTimes(200, 1, func(i int) {
		p := list[i]
		p.ID += "-again"
		x.Put(p)
	})
	runtime.KeepAlive(list)
	return append(rows, report.SingleRow("… a passage added, p99 of 200", "ms",
		report.Milliseconds(report.Quantile(added, .99)), nil)), nil
}

// measureTimes calls do n times, atOnce of them at a time, and returns how long each took, sorted.
func measureTimes(n, atOnce int, do func(i int)) []time.Duration {
	times := make([]time.Duration, n)
	var group sync.WaitGroup
	for first := range atOnce {
		group.Go(func() {
			for i := first; i < n; i += atOnce {
				began := time.Now()
				do(i)
				times[i] = time.Since(began)
			}
		})
	}
	group.Wait()
	slices.Sort(times)
	return times
}
