// Package mail sends plain mails by SMTP, and holds their texts in the languages of the console.
package mail

import (
	"context"
	"errors"
	"net/mail"
	"strings"
	"unicode/utf8"
)

// Message is a mail of plain text to one person.
type Message struct {
	To      string // a bare address
	Subject string
	Text    string
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
	case m.Text == "" || len(m.Text) > maxTextBytes || !utf8.ValidString(m.Text) || strings.ContainsRune(m.Text, 0):
		return errors.New("the text is empty, too long, or not a text")
	}
	return nil
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
