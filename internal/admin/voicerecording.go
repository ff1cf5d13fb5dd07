package admin

import (
	"context"
	"errors"

	"parley"
	"parley/internal/store"
)

// VoiceRecordingAsk asks for a part of the recording of a voice session.
type VoiceRecordingAsk struct {
	ID   string `json:"sessionId"`
	Part int    `json:"part"` // from 0
}

// VoiceRecording is the recording of a voice session, with one part of its file.
type VoiceRecording struct {
	ID        string  `json:"sessionId"`
	Name      string  `json:"name"`
	MediaType string  `json:"mediaType"`
	Bytes     int64   `json:"bytes"` // of the whole file
	Seconds   float64 `json:"seconds"`
	Part      []byte  `json:"part,omitempty"` // a MiB, and less at the end; empty behind it
}

// ReadVoiceRecording gives the recording of a voice session part by part, so that none has to fit into memory.
var ReadVoiceRecording = Verb[VoiceRecordingAsk, VoiceRecording]{"voice.recording", false, (*Desk).voiceRecording}

func (d *Desk) voiceRecording(ctx context.Context, in VoiceRecordingAsk) (VoiceRecording, error) {
	s, err := d.DB.AnyVoiceSession(ctx, parley.VoiceSessionID(in.ID))
	if err != nil {
		return VoiceRecording{}, err
	}
	if s == nil {
		return VoiceRecording{}, parley.Failf(parley.CodeNotFound, "Voice session not found.")
	}
	r, blob, err := d.DB.SessionRecording(ctx, s)
	switch {
	case err != nil:
		return VoiceRecording{}, err
	case r == nil && s.EndedAt == nil:
		return VoiceRecording{}, parley.Failf(parley.CodeNotFound, "The voice session goes on; a recording is kept when it has ended.")
	case r == nil:
		return VoiceRecording{}, parley.Failf(parley.CodeNotFound, "The voice session has no recording: none was made, or it was deleted.")
	case d.FilePart == nil:
		return VoiceRecording{}, errors.New("admin: no files")
	}
	part, err := d.FilePart(ctx, blob, in.Part)
	return VoiceRecording{in.ID, blob.Name, blob.MediaType, blob.Size, r.Length.Seconds(), part}, err
}

// FilePart reads a part of a file, counted from 0: store.BlobPart bytes, fewer at the end, and none behind it.
type FilePart func(ctx context.Context, blob *store.Blob, part int) ([]byte, error)
