package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// maxFileBytes is what an uploaded file of plain text has at most.
const maxFileBytes = 20 << 20

// measureEditOver is from changing a text of 20 kB that is answered from to an answer that rests on the change.
func measureEditOver(ctx context.Context, b *bench) ([]row, error) {
	agent, err := b.parley.createAgent(ctx, finderModel)
	if err != nil {
		return nil, err
	}
	text := generateProse(11, editBytes)
	id, err := b.parley.addText(ctx, agent, "Shelf", insertCode(text, newCode(1<<21)))
	if err != nil {
		return nil, err
	}
	if err := b.parley.waitUntilTrained(ctx, agent, id); err != nil {
		return nil, err
	}
	t := b.parley.agentTarget(agent)
	took := &batch{}
	for n := range b.editCount {
		word := newCode(1<<21 + 1 + n)
		began := time.Now()
		if err := b.parley.callAPI(ctx, http.MethodPut, "/agents/"+agent+"/sources/"+id, map[string]string{"content": insertCode(text, word)}, &source{}); err != nil {
			return nil, err
		}
		err := t.askUntilFound(ctx, lookupQuestion(word))
		took.addResult(chatAnswer{total: time.Since(began)}, err)
	}
	took.sort()
	second := atMost(1000, "ms")
	return []row{
		singleRow(fmt.Sprintf("a text of 20 kB is changed → answered from, asked again and again, p99 of %d", b.editCount), "ms", milliseconds(quantile(took.totals, .99)), &second).withFailures(took.failures, took.firstErr),
		singleRow("… p50", "ms", milliseconds(quantile(took.totals, .5)), nil),
	}, nil
}

// agentTarget asks one agent.
func (s *parleyServer) agentTarget(agent string) *chatTarget {
	t := s.newTarget()
	t.post = func(q chatRequest) (string, any) {
		return s.url + "/api/v2/agents/" + agent + "/chat", map[string]any{"message": q.message}
	}
	return t
}

// askUntilFound asks the same again until the answer rests on what is looked for.
func (t *chatTarget) askUntilFound(ctx context.Context, q chatRequest) error {
	for began := time.Now(); time.Since(began) < time.Minute; {
		if a, err := t.ask(ctx, q); err != nil || a.text == foundAnswer {
			return err
		}
		if !sleepContext(ctx, 2*time.Millisecond) {
			return ctx.Err()
		}
	}
	return fmt.Errorf("no answer rests on %q within a minute", q.message)
}

// measureFiles is how fast an uploaded file of 20 MB becomes searchable: from the first byte until a word near its end is answered from.
func measureFiles(ctx context.Context, b *bench) ([]row, error) {
	text := generateProse(12, maxFileBytes-200)
	word := newCode(1 << 22)
	text = text[:strings.LastIndexByte(text, ' ')] + "\n\nThe label of this shelf is " + word + ".\n"
	var rates []float64
	for n := range min(b.rounds, 3) {
		agent, err := b.parley.createAgent(ctx, finderModel)
		if err != nil {
			return nil, err
		}
		began := time.Now()
		id, err := b.parley.uploadFile(ctx, agent, fmt.Sprintf("shelf-%d.txt", n), []byte(text))
		if err != nil {
			return nil, err
		}
		if err := b.parley.waitUntilTrained(ctx, agent, id); err != nil {
			return nil, err
		}
		if _, err := b.parley.agentTarget(agent).askExactly(ctx, lookupQuestion(word), foundAnswer); err != nil {
			return nil, err
		}
		rates = append(rates, maxFileBytes/megabyte/time.Since(began).Seconds())
	}
	slices.Sort(rates)
	bar := atLeast(5, "MB/s")
	return []row{singleRow(fmt.Sprintf("a file of %.0f MB of plain text is uploaded → answered from", maxFileBytes/megabyte), "MB/s", rates[len(rates)/2], &bar)}, nil
}
