package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/model"
	"parley/internal/server"
)

type askCmd struct {
	From     string   `type:"existingdir" xor:"whom" placeholder:"DIR" help:"@ask-from"`
	Agent    string   `xor:"whom" placeholder:"ID" help:"Agent of the running server to ask; the only one when left out."`
	Question []string `arg:"" help:"Question to answer."`
	server.ModelConfig
}

func (c *askCmd) Run(p *process) error {
	question := strings.TrimSpace(strings.Join(c.Question, " "))
	if question == "" {
		return newUsageError("the question is empty")
	}
	if err := c.Check(); err != nil {
		return usageError{err}
	}
	if c.From == "" {
		return p.askAgent(c.Agent, question)
	}
	return c.askFolder(p, question)
}

func (c *askCmd) askFolder(p *process, question string) error {
	folder, err := os.OpenRoot(c.From)
	if err != nil {
		return err
	}
	defer func() { _ = folder.Close() }()
	reading := p.readProgress()
	folderIndex, err := server.ReadFolder(folder.FS(), reading)
	if err != nil {
		return err
	}
	printer := &answerPrinter{out: p.stdout}
	if p.commandLine.JSON {
		printer.out = io.Discard
	}
	answer, err := folderIndex.Ask(p, c.ModelConfig, question, printer.writeChunk)
	if err != nil {
		return asRefusal(err)
	}
	if p.commandLine.JSON {
		return p.printJSON(answer)
	}
	return p.printf("\n%s", formatReferences(answer))
}

// agentAnswer is an answer of an agent, as programs get it.
type agentAnswer struct {
	AgentID string `json:"agentId"`
	Answer  string `json:"answer"`
	admin.AnswerMetadata
	Explain *struct{} `json:"explain,omitempty"` // left out: "parley trace" tells it
}

// askAgent asks an agent of the running server, in a conversation of its playground.
func (p *process) askAgent(named, question string) error {
	id, err := p.agentOrOnly(named)
	if err != nil {
		return err
	}
	stream := &answerStream{process: p}
	err = admin.Follow(p, p.adminClient(server.ModelConfig{}), admin.Playground,
		admin.PlaygroundQuestion{AgentID: id, Message: question}, stream.take)
	if err == nil && stream.end == nil {
		err = parley.NewErrorf(parley.CodeChatStreaming, "The answer broke off; ask again.")
	}
	if err != nil {
		return err
	}
	if p.commandLine.JSON {
		return p.printJSON(agentAnswer{AgentID: id, Answer: stream.text.String(), AnswerMetadata: *stream.end})
	}
	return p.printf("\n%s", formatReferences(&server.Answer{Citations: stream.quotes()}))
}

// answerStream takes the events of an answer, and prints its text to people.
type answerStream struct {
	*process
	text strings.Builder
	end  *admin.AnswerMetadata // nil until the answer is whole
}

func (s *answerStream) take(event []byte) error {
	var e struct {
		Type      string                `json:"type"`
		Delta     string                `json:"delta"`
		ErrorText string                `json:"errorText"`
		Metadata  *admin.AnswerMetadata `json:"messageMetadata"`
	}
	if err := json.Unmarshal(event, &e); err != nil {
		return err
	}
	switch e.Type {
	case "text-delta":
		s.text.WriteString(e.Delta)
		if !s.commandLine.JSON {
			fmt.Fprint(s.stdout, e.Delta)
		}
	case "error":
		return parley.NewErrorf(parley.CodeChatStreaming, "%s", e.ErrorText)
	case "finish":
		s.end = e.Metadata
	}
	return nil
}

// quotes returns what the answer cites.
func (s *answerStream) quotes() (list []server.Quote) {
	for _, c := range s.end.Citations {
		list = append(list, server.Quote{Name: c.Name, Quote: c.Quote})
	}
	return list
}

// readProgress returns callbacks that show the progress of reading: a line that changes on a terminal, and everywhere
// one line at the end.
func (p *process) readProgress() server.ReadProgress {
	live := isTerminal(p.stderr) && !p.commandLine.JSON
	return server.ReadProgress{
		Now: time.Now,
		OnPage: func(done, all int) {
			if live {
				fmt.Fprintf(p.stderr, "\rreading %d of %d pages", done, all)
			}
		},
		OnSkip: func(name, reason string) { fmt.Fprintf(p.stderr, "skipped %s: %s\n", name, reason) },
		OnDone: func(pages, passages int, duration time.Duration) {
			if live {
				fmt.Fprint(p.stderr, "\r")
			}
			fmt.Fprintf(p.stderr, "read %s, %s, in %s\n\n", formatCount(pages, "page", "pages"),
				formatCount(passages, "passage", "passages"), duration.Round(time.Millisecond))
		},
	}
}

// answerPrinter writes an answer as it arrives, with a number after each passage that cites a page.
type answerPrinter struct {
	out           io.Writer
	pendingSpace  string // trailing white space that is not written yet: a number goes before it
	citationCount int
}

func (p *answerPrinter) writeChunk(c model.Chunk) {
	if c.Citation != nil {
		p.citationCount++
		fmt.Fprintf(p.out, " [%d]", p.citationCount)
		return
	}
	text := p.pendingSpace + c.Text
	trimmed := strings.TrimRight(text, " \n")
	p.pendingSpace = text[len(trimmed):]
	fmt.Fprint(p.out, trimmed)
}

// maxQuoteLength is the most characters of a quote that are shown: enough to find it on its page.
const maxQuoteLength = 80

// formatReferences lists the pages that the numbers refer to.
func formatReferences(a *server.Answer) string {
	var out strings.Builder
	for i, c := range a.Citations {
		place := c.Name
		if c.Heading != "" {
			place += " › " + c.Heading
		}
		fmt.Fprintf(&out, "\n[%d] %s\n    “%s”\n", i+1, place, shorten(c.Quote))
	}
	return out.String()
}

// shorten returns the beginning of a text on one line.
func shorten(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	clipped := parley.ClipText(text, maxQuoteLength)
	if clipped == text {
		return text
	}
	if at := strings.LastIndexByte(clipped, ' '); at > len(clipped)/2 {
		clipped = clipped[:at]
	}
	return clipped + "…"
}

func formatCount(n int, singular, plural string) string {
	if n == 1 {
		return "1 " + singular
	}
	return fmt.Sprintf("%d %s", n, plural)
}
