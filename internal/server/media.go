package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strings"

	"parley/internal/voice/rtc"
)

// VoiceConfig says how the sound of voice sessions travels, and what agents speak and hear with.
type VoiceConfig struct {
	SpeechConfig

	VoiceURL     string   `name:"voice-url" env:"PARLEY_VOICE_URL" placeholder:"URL" secret:"url" help:"Address (wss://…) where browsers join voice sessions; by default it follows from the base URL."`
	VoiceUDPPort int      `name:"voice-udp-port" env:"PARLEY_VOICE_UDP_PORT" placeholder:"PORT" help:"UDP port for sound; 0 takes 7882, or any free one on loopback."`
	VoiceTCPPort int      `name:"voice-tcp-port" env:"PARLEY_VOICE_TCP_PORT" placeholder:"PORT" help:"TCP port for sound where UDP is blocked; 0 takes 7881, or none on loopback; -1 takes none."`
	VoiceNodeIP  string   `name:"voice-node-ip" env:"PARLEY_VOICE_NODE_IP" placeholder:"IP" help:"Address that browsers send sound to; by default this machine's own, and loopback when --listen is."`
	VoiceSTUN    []string `name:"voice-stun" env:"PARLEY_VOICE_STUN" placeholder:"HOST:PORT" help:"STUN servers to ask for the address that browsers send sound to."`

	VoiceMaxSessions int `name:"voice-max-sessions" env:"PARLEY_VOICE_MAX_SESSIONS" placeholder:"N" help:"Most voice sessions that this server holds at a time; 0 for as many as it has power for."`
	VoiceWaiting     int `name:"voice-waiting" default:"20" env:"PARLEY_VOICE_WAITING" placeholder:"N" help:"Voice sessions of an account that may wait for somebody to join them (${default}); 0 for any number."`

	LiveKitURL    string `name:"livekit-url" env:"PARLEY_LIVEKIT_URL" placeholder:"URL" secret:"url" help:"LiveKit (wss://…) that carries voice sessions in place of this server."`
	LiveKitKey    string `name:"livekit-key" env:"PARLEY_LIVEKIT_KEY" placeholder:"KEY" help:"API key of that LiveKit."`
	LiveKitSecret string `name:"livekit-secret" env:"PARLEY_LIVEKIT_SECRET" placeholder:"TEXT" secret:"all" help:"API secret of that LiveKit; better given by the environment."`
}

// LiveKit's own ports for sound, which firewalls' recipes name.
const (
	defaultUDPPort = 7882
	defaultTCPPort = 7881
)

// Check finds settings that make no sense.
func (v VoiceConfig) Check() error {
	var faults []error
	want := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	want(v.VoiceURL == "" || isWebSocketURL(v.VoiceURL), "--voice-url: not a ws:// or wss:// address")
	want(v.VoiceUDPPort >= 0 && v.VoiceUDPPort < 1<<16, "--voice-udp-port: %d is no port", v.VoiceUDPPort)
	want(v.VoiceMaxSessions >= 0, "--voice-max-sessions: %d is below 0", v.VoiceMaxSessions)
	want(v.VoiceWaiting >= 0, "--voice-waiting: %d is below 0", v.VoiceWaiting)
	want(v.VoiceTCPPort >= -1 && v.VoiceTCPPort < 1<<16, "--voice-tcp-port: %d is no port", v.VoiceTCPPort)
	for ip := range strings.SplitSeq(v.VoiceNodeIP, ",") {
		want(v.VoiceNodeIP == "" || net.ParseIP(strings.TrimSpace(ip)) != nil, "--voice-node-ip: %q is no IP address", ip)
	}
	want(v.LiveKitURL == "" || isWebSocketURL(v.LiveKitURL) || isHTTPURL(v.LiveKitURL), "--livekit-url: not a ws://, wss://, http:// or https:// address")
	given := (v.LiveKitURL != "") == (v.LiveKitKey != "") && (v.LiveKitKey != "") == (v.LiveKitSecret != "")
	want(given, "--livekit-url, --livekit-key and --livekit-secret (PARLEY_LIVEKIT_URL, _KEY, _SECRET) go together: set all of them or none")
	return errors.Join(append(faults, v.SpeechConfig.Check())...)
}

func isWebSocketURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "ws" || u.Scheme == "wss") && u.Host != ""
}

// newMediaServer makes the server where the rooms of voice sessions are. Nothing runs until the first of them.
func (c Config) newMediaServer() *rtc.Server {
	return &rtc.Server{
		Executable: c.SFUProgram, Child: c.mediaChildConfig(), URL: c.LiveKitURL, Key: c.LiveKitKey, Secret: c.LiveKitSecret,
		ClientURL: c.clientURL(), Now: c.Now, Log: c.Logger,
	}
}

// mediaChildConfig keeps the media server on loopback for a server that is there itself, unless an address to reach it at was named.
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

// isLoopback reports an address that only this machine reaches. Where none is said, as in tests, it is one.
func isLoopback(listen string) bool {
	if listen == "" {
		return true
	}
	host, _, err := net.SplitHostPort(listen)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}

// clientURL is where browsers join: the setting, else the LiveKit of others, else this server.
func (c Config) clientURL() string {
	address := cmp.Or(c.VoiceURL, c.LiveKitURL, c.BaseURL)
	if rest, ok := strings.CutPrefix(address, "http"); ok {
		address = "ws" + rest
	}
	return strings.TrimSuffix(address, "/")
}
