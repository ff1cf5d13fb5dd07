package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

const (
	editBytes = 20_000    // bytes of an edited text
	partBytes = 1_000_000 // bytes of each text of an ingest
)

// measureEdit is from writing a text of 20 kB to an answer that rests on it.
func measureEdit(ctx context.Context, b *bench) ([]row, error) {
	t := b.parley.newTarget()
	took := &batch{}
	for n := range b.editCount {
		began := time.Now()
		word := newCode(n)
		if err := b.parley.addAndTrain(ctx, b.parley.agents[finderModel], word, insertCode(generateProse(uint64(n), editBytes), word)); err != nil {
			return nil, err
		}
		a, err := t.askExactly(ctx, lookupQuestion(word), foundAnswer)
		a.total = time.Since(began)
		took.addResult(a, err)
	}
	took.sort()
	second := atMost(1000, "ms")
	return []row{
		singleRow(fmt.Sprintf("a text of 20 kB is written → answered from, p99 of %d", b.editCount), "ms", milliseconds(quantile(took.totals, .99)), &second).withFailures(took.failures, took.firstErr),
		singleRow("… p50", "ms", milliseconds(quantile(took.totals, .5)), nil),
	}, nil
}

func lookupQuestion(word string) chatRequest {
	return chatRequest{model: finderModel, message: "What is said about " + word + "?"}
}

// insertCode puts the word into the middle of the text.
func insertCode(text, word string) string {
	half := strings.LastIndexByte(text[:len(text)/2], ' ')
	return text[:half] + "\n\nThe label of this shelf is " + word + ".\n\n" + text[half:]
}

// measureIngestion is how fast plain text becomes searchable: from the first byte until a word of the last text is answered from.
func measureIngestion(ctx context.Context, b *bench) ([]row, error) {
	took, err := b.parley.ingestTexts(ctx, newTexts(b.ingestBytes))
	if err != nil {
		return nil, err
	}
	bar := atLeast(5, "MB/s")
	fed := float64(b.ingestBytes) / megabyte
	return []row{
		singleRow(fmt.Sprintf("plain text to searchable, %.0f MB for one agent", fed), "MB/s", fed/(took.trainingTime+took.firstAnswerTime).Seconds(), &bar),
		singleRow("… until all is trained", "MB/s", fed/took.trainingTime.Seconds(), nil),
		singleRow("… and the first question after that", "ms", milliseconds(took.firstAnswerTime), nil),
	}, nil
}

// ingestResult is what one ingest took.
type ingestResult struct {
	trainingTime    time.Duration // until the last text was trained
	firstAnswerTime time.Duration // the first answer after that
}

const ingestCode = 1 << 20

// newTexts makes texts of that many bytes in all; the last holds a code word.
func newTexts(size int) []string {
	var texts []string
	for n := range size / partBytes {
		texts = append(texts, generateProse(uint64(1000+n), partBytes))
	}
	last := len(texts) - 1
	texts[last] = insertCode(texts[last], newCode(ingestCode))
	return texts
}

// ingestTexts writes texts to a new agent as fast as they are taken, waits until all are trained and asks for the code word.
func (s *parleyServer) ingestTexts(ctx context.Context, texts []string) (ingestResult, error) {
	agent, err := s.createAgent(ctx, finderModel)
	if err != nil {
		return ingestResult{}, err
	}
	began := time.Now()
	for n, text := range texts {
		if _, err := s.addText(ctx, agent, fmt.Sprintf("Part %d", n), text); err != nil {
			return ingestResult{}, err
		}
	}
	if err := s.waitUntilAllTrained(ctx, agent, len(texts)); err != nil {
		return ingestResult{}, err
	}
	took := ingestResult{trainingTime: time.Since(began)}
	t := s.newTarget()
	t.post = func(q chatRequest) (string, any) {
		return s.url + "/api/v2/agents/" + agent + "/chat", map[string]any{"message": q.message}
	}
	a, err := t.askExactly(ctx, lookupQuestion(newCode(ingestCode)), foundAnswer)
	took.firstAnswerTime = a.total
	return took, err
}

func (s *parleyServer) waitUntilAllTrained(ctx context.Context, agent string, n int) error {
	for began := time.Now(); time.Since(began) < 5*time.Minute; {
		var page struct{ Data []source }
		if err := s.callAPI(ctx, http.MethodGet, "/agents/"+agent+"/sources?limit=100", nil, &page); err != nil {
			return err
		}
		trained := 0
		for _, src := range page.Data {
			switch src.Status {
			case "trained":
				trained++
			case "failed":
				return errors.New("a text could not be learned")
			}
		}
		if trained == n {
			return nil
		}
		if !sleepContext(ctx, 10*time.Millisecond) {
			return ctx.Err()
		}
	}
	return errors.New("not learned within five minutes")
}
