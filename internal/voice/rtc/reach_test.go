package rtc_test

import (
	"testing"
	"time"

	"parley/internal/testkit/sfus"
	"parley/internal/voice/rtc"
)

// Behind NAT the machine does not have the address that browsers use, and often cannot reach it. The agent, on the same
// machine, can join all the same.
func TestTheAgentJoinsBehindAForeignAddress(t *testing.T) {
	nonLoopbackAddress(t)
	s := sfus.Start(t, func(s *rtc.Server) { s.Child = rtc.ChildConfig{NodeIP: "203.0.113.9"} })
	openRoom(t, s, "r")
	address, err := s.Address(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	a := joinRoom(t, address, s.AgentToken(rtc.JoinGrant{Room: "r", Identity: "agent", ExpiresAt: time.Now().Add(time.Minute)}), nil)
	if a.err != nil {
		t.Fatal(a.err)
	}
	t.Log("joined in ", time.Since(began))
}

func TestTheAgentJoinsOnTheOwnAddress(t *testing.T) {
	nonLoopbackAddress(t)
	s := sfus.Start(t, func(s *rtc.Server) { s.Child = rtc.ChildConfig{} })
	openRoom(t, s, "r")
	address, err := s.Address(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if a := joinRoom(t, address, s.AgentToken(rtc.JoinGrant{Room: "r", Identity: "agent", ExpiresAt: time.Now().Add(time.Minute)}), nil); a.err != nil {
		t.Fatal(a.err)
	}
	t.Log("joined in ", time.Since(began))
}
