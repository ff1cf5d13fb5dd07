package quote

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"parley"
	"parley/internal/model"
	"parley/internal/text/language"
)

// answerWithTools answers where tools are concerned: it tells what they gave back, calls one whose trigger the last
// message holds, or asks for what such a call lacks. A message leads to one call at most, since the results of a call
// are only told.
func answerWithTools(req model.Request) (reply, bool) {
	if len(req.Messages) == 0 {
		return reply{}, false
	}
	switch last := req.Messages[len(req.Messages)-1]; {
	case last.Role == "tool":
		return reply{text: reportToolResults(req), unscored: true}, true
	case last.Role != "user" || len(req.Tools) == 0:
		return reply{}, false
	}
	w, ok := continueCallDraft(req)
	if !ok {
		w, ok = resumeProcedure(req)
	}
	if !ok {
		w, ok = startCallDraft(req.Tools, req.Messages[len(req.Messages)-1].Text)
	}
	if !ok {
		return reply{}, false
	}
	return w.makeReply(req), true
}

// callDraft is a call that is being prepared: a tool, what was said about it, and the inputs that are known.
type callDraft struct {
	tool      model.Tool
	inputs    []toolInput
	userTexts []string // of the user since the tool was asked for, oldest first
	values    map[string]json.RawMessage
}

func newCallDraft(tool model.Tool, userTexts ...string) callDraft {
	return callDraft{tool: tool, inputs: parseInputs(tool.Parameters), userTexts: userTexts,
		values: map[string]json.RawMessage{}}
}

func startCallDraft(tools []model.Tool, message string) (callDraft, bool) {
	tool, found := chooseTool(tools, message)
	if tool < 0 {
		return callDraft{}, false
	}
	w := newCallDraft(tools[tool], message)
	rest := w.fillFromCaptures(message, found.captures)
	w.fillByPattern(rest)
	return w, true
}

// continueCallDraft takes the last message as the answer to the question for inputs right before it.
func continueCallDraft(req model.Request) (callDraft, bool) {
	turns := inputTurns(req.Messages)
	if len(turns) < 2 {
		return callDraft{}, false
	}
	w, ok := startCallDraft(req.Tools, turns[0].userText)
	for i := 1; ok && i < len(turns); i++ {
		var requested []toolInput
		if requested, ok = w.parseRequestedInputs(turns[i].question); !ok {
			break
		}
		if i == len(turns)-1 {
			again := turns[i].question == turns[i-1].question
			ok = !w.isAbandonedBy(turns[i].userText, requested, req.Tools) &&
				(!again || w.isAnsweredBy(turns[i].userText, requested))
		}
		w.fillFromAnswer(turns[i].userText, requested)
	}
	return w, ok
}

// inputTurn is a question for inputs with what the user said to it.
type inputTurn struct{ question, userText string }

const maxInputTurns = 8

// inputTurns returns the last message with the questions for inputs and the messages before it; the first turn has no
// question.
func inputTurns(messages []model.Message) (turns []inputTurn) {
	for i := len(messages) - 1; i >= 0 && messages[i].Role == "user"; i -= 2 {
		t := inputTurn{userText: messages[i].Text}
		more := i >= 2 && messages[i-1].Role == "assistant" && AsksForInputs(messages[i-1].Text) && len(turns) < maxInputTurns
		if more {
			t.question = messages[i-1].Text
		}
		turns = append(turns, t)
		if !more {
			break
		}
	}
	slices.Reverse(turns)
	return turns
}

// isAnsweredBy reports whether the message holds one of the inputs that were asked for; a question that was put
// twice and not answered is given up.
func (cd *callDraft) isAnsweredBy(message string, requested []toolInput) bool {
	try := callDraft{inputs: cd.inputs, values: map[string]json.RawMessage{}}
	try.fillFromAnswer(message, requested)
	return slices.ContainsFunc(requested, func(in toolInput) bool { return try.values[in.name] != nil })
}

// isAbandonedBy reports whether the message is no answer: the user drops it, asks something else, or calls for another
// tool.
func (cd *callDraft) isAbandonedBy(message string, requested []toolInput, tools []model.Tool) bool {
	if len(requested) == 1 && requested[0].kind == inputFreeText {
		return isCancellation(message)
	}
	if isCancellation(message) && !slices.ContainsFunc(requested, func(in toolInput) bool {
		return in.kind == inputBoolean
	}) {
		return true
	}
	if other, _ := chooseTool(tools, message); other >= 0 && tools[other].Name != cd.tool.Name {
		return true
	}
	try := callDraft{inputs: requested, values: map[string]json.RawMessage{}}
	try.fillByPattern(message)
	return isQuestionOrRemark(message) && len(try.values) == 0
}

func (cd *callDraft) makeReply(req model.Request) reply {
	if missing := cd.missingInputs(); len(missing) > 0 {
		return reply{text: inputQuestion(cd.replyLanguage(req), missing), unscored: true}
	}
	call := model.ToolCall{ID: model.NewToolCallID(), Name: cd.tool.Name, Input: encodeInputs(cd.inputs, cd.values)}
	return reply{toolCall: &call, unscored: true}
}

// missingInputs returns the required inputs that nobody has told. Where personal data was masked in what the user said
// before, all of it is asked for at once: the next message is the only one in which it can be read.
func (cd *callDraft) missingInputs() (all []toolInput) {
	masked := slices.ContainsFunc(cd.userTexts, isRedacted)
	isMissing := slices.ContainsFunc(cd.inputs, func(in toolInput) bool {
		return in.required && cd.values[in.name] == nil
	})
	for _, in := range cd.inputs {
		if in.required && (cd.values[in.name] == nil || isMissing && masked && in.isPersonal()) {
			all = append(all, in)
		}
	}
	return all
}

// chooseTool finds the tool whose trigger the message holds: the one with the most words, then the longest; -1 for
// none.
func chooseTool(tools []model.Tool, message string) (best int, found triggerMatch) {
	best = -1
	sentences := splitSentences(message)
	var top trigger
	for i, tool := range tools {
		for _, phrase := range tool.Triggers {
			t := parsedTriggers.parse(phrase)
			if best >= 0 && (len(t.words) < len(top.words) || len(t.words) == len(top.words) && len(t.text) <= len(top.text)) {
				continue
			}
			for j := range sentences {
				if m, ok := t.matchSentence(&sentences[j]); ok && sentences[j].callsForTool(&t, m, parseInputs(tool.Parameters)) {
					best, found, top = i, m, t
					break
				}
			}
		}
	}
	return best, found
}

// callsForTool reports whether the sentence calls for the tool and does not merely speak of it.
func (s *parsedSentence) callsForTool(t *trigger, m triggerMatch, inputs []toolInput) bool {
	if s.isDenied(m) || s.recountsPast(t, m) || len(t.words) == 1 && !s.isBrief(m, inputs, len(t.placeholders) > 0) {
		return false
	}
	switch s.mood(m.wordIndexes[0]) {
	case moodJudgement:
		return t.isQuestion
	case moodHowQuestion:
		return t.isQuestion || countFilledInputs(s.text, m, inputs) > 0
	case moodOwnQuestion:
		return t.isQuestion || countFilledInputs(s.text, m, inputs) > 0 || s.asksAboutOwnThing(m)
	default:
		return true
	}
}

func countFilledInputs(text string, m triggerMatch, inputs []toolInput) (n int) {
	for _, in := range inputs {
		if c, ok := m.captures[in.name]; ok && c.end > c.start {
			if _, _, ok := in.parseValue(text, c); ok {
				n++
			}
		}
	}
	return n
}

// isBrief reports whether a sentence with a trigger of one word says little else, apart from what fills its holes.
func (s *parsedSentence) isBrief(m triggerMatch, inputs []toolInput, holes bool) bool {
	if countFilledInputs(s.text, m, inputs) > 0 {
		return true
	}
	others := 0
	for i, h := range s.tokens {
		if !h.isStop && !slices.Contains(m.wordIndexes, i) && !politeWords()[h.Word] {
			others++
		}
	}
	limit := maxStrayWords
	if holes {
		limit = 1 // what fills them is missing
	}
	return others <= limit || s.tokens[m.wordIndexes[0]].Unspaced
}

// asksAboutOwnThing reports whether the question is about the speaker's own thing and begins with it.
func (s *parsedSentence) asksAboutOwnThing(m triggerMatch) bool {
	from, first := s.clauseStart(m.wordIndexes[0]), m.wordIndexes[0]
	begins := !slices.ContainsFunc(s.tokens[from:first], func(h sentenceWord) bool {
		return !h.isStop && !politeWords()[h.Word]
	})
	return begins && slices.ContainsFunc(s.tokens[from:], func(h sentenceWord) bool { return possessiveWords()[h.Word] })
}

const (
	maxReportLines = 20   // of one result
	maxReportBytes = 2000 // of one result's list
	maxReportDepth = 6
	maxReasonBytes = 500
)

// reportToolResults returns what the tools at the end of the conversation returned, a paragraph each.
func reportToolResults(req model.Request) string {
	d := textsIn(surestLanguage(append(agentTexts(req), userTexts(req.Messages)...)))
	var parts []string
	for _, m := range slices.Backward(req.Messages) {
		if m.Role != "tool" {
			break
		}
		parts = append(parts, describeResult(d, m.Text))
	}
	slices.Reverse(parts)
	return strings.Join(parts, "\n\n")
}

// toolResult is what a tool gave back (docs/interface/conversations.md#tool-output).
type toolResult struct {
	Status string          `json:"status"`
	Data   json.RawMessage `json:"data"`
	Error  string          `json:"error"`
}

func describeResult(t *language.Texts, text string) string {
	var r toolResult
	switch err := json.Unmarshal([]byte(text), &r); {
	case r.Status == "error":
		return describeFailure(t, r.Error)
	case err != nil || r.Status != "success" && r.Status != "ignored" && r.Status != "pending":
		return describeData(t, []byte(text))
	case r.Status != "success":
		return t.ResultMissing
	}
	return describeData(t, r.Data)
}

func describeFailure(t *language.Texts, reason string) string {
	reason = strings.Join(strings.Fields(reason), " ")
	if reason = truncateWithEllipsis(reason, maxReasonBytes); reason == "" {
		return t.CallFailed + "."
	}
	if !strings.HasSuffix(reason, ".") && !strings.HasSuffix(reason, "!") && !strings.HasSuffix(reason, "?") {
		reason += "."
	}
	return t.CallFailed + ": " + reason
}

// describeData says a message as it is, and lists anything else.
func describeData(t *language.Texts, raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil && strings.TrimSpace(text) != "" {
		return text
	}
	var parsed struct {
		Message any `json:"message"`
	}
	if json.Unmarshal(raw, &parsed) == nil {
		if text, ok := parsed.Message.(string); ok && strings.TrimSpace(text) != "" {
			return text
		}
	}
	var l resultListing
	if len(raw) > 0 && !json.Valid(raw) {
		return truncateWithEllipsis(strings.TrimSpace(string(raw)), maxReportBytes)
	}
	l.addValue("", raw, 0)
	if len(l.lines) == 0 {
		return t.ResultEmpty
	}
	return strings.Join(l.lines, "\n")
}

// resultListing is the scalar fields of a JSON document in their order, within bounds.
type resultListing struct {
	lines       []string
	size        int
	isTruncated bool
}

func (l *resultListing) addValue(name string, raw json.RawMessage, depth int) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || l.isTruncated || depth > maxReportDepth {
		return
	}
	switch raw[0] {
	case '{':
		l.addObject(name, raw, depth)
	case '[':
		l.addArray(name, raw, depth)
	default:
		if text := strings.Join(strings.Fields(parley.JSONText(raw)), " "); text != "" && string(raw) != "null" {
			l.addLine(name, text)
		}
	}
}

func (l *resultListing) addLine(name, text string) {
	if name != "" {
		text = name + ": " + text
	}
	remainingBytes := maxReportBytes - l.size - len("\n…")
	switch {
	case len(l.lines) == maxReportLines:
		l.lines[maxReportLines-1], l.isTruncated = "…", true
		return
	case len(text) > remainingBytes && len(l.lines) > 0:
		text, l.isTruncated = "…", true
	}
	l.lines = append(l.lines, truncateWithEllipsis(text, remainingBytes+len("…")))
	l.size += len(text) + 1
}

func (l *resultListing) addObject(name string, raw json.RawMessage, depth int) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.Token(); err != nil {
		return
	}
	for dec.More() && !l.isTruncated {
		key, err := dec.Token()
		var field json.RawMessage
		if err != nil || dec.Decode(&field) != nil {
			return
		}
		text, _ := key.(string)
		l.addValue(joinFieldName(name, text), field, depth+1)
	}
}

func (l *resultListing) addArray(name string, raw json.RawMessage, depth int) {
	var all []json.RawMessage
	if json.Unmarshal(raw, &all) != nil {
		return
	}
	if allScalars(all) {
		texts := make([]string, len(all))
		for i, v := range all {
			texts[i] = strings.Join(strings.Fields(parley.JSONText(v)), " ")
		}
		if len(texts) > 0 {
			l.addLine(name, strings.Join(texts, ", "))
		}
		return
	}
	for i, v := range all {
		l.addValue(joinFieldName(name, strconv.Itoa(i+1)), v, depth+1)
	}
}

func allScalars(all []json.RawMessage) bool {
	return !slices.ContainsFunc(all, func(v json.RawMessage) bool { return v[0] == '{' || v[0] == '[' })
}

func joinFieldName(name, field string) string {
	field = strings.Join(strings.Fields(field), " ")
	if name == "" {
		return field
	}
	return name + "." + field
}

// truncateWithEllipsis shortens text to so many bytes, never inside a code point.
func truncateWithEllipsis(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return parley.ClipBytes(text, max(0, limit-len("…"))) + "…"
}
