package mail

import (
	"embed"
	"fmt"
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
)

// Kinds lists the kinds of mails.
func Kinds() []Kind { return []Kind{Invitation, Reset} }

// Facts are what a text may name. What people have written is shown as a single line.
type Facts struct {
	Account string // its name
	Inviter string // empty if it was the operator
	Email   string // of the recipient
	Link    string
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
	f.Account, f.Inviter = oneLine(f.Account), oneLine(f.Inviter)
	var b strings.Builder
	if err := t.Execute(&b, f); err != nil {
		return Message{}, err
	}
	subject, text, _ := strings.Cut(b.String(), "\n")
	return Message{To: f.Email, Subject: strings.TrimSpace(subject), Text: strings.TrimLeft(text, "\n")}, nil
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
