package model

import (
	"context"
	"encoding/json"
	"iter"
	"sync"
)

// ScriptStep is one thing a scripted model does. Exactly one field is set.
type ScriptStep struct {
	Chunk        Chunk    // is said
	Err          error    // ends the answer with an error
	Barrier      *Barrier // waits until the gate is opened, or the call is cancelled
	RepeatedText string   // says this again and again until the call is cancelled or the consumer stops
}

// TextStep is a step that says text.
func TextStep(text string) ScriptStep { return ScriptStep{Chunk: Chunk{Text: text}} }

// StopStep is the step that ends an answer well.
func StopStep() ScriptStep { return ScriptStep{Chunk: Chunk{Finish: &Finish{Reason: "stop"}}} }

// ToolCallStep is a step that calls a tool; input is a JSON object. A script calls a few tools and ends with Calls.
func ToolCallStep(id, name, input string) ScriptStep {
	return ScriptStep{Chunk: Chunk{ToolCall: &ToolCall{ID: id, Name: name, Input: json.RawMessage(input)}}}
}

// NewToolCallStep is ToolCallStep with a fresh id.
func NewToolCallStep(name, input string) ScriptStep {
	return ToolCallStep(newToolCallID(), name, input)
}

// ToolCallsStep is the step that ends an answer which waits for the results of its tools.
func ToolCallsStep() ScriptStep {
	return ScriptStep{Chunk: Chunk{Finish: &Finish{Reason: "tool-calls"}}}
}

// Barrier holds a stream open at a chosen point.
type Barrier struct {
	reachOnce   sync.Once
	reached     chan struct{}
	releaseOnce sync.Once
	released    chan struct{}
}

// NewBarrier makes a closed gate.
func NewBarrier() *Barrier {
	return &Barrier{reached: make(chan struct{}), released: make(chan struct{})}
}

// Reached is closed once a stream waits at the gate.
func (g *Barrier) Reached() <-chan struct{} { return g.reached }

// Release lets every stream through, now and later.
func (g *Barrier) Release() { g.releaseOnce.Do(func() { close(g.released) }) }

func (g *Barrier) wait(ctx context.Context) error {
	g.reachOnce.Do(func() { close(g.reached) })
	select {
	case <-g.released:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Scripted is a model that does what it is told, for tests. The zero value echoes: it answers with the last message.
type Scripted struct {
	// Answer returns the steps for a request, when no script is left; nil echoes. A script that lacks a last step ends with Stop.
	StepsFor func(Request) []ScriptStep

	mu           sync.Mutex
	scripts      [][]ScriptStep
	requests     []Request
	stoppedCalls int
	stopSignal   chan struct{}
}

var _ Model = (*Scripted)(nil)

// NewScripted makes a model that plays the steps at its first request and echoes afterwards; see Then.
func NewScripted(steps ...ScriptStep) *Scripted { return new(Scripted).AddScript(steps...) }

// AddScript adds the script of one more request.
func (s *Scripted) AddScript(steps ...ScriptStep) *Scripted {
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

// WaitStopped waits until n calls ended early, cancelled or left by their consumer; it reports false when ctx ends first.
func (s *Scripted) WaitStopped(ctx context.Context, n int) bool {
	for {
		s.mu.Lock()
		enough, changed := s.stoppedCalls >= n, s.nextStopSignal()
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

func (s *Scripted) nextStopSignal() chan struct{} {
	if s.stopSignal == nil {
		s.stopSignal = make(chan struct{})
	}
	return s.stopSignal
}

// Stream implements Model.
func (s *Scripted) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		if !playSteps(ctx, s.nextScript(req), yield) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.stoppedCalls++
			close(s.nextStopSignal())
			s.stopSignal = nil
		}
	}
}

func (s *Scripted) nextScript(req Request) []ScriptStep {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, req)
	switch {
	case len(s.scripts) > 0:
		steps := s.scripts[0]
		s.scripts = s.scripts[1:]
		return steps
	case s.StepsFor != nil:
		return s.StepsFor(req)
	case len(req.Messages) == 0:
		return nil
	}
	return []ScriptStep{TextStep(req.Messages[len(req.Messages)-1].Text)}
}

// playSteps reports whether the script came to its own end.
func playSteps(ctx context.Context, steps []ScriptStep, yield func(Chunk, error) bool) bool {
	for _, step := range steps {
		if err := ctx.Err(); err != nil {
			yield(Chunk{}, context.Cause(ctx))
			return false
		}
		switch {
		case step.Err != nil:
			yield(Chunk{}, step.Err)
			return true
		case step.Barrier != nil:
			if err := step.Barrier.wait(ctx); err != nil {
				yield(Chunk{}, err)
				return false
			}
		case step.RepeatedText != "":
			return repeatText(ctx, step.RepeatedText, yield)
		default:
			if !yield(step.Chunk, nil) {
				return step.Chunk.Finish != nil
			}
			if step.Chunk.Finish != nil {
				return true
			}
		}
	}
	yield(StopStep().Chunk, nil)
	return true
}

func repeatText(ctx context.Context, text string, yield func(Chunk, error) bool) bool {
	for ctx.Err() == nil {
		if !yield(Chunk{Text: text}, nil) {
			return false
		}
	}
	yield(Chunk{}, context.Cause(ctx))
	return false
}
