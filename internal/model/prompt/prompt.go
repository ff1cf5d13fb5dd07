// Package prompt holds the words that connected models are instructed with. What others wrote is fenced, so that a
// model cannot take it for instructions.
package prompt

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"parley/internal/model"
)

// promptFiles are the texts of the prompts, apart from what the operator, the sources and the user write.
//
//go:embed prompts/*.md
var promptFiles embed.FS

var (
	rulesText     = loadPrompt("rules")
	toolsText     = loadPrompt("tools")
	sourcesText   = loadPrompt("sources")
	noSourcesText = loadPrompt("nosources")
	rewriteText   = loadPrompt("rewrite")
	insightText   = loadPrompt("insight")
	visitorText   = loadPrompt("visitor")
	spokenText    = loadPrompt("spoken")
)

// Version names the wording of a turn's prompts; its trace keeps it, so that an old answer can be explained. It changes
// with every byte of them.
var Version = hashPrompts()

func loadPrompt(name string) string {
	text, err := promptFiles.ReadFile("prompts/" + name + ".md")
	if err != nil {
		panic(err) // the file is part of the program
	}
	return string(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
}

func hashPrompts() string {
	h := sha256.New()
	for _, text := range []string{rulesText, toolsText, sourcesText, noSourcesText, rewriteText, sourceFormat,
		spokenText, unreadFileFormat, readFileFormat} {
		fmt.Fprintf(h, "%d\n%s", len(text), text)
	}
	return "2-" + hex.EncodeToString(h.Sum(nil))[:8]
}

// System returns the message that a model is given before the conversation: the operator's instructions, the rules, the
// sources. What the user writes is never part of it. The sources come last: all before them is the same from turn to
// turn, which providers cache.
func System(req model.Request) string { return Instructions(req) + Sources(req) }

// Instructions returns the part of the system prompt that is the same from turn to turn.
func Instructions(req model.Request) string {
	if req.SystemOnly {
		return req.System
	}
	var b strings.Builder
	b.Grow(len(req.System) + len(rulesText) + len(toolsText) + 64)
	if s := strings.TrimSpace(req.System); s != "" {
		b.WriteString(s)
		b.WriteString("\n\n")
	}
	b.WriteString(rulesText)
	if len(req.Tools) > 0 {
		b.WriteString(toolsText)
	}
	return b.String()
}

// Sources returns the evidence for the message to answer, after what is said of the user.
func Sources(req model.Request) string {
	switch {
	case req.SystemOnly:
		return ""
	case len(req.Passages) == 0:
		return visitorData(req) + noSourcesText
	}
	var b strings.Builder
	b.Grow(len(sourcesText) + 1500*len(req.Passages))
	b.WriteString(visitorData(req))
	b.WriteString(sourcesText)
	for i := range req.Passages {
		writeSource(&b, i+1, &req.Passages[i])
	}
	return b.String()
}

// visitorData returns what the page says of its user, fenced; empty for nothing.
func visitorData(req model.Request) string {
	if req.UserData == "" {
		return ""
	}
	return visitorText + "<visitor>\n" + fenceText(req.UserData) + "\n</visitor>\n"
}

// sourceFormat is a passage with its number, its source's name and headings, and its text.
const sourceFormat = "<source n=\"%d\" name=\"%s\">\n%s\n</source>\n"

// sourceParts are the parts of sourceFormat around what changes.
var sourceParts = strings.Split(strings.ReplaceAll(sourceFormat, "%d", "%s"), "%s")

func writeSource(b *strings.Builder, n int, p *model.Passage) {
	name := p.SourceName
	if p.Heading != "" {
		name += " › " + p.Heading
	}
	for i, part := range []string{strconv.Itoa(n), fenceName(name), fenceText(p.Text), ""} {
		b.WriteString(sourceParts[i])
		b.WriteString(part)
	}
}

// RewriteRequest asks a model to put the last of the messages into words that can be searched for without the others.
// The conversation goes into one message, fenced: it is what the model works on, not its instructions.
func RewriteRequest(modelName string, messages []model.Message, last string) model.Request {
	text := fencedTranscript(messages) + "\n<last>" + fenceText(last) + "</last>"
	return newTask(modelName, rewriteText, text, maxRewriteTokens)
}

// fencedTranscript returns the texts of user and assistant, a line each, fenced.
func fencedTranscript(messages []model.Message) string {
	var b strings.Builder
	b.WriteString("<conversation>\n")
	for _, m := range messages {
		if text := fenceName(m.Text); text != "" && (m.Role == "user" || m.Role == "assistant") {
			b.WriteString(m.Role + ": " + text + "\n")
		}
	}
	b.WriteString("</conversation>")
	return b.String()
}

func newTask(modelName, system, text string, maxTokens int) model.Request {
	return model.Request{Model: modelName, System: system, SystemOnly: true, MaxTokens: maxTokens,
		Messages: []model.Message{{Role: "user", Text: text}}}
}

// The longest answers, in tokens.
const (
	maxRewriteTokens = 120
	maxInsightTokens = 100
)

// InsightRequest asks a model for a title of a conversation and how its customer sounds, on a line each. The
// conversation goes into one message, fenced: it is what the model works on, not its instructions.
func InsightRequest(modelName string, messages []model.Message) model.Request {
	return newTask(modelName, insightText, fencedTranscript(messages), maxInsightTokens)
}

// VoiceRules returns the instructions of a model that talks, with the time where the customer is.
func VoiceRules(now time.Time) string {
	return spokenText + "- Where the user is, in the time zone " + now.Location().String() + ", it is " +
		now.Format("Monday, 2 January 2006, 15:04") + ".\n"
}
