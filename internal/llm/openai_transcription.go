package llm

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

	"parley/internal/pcm"
)

// OpenAITranscription speaks the OpenAI wire format (POST {BaseURL}/audio/transcriptions, a WAV file in a form) to any server that
// understands it. Where the server streams, the transcript grows.
type OpenAITranscription struct {
	SpeechServer
	Model string // for segments that name none

	whole atomic.Bool // the server wants no word about streaming
}

var _ Transcriber = (*OpenAITranscription)(nil)

// Transcribe implements Transcriber.
func (o *OpenAITranscription) Transcribe(ctx context.Context, s Segment) iter.Seq2[Transcript, error] {
	return func(yield func(Transcript, error) bool) {
		if err := o.transcribe(ctx, s, yield); err != nil && !errors.Is(err, errStopped) {
			yield(Transcript{}, speechFailed(cannotHear, err, o.Key))
		}
	}
}

func (o *OpenAITranscription) transcribe(ctx context.Context, s Segment, yield func(Transcript, error) bool) error {
	if s.duration() > longestHearing {
		return errSoundEnd
	}
	a, err := o.ask(ctx, s)
	if err != nil {
		return err
	}
	defer a.close()
	if !strings.HasPrefix(a.header.Get("Content-Type"), "text/event-stream") {
		return readTranscription(a, yield)
	}
	return readTranscriptionEvents(a, yield)
}

// ask sends the segment; a server that does not know of streaming is asked again without.
func (o *OpenAITranscription) ask(ctx context.Context, s Segment) (*speechReply, error) {
	for {
		whole := o.whole.Load()
		kind, body, err := o.form(s, whole)
		if err != nil {
			return nil, err
		}
		a, err := o.post(ctx, "/audio/transcriptions", kind, "text/event-stream, application/json", body)
		if err != nil && !whole && unfit(err) && strings.Contains(err.Error(), "stream") {
			o.whole.Store(true)
			continue
		}
		return a, err
	}
}

func (o *OpenAITranscription) form(s Segment, whole bool) (kind string, body []byte, err error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	fields := [][2]string{{"model", cmp.Or(s.Model, o.Model)}, {"response_format", "json"}}
	if language := baseLanguage(s.Language); language != "" {
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
	part, err := w.CreatePart(textproto.MIMEHeader{"Content-Disposition": {`form-data; name="file"; filename="speech.wav"`}, "Content-Type": {"audio/wav"}})
	if err != nil {
		return "", nil, err
	}
	if _, err := part.Write(pcm.WAV(pcm.Sound{Rate: HearingRate, PCM: s.PCM})); err != nil {
		return "", nil, err
	}
	err = w.Close()
	return w.FormDataContentType(), b.Bytes(), err
}

// baseLanguage is the language of a tag such as pt-BR in two or three letters; empty where none is told.
func baseLanguage(tag string) string {
	base, _, _ := strings.Cut(strings.ToLower(tag), "-")
	if base == "multi" {
		return ""
	}
	return base
}

func readTranscription(r io.Reader, yield func(Transcript, error) bool) error {
	said, err := io.ReadAll(io.LimitReader(r, maxText))
	if err != nil {
		return err
	}
	var answer struct{ Text *string }
	if err := json.Unmarshal(said, &answer); err != nil || answer.Text == nil {
		return garbled("the speech server's answer is no transcript", said)
	}
	yield(Transcript{Text: strings.TrimSpace(*answer.Text), Final: true}, nil)
	return nil
}

// readTranscriptionEvents reads transcript.text.delta and transcript.text.done; other events are passed over.
func readTranscriptionEvents(r io.Reader, yield func(Transcript, error) bool) error {
	l := newLines(r)
	defer l.free()
	var text strings.Builder
	for {
		end := l.fill()
		for line, ok := l.next(); ok; line, ok = l.next() {
			if done, err := hearEvent(line, &text, yield); done || err != nil {
				return err
			}
		}
		if end == nil {
			continue
		}
		if !errors.Is(end, io.EOF) {
			return end
		}
		done, err := hearEvent(l.rest(), &text, yield)
		if err == nil && !done {
			err = errCut
		}
		return err
	}
}

// hearEvent takes one line of the stream; done says that it was the last that matters.
func hearEvent(line []byte, text *strings.Builder, yield func(Transcript, error) bool) (done bool, err error) {
	kind, data := field(line)
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
		return false, garbled("the speech server sent an event that is no JSON", data)
	case len(e.Error) > 0 && string(e.Error) != "null":
		return false, garbled("the speech server reported a failure", e.Error)
	case e.Type == "transcript.text.done" && e.Text != nil:
		yield(Transcript{Text: strings.TrimSpace(*e.Text), Final: true}, nil)
		return true, nil
	case e.Type != "transcript.text.delta" || e.Delta == "":
		return false, nil
	case text.Len()+len(e.Delta) > maxText:
		return false, errEndless
	}
	text.WriteString(e.Delta)
	if !yield(Transcript{Text: strings.TrimSpace(text.String())}, nil) {
		return false, errStopped
	}
	return false, nil
}
