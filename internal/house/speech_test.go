package house_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/house"
)

// Half a configuration is refused, as the engine would not be asked.
func TestSpeechSettings(t *testing.T) {
	table := filepath.Join(t.TempDir(), "voices.yaml")
	if err := os.WriteFile(table, []byte("voices: {Sarah: {flite: rms}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		set  house.Speech
		says string // empty where it is in order
	}{
		{house.Speech{}, ""}, {house.Speech{TTS: "auto", STT: "none"}, ""}, {house.Speech{VoiceMap: table}, ""},
		{house.Speech{TTSURL: "http://localhost:8880/v1"}, ""}, {house.Speech{TTS: "openai", TTSKey: "k", TTSModel: "m"}, ""},
		{house.Speech{STT: "deepgram", STTKey: "k"}, ""}, {house.Speech{STT: "deepgram", STTURL: "wss://host/v1"}, ""}, {house.Speech{STT: "pocketsphinx"}, ""},
		{house.Speech{TTS: "openai"}, "PARLEY_TTS_URL"}, {house.Speech{TTS: "flite", TTSURL: "http://host"}, "would not be asked"},
		{house.Speech{TTSURL: "host"}, "--tts-url"}, {house.Speech{TTSModel: "m"}, "--tts-model"}, {house.Speech{TTS: "loud"}, "loud"},
		{house.Speech{STT: "openai"}, "PARLEY_STT_URL"}, {house.Speech{STTKey: "k"}, "names no server"}, {house.Speech{STT: "pocketsphinx", STTModel: "m"}, "names no server"},
		{house.Speech{STT: "openai", STTURL: "ftp://host"}, "--stt-url"}, {house.Speech{STT: "sharp"}, "sharp"}, {house.Speech{VoiceMap: table + "x"}, "PARLEY_VOICE_MAP"},
	} {
		err := c.set.Check()
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%+v: %v", c.set, err)
		}
		if c.says != "" && (house.Voice{Speech: c.set}).Check() == nil {
			t.Errorf("%+v: taken with the other settings of voice", c.set)
		}
	}
}
