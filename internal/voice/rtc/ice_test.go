package rtc_test

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/internal/testkit/check"
	"parley/internal/testkit/sfus"
	"parley/internal/voice/rtc"
)

// Customers and agents are sent to no host that the operator did not configure. LiveKit by default names STUN servers
// of others.
func TestClientsGetNoForeignSTUNServers(t *testing.T) {
	for name, child := range map[string]rtc.ChildConfig{
		"127.0.0.1":           {Loopback: true},
		"203.0.113.9":         {NodeIP: "203.0.113.9"},
		"[2001:db8::9]":       {NodeIP: "2001:db8::9"},
		"203.0.113.7":         {NodeIP: "203.0.113.7, 2001:db8::7"},
		nonLoopbackAddress(t): {},
	} {
		t.Run(name, func(t *testing.T) {
			s := sfus.Start(t, func(s *rtc.Server) { s.Child = child })
			if got := iceServers(t, s); !slices.Equal(got, []string{"turn:" + name + ":9?transport=udp"}) {
				t.Error(got)
			}
		})
	}
}

func TestClientsGetTheConfiguredSTUNServers(t *testing.T) {
	s := sfus.Start(t, func(s *rtc.Server) { s.Child = rtc.ChildConfig{STUN: []string{startSTUNServer(t)}} })
	if got := iceServers(t, s); !slices.Equal(got, []string{"stun:" + s.Child.STUN[0]}) {
		t.Error(got)
	}
}

var iceServerPattern = regexp.MustCompile(`(?:stun|turn)s?:(?:[][\w.:-]*:\d+|[][\w.:-]+)(?:\?transport=\w+)?`)

// iceServers returns the STUN and TURN servers in the first message that a customer gets.
func iceServers(t *testing.T, s *rtc.Server) (list []string) {
	t.Helper()
	openRoom(t, s, "r")
	address, err := s.Address(t.Context())
	check.Must(t, err)
	c, err := net.Dial("tcp", strings.TrimPrefix(address, "ws://"))
	check.Must(t, err)
	defer func() { _ = c.Close() }()
	fmt.Fprintf(c,
		"GET /rtc?access_token=%s HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
			"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
		s.UserToken(joinGrant("r")))
	for _, found := range iceServerPattern.FindAll(readFirstMessage(t, bufio.NewReader(c)), -1) {
		list = append(list, string(found))
	}
	return list
}

// readFirstMessage reads the answer that opens a WebSocket and what comes first on it.
func readFirstMessage(t *testing.T, r *bufio.Reader) []byte {
	t.Helper()
	for line := "x"; strings.TrimSpace(line) != ""; {
		var err error
		line, err = r.ReadString('\n')
		check.Must(t, err)
	}
	var head [2]byte
	_, err := io.ReadFull(r, head[:])
	check.Must(t, err)
	size := uint16(head[1])
	if size == 126 {
		check.Must(t, binary.Read(r, binary.BigEndian, &size))
	}
	if head[0] != 0x82 || head[1] > 126 {
		t.Fatalf("a frame that begins %x", head)
	}
	b := make([]byte, size)
	_, err = io.ReadFull(r, b)
	check.Must(t, err)
	return b
}

// startSTUNServer starts a STUN server (RFC 8489) for IPv4.
func startSTUNServer(t *testing.T) string {
	t.Helper()
	c, err := net.ListenPacket("udp4", "127.0.0.1:0")
	check.Must(t, err)
	t.Cleanup(func() { _ = c.Close() })
	go func() {
		for b := make([]byte, 1500); ; {
			n, from, err := c.ReadFrom(b)
			if err != nil {
				return
			}
			if n >= 20 {
				_, _ = c.WriteTo(stunResponse(from.(*net.UDPAddr), b[4:20]), from)
			}
		}
	}()
	return c.LocalAddr().String()
}

// stunResponse returns the answer to a request; cookie is its magic cookie and transaction id.
func stunResponse(a *net.UDPAddr, cookie []byte) []byte {
	b := append([]byte{1, 1, 0, 12}, cookie...)
	b = append(b, 0, 0x20, 0, 8, 0, 1)
	b = binary.BigEndian.AppendUint16(b, uint16(a.Port)^binary.BigEndian.Uint16(cookie))
	return binary.BigEndian.AppendUint32(b, binary.BigEndian.Uint32(a.IP.To4())^binary.BigEndian.Uint32(cookie))
}
