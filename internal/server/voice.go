package server

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"time"

	"parley"
	"parley/internal/chat"
	"parley/internal/httpapi"
	"parley/internal/ingest"
	"parley/internal/voice"
	"parley/internal/voice/rtc"
)

// VoiceConfig configures the transport of voice sessions, and what agents speak and hear with.
type VoiceConfig struct {
	SpeechConfig

	VoiceURL     string   `env:"PARLEY_VOICE_URL" placeholder:"URL" secret:"url"`
	VoiceUDPPort int      `env:"PARLEY_VOICE_UDP_PORT" placeholder:"PORT"`
	VoiceTCPPort int      `env:"PARLEY_VOICE_TCP_PORT" placeholder:"PORT"`
	VoiceNodeIP  string   `env:"PARLEY_VOICE_NODE_IP" placeholder:"IP"`
	VoiceSTUN    []string `env:"PARLEY_VOICE_STUN" placeholder:"HOST:PORT"`

	VoiceMaxSessions int `env:"PARLEY_VOICE_MAX_SESSIONS" placeholder:"N"`
	VoiceWaiting     int `default:"20" env:"PARLEY_VOICE_WAITING" placeholder:"N"`

	LiveKitURL    string `name:"livekit-url" env:"PARLEY_LIVEKIT_URL" placeholder:"URL" secret:"url"`
	LiveKitKey    string `name:"livekit-key" env:"PARLEY_LIVEKIT_KEY" placeholder:"KEY"`
	LiveKitSecret string `name:"livekit-secret" env:"PARLEY_LIVEKIT_SECRET" placeholder:"TEXT" secret:"all"`
}

// LiveKit's own ports for sound, which firewalls' recipes name.
const (
	defaultUDPPort = 7882
	defaultTCPPort = 7881
)

// Check reports invalid settings.
func (v VoiceConfig) Check() error {
	var faults settingFaults
	want := faults.check
	want(v.VoiceURL == "" || isWebSocketURL(v.VoiceURL), "--voice-url: not a ws:// or wss:// address")
	want(v.VoiceUDPPort >= 0 && v.VoiceUDPPort < 1<<16, "--voice-udp-port: %d is no port", v.VoiceUDPPort)
	want(v.VoiceMaxSessions >= 0, "--voice-max-sessions: %d is below 0", v.VoiceMaxSessions)
	want(v.VoiceWaiting >= 0, "--voice-waiting: %d is below 0", v.VoiceWaiting)
	want(v.VoiceTCPPort >= -1 && v.VoiceTCPPort < 1<<16, "--voice-tcp-port: %d is no port", v.VoiceTCPPort)
	for ip := range strings.SplitSeq(v.VoiceNodeIP, ",") {
		want(v.VoiceNodeIP == "" || net.ParseIP(strings.TrimSpace(ip)) != nil, "--voice-node-ip: %q is no IP address", ip)
	}
	want(v.LiveKitURL == "" || isWebSocketURL(v.LiveKitURL) || httpapi.IsHTTPURL(v.LiveKitURL),
		"--livekit-url: not a ws://, wss://, http:// or https:// address")
	want(v.LiveKitURL == "" || rtc.Available, "--livekit-url (PARLEY_LIVEKIT_URL): %w", rtc.ErrNoVoice)
	isComplete := (v.LiveKitURL != "") == (v.LiveKitKey != "") && (v.LiveKitKey != "") == (v.LiveKitSecret != "")
	want(isComplete,
		"--livekit-url, --livekit-key and --livekit-secret (PARLEY_LIVEKIT_URL, _KEY, _SECRET) go together: set "+
			"all of them or none")
	return errors.Join(append(faults, v.SpeechConfig.Check())...)
}

func isWebSocketURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "ws" || u.Scheme == "wss") && u.Host != ""
}

// newMediaServer returns the server where the rooms of voice sessions are. It starts with the first of them; the
// sessions end when it dies.
func (b *builder) newMediaServer() *rtc.Server {
	return &rtc.Server{
		Executable: b.cfg.SFUProgram, Child: b.cfg.mediaChildConfig(),
		URL: b.cfg.LiveKitURL, Key: b.cfg.LiveKitKey, Secret: b.cfg.LiveKitSecret,
		ClientURL: b.cfg.clientURL(), Now: b.cfg.Now, Log: b.cfg.Logger,
		OnChildExit: func(error) {
			if b.metrics != nil {
				b.metrics.Voice.MediaServerDied()
			}
			b.callbacks.endVoiceSessions()
		},
	}
}

// newVoice returns the voice sessions of this server. The responder is nil if there is no media server.
func (b *builder) newVoice(media *rtc.Server, responder *voice.Responder, engine *chat.Engine,
	files *ingest.Service) *voice.Sessions {
	sessions := &voice.Sessions{
		DB: b.DB, Rooms: b.cfg.RoomsOverride, DeleteUnusedFiles: files.RemoveUnusedFiles, Observer: b.newVoiceObserver(),
		Now: b.cfg.Now, Logger: b.cfg.Logger, Owner: engine.Owner,
		MaxSessions: b.cfg.VoiceMaxSessions, MaxUnjoined: b.cfg.VoiceWaiting,
	}
	if responder != nil {
		sessions.Rooms = &mediaRooms{media}
		sessions.Respond, sessions.IsOverloaded = responder.Respond, responder.Stats.IsOverloaded
	}
	return sessions
}

// newResponder returns the agent's part of voice sessions, with the engines that there are; nil if there is no media
// server.
func (b *builder) newResponder(
	media *rtc.Server, engine *chat.Engine, conversations *chat.Conversations, files *ingest.Service,
) *voice.Responder {
	if !media.Available() {
		return nil
	}
	return &voice.Responder{
		DB: b.DB, Engine: engine, Conversations: conversations, Join: b.newJoin(media),
		Synthesizer: b.Speech.Synthesizer, Transcriber: b.Speech.Transcriber,
		Archive: &voice.Archive{
			IncomingFolder: func() (string, error) { return files.Files.Incoming() },
			StoreFile:      files.StoreFile,
		},
		Stats: b.newVoiceStats(), Now: b.cfg.Now, Logger: b.cfg.Logger,
	}
}

// newJoin returns the function by which the agent joins the room of a session. No user can have its identity, which
// holds a colon.
func (b *builder) newJoin(media *rtc.Server) func(ctx context.Context, s *parley.VoiceSession) (rtc.Transport, error) {
	return func(ctx context.Context, s *parley.VoiceSession) (rtc.Transport, error) {
		address, err := media.Address(ctx)
		if err != nil {
			return nil, err
		}
		token := media.AgentToken(rtc.JoinGrant{Room: s.Room(), Identity: "agent:" + string(s.ID), ExpiresAt: s.ExpiresAt()})
		participant, err := rtc.Join(ctx, rtc.Config{
			URL: address, Token: token, UserIdentity: string(s.UserID), ServerIsLocal: media.IsLocal(),
			Now: b.cfg.Now, Log: b.cfg.Logger,
		})
		if err != nil {
			return nil, err // not the nil pointer as a Transport
		}
		return participant, nil
	}
}

// voiceStats returns the statistics of the voice sessions; nil if there is no media server.
func (s *Services) voiceStats() *voice.Stats {
	if s.Responder == nil {
		return nil
	}
	return s.Responder.Stats
}

// mediaRooms are the rooms of a media server.
type mediaRooms struct{ media *rtc.Server }

// departureTimeout is how long a room waits for a user whose connection is gone. The agent waits less long.
const departureTimeout = 30 * time.Second

var _ voice.Rooms = (*mediaRooms)(nil)

// Open creates the session's room and returns the customer's token for it.
func (r *mediaRooms) Open(ctx context.Context, s *parley.VoiceSession) (string, error) {
	room := rtc.Room{Name: s.Room(), EmptyTimeout: s.ExpiresAt().Sub(s.CreatedAt), DepartureTimeout: departureTimeout}
	if err := r.media.CreateRoom(ctx, room); err != nil {
		return "", err
	}
	return r.media.UserToken(rtc.JoinGrant{Room: s.Room(), Identity: string(s.UserID), ExpiresAt: s.ExpiresAt()}), nil
}

// Close deletes the room. The agent, which has left by now, has sent the reason to those in it.
func (r *mediaRooms) Close(ctx context.Context, s *parley.VoiceSession, _ parley.SessionEndReason) error {
	return r.media.DeleteRoom(ctx, s.Room())
}

// mediaChildConfig keeps the media server on loopback where this server listens there, unless a setting names an
// address to reach it at.
func (c Config) mediaChildConfig() rtc.ChildConfig {
	child := rtc.ChildConfig{
		UDPPort: c.VoiceUDPPort, TCPPort: max(c.VoiceTCPPort, 0), NodeIP: c.VoiceNodeIP, STUN: c.VoiceSTUN,
		Debug: c.Logger.Enabled(context.Background(), slog.LevelDebug),
	}
	child.Loopback = isLoopback(c.Listen) && c.VoiceNodeIP == "" && len(c.VoiceSTUN) == 0
	if !child.Loopback {
		child.UDPPort = cmp.Or(child.UDPPort, defaultUDPPort)
		if c.VoiceTCPPort == 0 {
			child.TCPPort = defaultTCPPort
		}
	}
	return child
}

// isLoopback reports whether only this machine reaches the address. An empty one, as in tests, counts as such.
func isLoopback(listen string) bool {
	if listen == "" {
		return true
	}
	host, _, err := net.SplitHostPort(listen)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}

// clientURL returns the address where browsers join: the setting, else the configured LiveKit, else this server.
func (c Config) clientURL() string {
	address := cmp.Or(c.VoiceURL, c.LiveKitURL, c.BaseURL)
	if rest, ok := strings.CutPrefix(address, "http"); ok {
		address = "ws" + rest
	}
	return strings.TrimSuffix(address, "/")
}
