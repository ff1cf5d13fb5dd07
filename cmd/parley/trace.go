package main

import (
	"fmt"
	"strings"
	"time"

	"parley"
	"parley/internal/admin"
)

type traceCmd struct {
	Conversation string `arg:"" help:"Conversation to explain."`
}

func (c *traceCmd) Run(p *process) error {
	turns, err := call(p, admin.Trace, admin.ConversationRef{ID: c.Conversation})
	if err != nil {
		return err
	}
	if p.cli.JSON {
		return p.print(turns)
	}
	for i, t := range turns {
		if i > 0 {
			fmt.Fprintln(p.stdout)
		}
		p.turn(t)
	}
	return nil
}

// turn prints what is known of a turn: one that a crash ended has little to tell.
func (p *process) turn(t admin.TurnTrace) {
	fmt.Fprintf(p.stdout, "Turn %s, %s, %s\n", t.TurnID, t.StartedAt.Format(time.RFC3339), t.State)
	p.known("question", t.Question)
	p.known("answer", t.Answer)
	p.known("error", t.Error)
	if t.Model != "" {
		p.line("model", "%s by %s, prompt %s, settings %d", t.Model, t.BackEnd, t.PromptVersion, t.ConfigVersion)
		p.known("search", t.Search)
		if r := t.Rewrite; r != nil {
			p.line("rewriting", "%s, %.0f ms, %d tokens in, %d out", r.State, r.Millis, r.InputTokens, r.OutputTokens)
		}
		if t.Refused {
			p.line("refused", "the answer says that the sources do not hold it")
		}
		p.line("tokens", "%d in, %d out", t.InputTokens, t.OutputTokens)
		p.line("after ms", "%s", millis(t.Millis))
	}
	for _, name := range t.ToolCalls {
		p.line("tool", "%s", name)
	}
	for i, passage := range t.Passages {
		p.line(fmt.Sprintf("passage %d", i+1), "%s", described(passage))
	}
}

func millis(m parley.TraceMillis) string {
	said := fmt.Sprintf("%.1f retrieved, ", m.Retrieved)
	if m.FirstToken > 0 {
		said += fmt.Sprintf("%.1f first text, ", m.FirstToken)
	}
	return said + fmt.Sprintf("%.1f ended", m.Answered)
}

// known prints what is there.
func (p *process) known(name, text string) {
	if text != "" {
		p.line(name, "%s", text)
	}
}

// line prints a name and a value, whose further lines stand below its first.
func (p *process) line(name, format string, args ...any) {
	text := strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", "\n"+strings.Repeat(" ", 12))
	fmt.Fprintf(p.stdout, "%-11s %s\n", name, text)
}

// described tells of a passage its score, whether the answer cites it, where it is from, and what it says: all of it while it
// is there, else what the answer took from it.
func described(p admin.PassageTrace) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%.3f  ", p.Rank)
	if p.Cited {
		out.WriteString("cited  ")
	}
	out.WriteString(orDash(p.Name))
	if p.Heading != "" {
		out.WriteString(" › " + p.Heading)
	}
	fmt.Fprintf(&out, "  (%s)", p.ID)
	if p.Text != "" {
		return out.String() + "\n" + strings.TrimSpace(p.Text)
	}
	out.WriteString("\nThe source has changed or is gone since.")
	for _, quote := range p.Quotes {
		out.WriteString("\n“" + strings.TrimSpace(quote) + "”")
	}
	return out.String()
}
