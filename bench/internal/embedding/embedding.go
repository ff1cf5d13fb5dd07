// Package embedding measures embedding models in folders, in this process and in a server. The models have random
// weights, which take as long as others.
package embedding

import (
	"context"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"parley/bench/internal/corpus"
	"parley/bench/internal/harness"
	"parley/bench/internal/load"
	"parley/bench/internal/report"
	"parley/bench/internal/stub"
	"parley/internal/ingest"
	"parley/internal/model"
	"parley/internal/model/local"
)

const (
	handbookBytes      = 1 << 20
	quickHandbookBytes = 1 << 16
	questionCount      = 200
	questionWords      = 20
	staticPassages     = 20_000
	quietTime          = 10 * time.Second
)

// Measure measures a question, a handbook and memory with a model of the size of all-MiniLM-L6-v2, passages with a
// static one, and turns meanwhile.
func Measure(ctx context.Context, b *harness.Run) ([]report.Row, error) {
	dir, err := b.NewDir("embedding")
	if err != nil {
		return nil, err
	}
	transformer, static := filepath.Join(dir, "transformer"), filepath.Join(dir, "static")
	if err := writeTransformer(transformer); err != nil {
		return nil, err
	}
	if err := writeStatic(static); err != nil {
		return nil, err
	}
	rows, err := measureTransformer(ctx, b, transformer)
	if err != nil {
		return nil, err
	}
	perSecond, err := measureStatic(ctx, static)
	if err != nil {
		return nil, err
	}
	fast := report.AtLeast(20_000, "")
	rows = append(rows, report.SingleRow("static model, passages of 1 kB a second", "", perSecond, &fast))
	meanwhile, err := measureMeanwhile(ctx, b, transformer)
	return append(rows, meanwhile...), err
}

func measureTransformer(ctx context.Context, b *harness.Run, folder string) ([]report.Row, error) {
	before, began := heapInUse(), time.Now()
	e, err := local.Open(folder)
	if err != nil {
		return nil, err
	}
	loading := time.Since(began)
	times, err := measureQuestions(ctx, e.Questions())
	if err != nil {
		return nil, err
	}
	memory := heapInUse() - before
	size := handbookBytes
	if b.IsQuick() {
		size = quickHandbookBytes
	}
	text := corpus.GenerateProse(7, size)
	began = time.Now()
	if _, err := e.Embed(ctx, passagesOf(text)); err != nil {
		return nil, err
	}
	handbook := time.Since(began).Seconds() * handbookBytes / float64(size)
	fast, small, soon := report.AtMost(15, "ms"), report.AtMost(60, "MB"), report.AtMost(180, "s")
	return []report.Row{
		report.SingleRow("embedding model of 22 M numbers, a question of 20 words on one core, p50", "ms",
			report.Milliseconds(report.Quantile(times, .5)), &fast),
		report.SingleRow("… p99", "ms", report.Milliseconds(report.Quantile(times, .99)), nil),
		report.SingleRow("… memory", "MB", memory/report.Megabyte, &small),
		report.SingleRow("… read at the start", "s", loading.Seconds(), nil),
		report.SingleRow("… a handbook of 1 MB", "s", handbook, &soon),
	}, nil
}

// measureQuestions embeds questions one after the other, each on one core, and returns how long each took, sorted.
func measureQuestions(ctx context.Context, e model.Embedder) ([]time.Duration, error) {
	words := strings.Fields(corpus.GenerateProse(3, questionCount*questionWords*20))
	var times []time.Duration
	for i := range questionCount {
		question := strings.Join(words[i*questionWords:(i+1)*questionWords], " ")
		began := time.Now()
		if _, err := e.Embed(ctx, []string{question}); err != nil {
			return nil, err
		}
		times = append(times, time.Since(began))
	}
	slices.Sort(times)
	return times, nil
}

func passagesOf(text string) (list []string) {
	for p := range ingest.EachPiece(text) {
		list = append(list, text[p.Start:p.End])
	}
	return list
}

// measureStatic returns how many passages of about 1 kB are embedded in a second.
func measureStatic(ctx context.Context, folder string) (perSecond float64, err error) {
	e, err := local.Open(folder)
	if err != nil {
		return 0, err
	}
	passages := passagesOf(corpus.GenerateProse(9, 2<<20))
	began := time.Now()
	done := 0
	for done < staticPassages {
		if _, err := e.Embed(ctx, passages); err != nil {
			return 0, err
		}
		done += len(passages)
	}
	return float64(done) / time.Since(began).Seconds(), nil
}

// measureMeanwhile measures turns of a server that embeds what its agents have just learned, beside one that rests.
func measureMeanwhile(ctx context.Context, b *harness.Run, folder string) ([]report.Row, error) {
	q := load.Request{Model: stub.InstantModel}
	quiet := load.Series{b.ParleyContender(q).AskAtInterval(ctx, time.After(quietTime))}
	s, err := b.NewServerFrom(ctx, b.Binary, "embedding", "PARLEY_EMBEDDING_MODEL="+folder)
	if err != nil {
		return nil, err
	}
	defer s.Stop()
	contender := &load.Contender{Target: s.NewTarget(), Request: q, Process: s.Server}
	busy := load.Series{contender.AskAtInterval(ctx, time.After(quietTime))}
	bar := report.AtMostTimes(2)
	bar.Text = "≤ 2 × quiet"
	return []report.Row{
		report.ComparedRow("turn while passages are embedded (first column: quiet), p99", "ms", quiet.TotalQuantile(.99),
			busy.TotalQuantile(.99), &bar).WithFailures(busy.Failures()),
		report.ComparedRow("… p50", "ms", quiet.TotalQuantile(.5), busy.TotalQuantile(.5), nil),
	}, nil
}

func heapInUse() float64 {
	runtime.GC()
	runtime.GC() // what pools still held
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
