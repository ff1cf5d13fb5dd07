package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// fileSize is what an uploaded file of plain text has at most.
const fileSize = 20 << 20

// editOver is from changing a text of 20 kB that is answered from to an answer that rests on the change.
func editOver(ctx context.Context, b *bench) ([]row, error) {
	agent, err := b.ours.agent(ctx, finder)
	if err != nil {
		return nil, err
	}
	text := prose(11, editSize)
	id, err := b.ours.write(ctx, agent, "Shelf", withCode(text, code(1<<21)))
	if err != nil {
		return nil, err
	}
	if err := b.ours.trained(ctx, agent, id); err != nil {
		return nil, err
	}
	t := b.ours.asking(agent)
	took := &batch{}
	for n := range b.edits {
		word := code(1<<21 + 1 + n)
		began := time.Now()
		if err := b.ours.call(ctx, http.MethodPut, "/agents/"+agent+"/sources/"+id, map[string]string{"content": withCode(text, word)}, &source{}); err != nil {
			return nil, err
		}
		err := t.until(ctx, lookFor(word))
		took.note(answer{total: time.Since(began)}, err)
	}
	took.sort()
	second := atMost(1000, "ms")
	return []row{
		only(fmt.Sprintf("a text of 20 kB is changed → answered from, asked again and again, p99 of %d", b.edits), "ms", ms(quantile(took.total, .99)), &second).fault(took.failed, took.why),
		only("… p50", "ms", ms(quantile(took.total, .5)), nil),
	}, nil
}

// asking asks one agent.
func (s *server) asking(agent string) *target {
	t := s.target()
	t.post = func(q question) (string, any) {
		return s.url + "/api/v2/agents/" + agent + "/chat", map[string]any{"message": q.message}
	}
	return t
}

// until asks the same again until the answer rests on what is looked for.
func (t *target) until(ctx context.Context, q question) error {
	for began := time.Now(); time.Since(began) < time.Minute; {
		if a, err := t.ask(ctx, q); err != nil || a.text == found {
			return err
		}
		if !pause(ctx, 2*time.Millisecond) {
			return ctx.Err()
		}
	}
	return fmt.Errorf("no answer rests on %q within a minute", q.message)
}

// files is how fast an uploaded file of 20 MB becomes searchable: from the first byte until a word near its end is answered from.
func files(ctx context.Context, b *bench) ([]row, error) {
	text := prose(12, fileSize-200)
	word := code(1 << 22)
	text = text[:strings.LastIndexByte(text, ' ')] + "\n\nThe label of this shelf is " + word + ".\n"
	var rates []float64
	for n := range min(b.rounds, 3) {
		agent, err := b.ours.agent(ctx, finder)
		if err != nil {
			return nil, err
		}
		began := time.Now()
		id, err := b.ours.upload(ctx, agent, fmt.Sprintf("shelf-%d.txt", n), []byte(text))
		if err != nil {
			return nil, err
		}
		if err := b.ours.trained(ctx, agent, id); err != nil {
			return nil, err
		}
		if _, err := b.ours.asking(agent).exact(ctx, lookFor(word), found); err != nil {
			return nil, err
		}
		rates = append(rates, fileSize/megabyte/time.Since(began).Seconds())
	}
	slices.Sort(rates)
	bar := atLeast(5, "MB/s")
	return []row{only(fmt.Sprintf("a file of %.0f MB of plain text is uploaded → answered from", fileSize/megabyte), "MB/s", rates[len(rates)/2], &bar)}, nil
}
