//go:build novoice

package main

import "parley/internal/voice/rtc"

const mediaServer = false

type sfuCmd struct{}

func (sfuCmd) Run(*process) error { return rtc.ErrNone }
