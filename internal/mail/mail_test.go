package mail_test

import (
	"context"
	"crypto/tls"
	"errors"
	"mime"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/mail"
	"parley/internal/testkit/mailserver"
)

const (
	from     = "Parley <parley@shop.example>"
	password = "s3cret p@ss"
)

var hello = mail.Message{To: "kim@shop.example", Subject: "Grüße aus dem Laden", Text: "Guten Tag,\n\nschöne Grüße.\n"}

func newSMTP(t *testing.T, address, from string) *mail.SMTP {
	t.Helper()
	s, err := mail.NewSMTP(address, from)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestMailsArrive(t *testing.T) {
	for _, c := range []struct {
		name    string
		options mailserver.Options
		url     string // with ADDR for the address
		isTLS   bool
	}{
		{"on this machine", mailserver.Options{}, "smtp://ADDR", false},
		{"with a password", mailserver.Options{User: "kim", Password: password, TakesPlain: true},
			"smtp://kim:s3cret%20p%40ss@ADDR", false},
		{"STARTTLS", mailserver.Options{HasTLS: true, User: "kim", Password: password},
			"smtp://kim:s3cret%20p%40ss@ADDR?starttls=required", true},
		{"TLS", mailserver.Options{IsTLS: true, User: "kim", Password: password, TakesPlain: true},
			"smtps://kim:s3cret%20p%40ss@ADDR", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := mailserver.Start(t, c.options)
			s := newSMTP(t, strings.Replace(c.url, "ADDR", server.Addr, 1), from)
			s.TLS = &tls.Config{RootCAs: server.Roots, MinVersion: tls.VersionTLS12}
			if err := errors.Join(s.Check(t.Context()), s.Send(t.Context(), hello)); err != nil {
				t.Fatal(err)
			}
			if n := len(server.Mails()); n != 1 {
				t.Errorf("%d mails", n)
			}
			m := server.Mails()[0]
			subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
			if err != nil || subject != hello.Subject || m.Text != hello.Text || m.To != hello.To ||
				m.From != "parley@shop.example" || m.User != c.options.User {
				t.Errorf("%+v", m)
			}
			if m.Header.Get("From") != `"Parley" <parley@shop.example>` || m.Header.Get("Auto-Submitted") == "" ||
				!strings.HasPrefix(m.Header.Get("Content-Type"), "text/plain") || m.Header.Get("User-Agent") != "" ||
				!strings.HasSuffix(m.Header.Get("Message-ID"), "@shop.example>") || m.Header.Get("Date") == "" {
				t.Errorf("%v", m.Header)
			}
			if c.isTLS && !m.IsTLS && !c.options.IsTLS {
				t.Error("sent without encryption")
			}
		})
	}
}

func TestNothingIsSentWithoutEncryptionThatIsRequired(t *testing.T) {
	server := mailserver.Start(t, mailserver.Options{User: "kim", Password: password, TakesPlain: true})
	err := newSMTP(t, "smtp://kim:pw@"+server.Addr+"?starttls=required", from).Send(t.Context(), hello)
	if err == nil || !strings.Contains(err.Error(), "STARTTLS") || mail.IsRefused(err) {
		t.Error(err)
	}
	trusted := mailserver.Start(t, mailserver.Options{HasTLS: true})
	err = newSMTP(t, "smtp://"+trusted.Addr+"?starttls=required", from).Send(t.Context(), hello)
	if err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("a certificate that nobody vouches for: %v", err)
	}
	if len(server.Mails())+len(trusted.Mails()) > 0 {
		t.Error("sent")
	}
}

func TestErrorsHoldNoPasswordAndNoRecipient(t *testing.T) {
	server := mailserver.Start(t, mailserver.Options{User: "kim", Password: "another", TakesPlain: true})
	s := newSMTP(t, "smtp://kim:s3cret%20p%40ss@"+server.Addr, from)
	for _, err := range []error{s.Send(t.Context(), hello), s.Check(t.Context())} {
		if err == nil || strings.Contains(err.Error(), password) || !strings.Contains(err.Error(), "***") ||
			mail.IsRefused(err) {
			t.Error(err)
		}
	}
	open := mailserver.Start(t, mailserver.Options{})
	for status, isRefused := range map[int]bool{550: true, 450: false} {
		open.Reject(status)
		err := newSMTP(t, "smtp://"+open.Addr, from).Send(t.Context(), hello)
		if err == nil || strings.Contains(err.Error(), hello.To) || mail.IsRefused(err) != isRefused {
			t.Errorf("%d: %v", status, err)
		}
	}
	open.Stop()
	if err := newSMTP(t, "smtp://"+open.Addr, from).Send(t.Context(), hello); err == nil || mail.IsRefused(err) {
		t.Error("a server that is down:", err)
	}
}

// TestSilentServersAreLeft has a server that takes the connection and says nothing.
func TestSilentServersAreLeft(t *testing.T) {
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := newSMTP(t, "smtp://"+listener.Addr().String(), from).Send(ctx, hello); err == nil || mail.IsRefused(err) {
		t.Error(err)
	}
}

func TestNothingCanBeAddedToTheHeaders(t *testing.T) {
	server := mailserver.Start(t, mailserver.Options{})
	s := newSMTP(t, "smtp://"+server.Addr, from)
	for _, m := range []mail.Message{
		{To: "kim@shop.example\r\nBcc: eve@x.example", Subject: "s", Text: "t"},
		{To: "kim@shop.example, eve@x.example", Subject: "s", Text: "t"},
		{To: "Kim <kim@shop.example>", Subject: "s", Text: "t"},
		{To: "", Subject: "s", Text: "t"},
		{To: "kim@shop.example", Subject: "s\r\nBcc: eve@x.example", Text: "t"},
		{To: "kim@shop.example", Subject: "s\u2028x", Text: "t"},
		{To: "kim@shop.example", Subject: "\xff", Text: "t"},
		{To: "kim@shop.example", Subject: "s", Text: "\x00"},
		{To: "kim@shop.example", Subject: strings.Repeat("s", 501), Text: "t"},
	} {
		if err := s.Send(t.Context(), m); !mail.IsRefused(err) {
			t.Errorf("%+v: %v", m, err)
		}
	}
	if len(server.Mails()) > 0 {
		t.Error(server.Mails())
	}
	text := "Hello\r\n.\r\nMAIL FROM:<eve@x.example>\r\n.hidden\n"
	if err := s.Send(t.Context(), mail.Message{To: hello.To, Subject: "s", Text: text}); err != nil {
		t.Fatal(err)
	}
	if m := server.Mails(); len(m) != 1 || m[0].Text != strings.ReplaceAll(text, "\r\n", "\n") {
		t.Errorf("%+v", m)
	}
}

func TestAddressesOfServers(t *testing.T) {
	for address, isFine := range map[string]bool{
		"smtp://mail.example": true, "smtps://mail.example": true, "smtp://a:b@mail.example:2525/": true,
		"smtp://[::1]:25": true, "smtp://mail.example?starttls=off": true,
		"": false, "mail.example": false, "http://mail.example": false, "smtp://": false, "smtp://mail.example/x": false,
		"smtp://mail.example:0": false, "smtp://mail.example:99999": false, "smtp://a@mail.example": false,
		"smtp://mail.example?starttls=maybe": false, "smtps://mail.example?starttls=off": false,
		"smtp://mail.example?tls=off": false, "smtp://a:%zz@mail.example": false, "smtp://a:topsecret@ma il": false,
	} {
		_, err := mail.NewSMTP(address, from)
		if (err == nil) != isFine {
			t.Errorf("%q: %v", address, err)
		}
		if err != nil && strings.Contains(err.Error(), "topsecret") {
			t.Error(err)
		}
	}
	for _, from := range []string{"", "Parley", "Parley <parley>x", "a@x.example, b@x.example",
		"P\r\nBcc: x <a@x.example>"} {
		if _, err := mail.NewSMTP("smtp://mail.example", from); err == nil {
			t.Errorf("the sender %q is taken", from)
		}
	}
}

// TestTextsAreInTheLanguagesOfTheConsole checks that who reads the console gets mails in the same language, and that no
// sentence was left in another one.
func TestTextsAreInTheLanguagesOfTheConsole(t *testing.T) {
	catalogs, err := filepath.Glob("../../web/console/src/locales/*.json")
	if err != nil || len(catalogs) == 0 {
		t.Fatal(catalogs, err)
	}
	facts := mail.Facts{Account: "Shop", Inviter: "Kim", Email: "bo@x.example", Link: "https://parley.example/#token",
		Agent: "Guide", Day: "2026-11-28", Count: 3}
	seen := map[string]string{}
	for _, catalog := range catalogs {
		locale := strings.TrimSuffix(filepath.Base(catalog), ".json")
		for _, kind := range mail.Kinds() {
			m, err := mail.Compose(kind, locale, facts)
			if err != nil {
				t.Fatal(locale, kind, err)
			}
			if !strings.Contains(m.Text, "\n\n"+facts.Link+"\n\n") || strings.Count(m.Text, "\n\n") != 4 ||
				!strings.Contains(m.Text, facts.Email) || strings.Contains(m.Text+m.Subject, "  ") {
				t.Errorf("%s %s:\n%s", locale, kind, m.Text)
			}
			for sentence := range strings.SplitSeq(m.Subject+"\n"+m.Text, "\n") {
				if other := seen[sentence]; len(sentence) > 20 && other != "" && other != locale && sentence != facts.Link {
					t.Errorf("%s has a sentence of %s: %s", locale, other, sentence)
				}
				seen[sentence] = locale
			}
		}
	}
}

// TestTextsNameTheSameThings checks that each language has every text, and each text the same facts.
func TestTextsNameTheSameThings(t *testing.T) {
	folders, err := os.ReadDir("texts")
	if err != nil || len(folders) < 2 {
		t.Fatal(folders, err)
	}
	fact := regexp.MustCompile(`\{\{[^}]*\}\}`)
	for _, kind := range mail.Kinds() {
		var want []string
		for _, folder := range folders {
			text, err := os.ReadFile(filepath.Join("texts", folder.Name(), string(kind)+".txt"))
			if err != nil {
				t.Fatal(err)
			}
			got := fact.FindAllString(string(text), -1)
			slices.Sort(got)
			got = slices.Compact(got)
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s %s: %v, want %v", folder.Name(), kind, got, want)
			}
		}
	}
}

func TestTextsAreInTheLanguageOfTheReader(t *testing.T) {
	facts := mail.Facts{Account: "Shop\r\nBcc: eve@x.example", Inviter: "Kim\n\nBuy now", Email: "bo@x.example",
		Link: "https://parley.example/console/redeem#token"}
	for locale, want := range map[string]string{"": "invites you", "en": "invites you", "de": "lädt Sie",
		"de-AT": "lädt Sie", "DE": "lädt Sie", "fr-CA": "vous invite", "es": "le invita", "pt-BR": "convida você",
		"pt": "convida você",
		"ja": "招待", "ar-EG": "يدعوك", "sv": "invites you", "../de": "invites you"} {
		m, err := mail.Compose(mail.Invitation, locale, facts)
		if err != nil || !strings.Contains(m.Subject, want) || !strings.Contains(m.Text, "\n"+facts.Link+"\n") ||
			m.To != facts.Email || strings.ContainsAny(m.Subject, "\r\n") || strings.Contains(m.Text, "\nBcc") {
			t.Errorf("%q: %+v %v", locale, m, err)
		}
	}
	facts.Inviter = ""
	if m, err := mail.Compose(mail.Invitation, "en", facts); err != nil ||
		!strings.HasPrefix(m.Subject, "You are invited to Shop") {
		t.Errorf("%+v %v", m, err)
	}
	if _, err := mail.Compose("other", "en", facts); err == nil {
		t.Error("a kind that does not exist")
	}
}

func TestNoticesQuoteAndSayHowToGetNoMore(t *testing.T) {
	server := mailserver.Start(t, mailserver.Options{})
	facts := mail.Facts{Email: "kim@shop.example", Agent: "Guide\nBcc: eve@x.example", Link: "https://x.example/?a=1&b=2",
		Quote: "My <b>order</b>\n\nhttps://x.example/?a=1&b=2\r\nBye"}
	m, err := mail.ComposeNotice(mail.CustomerWaits, "en", facts, "https://x.example/console/me")
	if err != nil {
		t.Fatal(err)
	}
	if err := newSMTP(t, "smtp://"+server.Addr, from).Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	got := server.Mails()[0]
	if !strings.Contains(got.Text, "\n> My <b>order</b>\n>\n> https://x.example/?a=1&b=2\n> Bye\n") ||
		!strings.Contains(got.Text, "\n\n"+facts.Link+"\n\n") {
		t.Errorf("the text is %q", got.Text)
	}
	if !strings.Contains(got.HTML, "My &lt;b&gt;order&lt;/b&gt;<br>") || strings.Contains(got.HTML, "<b>") ||
		strings.Count(got.HTML, `<a href="https://x.example/?a=1&amp;b=2">`) != 1 {
		t.Errorf("the HTML is %q", got.HTML)
	}
	const unsubscribe = "<https://x.example/console/me>, <mailto:parley@shop.example?subject=unsubscribe>"
	if got.Header.Get("List-Unsubscribe") != unsubscribe || got.Header.Get("Bcc") != "" {
		t.Errorf("%v", got.Header)
	}
}
