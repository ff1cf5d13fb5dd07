package openai

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"mime/multipart"
	"net/textproto"
	"strings"
	"sync/atomic"

	"parley/internal/audio"
	"parley/internal/httpclient"
	"parley/internal/speech"
)

// TranscriberEngine returns the row of this engine.
func TranscriberEngine() speech.TranscriberEngine {
	return speech.TranscriberEngine{Name: "openai", Server: format, New: func(c speech.EngineConfig) speech.Transcriber {
		return &Transcriber{Client: httpclient.Client{BaseURL: cmp.Or(c.URL, DefaultURL), Key: c.Key}}
	}}
}

// Transcriber uses the OpenAI wire format (POST {BaseURL}/audio/transcriptions, a WAV file in a form) to any server
// that understands it. Where the server streams, the transcript grows.
type Transcriber struct {
	httpclient.Client
	Model string // for segments that name none

	omitsStreaming atomic.Bool // the server rejects the field about streaming
}

// Transcribe implements speech.Transcriber.
func (t *Transcriber) Transcribe(ctx context.Context, s speech.Segment) iter.Seq2[speech.Transcript, error] {
	return func(yield func(speech.Transcript, error) bool) {
		if err := t.transcribe(ctx, s, yield); err != nil && !errors.Is(err, httpclient.ErrConsumerStopped) {
			yield(speech.Transcript{}, speech.TranscriptionError(err, t.Key))
		}
	}
}

func (t *Transcriber) transcribe(ctx context.Context, s speech.Segment,
	yield func(speech.Transcript, error) bool) error {
	if s.Duration() > speech.MaxSegmentDuration {
		return speech.ErrSoundTooLong
	}
	a, err := t.sendSegment(ctx, s)
	if err != nil {
		return err
	}
	defer a.Close()
	if !strings.HasPrefix(a.Header.Get("Content-Type"), "text/event-stream") {
		return readTranscription(a, yield)
	}
	return readTranscriptionEvents(a, yield)
}

// sendSegment sends the segment; a server that does not know the field about streaming gets it again without.
func (t *Transcriber) sendSegment(ctx context.Context, s speech.Segment) (*httpclient.Response, error) {
	for {
		whole := t.omitsStreaming.Load()
		contentType, body, err := t.encodeForm(s, whole)
		if err != nil {
			return nil, err
		}
		a, err := speech.Post(ctx, &t.Client, httpclient.Request{
			Path:        "/audio/transcriptions",
			ContentType: contentType,
			Accept:      "text/event-stream, application/json",
			Body:        body,
		})
		if err != nil && !whole && httpclient.IsRejectedInput(err) && strings.Contains(err.Error(), "stream") {
			t.omitsStreaming.Store(true)
			continue
		}
		return a, err
	}
}

func (t *Transcriber) encodeForm(s speech.Segment, whole bool) (contentType string, body []byte, err error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	fields := [][2]string{{"model", cmp.Or(s.Model, t.Model)}, {"response_format", "json"}}
	if language := speech.BaseLanguage(s.Language); language != "" {
		fields = append(fields, [2]string{"language", language})
	}
	if !whole {
		fields = append(fields, [2]string{"stream", "true"})
	}
	for _, f := range fields {
		if err := w.WriteField(f[0], f[1]); err != nil {
			return "", nil, err
		}
	}
	part, err := w.CreatePart(textproto.MIMEHeader{"Content-Type": {"audio/wav"},
		"Content-Disposition": {`form-data; name="file"; filename="speech.wav"`}})
	if err != nil {
		return "", nil, err
	}
	if _, err := part.Write(audio.EncodeWAV(audio.Sound{Rate: speech.SampleRate, PCM: s.PCM})); err != nil {
		return "", nil, err
	}
	err = w.Close()
	return w.FormDataContentType(), b.Bytes(), err
}

func readTranscription(r io.Reader, yield func(speech.Transcript, error) bool) error {
	response, err := io.ReadAll(io.LimitReader(r, httpclient.MaxTextBytes))
	if err != nil {
		return err
	}
	var answer struct{ Text *string }
	if err := json.Unmarshal(response, &answer); err != nil || answer.Text == nil {
		return httpclient.NewProviderError("the speech server's answer is no transcript", response)
	}
	yield(speech.Transcript{Text: strings.TrimSpace(*answer.Text), IsFinal: true}, nil)
	return nil
}

// readTranscriptionEvents reads transcript.text.delta and transcript.text.done; other events are passed over.
func readTranscriptionEvents(r io.Reader, yield func(speech.Transcript, error) bool) error {
	l := httpclient.NewLineReader(r)
	defer l.Release()
	var text strings.Builder
	for {
		end := l.Fill()
		for line, ok := l.NextLine(); ok; line, ok = l.NextLine() {
			if done, err := readTranscriptionEvent(line, &text, yield); done || err != nil {
				return err
			}
		}
		if end == nil {
			continue
		}
		if !errors.Is(end, io.EOF) {
			return end
		}
		done, err := readTranscriptionEvent(l.LastLine(), &text, yield)
		if err == nil && !done {
			err = httpclient.ErrStreamCut
		}
		return err
	}
}

// readTranscriptionEvent takes one line of the stream; done says that it was the last that matters.
func readTranscriptionEvent(line []byte, text *strings.Builder,
	yield func(speech.Transcript, error) bool) (done bool, err error) {
	kind, data := httpclient.ParseEventLine(line)
	if kind != "data" || len(data) == 0 || string(data) == "[DONE]" {
		return false, nil
	}
	var e struct {
		Type, Delta string
		Text        *string
		Error       json.RawMessage
	}
	switch err := json.Unmarshal(data, &e); {
	case err != nil:
		return false, httpclient.NewProviderError("the speech server sent an event that is no JSON", data)
	case len(e.Error) > 0 && string(e.Error) != "null":
		return false, httpclient.NewProviderError("the speech server reported a failure", e.Error)
	case e.Type == "transcript.text.done" && e.Text != nil:
		yield(speech.Transcript{Text: strings.TrimSpace(*e.Text), IsFinal: true}, nil)
		return true, nil
	case e.Type != "transcript.text.delta" || e.Delta == "":
		return false, nil
	case text.Len()+len(e.Delta) > httpclient.MaxTextBytes:
		return false, httpclient.ErrStreamTooLong
	}
	text.WriteString(e.Delta)
	if !yield(speech.Transcript{Text: strings.TrimSpace(text.String())}, nil) {
		return false, httpclient.ErrConsumerStopped
	}
	return false, nil
}
