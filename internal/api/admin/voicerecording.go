package admin

import (
	"context"
	"errors"

	"parley"
	"parley/internal/store"
)

// VoiceRecordingRequest asks for a part of the recording of a voice session.
type VoiceRecordingRequest struct {
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

// ReadVoiceRecording returns the recording of a voice session part by part, so that none has to fit into memory.
var ReadVoiceRecording = Command[VoiceRecordingRequest, VoiceRecording]{"voice.recording", false, (*Service).readVoiceRecording}

func (d *Service) readVoiceRecording(ctx context.Context, in VoiceRecordingRequest) (VoiceRecording, error) {
	s, err := d.DB.VoiceSessionInAnyAccount(ctx, parley.VoiceSessionID(in.ID))
	if err != nil {
		return VoiceRecording{}, err
	}
	if s == nil {
		return VoiceRecording{}, parley.NewErrorf(parley.CodeNotFound, "Voice session not found.")
	}
	r, blob, err := d.DB.SessionRecording(ctx, s)
	switch {
	case err != nil:
		return VoiceRecording{}, err
	case r == nil && s.EndedAt == nil:
		return VoiceRecording{}, parley.NewErrorf(parley.CodeNotFound, "The voice session goes on; a recording is kept when it has ended.")
	case r == nil:
		return VoiceRecording{}, parley.NewErrorf(parley.CodeNotFound, "The voice session has no recording: none was made, or it was deleted.")
	case d.ReadFilePart == nil:
		return VoiceRecording{}, errors.New("admin: no files")
	}
	part, err := d.ReadFilePart(ctx, blob, in.Part)
	return VoiceRecording{in.ID, blob.Name, blob.MediaType, blob.Size, r.Duration.Seconds(), part}, err
}

// FilePartReader reads a part of a file, counted from 0: store.BlobPartBytes bytes, fewer at the end, and none behind it.
type FilePartReader func(ctx context.Context, blob *store.Blob, part int) ([]byte, error)
