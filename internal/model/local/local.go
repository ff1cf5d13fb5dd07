// Package local embeds texts in this process, with a model that the operator has put into a folder: one of the BERT
// family in its usual files, or a static one of model2vec. It implements the port that the clients of embedding servers
// implement. Nothing is downloaded, and nothing is sent anywhere.
//
// Passages take at most half of the processors, and pause between two layers of the model while a question is embedded,
// since somebody waits for that.
package local

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"parley/internal/model"
)

// Embedder embeds passages. It may be used by any number of goroutines.
type Embedder struct {
	name    string
	engine  engine
	prompts prompts
	slots   chan struct{} // of the passages that are in work at a time
	pace    pace
}

var _ model.Embedder = (*Embedder)(nil)

// engine computes the vector of a text.
type engine interface {
	// embed returns a vector that has any length, and nil for a text of which nothing is known. It calls between at
	// times, which may wait, and stops where that returns an error.
	embed(ctx context.Context, text string, between func(context.Context) error) ([]float32, error)

	dimensions() int

	bytes() int
}

// Open reads the model in a folder. An error names the file that is at fault and what it lacks.
func Open(path string) (*Embedder, error) {
	f, err := newFolder(path)
	if err != nil {
		return nil, err
	}
	config, err := f.read(configFile)
	if err != nil {
		return nil, err
	}
	e := &Embedder{slots: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2))}
	if e.engine, err = f.openEngine(config); err != nil {
		return nil, err
	}
	if e.prompts, err = f.readPrompts(config); err != nil {
		return nil, err
	}
	e.name = f.name()
	return e, nil
}

func (f *folder) openEngine(config []byte) (engine, error) {
	if isStatic(config) {
		return f.openStatic()
	}
	return f.openTransformer(config)
}

// Name implements model.Embedder: the name of the folder, and a hash of its files, so that vectors of another model of
// the same name are not taken for those of this one.
func (e *Embedder) Name() string { return e.name }

// Dimensions returns the length of the vectors.
func (e *Embedder) Dimensions() int { return e.engine.dimensions() }

// Bytes returns how much memory the weights take.
func (e *Embedder) Bytes() int { return e.engine.bytes() }

// Embed implements model.Embedder, for passages.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var next atomic.Int64
	vectors := make([][]float32, len(texts))
	var workers sync.WaitGroup
	for range min(len(texts), cap(e.slots)) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(texts)); i = next.Add(1) - 1 {
				vector, err := e.embedPassage(ctx, texts[i])
				if err != nil {
					stop(err)
					return
				}
				vectors[i] = vector
			}
		})
	}
	workers.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return vectors, nil
}

func (e *Embedder) embedPassage(ctx context.Context, text string) ([]float32, error) {
	select {
	case e.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-e.slots }()
	return e.embed(ctx, e.prompts.passage+text, e.pace.wait)
}

func (e *Embedder) embed(ctx context.Context, text string, between func(context.Context) error) ([]float32, error) {
	vector, err := e.engine.embed(ctx, text, between)
	if err != nil || !normalize(vector) {
		return nil, err
	}
	return vector, nil
}

// Questions returns the embedder of questions, which some models are told apart from passages by a prompt. Its vectors
// can be compared with those of passages.
func (e *Embedder) Questions() model.Embedder { return questions{e} }

type questions struct{ *Embedder }

// Embed implements model.Embedder.
func (q questions) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	defer q.pace.beginQuestion()()
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		vector, err := q.embed(ctx, q.prompts.question+text, func(ctx context.Context) error { return ctx.Err() })
		if err != nil {
			return nil, err
		}
		vectors[i] = vector
	}
	return vectors, nil
}

// pace has passages wait for questions.
type pace struct {
	mu   sync.Mutex
	last chan struct{} // is closed when the question that began last has its vector; nil if there was none
}

// beginQuestion returns the function that ends the question.
func (p *pace) beginQuestion() (end func()) {
	done := make(chan struct{})
	p.mu.Lock()
	p.last = done
	p.mu.Unlock()
	return func() { close(done) }
}

// wait waits for the question that began last, and not for those that come meanwhile: passages go on, however many
// questions there are.
func (p *pace) wait(ctx context.Context) error {
	p.mu.Lock()
	last := p.last
	p.mu.Unlock()
	if last == nil {
		return ctx.Err()
	}
	select {
	case <-last:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// prompts are what a model wants before a text, to know what it is.
type prompts struct{ question, passage string }

const maxPromptBytes = 2000

// e5Name is in the names of the models of the family E5, whose files say nothing of their prompts.
var e5Name = regexp.MustCompile(`(?i)(^|[-_/.])e5([-_/.]|$)`)

func (f *folder) readPrompts(config []byte) (p prompts, err error) {
	var c struct {
		Prompts map[string]string `json:"prompts"`
		Default string            `json:"default_prompt_name"`
	}
	if err := f.decodeOptional(promptsFile, &c); err != nil {
		return p, err
	}
	first := func(names ...string) string {
		for _, name := range names {
			if c.Prompts[name] != "" {
				return c.Prompts[name]
			}
		}
		return ""
	}
	p.question, p.passage = first("query", c.Default), first("document", "passage", c.Default)
	if len(p.question) > maxPromptBytes || len(p.passage) > maxPromptBytes {
		return p, f.errorOf(promptsFile, errors.New("a prompt is too long"))
	}
	if p == (prompts{}) && f.isE5(config) {
		p = prompts{"query: ", "passage: "}
	}
	fmt.Fprintf(f.hash, "%q %q\n", p.question, p.passage)
	return p, nil
}

// isE5 reports whether the folder or the model in it is named as one of the family E5.
func (f *folder) isE5(config []byte) bool {
	name := modelName(config)
	isInstructed := strings.Contains(strings.ToLower(name+filepath.Base(f.path)), "instruct")
	return !isInstructed && (e5Name.MatchString(name) || e5Name.MatchString(filepath.Base(f.path)))
}
