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

	"parley/internal/rig/sfus"
	"parley/internal/voice/rtc"
)

// open opens a room that its tests end with their server.
func open(t *testing.T, s *rtc.Server, name string) {
	t.Helper()
	if err := s.Open(t.Context(), rtc.Room{Name: name, Empty: time.Minute, Departure: time.Minute}); err != nil {
		t.Fatal(err)
	}
}

func TestTheChildStartsWithTheFirstRoomAndEndsWithTheServer(t *testing.T) {
	s := sfus.New(t)
	if err := s.End(t.Context(), "none"); err != nil || s.PID() != 0 {
		t.Errorf("a room ended before there was any: %v, process %d", err, s.PID())
	}
	open(t, s, "one")
	pid := s.PID()
	udp, _ := s.Ports()
	if pid == 0 || udp == 0 {
		t.Fatalf("process %d, port %d", pid, udp)
	}
	s.Close()
	if alive(pid) {
		t.Error("the child has outlived the server")
	}
	if err := s.Open(t.Context(), rtc.Room{Name: "late"}); err == nil {
		t.Error("a room opened after the end")
	}
	s.Close()
}

func TestAServerThatNeverHadARoomEnds(t *testing.T) {
	s := sfus.New(t)
	s.Close()
	if _, err := s.Address(t.Context()); err == nil || s.PID() != 0 {
		t.Error("a child started after the end")
	}
}

func TestWithoutAMediaServer(t *testing.T) {
	s := sfus.New(t, func(s *rtc.Server) { s.Exe = "" })
	if err := s.Open(t.Context(), rtc.Room{Name: "r"}); !errors.Is(err, rtc.ErrNone) || s.Available() {
		t.Errorf("%v, available %v", err, s.Available())
	}
}

// A child that dies takes its rooms with it: the sessions hear of it, and the next ones get another child.
func TestADeadChildIsReplaced(t *testing.T) {
	lost := make(chan error, 1)
	s := sfus.Start(t, func(s *rtc.Server) { s.Lost = func(err error) { lost <- err } })
	open(t, s, "r")
	first := s.PID()
	kill(t, first)
	select {
	case err := <-lost:
		if !strings.Contains(err.Error(), "killed") {
			t.Error("the cause: ", err)
		}
	case <-t.Context().Done():
		t.Fatal("nobody heard of it")
	}
	open(t, s, "r")
	if second := s.PID(); second == first || !alive(second) {
		t.Errorf("process %d after %d", second, first)
	}
}

func TestAParentKilledLeavesNoOrphan(t *testing.T) {
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
	if _, err2 := fmt.Sscan(line, &pid, &address); err != nil || err2 != nil || !alive(pid) {
		t.Fatalf("%q: %v, %v", line, err, err2)
	}
	kill(t, cmd.Process.Pid)
	_ = cmd.Wait()
	eventually(t, "the end of the orphan", func() bool {
		c, err := net.Dial("tcp", strings.TrimPrefix(address, "ws://"))
		if err == nil {
			_ = c.Close()
		}
		return err != nil && !alive(pid)
	})
}

// An operator reads which port is taken and which setting chooses another.
func TestPortsThatAreTaken(t *testing.T) {
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = udp.Close() }()
	tcp, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tcp.Close() }()
	for setting, taken := range map[string]rtc.ChildConfig{
		"PARLEY_VOICE_UDP_PORT": {Loopback: true, UDPPort: udp.LocalAddr().(*net.UDPAddr).Port},
		"PARLEY_VOICE_TCP_PORT": {Loopback: true, TCPPort: tcp.Addr().(*net.TCPAddr).Port},
	} {
		s := sfus.New(t, func(s *rtc.Server) { s.Child = taken })
		err := s.Open(t.Context(), rtc.Room{Name: "r"})
		port := fmt.Sprint("port ", taken.UDPPort+taken.TCPPort)
		if err == nil || !strings.Contains(err.Error(), setting) || !strings.Contains(err.Error(), port) || !strings.Contains(err.Error(), "in use") {
			t.Errorf("%s, %s: %v", setting, port, err)
		}
	}
}

// Once the port is free again, nobody has to start the server anew.
func TestAChildThatFailedToStartIsTriedAgain(t *testing.T) {
	taken, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := sfus.New(t, func(s *rtc.Server) { s.Child.UDPPort = taken.LocalAddr().(*net.UDPAddr).Port })
	if _, err := s.Address(t.Context()); err == nil {
		t.Fatal("two on one port")
	}
	if err := taken.Close(); err != nil {
		t.Fatal(err)
	}
	for tried := s.Changed(); ; tried = s.Changed() {
		if _, err := s.Address(t.Context()); err == nil {
			return
		}
		<-tried
	}
}

// Sound stays on loopback for a server that is there, and signalling always does.
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
	other := ownAddress(t)
	if c, err := net.DialTimeout("tcp", net.JoinHostPort(other, port), time.Second); err == nil {
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

// ownAddress is an address of this machine that is not on loopback.
func ownAddress(t *testing.T) string {
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
func TestALiveKitOfOthers(t *testing.T) {
	theirs := sfus.Start(t)
	s := others(t, theirs)
	p := enter(t, s, "r", func(c *rtc.Config) { c.Near = s.Near() })
	u := newUser(t, address(t, s), s.UserToken(pass("r")))
	expect(t, p, rtc.EventJoined)
	u.writes("Hello.")
	if e := expect(t, p, rtc.EventText); e.Text != "Hello." {
		t.Errorf("%+v", e)
	}
	p.Play(rtc.Clip{ID: "1", PCM: spoken(700, time.Minute)})
	expect(t, p, rtc.EventStarted)
	u.until("sound", func() bool { return len(u.loud) > 0 })
	check(t, s.End(t.Context(), "r"))
	expect(t, p, rtc.EventLost)
	if err := s.End(t.Context(), "r"); err != nil {
		t.Error("a room that is gone: ", err)
	}
	if got := get(t, s.Proxy(), "/rtc/validate?access_token="+s.UserToken(pass("r"))); got != http.StatusNotFound {
		t.Errorf("our own port answers %d for a LiveKit of others", got)
	}
	s = others(t, theirs)
	s.Secret = "another secret, which is long enough"
	if err := s.Open(t.Context(), rtc.Room{Name: "r"}); !errors.Is(err, rtc.ErrRefused) {
		t.Error("with a wrong secret: ", err)
	}
}

// others makes a server for which the child of s is a LiveKit of others.
func others(t *testing.T, s *rtc.Server) *rtc.Server {
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

func TestAnAddressWaitsNoLongerThanItsCaller(t *testing.T) {
	s := sfus.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Address(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// eventually waits for what nobody tells.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(20 * time.Second)
	for !done() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("it did not come about: ", what)
		}
	}
}

func kill(t *testing.T, pid int) {
	t.Helper()
	p, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
}

// alive reports a process that runs and is not a mere entry that waits for its parent.
func alive(pid int) bool {
	if state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil {
		_, rest, _ := strings.Cut(string(state), ") ")
		return !strings.HasPrefix(rest, "Z")
	}
	return runtime.GOOS != "linux" && syscall.Kill(pid, 0) == nil
}
