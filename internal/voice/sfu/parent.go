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

// readParentConfig reads what the parent says first, and calls gone when it says no more: then it has ended us, or is no longer there.
func readParentConfig(in *os.File, onEOF func()) (cfg rtc.ChildConfig, err error) {
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
		onEOF()
	}()
	return cfg, nil
}

func writeReady(out *os.File, r rtc.ChildReady) error { return json.NewEncoder(out).Encode(r) }
