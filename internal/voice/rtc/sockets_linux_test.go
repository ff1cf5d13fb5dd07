package rtc_test

import (
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"parley/internal/rig/sfus"
	"parley/internal/voice/rtc"
)

// The media server listens where it was told to, and nowhere else.
func TestTheChildListensNowhereElse(t *testing.T) {
	free, err := net.Listen("tcp", ":0")
	check(t, err)
	check(t, free.Close())
	for name, child := range map[string]rtc.ChildConfig{
		"loopback": {Loopback: true}, "with TCP": {Loopback: true, TCPPort: free.Addr().(*net.TCPAddr).Port},
	} {
		t.Run(name, func(t *testing.T) {
			s := sfus.Start(t, func(s *rtc.Server) { s.Child = child })
			enter(t, s, "r")
			udp, tcp := s.Ports()
			want := []string{"tcp " + strings.TrimPrefix(address(t, s), "ws://"), fmt.Sprint("udp 127.0.0.1:", udp)}
			if tcp != 0 {
				want = append(want, fmt.Sprint("tcp [::]:", tcp))
			}
			slices.Sort(want)
			if got := listening(t, s.PID()); !slices.Equal(got, want) {
				t.Errorf("%q, not %q", got, want)
			}
		})
	}
}

// listening gives the sockets of a process that anybody may send to, as the kernel lists them.
func listening(t *testing.T, pid int) (list []string) {
	t.Helper()
	own := sockets(t, pid)
	for _, kind := range []string{"tcp", "tcp6", "udp", "udp6"} {
		table, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, kind))
		check(t, err)
		open := map[string]string{"tcp": "0A", "udp": "07"}[strings.TrimSuffix(kind, "6")]
		for line := range strings.Lines(string(table)) {
			if f := strings.Fields(line); len(f) > 9 && f[3] == open && own["socket:["+f[9]+"]"] {
				list = append(list, strings.TrimSuffix(kind, "6")+" "+endpoint(t, f[1]))
			}
		}
	}
	slices.Sort(list)
	return list
}

// sockets gives those that a process holds.
func sockets(t *testing.T, pid int) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	check(t, err)
	held := map[string]bool{}
	for _, file := range files {
		if to, err := os.Readlink(file); err == nil { // one may be closed by now
			held[to] = true
		}
	}
	return held
}

// endpoint reads an address as the kernel writes it: words of 32 bits in its own order, in hexadecimal digits.
func endpoint(t *testing.T, text string) string {
	t.Helper()
	host, port, _ := strings.Cut(text, ":")
	ip, err := hex.DecodeString(host)
	check(t, err)
	for word := range slices.Chunk(ip, 4) {
		slices.Reverse(word)
	}
	n, err := strconv.ParseUint(port, 16, 16)
	check(t, err)
	return net.JoinHostPort(net.IP(ip).String(), fmt.Sprint(n))
}
