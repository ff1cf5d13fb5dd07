//go:build !novoice && (!darwin || cgo)

package sfu

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"parley/internal/voice/rtc"
)

// listen reads what the parent says first, and calls gone when it says no more: then it has ended us, or is no longer there.
func listen(in *os.File, gone func()) (cfg rtc.ChildConfig, err error) {
	lines := bufio.NewReader(in)
	line, err := lines.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &cfg)
	}
	if err != nil {
		return cfg, fmt.Errorf("the server runs this, and tells it what to be: %w", err)
	}
	go func() {
		_, _ = io.Copy(io.Discard, lines)
		gone()
	}()
	return cfg, nil
}

func answer(out *os.File, r rtc.ChildReady) error { return json.NewEncoder(out).Encode(r) }
