package main

import (
	"fmt"
	"strings"
	"time"

	"parley"
	"parley/internal/api/admin"
)

type traceCmd struct {
	Conversation string `arg:"" help:"Conversation to explain."`
}

func (c *traceCmd) Run(p *process) error {
	return printAdmin(p, admin.Trace, admin.ConversationRef{ID: c.Conversation}, p.printTurns)
}

func (p *process) printTurns(turns []admin.TurnTrace) error {
	for i, t := range turns {
		if i > 0 {
			fmt.Fprintln(p.stdout)
		}
		p.printTurn(t)
	}
	return nil
}

// printTurn prints what is known of a turn: little of one that a crash ended.
func (p *process) printTurn(t admin.TurnTrace) {
	fmt.Fprintf(p.stdout, "Turn %s, %s, %s\n", t.TurnID, t.StartedAt.Format(time.RFC3339), t.State)
	p.printIfSet("question", t.Question)
	p.printIfSet("answer", t.Answer)
	p.printIfSet("error", t.Error)
	if t.Model != "" {
		p.printLine("model", "%s by %s, prompt %s, settings %d", t.Model, t.BackEnd, t.PromptVersion, t.ConfigVersion)
		p.printIfSet("search", t.SearchMethod)
		if r := t.Rewrite; r != nil {
			p.printLine("rewriting", "%s, %.0f ms, %d tokens in, %d out", r.State, r.Millis, r.InputTokens, r.OutputTokens)
		}
		if r := t.Rerank; r != nil {
			p.printLine("reranking", "%s, %.0f ms, %d passages", r.State, r.Millis, r.Candidates)
		}
		if t.Refused {
			p.printLine("refused", "the answer says that the sources do not hold it")
		}
		if t.Unsure {
			p.printLine("unsure", "the answer says that it is not sure, and quotes what is nearest")
		}
		p.printLine("tokens", "%d in, %d out", t.InputTokens, t.OutputTokens)
		p.printLine("after ms", "%s", formatMillis(t.Millis))
	}
	for _, name := range t.ToolCalls {
		p.printLine("tool", "%s", name)
	}
	for i, passage := range t.Passages {
		p.printLine(fmt.Sprintf("passage %d", i+1), "%s%s", formatRerankScore(t.Rerank, i), formatPassage(passage))
	}
}

// formatRerankScore returns the reranking server's score of a passage; empty if it has none.
func formatRerankScore(r *parley.TraceRerank, passage int) string {
	if r == nil || passage >= len(r.Scores) {
		return ""
	}
	return fmt.Sprintf("reranked %.3f  search ", r.Scores[passage])
}

func formatMillis(m parley.TraceMillis) string {
	text := fmt.Sprintf("%.1f retrieved, ", m.RetrievalDone)
	if m.FirstToken > 0 {
		text += fmt.Sprintf("%.1f first text, ", m.FirstToken)
	}
	return text + fmt.Sprintf("%.1f ended", m.AnswerDone)
}

// printIfSet prints a name and a text unless the text is empty.
func (p *process) printIfSet(name, text string) {
	if text != "" {
		p.printLine(name, "%s", text)
	}
}

// printLine prints a name and a value. Further lines of the value are indented to align with its first.
func (p *process) printLine(name, format string, args ...any) {
	text := strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", "\n"+strings.Repeat(" ", 12))
	fmt.Fprintf(p.stdout, "%-11s %s\n", name, text)
}

// formatPassage formats a passage with its rank, whether the answer cites it, its source and its text. Where the
// passage does not exist any more, the quotes of the answer stand in for the text.
func formatPassage(p admin.PassageTrace) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%.3f  ", p.Rank)
	if p.IsCited {
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
