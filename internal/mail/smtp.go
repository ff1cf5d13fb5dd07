package mail

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"parley"
)

// sendTimeout bounds the delivery of a mail to the server, from the dialing on.
const sendTimeout = 30 * time.Second

// encryption is how a connection to the server is kept secret.
type encryption string

const (
	encryptedFromStart encryption = "smtps"
	encryptedBySTART   encryption = "required" // STARTTLS, or nothing is sent
	notEncrypted       encryption = "off"
)

// The usual ports of submission.
const (
	startTLSPort = 587
	tlsPort      = 465
)

// SMTP sends through one server. Its fields must not change after the first mail.
type SMTP struct {
	TLS *tls.Config // nil trusts what the system trusts

	host, user, password string
	port                 int
	encryption           encryption
	from                 mail.Address
}

// NewSMTP returns the sender of a server such as smtp://user:password@mail.example:587, or smtps:// for a connection
// that is encrypted from its start. With smtp:// STARTTLS is required unless the server is on this machine;
// ?starttls=off and ?starttls=required say otherwise. from is the address of all mails, with a name or without. Its
// errors do not hold the address of the server, which has a password.
func NewSMTP(address, from string) (*SMTP, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Path != "" && u.Path != "/" || u.Fragment != "" {
		return nil, errors.New("not an address such as smtp://user:password@mail.example:587")
	}
	s := &SMTP{host: u.Hostname(), user: u.User.Username()}
	s.password, _ = u.User.Password()
	if s.encryption, err = encryptionOf(u); err != nil {
		return nil, err
	}
	s.port = startTLSPort
	if s.encryption == encryptedFromStart {
		s.port = tlsPort
	}
	if u.Port() != "" {
		if s.port, err = strconv.Atoi(u.Port()); err != nil || s.port < 1 || s.port > 65535 {
			return nil, errors.New("the port is not a number from 1 to 65535")
		}
	}
	if (s.user == "") != (s.password == "") {
		return nil, errors.New("a user needs a password, and a password a user")
	}
	if s.from, err = parseFrom(from); err != nil {
		return nil, err
	}
	return s, nil
}

func encryptionOf(u *url.URL) (encryption, error) {
	query, err := url.ParseQuery(u.RawQuery)
	wanted := query.Get("starttls")
	query.Del("starttls")
	switch {
	case err != nil || len(query) > 0:
		return "", errors.New("the only parameter is starttls")
	case u.Scheme == "smtps" && wanted == "":
		return encryptedFromStart, nil
	case u.Scheme == "smtps":
		return "", errors.New("smtps:// has no STARTTLS")
	case u.Scheme != "smtp":
		return "", errors.New("it must begin with smtp:// or smtps://")
	case wanted == "" && isLoopback(u.Hostname()):
		return notEncrypted, nil
	case !slices.Contains([]string{"", string(encryptedBySTART), string(notEncrypted)}, wanted):
		return "", errors.New("starttls must be required or off")
	}
	return cmp.Or(encryption(wanted), encryptedBySTART), nil
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.IsLoopback()
}

func parseFrom(from string) (mail.Address, error) {
	a, err := mail.ParseAddress(from)
	if err != nil || !isBareAddress(a.Address) || hasControl(a.Name) {
		return mail.Address{}, errors.New("the sender must be parley@example.com or Parley <parley@example.com>")
	}
	return *a, nil
}

// Send implements Sender.
func (s *SMTP) Send(ctx context.Context, m Message) error {
	if err := m.check(); err != nil {
		return &Error{text: err.Error(), isRefused: true}
	}
	msg, err := s.newMessage(m)
	if err != nil {
		return s.wrapError(err, m.To)
	}
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	client, err := s.newClient(ctx)
	if err != nil {
		return s.wrapError(err, m.To)
	}
	if err = client.DialAndSendWithContext(ctx, msg); err != nil && !msg.IsDelivered() {
		return s.wrapError(err, m.To)
	}
	return nil // the server has the mail, however the connection ended
}

// Check connects to the server and signs in there. It sends nothing.
func (s *SMTP) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	client, err := s.newClient(ctx)
	if err == nil {
		err = client.DialWithContext(ctx)
	}
	if err != nil {
		return s.wrapError(err, "")
	}
	_ = client.Close() // the server has answered, however the connection ends
	return nil
}

func (s *SMTP) newMessage(m Message) (*gomail.Msg, error) {
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	if err := msg.FromFormat(s.from.Name, s.from.Address); err != nil {
		return nil, err
	}
	if err := msg.To(m.To); err != nil {
		return nil, err
	}
	msg.Subject(m.Subject)
	msg.SetDate()
	_, domain, _ := strings.Cut(s.from.Address, "@")
	msg.SetMessageIDWithValue(parley.NewUUID() + "@" + domain) // by default it has the name of this machine
	msg.SetGenHeader("Auto-Submitted", "auto-generated")       // nobody's absence is to be answered
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	if m.HTML != "" {
		msg.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	}
	if m.IsNotice {
		msg.SetListUnsubscribe(m.SettingsURL, "mailto:"+s.from.Address+"?subject=unsubscribe")
	}
	return msg, nil
}

func (s *SMTP) newClient(ctx context.Context) (*gomail.Client, error) {
	options := []gomail.Option{
		gomail.WithPort(s.port), gomail.WithTimeout(sendTimeout), gomail.WithoutSMTPUTF8(),
		gomail.WithTLSConfig(s.tlsConfig()), gomail.WithDialContextFunc(s.dialUntilDone(ctx)),
	}
	policy := gomail.NoTLS
	if s.encryption == encryptedBySTART {
		policy = gomail.TLSMandatory
	}
	options = append(options, gomail.WithTLSPolicy(policy))
	if s.user != "" {
		options = append(options, gomail.WithUsername(s.user), gomail.WithPassword(s.password),
			gomail.WithOpportunisticSMTPAuth(s.authMethods()...))
	}
	return gomail.NewClient(s.host, options...)
}

// authMethods lists how the server is told the password, what reveals least first.
func (s *SMTP) authMethods() []gomail.SMTPAuthType {
	if s.encryption == notEncrypted {
		return []gomail.SMTPAuthType{gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthPlainNoEnc, gomail.SMTPAuthLoginNoEnc}
	}
	return []gomail.SMTPAuthType{gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthPlain, gomail.SMTPAuthLogin}
}

func (s *SMTP) tlsConfig() *tls.Config {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if s.TLS != nil {
		c = s.TLS.Clone()
	}
	c.ServerName = s.host
	return c
}

// dialUntilDone returns a function that dials, and has the connection end with ctx: the library looks at the context of
// the dialing alone.
func (s *SMTP) dialUntilDone(ctx context.Context) gomail.DialContextFunc {
	return func(dialing context.Context, network, address string) (net.Conn, error) {
		var dialer interface {
			DialContext(ctx context.Context, network, address string) (net.Conn, error)
		} = &net.Dialer{}
		if s.encryption == encryptedFromStart {
			dialer = &tls.Dialer{Config: s.tlsConfig()}
		}
		conn, err := dialer.DialContext(dialing, network, address)
		if err == nil {
			context.AfterFunc(ctx, func() { _ = conn.Close() })
		}
		return conn, err
	}
}

// Error is a mail that was not sent. Its text is fit for a log.
type Error struct {
	text      string
	isRefused bool
}

func (e *Error) Error() string { return e.text }

// IsRefused reports whether sending the same mail again is of no use: the server does not take it for this recipient.
func IsRefused(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.isRefused
}

// maxErrorLength bounds what is kept of a server's words.
const maxErrorLength = 300

// wrapError returns the error without the password and the recipient, which servers repeat; to is empty without one.
func (s *SMTP) wrapError(err error, to string) error {
	e := &Error{text: fmt.Sprintf("the mail server %s: %s", s.host, err)}
	var failed *gomail.SendError
	if errors.As(err, &failed) && !failed.IsTemp() && failed.ErrorCode() >= 500 {
		e.isRefused = slices.Contains([]gomail.SendErrReason{gomail.ErrSMTPRcptTo, gomail.ErrSMTPDataClose}, failed.Reason)
	}
	var pairs []string
	if to != "" {
		pairs = append(pairs, to, "the recipient")
	}
	if s.password != "" {
		pairs = append(pairs, s.password, "***")
	}
	text := []rune(strings.ToValidUTF8(strings.NewReplacer(pairs...).Replace(e.text), "?"))
	e.text = strings.Map(func(r rune) rune {
		if isControl(r) {
			return ' '
		}
		return r
	}, string(text[:min(len(text), maxErrorLength)]))
	return e
}
