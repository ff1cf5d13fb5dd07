package rtc

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pion/rtp"
)

// FuzzTokenTimes parses the expiry of arbitrary tokens: it is never later than they say, and always a valid time.
func FuzzTokenTimes(f *testing.F) {
	s := &Server{Now: func() time.Time { return time.Unix(1_700_000_000, 0) }}
	f.Add(s.UserToken(JoinGrant{Room: "r", Identity: "u", ExpiresAt: time.Unix(1_800_000_000, 0)}), "1800000000")
	for _, exp := range []string{"0", "-1", "1e18", "1e300", "-1e300", "1.5", `"1800000000"`, "null",
		"9223372036854775808", "1,\"exp\":2", "[[[[1]]]]", "01"} {
		f.Add("a.b.c", exp)
	}
	f.Fuzz(func(t *testing.T, token, exp string) {
		if at := tokenExpiry(token); at < 0 || at > maxUnixSeconds {
			t.Errorf("%q is over at %d", token, at)
		}
		body := `{"exp":` + exp + `}`
		at := tokenExpiry("e30." + encodeBase64([]byte(body)) + ".")
		var c struct{ Exp json.Number }
		if json.Unmarshal([]byte(body), &c) != nil || strings.Count(body, ":") > 1 {
			return
		}
		want, err := strconv.ParseFloat(c.Exp.String(), 64)
		if err != nil || want < 0 || want > maxUnixSeconds {
			want = 0
		}
		if at != int64(math.Floor(want)) && !strings.HasPrefix(exp, `"`) {
			t.Errorf("%s is over at %d", body, at)
		}
		token = encodeBase64([]byte(body))
		if blank := tokenExpiry("e 30." + token[:len(token)/2] + "\n" + token[len(token)/2:] + "."); blank != at {
			t.Errorf("with blanks %d, without %d", blank, at)
		}
	})
}

// FuzzOpus decodes arbitrary packets in any order: none yields more sound than an Opus packet and a filled pause can
// hold, and the decoder works afterwards.
func FuzzOpus(f *testing.F) {
	codec, err := newOpus()
	if err != nil {
		f.Fatal(err)
	}
	good := make([]byte, maxPacketBytes)
	n, err := codec.EncodeInt16(sineFrames(440, 1), good)
	if err != nil {
		f.Fatal(err)
	}
	good = good[:n]
	f.Add(append([]byte{byte(n)}, good...))
	for first := range 256 { // every mode, bandwidth, length and number of frames
		f.Add([]byte{3, byte(first), 0x80, 0xff, 5, byte(first), 0x41, 0xff, 0xff, 0xff})
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		codec, err := newOpus()
		if err != nil {
			t.Fatal(err)
		}
		samples, packets := 0, 0
		in := &jitterBuffer{codec: codec, onFrame: func(f Frame) { samples += len(f.PCM) }}
		now := time.UnixMilli(0)
		take := func(payload []byte) {
			before := samples
			packets++
			in.addPacket(rtpPacket{&rtp.Packet{Header: rtp.Header{SequenceNumber: uint16(packets),
				Timestamp: uint32(packets) * outputFrameSamples}, Payload: payload}, now}) //nolint:gosec // they wrap
			if produced := samples - before; produced > maxDecodedSamples+
				(maxSilentFrames+maxConcealedFrames+1)*inputFrameSamples {
				t.Fatalf("%d samples of a packet of %d bytes", produced, len(payload))
			}
			now = now.Add(FrameTime)
		}
		for len(script) > 1 && packets < 100 {
			size := min(int(script[0]), len(script)-1)
			take(script[1 : 1+size])
			script = script[1+size:]
		}
		lost := in.concealed
		if take(good); in.concealed != lost || samples == 0 {
			t.Error("a good packet is not understood any more")
		}
	})
}
