package ingest

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"parley/bench/internal/corpus"
	"parley/bench/internal/harness"
	"parley/bench/internal/load"
	"parley/bench/internal/process"
	"parley/bench/internal/report"
	"parley/bench/internal/stub"
)

const editBytes = 20_000 // of an edited text

// MeasureEdit measures from writing a text of 20 kB to an answer that cites it.
func MeasureEdit(ctx context.Context, b *harness.Run) ([]report.Row, error) {
	t := b.Parley.NewTarget()
	results := &load.Batch{}
	for n := range b.EditCount {
		began := time.Now()
		word := stub.NewCode(n)
		if err := b.Parley.AddAndTrain(ctx, b.Parley.Agents[stub.FinderModel], word,
			insertCode(corpus.GenerateProse(uint64(n), editBytes), word)); err != nil {
			return nil, err
		}
		a, err := t.AskExactly(ctx, lookupQuestion(word), stub.FoundAnswer)
		a.Total = time.Since(began)
		results.AddResult(a, err)
	}
	return editRows(fmt.Sprintf("a text of 20 kB is written → answered from, p99 of %d", b.EditCount), results), nil
}

func editRows(name string, results *load.Batch) []report.Row {
	results.Sort()
	second := report.AtMost(1000, "ms")
	return []report.Row{
		report.SingleRow(name, "ms", report.Milliseconds(report.Quantile(results.Totals, .99)),
			&second).WithFailures(results.Failures, results.FirstErr),
		report.SingleRow("… p50", "ms", report.Milliseconds(report.Quantile(results.Totals, .5)), nil),
	}
}

func lookupQuestion(word string) load.Request {
	return load.Request{Model: stub.FinderModel, Message: "What is said about " + word + "?"}
}

// insertCode puts the word into the middle of the text.
func insertCode(text, word string) string {
	half := strings.LastIndexByte(text[:len(text)/2], ' ')
	return text[:half] + "\n\nThe label of this shelf is " + word + ".\n\n" + text[half:]
}

// MeasureIngestion measures how fast plain text becomes searchable: from the first byte until a word of the last text
// is answered from.
func MeasureIngestion(ctx context.Context, b *harness.Run) ([]report.Row, error) {
	results, err := ingestTexts(ctx, b.Parley, newTexts(b.IngestBytes))
	if err != nil {
		return nil, err
	}
	bar := report.AtLeast(5, "MB/s")
	fed := float64(b.IngestBytes) / report.Megabyte
	return []report.Row{
		report.SingleRow(fmt.Sprintf("plain text to searchable, %.0f MB for one agent", fed), "MB/s",
			fed/(results.trainingTime+results.firstAnswerTime).Seconds(), &bar),
		report.SingleRow("… until all is trained", "MB/s", fed/results.trainingTime.Seconds(), nil),
		report.SingleRow("… and the first question after that", "ms", report.Milliseconds(results.firstAnswerTime), nil),
	}, nil
}

// ingestResult is what one ingest took.
type ingestResult struct {
	trainingTime    time.Duration // until the last text was trained
	firstAnswerTime time.Duration // the first answer after that
}

const ingestCode = 1 << 20

// newTexts returns texts of that many bytes in all; the last contains a code word.
func newTexts(size int) []string {
	var texts []string
	for n := range size / harness.PartBytes {
		texts = append(texts, corpus.GenerateProse(uint64(1000+n), harness.PartBytes))
	}
	last := len(texts) - 1
	texts[last] = insertCode(texts[last], stub.NewCode(ingestCode))
	return texts
}

// ingestTexts adds texts to a new agent as fast as they are accepted, waits until all are trained and asks for the code
// word.
func ingestTexts(ctx context.Context, s *harness.Server, texts []string) (ingestResult, error) {
	agent, err := s.CreateAgent(ctx, stub.FinderModel)
	if err != nil {
		return ingestResult{}, err
	}
	began := time.Now()
	ids := make([]string, len(texts))
	for n, text := range texts {
		if ids[n], err = s.AddText(ctx, agent, fmt.Sprintf("Part %d", n), text); err != nil {
			return ingestResult{}, err
		}
	}
	for _, id := range ids {
		if err := s.WaitUntilTrained(ctx, agent, id); err != nil {
			return ingestResult{}, err
		}
	}
	results := ingestResult{trainingTime: time.Since(began)}
	a, err := s.AgentTarget(agent).AskExactly(ctx, lookupQuestion(stub.NewCode(ingestCode)), stub.FoundAnswer)
	results.firstAnswerTime = a.Total
	return results, err
}

const (
	busyRounds = 3
	quietTime  = 5 * time.Second
)

// MeasureMeanwhile measures how long turns take during an ingest of 20 MB of text, compared with a quiet server.
func MeasureMeanwhile(ctx context.Context, b *harness.Run) ([]report.Row, error) {
	q := b.ParleyContender(load.Request{Model: stub.InstantModel})
	texts := newTexts(harness.UsualSizes.IngestBytes)
	var quiet, busy load.Series
	for range busyRounds {
		rest := time.After(quietTime)
		quiet = append(quiet, q.AskAtInterval(ctx, rest))
		done, failed := make(chan time.Time), make(chan error, 1)
		go func() {
			defer close(done)
			_, err := ingestTexts(ctx, b.Parley, texts)
			failed <- err
		}()
		busy = append(busy, q.AskAtInterval(ctx, done))
		if err := <-failed; err != nil {
			return nil, err
		}
	}
	bar := report.AtMostTimes(2)
	bar.Text = "≤ 2 × quiet"
	r := report.ComparedRow("plain turn during a 20 MB ingest (first column: quiet), p99", "ms",
		quiet.TotalQuantile(.99), busy.TotalQuantile(.99), &bar).WithFailures(busy.Failures())
	return []report.Row{r, report.ComparedRow("… p50", "ms", quiet.TotalQuantile(.5), busy.TotalQuantile(.5), nil)}, nil
}

// maxFileBytes is the largest uploaded file of plain text.
const maxFileBytes = 20 << 20

// MeasureEditOver measures from changing a text of 20 kB that is answered from to an answer that cites the change.
func MeasureEditOver(ctx context.Context, b *harness.Run) ([]report.Row, error) {
	agent, err := b.Parley.CreateAgent(ctx, stub.FinderModel)
	if err != nil {
		return nil, err
	}
	text := corpus.GenerateProse(11, editBytes)
	id, err := b.Parley.AddText(ctx, agent, "Shelf", insertCode(text, stub.NewCode(1<<21)))
	if err != nil {
		return nil, err
	}
	if err := b.Parley.WaitUntilTrained(ctx, agent, id); err != nil {
		return nil, err
	}
	t := b.Parley.AgentTarget(agent)
	results := &load.Batch{}
	for n := range b.EditCount {
		word := stub.NewCode(1<<21 + 1 + n)
		began := time.Now()
		if err := b.Parley.CallAPI(ctx, http.MethodPut, "/agents/"+agent+"/sources/"+id,
			map[string]string{"content": insertCode(text, word)}, &harness.Source{}); err != nil {
			return nil, err
		}
		err := askUntilFound(ctx, t, lookupQuestion(word))
		results.AddResult(load.Answer{Total: time.Since(began)}, err)
	}
	return editRows(fmt.Sprintf("a text of 20 kB is changed → answered from, asked again and again, p99 of %d",
		b.EditCount), results), nil
}

// askUntilFound repeats the question until the answer cites the passage.
func askUntilFound(ctx context.Context, t *load.Target, q load.Request) error {
	for began := time.Now(); time.Since(began) < time.Minute; {
		if a, err := t.Ask(ctx, q); err != nil || a.Text == stub.FoundAnswer {
			return err
		}
		if !process.Sleep(ctx, 2*time.Millisecond) {
			return ctx.Err()
		}
	}
	return fmt.Errorf("no answer rests on %q within a minute", q.Message)
}

// MeasureFiles measures how fast an uploaded file of 20 MB becomes searchable: from the first byte until a word near
// its end is answered from.
func MeasureFiles(ctx context.Context, b *harness.Run) ([]report.Row, error) {
	text := corpus.GenerateProse(12, maxFileBytes-200)
	word := stub.NewCode(1 << 22)
	text = text[:strings.LastIndexByte(text, ' ')] + "\n\nThe label of this shelf is " + word + ".\n"
	var rates []float64
	for n := range min(b.Rounds, 3) {
		agent, err := b.Parley.CreateAgent(ctx, stub.FinderModel)
		if err != nil {
			return nil, err
		}
		began := time.Now()
		if err := uploadAndTrain(ctx, b.Parley, agent, fmt.Sprintf("shelf-%d.txt", n), []byte(text)); err != nil {
			return nil, err
		}
		if _, err := b.Parley.AgentTarget(agent).AskExactly(ctx, lookupQuestion(word), stub.FoundAnswer); err != nil {
			return nil, err
		}
		rates = append(rates, maxFileBytes/report.Megabyte/time.Since(began).Seconds())
	}
	slices.Sort(rates)
	bar := report.AtLeast(5, "MB/s")
	return []report.Row{report.SingleRow(fmt.Sprintf("a file of %.0f MB of plain text is uploaded → answered from",
		maxFileBytes/report.Megabyte), "MB/s", rates[len(rates)/2], &bar)}, nil
}
