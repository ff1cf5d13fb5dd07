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
		id, err := uploadFile(ctx, b.Parley, agent, fmt.Sprintf("shelf-%d.txt", n), []byte(text))
		if err != nil {
			return nil, err
		}
		if err := b.Parley.WaitUntilTrained(ctx, agent, id); err != nil {
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
