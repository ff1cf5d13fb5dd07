package mail

import (
	"embed"
	"fmt"
	"html"
	"io/fs"
	"path"
	"strings"
	"sync"
	"text/template"
)

// texts has a folder for each language, with a file for each kind of mail: the subject, an empty line, the text.
//
//go:embed texts
var texts embed.FS

// Kind is what a mail is about, the name of its file.
type Kind string

// The kinds of mails.
const (
	Invitation Kind = "invitation"
	Reset      Kind = "reset"

	CustomerWaits      Kind = "customer-waits"      // for a person
	TicketAssigned     Kind = "ticket-assigned"     // to the recipient
	CustomerReply      Kind = "customer-reply"      // to a customer who is away
	DailyLeads         Kind = "daily-leads"         // how many there were on a day
	DailyConversations Kind = "daily-conversations" // likewise
)

// Kinds lists the kinds of mails.
func Kinds() []Kind {
	return []Kind{Invitation, Reset, CustomerWaits, TicketAssigned, CustomerReply, DailyLeads, DailyConversations}
}

// Facts are what a text may name. What people have written is shown as a single line, but for the quotation.
type Facts struct {
	Account string // its name
	Inviter string // empty if it was the operator
	Email   string // of the recipient
	Link    string
	Agent   string // its name
	Day     string // such as 2026-11-28
	Count   int
	Quote   string // what was written, which may have several lines; empty where it must not be mailed
}

// defaultLanguage is that of mails to people whose language there is no text in.
const defaultLanguage = "en"

// onlyVariants are the texts for a language that there are for one country alone.
var onlyVariants = map[string]string{"pt": "pt-br"}

// Compose returns the mail in the language of the locale, such as de-AT, or else in English.
func Compose(kind Kind, locale string, f Facts) (Message, error) {
	t := findTemplate(kind, locale)
	if t == nil {
		return Message{}, fmt.Errorf("there is no mail %q", kind)
	}
	f.Account, f.Inviter, f.Agent, f.Quote = oneLine(f.Account), oneLine(f.Inviter), oneLine(f.Agent), quoteLines(f.Quote)
	var b strings.Builder
	if err := t.Execute(&b, f); err != nil {
		return Message{}, err
	}
	subject, text, _ := strings.Cut(b.String(), "\n")
	return Message{To: f.Email, Subject: strings.TrimSpace(subject), Text: strings.TrimLeft(text, "\n")}, nil
}

// ComposeNotice is Compose of a mail that nobody has asked for, with the same in HTML. settings is where its recipient
// chooses what they get; it may be empty.
func ComposeNotice(kind Kind, locale string, f Facts, settings string) (Message, error) {
	m, err := Compose(kind, locale, f)
	m.HTML, m.IsNotice, m.SettingsURL = asHTML(m.Text, f.Link), true, settings
	return m, err
}

// asHTML returns a text with its paragraphs and lines in HTML, and with its link.
func asHTML(text, link string) string {
	var b strings.Builder
	b.WriteString("<!doctype html><html><body>")
	for part := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		part = html.EscapeString(part)
		if escaped := html.EscapeString(link); link != "" && part == escaped {
			part = `<a href="` + escaped + `">` + escaped + `</a>`
		}
		b.WriteString(`<p dir="auto">` + strings.ReplaceAll(part, "\n", "<br>") + "</p>")
	}
	b.WriteString("</body></html>\n")
	return b.String()
}

// maxQuoteRunes is how many characters of what was written a mail holds.
const maxQuoteRunes = 2000

// quoteLines marks each line of what was written, so that nothing in it is taken for the mail's own words.
func quoteLines(s string) string {
	s = strings.TrimSpace(strings.ToValidUTF8(s, "?"))
	if s == "" {
		return ""
	}
	if runes := []rune(s); len(runes) > maxQuoteRunes {
		s = string(runes[:maxQuoteRunes]) + "…"
	}
	var lines []string
	for line := range strings.SplitSeq(s, "\n") {
		lines = append(lines, strings.TrimRight("> "+oneLine(line), " "))
	}
	return strings.Join(lines, "\n")
}

func findTemplate(kind Kind, locale string) *template.Template {
	language, _, _ := strings.Cut(strings.ToLower(locale), "-")
	for _, name := range []string{strings.ToLower(locale), language, onlyVariants[language], defaultLanguage} {
		if t := templates()[path.Join(name, string(kind))]; t != nil {
			return t
		}
	}
	return nil
}

// templates returns the texts by language and kind. They are part of the program, and tests read them all.
var templates = sync.OnceValue(func() map[string]*template.Template {
	all := map[string]*template.Template{}
	err := fs.WalkDir(texts, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := texts.ReadFile(name)
		if err != nil {
			return err
		}
		key := strings.TrimSuffix(strings.TrimPrefix(name, "texts/"), ".txt")
		all[strings.ToLower(key)] = template.Must(template.New(name).Option("missingkey=error").Parse(string(content)))
		return nil
	})
	if err != nil {
		panic(err)
	}
	return all
})

// oneLine returns a name without characters that could begin another line or header.
func oneLine(s string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if isControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))), " ")
}
