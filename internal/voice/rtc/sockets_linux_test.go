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

	"parley/internal/testkit/check"
	"parley/internal/testkit/sfus"
	"parley/internal/voice/rtc"
)

// The media server listens where it is configured to, and nowhere else.
func TestChildListensOnItsPortsOnly(t *testing.T) {
	free, release := sfus.TakeTCPPort(t)
	release()
	for name, child := range map[string]rtc.ChildConfig{
		"loopback": {Loopback: true}, "with TCP": {Loopback: true, TCPPort: free},
	} {
		t.Run(name, func(t *testing.T) {
			s := sfus.Start(t, func(s *rtc.Server) { s.Child = child })
			joinAgent(t, s, "r")
			udp, tcp := s.Ports()
			want := []string{"tcp " + strings.TrimPrefix(serverAddress(t, s), "ws://"), fmt.Sprint("udp 127.0.0.1:", udp)}
			if tcp != 0 {
				want = append(want, fmt.Sprint("tcp [::]:", tcp))
			}
			slices.Sort(want)
			if got := listeningSockets(t, s.PID()); !slices.Equal(got, want) {
				t.Errorf("%q, not %q", got, want)
			}
		})
	}
}

// listeningSockets returns the sockets of a process that anybody may send to, as the kernel lists them.
func listeningSockets(t *testing.T, pid int) (list []string) {
	t.Helper()
	own := socketInodes(t, pid)
	for _, kind := range []string{"tcp", "tcp6", "udp", "udp6"} {
		table, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, kind))
		check.Must(t, err)
		open := map[string]string{"tcp": "0A", "udp": "07"}[strings.TrimSuffix(kind, "6")]
		for line := range strings.Lines(string(table)) {
			if f := strings.Fields(line); len(f) > 9 && f[3] == open && own["socket:["+f[9]+"]"] {
				list = append(list, strings.TrimSuffix(kind, "6")+" "+parseKernelAddress(t, f[1]))
			}
		}
	}
	slices.Sort(list)
	return list
}

// socketInodes returns the inodes of the sockets of a process.
func socketInodes(t *testing.T, pid int) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	check.Must(t, err)
	inodes := map[string]bool{}
	for _, file := range files {
		if to, err := os.Readlink(file); err == nil { // one may be closed by now
			inodes[to] = true
		}
	}
	return inodes
}

// parseKernelAddress reads an address as the kernel writes it: words of 32 bits in its own order, in hexadecimal
// digits.
func parseKernelAddress(t *testing.T, text string) string {
	t.Helper()
	host, port, _ := strings.Cut(text, ":")
	ip, err := hex.DecodeString(host)
	check.Must(t, err)
	for word := range slices.Chunk(ip, 4) {
		slices.Reverse(word)
	}
	n, err := strconv.ParseUint(port, 16, 16)
	check.Must(t, err)
	return net.JoinHostPort(net.IP(ip).String(), fmt.Sprint(n))
}
