package llm

import (
	"context"
	"encoding/json"
	"iter"
	"sync"
)

// Step is one thing a scripted model does. Exactly one field is set.
type Step struct {
	Chunk   Chunk  // is said
	Err     error  // ends the answer with an error
	Gate    *Gate  // waits until the gate is opened, or the call is cancelled
	Endless string // says this again and again until the call is cancelled or the consumer stops
}

// Say is a step that says text.
func Say(text string) Step { return Step{Chunk: Chunk{Text: text}} }

// Stop is the step that ends an answer well.
func Stop() Step { return Step{Chunk: Chunk{Finish: &Finish{Reason: "stop"}}} }

// CallTool is a step that calls a tool; input is a JSON object. A script calls a few tools and ends with Calls.
func CallTool(id, name, input string) Step {
	return Step{Chunk: Chunk{Call: &ToolCall{ID: id, Name: name, Input: json.RawMessage(input)}}}
}

// Use is CallTool with a fresh id.
func Use(name, input string) Step { return CallTool(freshID(), name, input) }

// Calls is the step that ends an answer which waits for the results of its tools.
func Calls() Step { return Step{Chunk: Chunk{Finish: &Finish{Reason: "tool-calls"}}} }

// Gate holds a stream open at a chosen point.
type Gate struct {
	once    sync.Once
	reached chan struct{}
	opened  sync.Once
	open    chan struct{}
}

// NewGate makes a closed gate.
func NewGate() *Gate { return &Gate{reached: make(chan struct{}), open: make(chan struct{})} }

// Reached is closed once a stream waits at the gate.
func (g *Gate) Reached() <-chan struct{} { return g.reached }

// Open lets every stream through, now and later.
func (g *Gate) Open() { g.opened.Do(func() { close(g.open) }) }

func (g *Gate) pass(ctx context.Context) error {
	g.once.Do(func() { close(g.reached) })
	select {
	case <-g.open:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Scripted is a model that does what it is told, for tests. The zero value echoes: it answers with the last message.
type Scripted struct {
	// Answer gives the steps for a request, when no script is left; nil echoes. A script that lacks a last step ends with Stop.
	Answer func(Request) []Step

	mu       sync.Mutex
	scripts  [][]Step
	requests []Request
	stopped  int
	watch    chan struct{}
}

var _ Model = (*Scripted)(nil)

// Script makes a model that plays the steps at its first request and echoes afterwards; see Then.
func Script(steps ...Step) *Scripted { return new(Scripted).Then(steps...) }

// Then adds the script of one more request.
func (s *Scripted) Then(steps ...Step) *Scripted {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scripts = append(s.scripts, steps)
	return s
}

// Requests lists what was asked so far, oldest first.
func (s *Scripted) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Stopped waits until n calls ended early, cancelled or left by their consumer; it reports false when ctx ends first.
func (s *Scripted) Stopped(ctx context.Context, n int) bool {
	for {
		s.mu.Lock()
		enough, changed := s.stopped >= n, s.changed()
		s.mu.Unlock()
		if enough {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

func (s *Scripted) changed() chan struct{} {
	if s.watch == nil {
		s.watch = make(chan struct{})
	}
	return s.watch
}

// Stream implements Model.
func (s *Scripted) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		if !play(ctx, s.script(req), yield) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.stopped++
			close(s.changed())
			s.watch = nil
		}
	}
}

func (s *Scripted) script(req Request) []Step {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, req)
	switch {
	case len(s.scripts) > 0:
		steps := s.scripts[0]
		s.scripts = s.scripts[1:]
		return steps
	case s.Answer != nil:
		return s.Answer(req)
	case len(req.Messages) == 0:
		return nil
	}
	return []Step{Say(req.Messages[len(req.Messages)-1].Text)}
}

// play reports whether the script came to its own end.
func play(ctx context.Context, steps []Step, yield func(Chunk, error) bool) bool {
	for _, step := range steps {
		if err := ctx.Err(); err != nil {
			yield(Chunk{}, context.Cause(ctx))
			return false
		}
		switch {
		case step.Err != nil:
			yield(Chunk{}, step.Err)
			return true
		case step.Gate != nil:
			if err := step.Gate.pass(ctx); err != nil {
				yield(Chunk{}, err)
				return false
			}
		case step.Endless != "":
			return babble(ctx, step.Endless, yield)
		default:
			if !yield(step.Chunk, nil) {
				return step.Chunk.Finish != nil
			}
			if step.Chunk.Finish != nil {
				return true
			}
		}
	}
	yield(Stop().Chunk, nil)
	return true
}

func babble(ctx context.Context, text string, yield func(Chunk, error) bool) bool {
	for ctx.Err() == nil {
		if !yield(Chunk{Text: text}, nil) {
			return false
		}
	}
	yield(Chunk{}, context.Cause(ctx))
	return false
}
