// Package mail sends mails by SMTP, and holds their texts in the languages of the console.
package mail

import (
	"context"
	"errors"
	"net/mail"
	"strings"
	"unicode/utf8"
)

// Message is a mail to one person.
type Message struct {
	To      string // a bare address
	Subject string
	Text    string
	HTML    string // the same for programs that show HTML; empty for none

	// IsNotice says that the mail tells of something and was not asked for: it says how to get no more of them.
	IsNotice bool
	// SettingsURL is where the recipient of a notice chooses what they get; empty where there is no such page.
	SettingsURL string
}

// Sender sends mails. It returns nil when a server has taken the mail over; IsRefused tells errors apart.
type Sender interface {
	Send(ctx context.Context, m Message) error
}

const (
	maxSubjectLength = 500     // characters
	maxTextBytes     = 1 << 20 // of a mail
)

// check refuses what could add a header or a recipient to the mail.
func (m Message) check() error {
	switch {
	case !isBareAddress(m.To):
		return errors.New("the recipient is not one e-mail address")
	case m.Subject == "" || utf8.RuneCountInString(m.Subject) > maxSubjectLength || hasControl(m.Subject):
		return errors.New("the subject is empty, too long, or has control characters")
	case m.Text == "" || !isMailText(m.Text) || !isMailText(m.HTML):
		return errors.New("the text is empty, too long, or not a text")
	case hasControl(m.SettingsURL) || strings.ContainsAny(m.SettingsURL, "<> "):
		return errors.New("the address of the settings is none")
	}
	return nil
}

func isMailText(s string) bool {
	return len(s) <= maxTextBytes && utf8.ValidString(s) && !strings.ContainsRune(s, 0)
}

// isBareAddress reports whether a text is an address in ASCII, without a name and without anything around it.
func isBareAddress(s string) bool {
	a, err := mail.ParseAddress(s)
	return err == nil && a.Name == "" && a.Address == s &&
		!strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}

func hasControl(s string) bool { return !utf8.ValidString(s) || strings.ContainsFunc(s, isControl) }

// isControl reports whether a character could end a line, or change how what follows is shown.
func isControl(r rune) bool {
	return r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' ||
		r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}
