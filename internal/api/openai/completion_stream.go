package openai

import (
	"cmp"
	"context"

	"parley"
	"parley/internal/chat"
	"parley/internal/httpapi"
)

// eventWriter writes the events of one form.
type eventWriter interface {
	begin(out *httpapi.Stream)
	write(out *httpapi.Stream, e *chat.Event) error
}

// streamTurn renders a turn as server-sent events. A turn that fails before its first word is an ordinary error.
func (s *server) streamTurn(ctx context.Context, c *call, turn *chat.Turn, w eventWriter) error {
	r := turn.Reader()
	isLate, err := httpapi.Await(ctx, streamOpenDelay, turn.WaitForText)
	if err != nil {
		r.Close()
		return err
	}
	out := c.StreamEvents()
	w.begin(out)
	if isLate {
		_ = out.Flush() // the stream remembers the failure
	}
	c.Follow(out, cmp.Or(s.KeepAliveInterval, defaultKeepAliveInterval), &turnFeed{out: out, reader: r, writer: w})
	return nil
}

// turnFeed sends the events of one turn. It is a httpapi.Notifier.
type turnFeed struct {
	out    *httpapi.Stream
	reader *chat.Reader
	writer eventWriter
}

// SendNext implements httpapi.Feed.
func (f *turnFeed) SendNext(ctx context.Context) error {
	events, err := f.reader.Next(ctx)
	for i := range events {
		if err == nil {
			err = f.writer.write(f.out, &events[i])
		}
	}
	if err == nil {
		err = f.out.Flush()
	}
	return err
}

// Notify implements httpapi.Notifier.
func (f *turnFeed) Notify(wake func()) { f.reader.Notify(wake) }

// Close implements httpapi.Feed.
func (f *turnFeed) Close() { f.reader.Close() }

// chunkHead begins each chunk of a stream.
type chunkHead struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	Model   string `json:"model"`
}

// chunk is a piece of an answer.
type chunk struct {
	chunkHead
	Choices []chunkChoice `json:"choices"`
	Usage   *Usage        `json:"usage,omitempty"`
}

type chunkChoice struct {
	Index        int       `json:"index"`
	Delta        delta     `json:"delta"`
	Logprobs     *struct{} `json:"logprobs"`
	FinishReason *string   `json:"finish_reason"`
}

// delta is what a chunk adds.
type delta struct {
	Role        string       `json:"role,omitempty"`
	Content     *string      `json:"content,omitempty"`
	ToolCalls   []callDelta  `json:"tool_calls,omitempty"`
	Annotations []Annotation `json:"annotations,omitempty"`
}

// callDelta is a call of a tool of the client. It comes whole.
type callDelta struct {
	Index int `json:"index"`
	ToolCall
}

// doneData is the data of the last event. A stream that ends without it holds only a part of an answer.
const doneData = "[DONE]"

// completionWriter writes a chat completion as chunks.
type completionWriter struct {
	head      chunkHead
	hasUsage  bool // the client wants to know it
	calls     int  // that have been sent
	hasFailed bool
}

func (w *completionWriter) begin(out *httpapi.Stream) {
	w.head.Object = "chat.completion.chunk"
	empty := ""
	_ = w.sendDelta(out, delta{Role: "assistant", Content: &empty}) // texts always encode
}

func (w *completionWriter) sendDelta(out *httpapi.Stream, d delta) error {
	return out.Send(chunk{chunkHead: w.head, Choices: []chunkChoice{{Delta: d}}})
}

func (w *completionWriter) write(out *httpapi.Stream, e *chat.Event) error {
	switch e.Kind {
	case chat.Text:
		return w.sendDelta(out, delta{Content: &e.Text})
	case chat.ToolCalled:
		return w.writeCall(out, e.Call)
	case chat.Failed:
		w.hasFailed = true
		return sendFailure(out, e.Err)
	case chat.Finished:
		return w.finish(out, e.Finish)
	case chat.ToolReturned, chat.NextRound: // of the agent's own tools
	}
	return nil
}

// writeCall writes a call that the client is to run. Those of the agent's own tools are not shown.
func (w *completionWriter) writeCall(out *httpapi.Stream, c *parley.ToolCall) error {
	if !c.RunsOnClient {
		return nil
	}
	one := callDelta{w.calls, ToolCall{c.CallID, functionType, FunctionCall{c.Tool, string(c.Input)}}}
	w.calls++
	return w.sendDelta(out, delta{ToolCalls: []callDelta{one}})
}

// finish writes the end. A stream whose answer is not whole ends with a failure and without the last event.
func (w *completionWriter) finish(out *httpapi.Stream, end *chat.Finish) error {
	if end.Reason == "error" || end.Message == nil {
		if w.hasFailed {
			return nil
		}
		return sendFailure(out, parley.NewError(parley.CodeChatStreaming))
	}
	if list := newAnnotations(end.Message.Text(), end.Citations); len(list) > 0 {
		if err := w.sendDelta(out, delta{Annotations: list}); err != nil {
			return err
		}
	}
	reason, usage := finishReason(end), newUsage(end)
	last := chunk{chunkHead: w.head, Choices: []chunkChoice{{FinishReason: &reason}}}
	if err := out.Send(last); err != nil {
		return err
	}
	if w.hasUsage {
		if err := out.Send(chunk{chunkHead: w.head, Choices: []chunkChoice{}, Usage: &usage}); err != nil {
			return err
		}
	}
	out.SendRaw([]byte(doneData))
	return nil
}

// sendFailure writes a failure in the middle of a stream.
func sendFailure(out *httpapi.Stream, e *parley.Error) error {
	_, body := renderFailure(e)
	return out.Send(body)
}
