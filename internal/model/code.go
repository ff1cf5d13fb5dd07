package model

// codeTracker tells whether the text is inside Markdown code, where brackets mean something else.
type codeTracker struct {
	tickRun   int // backticks in a row just now
	openTicks int // backticks that opened the code, 0 outside
}

func (k *codeTracker) isInside() bool {
	if k.tickRun > 0 {
		return k.openTicks == 0 || k.tickRun < k.openTicks
	}
	return k.openTicks > 0
}

func (k *codeTracker) advance(c rune) {
	if c == '`' {
		k.tickRun++
		return
	}
	if k.tickRun > 0 {
		switch {
		case k.openTicks == 0:
			k.openTicks = k.tickRun
		case k.tickRun >= k.openTicks:
			k.openTicks = 0
		}
		k.tickRun = 0
	}
	if c == '\n' && k.openTicks < 3 {
		k.openTicks = 0 // a stray backtick does not hide the rest of the answer
	}
}
