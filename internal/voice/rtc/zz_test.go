package rtc_test
import ("testing";"time";"parley/internal/rig/sfus";"parley/internal/voice/rtc";"log/slog")
func TestZZ(t *testing.T) {
	s := sfus.Start(t, func(s *rtc.Server) { s.Child.Debug = true; s.Log = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug})) })
	p := enter(t, s, "zz")
	time.Sleep(300*time.Millisecond)
	t.Log("=== user now")
	newUser(t, address(t, s), s.UserToken(pass("zz")))
	t.Log("=== user joined")
	expect(t, p, rtc.EventJoined);
	t.Log("=== agent noticed")
}
