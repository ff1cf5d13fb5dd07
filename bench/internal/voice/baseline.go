package voice

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"parley/bench/internal/report"
)

// turnEndSilence is the silence after which voice detection may end a turn whose text looks complete; an earlier answer
// would interrupt the customer.
const turnEndSilence = 280 * time.Millisecond

// baselineJob is the address that the baseline asks, and how often.
type baselineJob struct {
	Stub  string
	Times int
}

// measureBaseline does only what cannot be avoided, step by step: wait for the end of the turn, have it recognised, ask
// the model, have its first words spoken, and bring a packet of sound to the listener. For what is typed the first two
// are left out.
func (c *callerProcess) measureBaseline(ctx context.Context, w baselineJob) (voiceResult, error) {
	loopback, err := newUDPLoopback(ctx)
	if err != nil {
		return voiceResult{}, err
	}
	defer loopback.close()
	var t voiceResult
	for range w.Times {
		began := time.Now()
		if err := postAndReadByte(ctx, w.Stub+"/audio/transcriptions", make([]byte, 2*decodeRate)); err != nil {
			return t, err
		}
		transcribed := time.Since(began)
		model := map[string]any{"model": "stub", "stream": true,
			"messages": []map[string]string{{"role": "user", "content": spokenQuestion}}}
		if err := getJSON(ctx, w.Stub+"/chat/completions", model); err != nil {
			return t, err
		}
		if err := getJSON(ctx, w.Stub+"/audio/speech", map[string]any{"input": shortAnswer}); err != nil {
			return t, err
		}
		if err := loopback.sendAndReceive(c.sounds.voice[0]); err != nil {
			return t, err
		}
		elapsed := time.Since(began)
		t.Spoken, t.Typed = append(t.Spoken, report.Milliseconds(turnEndSilence+elapsed)),
			append(t.Typed, report.Milliseconds(elapsed-transcribed))
	}
	return t, nil
}

func getJSON(ctx context.Context, url string, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return postAndReadByte(ctx, url, body)
}

// postAndReadByte sends a request and waits for the first byte of the answer.
func postAndReadByte(ctx context.Context, url string, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := apiClient.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.ReadFull(resp.Body, make([]byte, 1))
	return err
}

// udpLoopback is a pair of UDP sockets on loopback.
type udpLoopback struct{ from, to *net.UDPConn }

func newUDPLoopback(ctx context.Context) (*udpLoopback, error) {
	l, err := (&net.ListenConfig{}).ListenPacket(ctx, "udp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	d, err := (&net.Dialer{}).DialContext(ctx, "udp", l.LocalAddr().String())
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return &udpLoopback{d.(*net.UDPConn), l.(*net.UDPConn)}, nil
}

func (l *udpLoopback) sendAndReceive(packet []byte) error {
	if _, err := l.from.Write(packet); err != nil {
		return err
	}
	_, err := l.to.Read(make([]byte, 1500))
	return err
}

func (l *udpLoopback) close() {
	_, _ = l.from.Close(), l.to.Close()
}
