package llm

// code tells whether the text is inside Markdown code, where brackets mean something else.
type code struct {
	run  int // backticks in a row just now
	open int // backticks that opened the code, 0 outside
}

func (k *code) inside() bool {
	if k.run > 0 {
		return k.open == 0 || k.run < k.open
	}
	return k.open > 0
}

func (k *code) step(c rune) {
	if c == '`' {
		k.run++
		return
	}
	if k.run > 0 {
		switch {
		case k.open == 0:
			k.open = k.run
		case k.run >= k.open:
			k.open = 0
		}
		k.run = 0
	}
	if c == '\n' && k.open < 3 {
		k.open = 0 // a stray backtick does not hide the rest of the answer
	}
}
