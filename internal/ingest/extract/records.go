package extract

import (
	"context"
	"html"
	"io"
	"mime/quotedprintable"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"parley/internal/ingest/extract/draft"
	"parley/internal/text/charset"
)

// contentLine is a line of a contact or a calendar (RFC 6350, RFC 5545).
type contentLine struct {
	name       string // in capitals
	parameters string // in capitals
	value      string
}

// recordFields are the fields that are read, in this order, and what they are called.
var recordFields = []struct{ name, label string }{
	{"ORG", "Organisation"}, {"TITLE", "Title"}, {"ROLE", "Role"}, {"TEL", "Phone"}, {"EMAIL", "Email"},
	{"ADR", "Address"}, {"URL", "Website"}, {"BDAY", "Birthday"},
	{"DTSTART", "Begins"}, {"DTEND", "Ends"}, {"DUE", "Due"}, {"RRULE", "Repeats"}, {"LOCATION", "Place"},
	{"STATUS", "Status"}, {"NOTE", "Note"}, {"DESCRIPTION", "Description"},
}

// readRecords reads contacts (VCF) and calendars (ICS): each contact or event below its name, a line a field.
func readRecords(ctx context.Context, _ string, data []byte) (draft.Document, error) {
	var d draft.Builder
	fields := map[string][]string{}
	title, depth := "", 0
	for n, l := range contentLines(charset.Decode(data, "")) {
		if n%1000 == 0 && ctx.Err() != nil {
			return draft.Document{}, ctx.Err()
		}
		kind := strings.ToUpper(l.value)
		switch {
		case l.name == "BEGIN" && (kind == "VALARM" || kind == "VTIMEZONE"):
			depth++
		case l.name == "END" && (kind == "VALARM" || kind == "VTIMEZONE"):
			depth = max(depth-1, 0)
		case depth > 0:
		case l.name == "X-WR-CALNAME":
			title = l.text()
		case l.name == "BEGIN", l.name == "END":
			writeRecord(&d, fields)
			clear(fields)
		default:
			fields[l.name] = append(fields[l.name], l.text())
		}
		if d.IsFull() {
			return draft.Document{}, draft.ErrTooMuchText
		}
	}
	writeRecord(&d, fields)
	return draft.Document{Title: title, Text: d.Text()}, nil
}

func writeRecord(d *draft.Builder, fields map[string][]string) {
	if begin, end := fields["DTSTART"], fields["DTEND"]; len(begin) > 0 && len(end) > 0 && end[0] < begin[0] {
		delete(fields, "DTEND") // some programs write the day itself where the day after it belongs
	}
	joinTimes(fields)
	var lines []string
	for _, f := range recordFields {
		for _, value := range fields[f.name] {
			if value != "" {
				lines = append(lines, f.label+": "+value)
			}
		}
	}
	name := strings.Join(append(fields["FN"], fields["SUMMARY"]...), ", ")
	if name == "" && len(lines) > 0 {
		name = strings.Join(fields["N"], ", ")
	}
	if len(lines) == 0 && name == "" {
		return
	}
	d.AddHeading(2, name)
	d.AddBlock(strings.Join(lines, "\n"))
}

// joinTimes tells the end of an event in the line of its begin: who asks when it is wants both.
func joinTimes(fields map[string][]string) {
	begin, end := fields["DTSTART"], fields["DTEND"]
	if len(begin) != 1 || len(end) != 1 || begin[0] == "" || end[0] == "" {
		return
	}
	fields["DTSTART"] = []string{begin[0] + ", ends: " + end[0]}
	delete(fields, "DTEND")
}

// contentLines returns the lines of a text, those together that are folded.
func contentLines(text string) (lines []contentLine) {
	text = joinSoftBreaks(strings.ReplaceAll(text, "\r\n", "\n"))
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\n ", ""), "\n\t", "")
	for line := range strings.Lines(text) {
		head, value, found := strings.Cut(strings.TrimSpace(line), ":")
		if !found {
			continue
		}
		if strings.Count(head, `"`)%2 == 1 { // the sign is within a parameter
			more, rest, _ := strings.Cut(value, `":`)
			head, value = head+more, rest
		}
		name, parameters, _ := strings.Cut(strings.ToUpper(head), ";")
		if at := strings.LastIndexByte(name, '.'); at >= 0 { // of a group
			name = name[at+1:]
		}
		lines = append(lines, contentLine{name, parameters, value})
	}
	return lines
}

// joinSoftBreaks joins the lines of values that are quoted-printable, whose breaks are marked with "=". The values of
// others may end with that sign, too: an address, or a picture.
func joinSoftBreaks(text string) string {
	var b strings.Builder
	isQuoted := false
	for line := range strings.Lines(text) {
		if !isQuoted {
			head, _, _ := strings.Cut(line, ":")
			isQuoted = strings.Contains(strings.ToUpper(head), "QUOTED-PRINTABLE")
		}
		body, hasBreak := strings.CutSuffix(strings.TrimRight(line, "\n"), "=")
		if isQuoted = isQuoted && hasBreak; !isQuoted {
			body = line
		}
		b.WriteString(body)
	}
	return b.String()
}

// text returns the value of a line as people read it.
func (l contentLine) text() string {
	value := l.value
	if strings.Contains(l.parameters, "QUOTED-PRINTABLE") {
		plain, _ := io.ReadAll(quotedprintable.NewReader(strings.NewReader(value)))
		value = charset.Decode(plain, l.parameter("CHARSET"))
	}
	switch l.name {
	case "ADR", "ORG", "N":
		value = joinComponents(value)
	case "DTSTART", "DUE", "BDAY":
		value = formatDay(value)
	case "DTEND":
		if day, err := time.Parse("20060102", value); err == nil { // the first day after it
			value = day.AddDate(0, 0, -1).Format("20060102")
		}
		value = formatDay(value)
	case "RRULE":
		value = formatRule(value)
	case "TEL", "EMAIL":
		value = strings.TrimPrefix(strings.TrimPrefix(value, "tel:"), "mailto:")
	}
	return draft.CollapseSpaces(escapedSigns.Replace(value))
}

// parameter returns the value of a parameter, empty where there is no such one.
func (l contentLine) parameter(name string) string {
	for p := range strings.SplitSeq(l.parameters, ";") {
		if value, found := strings.CutPrefix(p, name+"="); found {
			return strings.Trim(value, `"`)
		}
	}
	return ""
}

// joinComponents writes the parts of a value in one line: ";;1 High Street;York" is "1 High Street, York".
func joinComponents(value string) string {
	const escaped = "\x00" // instead of a semicolon within a part
	var parts []string
	for part := range strings.SplitSeq(strings.ReplaceAll(value, `\;`, escaped), ";") {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.ReplaceAll(strings.Join(parts, ", "), escaped, ";")
}

var escapedSigns = strings.NewReplacer(`\n`, " ", `\N`, " ", `\,`, ",", `\;`, ";", `\\`, `\`)

var compactTime = regexp.MustCompile(`^(\d{4})-?(\d\d)-?(\d\d)(?:T(\d\d):?(\d\d)(?::?\d\d)?(Z?))?$`)

// formatDay writes a day, and an hour where there is one, apart from one another.
func formatDay(value string) string {
	found := compactTime.FindStringSubmatch(value)
	if found == nil {
		return value
	}
	day := found[1] + "-" + found[2] + "-" + found[3]
	switch {
	case found[4] == "":
		return day
	case found[6] != "":
		return day + " " + found[4] + ":" + found[5] + " UTC"
	}
	return day + " " + found[4] + ":" + found[5]
}

// formatRule writes how an event repeats: FREQ=WEEKLY;BYDAY=MO,WE is weekly on Monday, Wednesday.
func formatRule(rule string) string {
	parts := map[string]string{}
	for part := range strings.SplitSeq(rule, ";") {
		name, value, _ := strings.Cut(part, "=")
		parts[strings.ToUpper(name)] = strings.ToUpper(value)
	}
	text := strings.ToLower(parts["FREQ"])
	if n := parts["INTERVAL"]; n != "" && n != "1" && ruleUnits[parts["FREQ"]] != "" {
		text = "every " + n + " " + ruleUnits[parts["FREQ"]]
	}
	if parts["BYDAY"] != "" {
		text += " on " + weekDays.Replace(parts["BYDAY"])
	}
	if parts["BYMONTHDAY"] != "" {
		text += " on day " + parts["BYMONTHDAY"]
	}
	if parts["COUNT"] != "" {
		text += ", " + parts["COUNT"] + " times"
	}
	if parts["UNTIL"] != "" {
		text += " until " + formatDay(parts["UNTIL"])
	}
	return text
}

var ruleUnits = map[string]string{"DAILY": "days", "WEEKLY": "weeks", "MONTHLY": "months", "YEARLY": "years"}

var weekDays = strings.NewReplacer(",", ", ", "-1", "the last ", "1", "the first ", "2", "the second ", "3",
	"the third ", "4", "the fourth ", "5", "the fifth ", "MO", "Monday", "TU", "Tuesday", "WE", "Wednesday", "TH",
	"Thursday", "FR", "Friday", "SA", "Saturday", "SU", "Sunday")

var (
	cueTime = regexp.MustCompile(`^\s*(?:\d+:)?\d\d:\d\d[.,]\d+\s*-->`)
	cueTag  = regexp.MustCompile(`</?[a-zA-Z][^<>\n]{0,80}>|\{\\[^{}\n]{0,80}\}`)
)

// maxCueParagraph is how many bytes of subtitles are one paragraph, which ends with a sentence.
const maxCueParagraph = 500

// readSubtitles reads what subtitles (SRT, VTT) say, without their numbers and times.
func readSubtitles(_ context.Context, _ string, data []byte) (draft.Document, error) {
	var r subtitleReader
	for line := range strings.Lines(charset.Decode(data, "")) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
			r.endCue()
		case cueTime.MatchString(line):
			r.endCue()
			r.inCue = true
		case r.inCue:
			if text := cueText(line); text != "" {
				r.cue = append(r.cue, text)
			}
		}
	}
	r.endCue()
	r.endParagraph()
	return draft.Document{Text: r.out.Text()}, nil
}

func cueText(line string) string {
	return strings.TrimSpace(html.UnescapeString(cueTag.ReplaceAllString(line, "")))
}

type subtitleReader struct {
	out       draft.Builder
	open      strings.Builder // of the paragraph
	cue       []string        // lines of the open one
	inCue     bool
	last      string
	isTalking bool // the last line is of one of several speakers
}

// speaker matches the dash before what one of several speakers says.
var speaker = regexp.MustCompile(`^[-–—]\s*(\S)`)

// endCue adds the lines of a cue. What two speakers say, a question and its answer, is a paragraph of its own.
func (r *subtitleReader) endCue() {
	talks := len(r.cue) > 1 && speaker.MatchString(r.cue[0]) && speaker.MatchString(r.cue[len(r.cue)-1])
	if talks && !r.isTalking && endsSentence(r.open.String()) {
		r.endParagraph()
	}
	for _, text := range r.cue {
		if text != r.last { // rolled on to the next one
			r.addLine(text, talks)
		}
		r.last = text
	}
	if talks && endsSentence(r.open.String()) {
		r.endParagraph()
	}
	r.cue, r.inCue, r.isTalking = nil, false, talks
}

func (r *subtitleReader) addLine(text string, talks bool) {
	if talks {
		text = speaker.ReplaceAllString(text, "$1")
	}
	r.open.WriteString(text + " ")
	if r.open.Len() > maxCueParagraph && endsSentence(text) && !talks || r.open.Len() > 4*maxCueParagraph {
		r.endParagraph()
	}
}

func (r *subtitleReader) endParagraph() {
	r.out.AddParagraph(r.open.String())
	r.open.Reset()
}

func endsSentence(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text, " \"”»)"))
	return strings.ContainsRune(".?!…。？！", last)
}
