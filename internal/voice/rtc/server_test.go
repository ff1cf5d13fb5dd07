package rtc_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/testkit/check"
	"parley/internal/testkit/sfus"
	"parley/internal/voice/rtc"
)

// openRoom creates a room.
func openRoom(t *testing.T, s *rtc.Server, name string) {
	t.Helper()
	if err := s.CreateRoom(t.Context(),
		rtc.Room{Name: name, EmptyTimeout: time.Minute, DepartureTimeout: time.Minute}); err != nil {
		t.Fatal(err)
	}
}

func TestChildStartsWithTheFirstRoomAndEndsWithTheServer(t *testing.T) {
	s := sfus.New(t)
	if err := s.DeleteRoom(t.Context(), "none"); err != nil || s.PID() != 0 {
		t.Errorf("a child ran before the first room: %v, process %d", err, s.PID())
	}
	openRoom(t, s, "one")
	pid := s.PID()
	udp, _ := s.Ports()
	if pid == 0 || udp == 0 {
		t.Fatalf("process %d, port %d", pid, udp)
	}
	s.Close()
	if isAlive(pid) {
		t.Error("the child has outlived the server")
	}
	if err := s.CreateRoom(t.Context(), rtc.Room{Name: "late"}); err == nil {
		t.Error("a room opened after the end")
	}
	s.Close()
}

func TestServerWithoutRoomsCloses(t *testing.T) {
	s := sfus.New(t)
	s.Close()
	if _, err := s.Address(t.Context()); err == nil || s.PID() != 0 {
		t.Error("a child started after the end")
	}
}

func TestWithoutAMediaServer(t *testing.T) {
	s := sfus.New(t, func(s *rtc.Server) { s.Executable = "" })
	if err := s.CreateRoom(t.Context(), rtc.Room{Name: "r"}); !errors.Is(err, rtc.ErrNoMediaServer) || s.Available() {
		t.Errorf("%v, available %v", err, s.Available())
	}
}

// A child that dies takes its rooms with it: OnChildExit is called, and the next sessions get another child.
func TestDeadChildIsReplaced(t *testing.T) {
	lost := make(chan error, 1)
	s := sfus.Start(t, func(s *rtc.Server) { s.OnChildExit = func(err error) { lost <- err } })
	openRoom(t, s, "r")
	first := s.PID()
	killProcess(t, first)
	if err := check.Receive(t, "a call of OnChildExit", lost); !strings.Contains(err.Error(), "killed") {
		t.Error("the cause: ", err)
	}
	openRoom(t, s, "r")
	if second := s.PID(); second == first || !isAlive(second) {
		t.Errorf("process %d after %d", second, first)
	}
}

func TestKilledParentLeavesNoOrphan(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIP: no signals")
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "parent")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	var pid int
	var address string
	if _, err2 := fmt.Sscan(line, &pid, &address); err != nil || err2 != nil || !isAlive(pid) {
		t.Fatalf("%q: %v, %v", line, err, err2)
	}
	killProcess(t, cmd.Process.Pid)
	_ = cmd.Wait()
	eventually(t, "the end of the orphan", func() bool {
		c, err := net.Dial("tcp", strings.TrimPrefix(address, "ws://"))
		if err == nil {
			_ = c.Close()
		}
		return err != nil && !isAlive(pid)
	})
}

// The error names the port that is taken and the setting that chooses another.
func TestPortsInUse(t *testing.T) {
	udp, _ := sfus.TakeUDPPort(t)
	tcp, _ := sfus.TakeTCPPort(t)
	for setting, taken := range map[string]rtc.ChildConfig{
		"PARLEY_VOICE_UDP_PORT": {Loopback: true, UDPPort: udp},
		"PARLEY_VOICE_TCP_PORT": {Loopback: true, TCPPort: tcp},
	} {
		s := sfus.New(t, func(s *rtc.Server) { s.Child = taken })
		err := s.CreateRoom(t.Context(), rtc.Room{Name: "r"})
		port := fmt.Sprint("port ", taken.UDPPort+taken.TCPPort)
		if err == nil || !strings.Contains(err.Error(), setting) || !strings.Contains(err.Error(), port) ||
			!strings.Contains(err.Error(), "in use") {
			t.Errorf("%s, %s: %v", setting, port, err)
		}
	}
}

// Once the port is free again, the server need not be restarted.
func TestChildThatFailedToStartIsRetried(t *testing.T) {
	port, release := sfus.TakeUDPPort(t)
	s := sfus.New(t, func(s *rtc.Server) { s.Child.UDPPort = port })
	if _, err := s.Address(t.Context()); err == nil {
		t.Fatal("two on one port")
	}
	release()
	for tried := s.Changed(); ; tried = s.Changed() {
		if _, err := s.Address(t.Context()); err == nil {
			return
		}
		check.Receive(t, "another try", tried)
	}
}

// Sound stays on loopback for a server that listens there, and signalling always does.
func TestPortsAreOnLoopback(t *testing.T) {
	s := sfus.Start(t)
	address, err := s.Address(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(strings.TrimPrefix(address, "ws://"))
	if err != nil {
		t.Fatal(err)
	}
	other := nonLoopbackAddress(t)
	if c, err := net.Dial("tcp", net.JoinHostPort(other, port)); err == nil {
		_ = c.Close()
		t.Error("signalling answers at " + other)
	}
	udp, tcp := s.Ports()
	if c, err := net.ListenPacket("udp", net.JoinHostPort(other, fmt.Sprint(udp))); err != nil {
		t.Errorf("the port for sound is taken at %s: %v", other, err)
	} else {
		_ = c.Close()
	}
	if tcp != 0 {
		t.Error("sound by TCP, which LiveKit takes from everywhere")
	}
}

// nonLoopbackAddress returns an address of this machine that is not on loopback.
func nonLoopbackAddress(t *testing.T) string {
	t.Helper()
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil && n.IP.IsGlobalUnicast() {
			return n.IP.String()
		}
	}
	t.Skip("SKIP: this machine has no address but loopback")
	return ""
}

// LiveKit of others: the child of one server is that of another, which only knows its address, key and secret.
func TestExternalLiveKitServer(t *testing.T) {
	otherServer := sfus.Start(t)
	s := externalServer(t, otherServer)
	p := joinAgent(t, s, "r", func(c *rtc.Config) { c.ServerIsLocal = s.IsLocal() })
	u := newUser(t, serverAddress(t, s), s.UserToken(joinGrant("r")))
	requireEvents(t, p, rtc.EventJoined)
	u.SendText("Hello.")
	if e := requireEvents(t, p, rtc.EventText); e.Text != "Hello." {
		t.Errorf("%+v", e)
	}
	p.Play(rtc.Clip{ID: "1", PCM: sineStream(700, time.Minute)})
	requireEvents(t, p, rtc.EventStarted)
	u.waitUntil("sound", func() bool { return len(u.heardSamples) > 0 })
	check.Must(t, s.DeleteRoom(t.Context(), "r"))
	requireEvents(t, p, rtc.EventLost)
	if err := s.DeleteRoom(t.Context(), "r"); err != nil {
		t.Error("a closed room: ", err)
	}
	if got := getStatus(t, s.Proxy(),
		"/rtc/validate?access_token="+s.UserToken(joinGrant("r"))); got != http.StatusNotFound {
		t.Errorf("our own port answers %d for a LiveKit of others", got)
	}
	s = externalServer(t, otherServer)
	s.Secret = "another secret, which is long enough"
	if err := s.CreateRoom(t.Context(), rtc.Room{Name: "r"}); !errors.Is(err, rtc.ErrRefused) {
		t.Error("with a wrong secret: ", err)
	}
}

// externalServer returns a server for which the child of s is an external LiveKit server.
func externalServer(t *testing.T, s *rtc.Server) *rtc.Server {
	t.Helper()
	address, err := s.Address(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	o := &rtc.Server{URL: strings.Replace(address, "ws://", "http://", 1), Now: s.Now, Log: s.Log}
	o.Key, o.Secret = s.Credentials()
	t.Cleanup(o.Close)
	return o
}

func TestAddressEndsWithItsContext(t *testing.T) {
	s := sfus.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Address(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// eventually waits until a condition holds.
func eventually(t *testing.T, condition string, done func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(maxWait)
	for !done() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("the condition did not hold in time: ", condition)
		}
	}
}

func killProcess(t *testing.T, pid int) {
	t.Helper()
	p, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
}

// isAlive reports whether a process runs and is not a zombie.
func isAlive(pid int) bool {
	if state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil {
		_, rest, _ := strings.Cut(string(state), ") ")
		return !strings.HasPrefix(rest, "Z")
	}
	return runtime.GOOS != "linux" && syscall.Kill(pid, 0) == nil
}

// Behind NAT the machine does not have the address that browsers use, and often cannot reach it. The agent, on the same
// machine, can join all the same.
func TestAgentJoinsWithAForeignNodeAddress(t *testing.T) {
	nonLoopbackAddress(t)
	s := sfus.Start(t, func(s *rtc.Server) { s.Child = rtc.ChildConfig{NodeIP: "203.0.113.9"} })
	openRoom(t, s, "r")
	address, err := s.Address(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a := joinRoom(t, address,
		s.AgentToken(rtc.JoinGrant{Room: "r", Identity: "agent", ExpiresAt: time.Now().Add(time.Minute)}), nil)
	if a.err != nil {
		t.Fatal(a.err)
	}
}

func TestAgentJoinsOnTheMachinesAddress(t *testing.T) {
	nonLoopbackAddress(t)
	s := sfus.Start(t, func(s *rtc.Server) { s.Child = rtc.ChildConfig{} })
	openRoom(t, s, "r")
	address, err := s.Address(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if a := joinRoom(t, address, s.AgentToken(rtc.JoinGrant{Room: "r", Identity: "agent",
		ExpiresAt: time.Now().Add(time.Minute)}), nil); a.err != nil {
		t.Fatal(a.err)
	}
}
