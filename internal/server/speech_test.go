package server_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/server"
)

// An incomplete configuration is refused, as its engine would not be used.
func TestSpeechSettings(t *testing.T) {
	table := filepath.Join(t.TempDir(), "voices.yaml")
	if err := os.WriteFile(table, []byte("voices: {Sarah: {flite: rms}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		set      server.SpeechConfig
		wantText string // empty if the settings are valid
	}{
		{server.SpeechConfig{}, ""}, {server.SpeechConfig{TTS: "auto", STT: "none"}, ""},
		{server.SpeechConfig{VoiceMap: table}, ""},
		{server.SpeechConfig{TTSURL: "http://localhost:8880/v1"}, ""},
		{server.SpeechConfig{TTS: "openai", TTSKey: "k", TTSModel: "m"}, ""},
		{server.SpeechConfig{STT: "deepgram", STTKey: "k"}, ""}, {server.SpeechConfig{STT: "deepgram",
			STTURL: "wss://host/v1"}, ""}, {server.SpeechConfig{STT: "pocketsphinx"}, ""},
		{server.SpeechConfig{TTS: "openai"}, "PARLEY_TTS_URL"},
		{server.SpeechConfig{TTS: "flite", TTSURL: "http://host"}, "would not be asked"},
		{server.SpeechConfig{TTSURL: "host"}, "--tts-url"}, {server.SpeechConfig{TTSModel: "m"}, "--tts-model"},
		{server.SpeechConfig{TTS: "loud"}, "loud"},
		{server.SpeechConfig{STT: "openai"}, "PARLEY_STT_URL"}, {server.SpeechConfig{STTKey: "k"}, "names no server"},
		{server.SpeechConfig{STT: "pocketsphinx", STTModel: "m"}, "names no server"},
		{server.SpeechConfig{STT: "openai", STTURL: "ftp://host"}, "--stt-url"}, {server.SpeechConfig{STT: "sharp"},
			"sharp"}, {server.SpeechConfig{VoiceMap: table + "x"}, "PARLEY_VOICE_MAP"},
	} {
		err := c.set.Check()
		if c.wantText == "" && err != nil || c.wantText != "" && (err == nil || !strings.Contains(err.Error(), c.wantText)) {
			t.Errorf("%+v: %v", c.set, err)
		}
		if c.wantText != "" && (server.VoiceConfig{SpeechConfig: c.set}).Check() == nil {
			t.Errorf("%+v: taken with the other settings of voice", c.set)
		}
	}
}
