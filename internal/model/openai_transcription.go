package model

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
)

// OpenAITranscription speaks the OpenAI wire format (POST {BaseURL}/audio/transcriptions, a WAV file in a form) to any server that
// understands it. Where the server streams, the transcript grows.
type OpenAITranscription struct {
	SpeechServer
	Model string // for segments that name none

	omitsStreaming atomic.Bool // the server wants no word about streaming
}

var _ Transcriber = (*OpenAITranscription)(nil)

// Transcribe implements Transcriber.
func (o *OpenAITranscription) Transcribe(ctx context.Context, s Segment) iter.Seq2[Transcript, error] {
	return func(yield func(Transcript, error) bool) {
		if err := o.transcribe(ctx, s, yield); err != nil && !errors.Is(err, errConsumerStopped) {
			yield(Transcript{}, newSpeechError(transcribeFailureMessage, err, o.Key))
		}
	}
}

func (o *OpenAITranscription) transcribe(ctx context.Context, s Segment, yield func(Transcript, error) bool) error {
	if s.duration() > maxSegmentDuration {
		return errSoundTooLong
	}
	a, err := o.sendSegment(ctx, s)
	if err != nil {
		return err
	}
	defer a.close()
	if !strings.HasPrefix(a.responseHeader.Get("Content-Type"), "text/event-stream") {
		return readTranscription(a, yield)
	}
	return readTranscriptionEvents(a, yield)
}

// sendSegment sends the segment; a server that does not know of streaming is asked again without.
func (o *OpenAITranscription) sendSegment(ctx context.Context, s Segment) (*speechResponse, error) {
	for {
		whole := o.omitsStreaming.Load()
		kind, body, err := o.encodeForm(s, whole)
		if err != nil {
			return nil, err
		}
		a, err := o.post(ctx, "/audio/transcriptions", kind, "text/event-stream, application/json", body)
		if err != nil && !whole && isRejectedInput(err) && strings.Contains(err.Error(), "stream") {
			o.omitsStreaming.Store(true)
			continue
		}
		return a, err
	}
}

func (o *OpenAITranscription) encodeForm(s Segment, whole bool) (kind string, body []byte, err error) {
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
	if _, err := part.Write(audio.EncodeWAV(audio.Sound{Rate: TranscriptionSampleRate, PCM: s.PCM})); err != nil {
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
	response, err := io.ReadAll(io.LimitReader(r, maxTextBytes))
	if err != nil {
		return err
	}
	var answer struct{ Text *string }
	if err := json.Unmarshal(response, &answer); err != nil || answer.Text == nil {
		return newProviderError("the speech server's answer is no transcript", response)
	}
	yield(Transcript{Text: strings.TrimSpace(*answer.Text), IsFinal: true}, nil)
	return nil
}

// readTranscriptionEvents reads transcript.text.delta and transcript.text.done; other events are passed over.
func readTranscriptionEvents(r io.Reader, yield func(Transcript, error) bool) error {
	l := newLineReader(r)
	defer l.release()
	var text strings.Builder
	for {
		end := l.fill()
		for line, ok := l.nextLine(); ok; line, ok = l.nextLine() {
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
		done, err := readTranscriptionEvent(l.lastLine(), &text, yield)
		if err == nil && !done {
			err = errStreamCut
		}
		return err
	}
}

// readTranscriptionEvent takes one line of the stream; done says that it was the last that matters.
func readTranscriptionEvent(line []byte, text *strings.Builder, yield func(Transcript, error) bool) (done bool, err error) {
	kind, data := parseField(line)
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
		return false, newProviderError("the speech server sent an event that is no JSON", data)
	case len(e.Error) > 0 && string(e.Error) != "null":
		return false, newProviderError("the speech server reported a failure", e.Error)
	case e.Type == "transcript.text.done" && e.Text != nil:
		yield(Transcript{Text: strings.TrimSpace(*e.Text), IsFinal: true}, nil)
		return true, nil
	case e.Type != "transcript.text.delta" || e.Delta == "":
		return false, nil
	case text.Len()+len(e.Delta) > maxTextBytes:
		return false, errStreamTooLong
	}
	text.WriteString(e.Delta)
	if !yield(Transcript{Text: strings.TrimSpace(text.String())}, nil) {
		return false, errConsumerStopped
	}
	return false, nil
}
