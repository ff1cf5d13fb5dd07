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
	editSize = 20_000    // bytes of an edited text
	partSize = 1_000_000 // bytes of each text of an ingest
)

// edit is from writing a text of 20 kB to an answer that rests on it.
func edit(ctx context.Context, b *bench) ([]row, error) {
	t := b.ours.target()
	took := &batch{}
	for n := range b.edits {
		began := time.Now()
		word := code(n)
		if err := b.ours.teach(ctx, b.ours.agents[finder], word, withCode(prose(uint64(n), editSize), word)); err != nil {
			return nil, err
		}
		a, err := t.exact(ctx, lookFor(word), found)
		a.total = time.Since(began)
		took.note(a, err)
	}
	took.sort()
	second := atMost(1000, "ms")
	return []row{
		only(fmt.Sprintf("a text of 20 kB is written → answered from, p99 of %d", b.edits), "ms", ms(quantile(took.total, .99)), &second).fault(took.failed, took.why),
		only("… p50", "ms", ms(quantile(took.total, .5)), nil),
	}, nil
}

func lookFor(word string) question {
	return question{model: finder, message: "What is said about " + word + "?"}
}

// withCode puts the word into the middle of the text.
func withCode(text, word string) string {
	half := strings.LastIndexByte(text[:len(text)/2], ' ')
	return text[:half] + "\n\nThe label of this shelf is " + word + ".\n\n" + text[half:]
}

// ingestion is how fast plain text becomes searchable: from the first byte until a word of the last text is answered from.
func ingestion(ctx context.Context, b *bench) ([]row, error) {
	took, err := b.ours.feed(ctx, library(b.ingest))
	if err != nil {
		return nil, err
	}
	bar := atLeast(5, "MB/s")
	fed := float64(b.ingest) / megabyte
	return []row{
		only(fmt.Sprintf("plain text to searchable, %.0f MB for one agent", fed), "MB/s", fed/(took.trained+took.asked).Seconds(), &bar),
		only("… until all is trained", "MB/s", fed/took.trained.Seconds(), nil),
		only("… and the first question after that", "ms", ms(took.asked), nil),
	}, nil
}

// feeding is what one ingest took.
type feeding struct {
	trained time.Duration // until the last text was trained
	asked   time.Duration // the first answer after that
}

const libraryCode = 1 << 20

// library makes texts of that many bytes in all; the last holds a code word.
func library(size int) []string {
	var texts []string
	for n := range size / partSize {
		texts = append(texts, prose(uint64(1000+n), partSize))
	}
	last := len(texts) - 1
	texts[last] = withCode(texts[last], code(libraryCode))
	return texts
}

// feed writes texts to a new agent as fast as they are taken, waits until all are trained and asks for the code word.
func (s *server) feed(ctx context.Context, texts []string) (feeding, error) {
	agent, err := s.agent(ctx, finder)
	if err != nil {
		return feeding{}, err
	}
	began := time.Now()
	for n, text := range texts {
		if _, err := s.write(ctx, agent, fmt.Sprintf("Part %d", n), text); err != nil {
			return feeding{}, err
		}
	}
	if err := s.allTrained(ctx, agent, len(texts)); err != nil {
		return feeding{}, err
	}
	took := feeding{trained: time.Since(began)}
	t := s.target()
	t.post = func(q question) (string, any) {
		return s.url + "/api/v2/agents/" + agent + "/chat", map[string]any{"message": q.message}
	}
	a, err := t.exact(ctx, lookFor(code(libraryCode)), found)
	took.asked = a.total
	return took, err
}

func (s *server) allTrained(ctx context.Context, agent string, n int) error {
	for began := time.Now(); time.Since(began) < 5*time.Minute; {
		var page struct{ Data []source }
		if err := s.call(ctx, http.MethodGet, "/agents/"+agent+"/sources?limit=100", nil, &page); err != nil {
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
		if !pause(ctx, 10*time.Millisecond) {
			return ctx.Err()
		}
	}
	return errors.New("not learned within five minutes")
}
