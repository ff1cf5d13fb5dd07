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

// setsFolder is where public question sets are looked for: PARLEY_DATA_SETS, or beside the checkout.
func setsFolder() string {
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
	rep := &report{Machine: about(dir), Command: "go run ./bench " + opt.args}
	all := pools(setsFolder())
	asked := someAsked(all)
	sizes := retrievalSizes
	if opt.rounds <= quick.rounds {
		sizes = sizes[:2]
	}
	for _, n := range sizes {
		fmt.Fprintf(log, "measuring %d passages …\n", n)
		rows, err := searching(ctx, dir, shelves(all, n), asked)
		if err != nil {
			return nil, err
		}
		rep.add("retrieval", rows)
	}
	return rep, nil
}

// searching measures one agent.
func searching(ctx context.Context, dir string, list []parley.Passage, asked []retrieval.Query) ([]row, error) {
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
		only(fmt.Sprintf("**%d passages**, text", len(list)), "MB", text/megabyte, nil),
		only("… memory for a byte of text, the text included", "", cold.held/text, &light),
		only("… as the index counts it", "", cold.counted/text, nil),
		only("… cold agent loaded from SQLite", "s", cold.took.Seconds(), &soon),
	}
	x := retrieval.NewIndex()
	began := time.Now()
	x.Put(list...)
	rows = append(rows, only("… built from texts in memory", "MB/s", text/megabyte/time.Since(began).Seconds(), nil))
	bare := newBare(list, asked)
	for _, atOnce := range []int{1, 4} {
		ground := timed(len(asked), atOnce, bare.scan)
		ours := timed(len(asked), atOnce, func(i int) { x.Nearest(asked[i]) })
		fast := atMost(50, "ms")
		rows = append(rows,
			beside(fmt.Sprintf("… search, %d at a time, p50", atOnce), "ms", ms(quantile(ground, .5)), ms(quantile(ours, .5)), nil),
			beside("… p99", "ms", ms(quantile(ground, .99)), ms(quantile(ours, .99)), &fast))
	}
	added := timed(200, 1, func(i int) {
		p := list[i]
		p.ID += "-again"
		x.Put(p)
	})
	runtime.KeepAlive(list)
	return append(rows, only("… a passage added, p99 of 200", "ms", ms(quantile(added, .99)), nil)), nil
}

// timed does something n times, so many at a time, and gives what each took, sorted.
func timed(n, atOnce int, do func(i int)) []time.Duration {
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
