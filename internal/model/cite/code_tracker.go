package cite

// CodeTracker tells whether the text is inside Markdown code, where brackets mean something else.
type CodeTracker struct {
	tickRun   int // backticks in a row just now
	openTicks int // backticks that opened the code, 0 outside
}

func (k *CodeTracker) IsInside() bool {
	if k.tickRun > 0 {
		return k.openTicks == 0 || k.tickRun < k.openTicks
	}
	return k.openTicks > 0
}

// IsInTicks reports whether the last character was a backtick.
func (k *CodeTracker) IsInTicks() bool { return k.tickRun > 0 }

func (k *CodeTracker) Advance(c rune) {
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
