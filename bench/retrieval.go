package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"parley"
	"parley/internal/retrieval"
)

// dataSetsDir is where public question sets are looked for: PARLEY_DATA_SETS, or beside the checkout.
func dataSetsDir() string {
	if dir := os.Getenv("PARLEY_DATA_SETS"); dir != "" {
		return dir
	}
	return filepath.Join("..", "shared", "data")
}

// retrievalSizes are the agents that searches are measured on, by their passages.
var retrievalSizes = []int{1_000, 20_000, 200_000}

// measureRetrieval measures the search alone, in this process: no server, no model. The floor is a bare scan of the lists that a
// question's letters have.
func measureRetrieval(ctx context.Context, opt options, log io.Writer) (*report, error) {
	dir, err := os.MkdirTemp(opt.dir, "parley-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	rep := &report{Machine: describeMachine(dir), Command: "go run ./bench " + opt.args}
	all := readPools(dataSetsDir())
	asked := mixedQuestions(all)
	sizes := retrievalSizes
	if opt.rounds <= quickSizes.rounds {
		sizes = sizes[:2]
	}
	for _, n := range sizes {
		fmt.Fprintf(log, "measuring %d passages …\n", n)
		rows, err := measureIndexSearch(ctx, dir, generatePassages(all, n), asked)
		if err != nil {
			return nil, err
		}
		rep.add("retrieval", rows)
	}
	return rep, nil
}

// measureIndexSearch measures one agent.
func measureIndexSearch(ctx context.Context, dir string, list []parley.Passage, asked []retrieval.Query) ([]row, error) {
	var text float64
	for _, p := range list {
		text += float64(len(p.Text))
	}
	cold, err := loadCold(ctx, dir, list)
	if err != nil {
		return nil, err
	}
	soon, light := atMost(6, "s"), atMost(4, "")
	rows := []row{
		singleRow(fmt.Sprintf("**%d passages**, text", len(list)), "MB", text/megabyte, nil),
		singleRow("… memory for a byte of text, the text included", "", cold.heapBytes/text, &light),
		singleRow("… as the index counts it", "", cold.indexBytes/text, nil),
		singleRow("… cold agent loaded from SQLite", "s", cold.duration.Seconds(), &soon),
	}
	x := retrieval.NewIndex()
	began := time.Now()
	x.Put(list...)
	rows = append(rows, singleRow("… built from texts in memory", "MB/s", text/megabyte/time.Since(began).Seconds(), nil))
	bare := newGramScan(list, asked)
	for _, atOnce := range []int{1, 4} {
		ground := measureTimes(len(asked), atOnce, bare.scan)
		ours := measureTimes(len(asked), atOnce, func(i int) { x.Nearest(asked[i]) })
		fast := atMost(50, "ms")
		rows = append(rows,
			comparedRow(fmt.Sprintf("… search, %d at a time, p50", atOnce), "ms", milliseconds(quantile(ground, .5)), milliseconds(quantile(ours, .5)), nil),
			comparedRow("… p99", "ms", milliseconds(quantile(ground, .99)), milliseconds(quantile(ours, .99)), &fast))
	}
	added := measureTimes(200, 1, func(i int) {
		p := list[i]
		p.ID += "-again"
		x.Put(p)
	})
	runtime.KeepAlive(list)
	return append(rows, singleRow("… a passage added, p99 of 200", "ms", milliseconds(quantile(added, .99)), nil)), nil
}

// measureTimes does something n times, so many at a time, and gives what each took, sorted.
func measureTimes(n, atOnce int, do func(i int)) []time.Duration {
	took := make([]time.Duration, n)
	var group sync.WaitGroup
	for first := range atOnce {
		group.Go(func() {
			for i := first; i < n; i += atOnce {
				began := time.Now()
				do(i)
				took[i] = time.Since(began)
			}
		})
	}
	group.Wait()
	slices.Sort(took)
	return took
}
