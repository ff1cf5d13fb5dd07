package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"time"
)

// hangover is the silence after which a turn whose text looks complete may end (the ear's own); nobody answers earlier who does not
// want to interrupt.
const hangover = 280 * time.Millisecond

// floorWork is whom the floor asks, and how often.
type floorWork struct {
	Stub  string
	Times int
}

// floor does what cannot be avoided, one thing after the other: wait for the end of the turn, have it recognised, ask the model, have
// its first words spoken, and bring a packet of sound to the listener. For what is typed the first two are left out.
func (c *callers) floor(ctx context.Context, w floorWork) (talked, error) {
	way, err := newLoop(ctx)
	if err != nil {
		return talked{}, err
	}
	defer way.close()
	var t talked
	for range w.Times {
		began := time.Now()
		if err := once(ctx, w.Stub+"/audio/transcriptions", make([]byte, 2*hearingAt)); err != nil {
			return t, err
		}
		heard := time.Since(began)
		model := map[string]any{"model": "stub", "stream": true, "messages": []map[string]string{{"role": "user", "content": spokenQuestion}}}
		if err := asked(ctx, w.Stub+"/chat/completions", model); err != nil {
			return t, err
		}
		if err := asked(ctx, w.Stub+"/audio/speech", map[string]any{"input": shortAnswer}); err != nil {
			return t, err
		}
		if err := way.there(c.sounds.voice[0]); err != nil {
			return t, err
		}
		took := time.Since(began)
		t.Spoken, t.Typed = append(t.Spoken, ms(hangover+took)), append(t.Typed, ms(took-heard))
	}
	return t, nil
}

func asked(ctx context.Context, url string, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return once(ctx, url, body)
}

// once asks, and waits for the first byte of the answer.
func once(ctx context.Context, url string, body []byte) error {
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

// loop is the loopback, by UDP.
type loop struct{ from, to *net.UDPConn }

func newLoop(ctx context.Context) (*loop, error) {
	l, err := (&net.ListenConfig{}).ListenPacket(ctx, "udp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	d, err := (&net.Dialer{}).DialContext(ctx, "udp", l.LocalAddr().String())
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return &loop{d.(*net.UDPConn), l.(*net.UDPConn)}, nil
}

func (w *loop) there(packet []byte) error {
	if _, err := w.from.Write(packet); err != nil {
		return err
	}
	_, err := w.to.Read(make([]byte, 1500))
	return err
}

func (w *loop) close() {
	_, _ = w.from.Close(), w.to.Close()
}
