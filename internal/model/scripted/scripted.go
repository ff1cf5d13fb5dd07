// Package scripted is the model of tests: it plays scripts.
package scripted

import (
	"context"
	"encoding/json"
	"iter"
	"parley/internal/model"
	"sync"
)

// Step is one thing a scripted model does. Exactly one field is set.
type Step struct {
	Chunk        model.Chunk // is sent
	Err          error       // ends the answer with an error
	Barrier      *Barrier    // waits until the barrier is released, or the call is cancelled
	RepeatedText string      // sends this text again and again until the call is cancelled or the consumer stops
}

// Text returns a step that sends text.
func Text(text string) Step { return Step{Chunk: model.Chunk{Text: text}} }

// Stop returns the step that ends an answer.
func Stop() Step { return Step{Chunk: model.Chunk{Finish: &model.Finish{Reason: "stop"}}} }

// ToolCall returns a step that calls a tool; input is a JSON object. A script calls a few tools and ends with
// FinishWithToolCalls.
func ToolCall(id, name, input string) Step {
	return Step{Chunk: model.Chunk{ToolCall: &model.ToolCall{ID: id, Name: name, Input: json.RawMessage(input)}}}
}

// NewToolCall is ToolCall with a new id.
func NewToolCall(name, input string) Step {
	return ToolCall(model.NewToolCallID(), name, input)
}

// FinishWithToolCalls returns the step that ends an answer which waits for the results of its tools.
func FinishWithToolCalls() Step {
	return Step{Chunk: model.Chunk{Finish: &model.Finish{Reason: "tool-calls"}}}
}

// Barrier holds a stream open at a chosen point.
type Barrier struct {
	reachOnce   sync.Once
	reached     chan struct{}
	releaseOnce sync.Once
	released    chan struct{}
}

// NewBarrier returns a barrier that holds every stream.
func NewBarrier() *Barrier {
	return &Barrier{reached: make(chan struct{}), released: make(chan struct{})}
}

// Reached is closed once a stream waits at the barrier.
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

// Model plays its scripts, one for each request. The zero value echoes: it answers with the last message.
type Model struct {
	// StepsFor returns the steps for a request, when no script is left; nil echoes. A script that lacks a last step
	// ends with Stop.
	StepsFor func(model.Request) []Step

	mu           sync.Mutex
	scripts      [][]Step
	requests     []model.Request
	stoppedCalls int
	stopSignal   chan struct{}
}

var _ model.Model = (*Model)(nil)

// New returns a model that plays the steps at its first request and echoes afterwards; see AddScript.
func New(steps ...Step) *Model { return new(Model).AddScript(steps...) }

// AddScript adds the script of one more request.
func (s *Model) AddScript(steps ...Step) *Model {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scripts = append(s.scripts, steps)
	return s
}

// Requests lists what was asked so far, oldest first.
func (s *Model) Requests() []model.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]model.Request(nil), s.requests...)
}

// WaitStopped waits until n calls ended early, cancelled or left by their consumer; it reports false when ctx ends
// first.
func (s *Model) WaitStopped(ctx context.Context, n int) bool {
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

func (s *Model) nextStopSignal() chan struct{} {
	if s.stopSignal == nil {
		s.stopSignal = make(chan struct{})
	}
	return s.stopSignal
}

// Stream implements Model.
func (s *Model) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		if !playSteps(ctx, s.nextScript(req), yield) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.stoppedCalls++
			close(s.nextStopSignal())
			s.stopSignal = nil
		}
	}
}

func (s *Model) nextScript(req model.Request) []Step {
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
	return []Step{Text(req.Messages[len(req.Messages)-1].Text)}
}

// playSteps reports whether the script came to its own end.
func playSteps(ctx context.Context, steps []Step, yield func(model.Chunk, error) bool) bool {
	for _, step := range steps {
		if err := ctx.Err(); err != nil {
			yield(model.Chunk{}, context.Cause(ctx))
			return false
		}
		switch {
		case step.Err != nil:
			yield(model.Chunk{}, step.Err)
			return true
		case step.Barrier != nil:
			if err := step.Barrier.wait(ctx); err != nil {
				yield(model.Chunk{}, err)
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
	yield(Stop().Chunk, nil)
	return true
}

func repeatText(ctx context.Context, text string, yield func(model.Chunk, error) bool) bool {
	for ctx.Err() == nil {
		if !yield(model.Chunk{Text: text}, nil) {
			return false
		}
	}
	yield(model.Chunk{}, context.Cause(ctx))
	return false
}
