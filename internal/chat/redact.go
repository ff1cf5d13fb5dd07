package chat

import (
	"slices"

	"parley"
	"parley/internal/text/redact"
)

// redactText returns a text as it may be stored, traced and logged: without personal data where the agent masks it.
func (t *Turn) redactText(text string) string {
	if !t.agent.Redact {
		return text
	}
	return redact.Text(text)
}

// redactMessage returns the answer as it may be stored. Quotes stay as they are, for they are from sources and not from
// the customer; their offsets move with what is masked before them.
func (t *Turn) redactMessage(m parley.Message) parley.Message {
	if !t.agent.Redact {
		return m
	}
	m.Parts, m.Citations = slices.Clone(m.Parts), slices.Clone(m.Citations)
	at := 0 // bytes of the answer's text before this part
	moves := maskShifts{}
	for i := range m.Parts {
		p := &m.Parts[i]
		length := len(p.Text)
		p.Text = moves.maskText(p.Text, at, m.Citations)
		p.Input, p.Output = redact.JSON(p.Input), redact.JSON(p.Output)
		at += length
	}
	for i := range m.Citations {
		c := &m.Citations[i]
		by := moves.shiftBefore(c.AnswerStart)
		c.AnswerStart, c.AnswerEnd = c.AnswerStart+by, c.AnswerEnd+by
	}
	return m
}

// redactCalls returns the rows of calls as they may be stored.
func (t *Turn) redactCalls(calls []parley.ToolCall) []parley.ToolCall {
	if !t.agent.Redact {
		return calls
	}
	calls = slices.Clone(calls)
	for i := range calls {
		calls[i].Input, calls[i].Output = redact.JSON(calls[i].Input), redact.JSON(calls[i].Output)
	}
	return calls
}

// redactOutput returns a tool's output as it may be stored.
func redactOutput(out parley.ToolOutput) parley.ToolOutput {
	out.Data, out.Error = redact.JSON(out.Data), redact.Text(out.Error)
	return out
}

// maskShifts says by how many bytes masking has moved what follows each offset of a text.
type maskShifts []struct{ offset, delta int }

// maskText masks a part of the answer that begins at the byte from, except what citations cover.
func (ms *maskShifts) maskText(text string, from int, cited []parley.Citation) string {
	spans := slices.DeleteFunc(redact.Spans(text), func(s redact.Span) bool {
		return slices.ContainsFunc(cited, func(c parley.Citation) bool {
			return c.AnswerStart < from+s.End && from+s.Start < c.AnswerEnd
		})
	})
	var out []byte
	end := 0
	for _, s := range spans {
		mask := "[" + s.Kind + "]"
		out = append(append(out, text[end:s.Start]...), mask...)
		*ms = append(*ms, struct{ offset, delta int }{from + s.End, len(mask) - (s.End - s.Start)})
		end = s.End
	}
	return string(append(out, text[end:]...))
}

// shiftBefore returns by how many bytes an offset has moved.
func (ms *maskShifts) shiftBefore(place int) (by int) {
	for _, m := range *ms {
		if m.offset <= place {
			by += m.delta
		}
	}
	return by
}
