package server

import (
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/voice/rtc"
)

// The media server listens on loopback where the server does, unless an address to reach it at is configured.
func TestMediaServerAddress(t *testing.T) {
	for name, c := range map[string]struct {
		listen string
		voice  VoiceConfig
		want   rtc.ChildConfig
	}{
		"on loopback":         {"127.0.0.1:8080", VoiceConfig{}, rtc.ChildConfig{Loopback: true}},
		"on loopback by name": {"localhost:8080", VoiceConfig{VoiceTCPPort: -1}, rtc.ChildConfig{Loopback: true}},
		"on loopback, with ports": {"[::1]:8080", VoiceConfig{VoiceUDPPort: 5, VoiceTCPPort: 6},
			rtc.ChildConfig{Loopback: true, UDPPort: 5, TCPPort: 6}},
		"everywhere":           {":8080", VoiceConfig{}, rtc.ChildConfig{UDPPort: 7882, TCPPort: 7881}},
		"everywhere, UDP only": {"0.0.0.0:8080", VoiceConfig{VoiceTCPPort: -1}, rtc.ChildConfig{UDPPort: 7882}},
		"behind a proxy": {"127.0.0.1:8080", VoiceConfig{VoiceNodeIP: "203.0.113.9"},
			rtc.ChildConfig{UDPPort: 7882, TCPPort: 7881, NodeIP: "203.0.113.9"}},
		"behind a translation": {"127.0.0.1:8080", VoiceConfig{VoiceSTUN: []string{"s:1"}, VoiceUDPPort: 9},
			rtc.ChildConfig{UDPPort: 9, TCPPort: 7881, STUN: []string{"s:1"}}},
	} {
		cfg := Config{ServingConfig: ServingConfig{Listen: c.listen}, VoiceConfig: c.voice,
			Logger: slog.New(slog.DiscardHandler)}
		if diff := cmp.Diff(c.want, cfg.mediaChildConfig()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestClientURL(t *testing.T) {
	for want, c := range map[string]Config{
		"ws://localhost:8080":   {ServingConfig: ServingConfig{BaseURL: "http://localhost:8080"}},
		"wss://api.example.com": {ServingConfig: ServingConfig{BaseURL: "https://api.example.com/"}},
		"wss://sfu.example.com": {ServingConfig: ServingConfig{BaseURL: "https://api.example.com"},
			VoiceConfig: VoiceConfig{LiveKitURL: "https://sfu.example.com"}},
		"wss://near.example.com": {ServingConfig: ServingConfig{BaseURL: "https://api.example.com"},
			VoiceConfig: VoiceConfig{LiveKitURL: "ws://sfu:7880", VoiceURL: "wss://near.example.com"}},
	} {
		if got := c.clientURL(); got != want {
			t.Errorf("%s for %s", got, want)
		}
	}
}

func TestInvalidVoiceSettingsAreRefused(t *testing.T) {
	for name, v := range map[string]VoiceConfig{
		"a page":         {VoiceURL: "https://example.com"},
		"no port":        {VoiceUDPPort: 70000},
		"no TCP port":    {VoiceTCPPort: -2},
		"a name":         {VoiceNodeIP: "example.com"},
		"half a LiveKit": {LiveKitURL: "wss://sfu.example.com", LiveKitKey: "k"},
		"a lonely key":   {LiveKitKey: "k"},
		"no address":     {LiveKitURL: "sfu", LiveKitKey: "k", LiveKitSecret: "s"},
	} {
		if v.Check() == nil {
			t.Errorf("%s is taken", name)
		}
	}
	good := VoiceConfig{VoiceNodeIP: "203.0.113.9, 2001:db8::1", VoiceTCPPort: -1, LiveKitURL: "wss://sfu.example.com",
		LiveKitKey: "k", LiveKitSecret: "s"}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
}

// The flags of speech list the engines that there are, in the order in which the manual does.
func TestFlagsListAllSpeechEngines(t *testing.T) {
	want := map[string]string{
		"ttsEngine": "auto,flite,espeak,openai,none", "ttsEngines": "auto, flite, espeak, openai or none",
		"sttEngine": "none,openai,deepgram,pocketsphinx", "sttEngines": "none, openai, deepgram or pocketsphinx",
	}
	if got := FlagVars(); !maps.Equal(got, want) {
		t.Errorf("the flags list %v", got)
	}
}

// An incomplete configuration of an engine of speech is refused, as the engine would not be used.
func TestSpeechSettings(t *testing.T) {
	table := filepath.Join(t.TempDir(), "voices.yaml")
	if err := os.WriteFile(table, []byte("voices: {Sarah: {flite: rms}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		set      SpeechConfig
		wantText string // empty if the settings are valid
	}{
		{SpeechConfig{}, ""}, {SpeechConfig{TTS: "auto", STT: "none"}, ""},
		{SpeechConfig{VoiceMap: table}, ""},
		{SpeechConfig{TTSURL: "http://localhost:8880/v1"}, ""},
		{SpeechConfig{TTS: "openai", TTSKey: "k", TTSModel: "m"}, ""},
		{SpeechConfig{STT: "deepgram", STTKey: "k"}, ""}, {SpeechConfig{STT: "deepgram",
			STTURL: "wss://host/v1"}, ""}, {SpeechConfig{STT: "pocketsphinx"}, ""},
		{SpeechConfig{TTS: "openai"}, "PARLEY_TTS_URL"},
		{SpeechConfig{TTS: "flite", TTSURL: "http://host"}, "would not be asked"},
		{SpeechConfig{TTSURL: "host"}, "--tts-url"}, {SpeechConfig{TTSModel: "m"}, "--tts-model"},
		{SpeechConfig{TTS: "loud"}, "loud"},
		{SpeechConfig{STT: "openai"}, "PARLEY_STT_URL"}, {SpeechConfig{STTKey: "k"}, "names no server"},
		{SpeechConfig{STT: "pocketsphinx", STTModel: "m"}, "names no server"},
		{SpeechConfig{STT: "openai", STTURL: "ftp://host"}, "--stt-url"}, {SpeechConfig{STT: "sharp"},
			"sharp"}, {SpeechConfig{VoiceMap: table + "x"}, "PARLEY_VOICE_MAP"},
	} {
		err := c.set.Check()
		if c.wantText == "" && err != nil || c.wantText != "" && (err == nil || !strings.Contains(err.Error(), c.wantText)) {
			t.Errorf("%+v: %v", c.set, err)
		}
		if c.wantText != "" && (VoiceConfig{SpeechConfig: c.set}).Check() == nil {
			t.Errorf("%+v: taken with the other settings of voice", c.set)
		}
	}
}

func TestConsoleURL(t *testing.T) {
	for base, want := range map[string]string{
		"":                                 "http://localhost:8080/console",
		"http://127.0.0.1:9000":            "http://localhost:9000/console",
		"http://[::1]:9000":                "http://localhost:9000/console",
		"https://agents.example.com/":      "https://agents.example.com/console",
		"http://192.0.2.7:8080":            "http://192.0.2.7:8080/console",
		"https://agents.example.com/below": "https://agents.example.com/below/console",
	} {
		c := Config{ServingConfig: ServingConfig{BaseURL: base}}
		if got := c.consoleURL(); got != want {
			t.Errorf("%q: %s", base, got)
		}
	}
}

func TestInvalidBackupSettingsAreRefused(t *testing.T) {
	usual := BackupConfig{BackupTo: "s3://backups", BackupEvery: minBackupInterval, BackupKeep: 1,
		S3Config: S3Config{S3Key: "k", S3Secret: "s"}}
	if err := usual.Check(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(b *BackupConfig){
		"too often":  func(b *BackupConfig) { b.BackupEvery = 0 },
		"none kept":  func(b *BackupConfig) { b.BackupKeep = 0 },
		"no key":     func(b *BackupConfig) { b.S3Key, b.S3Secret = "", "" },
		"half a key": func(b *BackupConfig) { b.S3Secret = "" },
		"no address": func(b *BackupConfig) { b.S3Endpoint = "s3.example.com" },
	} {
		b := usual
		if change(&b); b.Check() == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// TestRedisIsForSharedDatabases checks which settings of the bus are refused.
func TestRedisIsForSharedDatabases(t *testing.T) {
	for _, c := range []struct {
		database, redis string
		isGood          bool
	}{
		{"", "", true},
		{"postgres://localhost/parley", "", true},
		{"postgres://localhost/parley", "redis://localhost:6379", true},
		{"postgres://localhost/parley", "rediss://:secret@redis.example:6379/1", true},
		{"postgres://localhost/parley", "http://localhost:6379", false},
		{"", "redis://localhost:6379", false},
	} {
		cfg := Config{StorageConfig: StorageConfig{DatabaseURL: c.database},
			ServingConfig: ServingConfig{RedisURL: c.redis}}
		if err := cfg.checkBus(); (err == nil) != c.isGood {
			t.Errorf("%q with %q: %v", c.redis, c.database, err)
		}
	}
}
