package doctor

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"parley/internal/bus"
	"parley/internal/certs"
	"parley/internal/datadir"
	"parley/internal/httpclient"
	"parley/internal/mail"
	"parley/internal/tracing"
)

const (
	// lastTime is how long before its end a certificate is a fault; with less than renewalTime it is time to act.
	lastTime    = 24 * time.Hour
	renewalTime = 14 * 24 * time.Hour
)

// checkCertificate checks that the server can start with its certificate, and that browsers will take that.
func (d *Doctor) checkCertificate(ctx context.Context, r *report) {
	c := d.Config.TLSConfig
	switch {
	case len(c.ACMEDomains) > 0:
		d.checkIssued(ctx, r)
		return
	case c.TLSCert == "" || c.TLSKey == "":
		r.pass("none is configured: the server speaks plain HTTP")
		return
	}
	pair, err := tls.LoadX509KeyPair(c.TLSCert, c.TLSKey)
	if err != nil {
		r.fail("Name a certificate and the key that belongs to it, two files in PEM that the user of the server may read, "+
			"with PARLEY_TLS_CERT and PARLEY_TLS_KEY: the server does not start with these.",
			"the certificate in %s and its key in %s cannot be used: %v", c.TLSCert, c.TLSKey, err)
		return
	}
	d.checkValidity(r, c.TLSCert, pair.Leaf)
	for _, host := range d.publicHosts() {
		if err := pair.Leaf.VerifyHostname(host); err != nil {
			r.warn("Have a certificate made that has this name too, unless a proxy with one of its own is before Parley.",
				"the certificate in %s is not one for %s: browsers refuse it there", c.TLSCert, host)
		}
	}
	checkKeyFile(r, c.TLSKey)
	r.pass("%s, until %s", c.TLSCert, pair.Leaf.NotAfter.UTC().Format(time.DateOnly))
}

// publicHosts lists the hosts under which browsers reach the server by HTTPS, as far as the settings say.
func (d *Doctor) publicHosts() (hosts []string) {
	for _, address := range []string{d.Config.BaseURL, d.Config.ConsoleURL} {
		u, err := url.Parse(address)
		if err == nil && u.Scheme == "https" && !slices.Contains(hosts, u.Hostname()) {
			hosts = append(hosts, u.Hostname())
		}
	}
	return hosts
}

// checkIssued checks what an ACME server has issued, and that it can be asked for more.
func (d *Doctor) checkIssued(ctx context.Context, r *report) {
	c := d.Config.TLSConfig
	var found []string
	for _, domain := range c.ACMEDomains {
		leaf, err := certs.ReadIssued(ctx, filepath.Join(d.Config.Data, certs.Folder), domain)
		if text := d.checkIssuedFor(r, domain, leaf, err); text != "" {
			found = append(found, text)
		}
	}
	for _, host := range d.publicHosts() {
		if !slices.ContainsFunc(c.ACMEDomains, func(domain string) bool { return strings.EqualFold(domain, host) }) {
			r.warn("Name it in PARLEY_ACME_DOMAINS too, unless a proxy with a certificate of its own is before Parley.",
				"no certificate is asked for %s: browsers refuse the server there", host)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, engineTimeout)
	defer cancel()
	if status, _, err := fetch(ctx, c.Directory()); err != nil || status != http.StatusOK {
		r.fail("Check PARLEY_ACME_DIRECTORY, and whether this machine reaches it. Until then no certificate is issued or "+
			"renewed.", "the ACME server at %s does not answer as it should: %v", hostOf(c.Directory()),
			cmp.Or(err, fmt.Errorf("status %d", status)))
	}
	r.pass("issued by an ACME server: %s", strings.Join(found, ", "))
}

// checkIssuedFor reports what is not in order with the certificate of a domain, and describes it otherwise.
func (d *Doctor) checkIssuedFor(r *report, domain string, leaf *x509.Certificate, err error) string {
	const advice = "The server's log says why, once a browser has asked for the domain: it must lead to this server, on " +
		"port 443 or, with PARLEY_HTTP_LISTEN, on port 80."
	switch {
	case err != nil:
		r.fail("Let the user of the server read the folder.", "the certificate for %s cannot be read: %v", domain, err)
	case leaf == nil:
		r.warn("It is issued when the first browser asks for the domain. "+advice,
			"no certificate has been issued for %s yet", domain)
	case leaf.NotAfter.Sub(d.Config.Now()) < lastTime:
		r.fail(advice, "the certificate for %s has not been renewed, and ends at %s UTC", domain,
			leaf.NotAfter.UTC().Format(time.DateTime))
	default:
		return fmt.Sprintf("%s until %s", domain, leaf.NotAfter.UTC().Format(time.DateOnly))
	}
	return ""
}

// checkValidity checks when a certificate begins and ends.
func (d *Doctor) checkValidity(r *report, file string, leaf *x509.Certificate) {
	const advice = "Have it renewed, and put the new certificate and its key in the place of these: a running server " +
		"reads them again."
	now, until := d.Config.Now(), leaf.NotAfter.UTC().Format(time.DateTime)
	left := leaf.NotAfter.Sub(now)
	switch {
	case now.Before(leaf.NotBefore):
		r.fail("Set the clock of this machine, or use a certificate that is in force already.",
			"the certificate in %s is in force only from %s UTC", file, leaf.NotBefore.UTC().Format(time.DateTime))
	case left <= 0:
		r.fail(advice, "the certificate in %s has ended at %s UTC: browsers refuse it", file, until)
	case left < lastTime:
		r.fail(advice, "the certificate in %s ends within a day, at %s UTC", file, until)
	case left < renewalTime:
		r.warn(advice, "the certificate in %s ends soon, at %s UTC", file, until)
	}
}

// checkKeyFile reports a key that every user of this machine can read.
func checkKeyFile(r *report, file string) {
	const everybody = 0o007
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm()&everybody == 0 {
		return
	}
	if _, known := datadir.OwnerID(info); known {
		r.warn("Take that right away: chmod o-rwx "+file, "every user of this machine may read the key of the certificate, "+
			"%s (%s)", file, info.Mode().Perm())
	}
}

// listener is an address that the server listens on, with its setting.
type listener struct{ address, setting string }

// listeners lists what the server listens on.
func (d *Doctor) listeners() (list []listener) {
	c := d.Config
	for _, l := range []listener{{c.Listen, "PARLEY_LISTEN"}, {c.FilesListen, "PARLEY_FILES_LISTEN"},
		{c.MetricsListen, "PARLEY_METRICS_LISTEN"}, {c.HTTPListen, "PARLEY_HTTP_LISTEN"}} {
		if l.address != "" {
			list = append(list, l)
		}
	}
	return list
}

// checkListeners checks that a server could listen on all its addresses.
func (d *Doctor) checkListeners(ctx context.Context, r *report) {
	settings := map[string]string{} // of each address
	var addresses []string
	for _, l := range d.listeners() {
		first, isTaken := settings[l.address]
		if _, port, err := net.SplitHostPort(l.address); isTaken && err == nil && port != "0" {
			r.fail("Choose another address for one of them.", "%s and %s are both %s", first, l.setting, l.address)
			continue
		}
		settings[l.address] = l.setting
		addresses = append(addresses, l.address)
		checkListener(ctx, r, l)
	}
	r.pass("no server runs on the data; one could listen on %s", strings.Join(addresses, ", "))
}

func checkListener(ctx context.Context, r *report, l listener) {
	opened, err := (&net.ListenConfig{}).Listen(ctx, "tcp", l.address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		r.fail("Stop that program, or choose another address with "+l.setting+".",
			"no server runs on the data, and another program listens on %s", l.address)
	case err != nil:
		r.fail("Choose another address with "+l.setting+".", "no server runs on the data, and none could listen: %v", err)
	default:
		_ = opened.Close()
	}
}

// maxAnswerBytes is how much is read of what a server of others answers.
const maxAnswerBytes = 1 << 20

// fetch returns the status and the text of what an address answers. Its errors do not hold the address.
func fetch(ctx context.Context, address string) (status int, text []byte, err error) {
	client := httpclient.Client{}
	defer client.Close()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, nil, withoutAddress(err)
	}
	res, err := client.HTTPClient().Do(req)
	if err != nil {
		return 0, nil, withoutAddress(err)
	}
	text, err = io.ReadAll(io.LimitReader(res.Body, maxAnswerBytes))
	return res.StatusCode, text, errors.Join(err, res.Body.Close())
}

// checkMediaServer checks that the LiveKit of the settings answers.
func (d *Doctor) checkMediaServer(ctx context.Context, r *report) {
	address := d.Config.LiveKitURL
	if address == "" {
		r.pass("no LiveKit is configured: the server carries voice sessions itself")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, engineTimeout)
	defer cancel()
	address = plainURL(address)
	const advice = "Check PARLEY_LIVEKIT_URL, that LiveKit runs, and whether this machine reaches it. Until then there " +
		"are no voice sessions."
	status, _, err := fetch(ctx, address)
	if err != nil {
		r.fail(advice, "LiveKit at %s does not answer: %v", hostOf(address), err)
	} else if status >= http.StatusInternalServerError {
		r.fail(advice, "LiveKit at %s answers with status %d", hostOf(address), status)
	}
	r.pass("LiveKit at %s", hostOf(address))
}

// checkMail checks that the mail server answers and takes the password. No mail is sent.
func (d *Doctor) checkMail(ctx context.Context, r *report) {
	c := d.Config.SignInConfig
	if c.SMTPURL == "" {
		r.pass("no mail server is configured: nobody gets mails")
		return
	}
	sender, err := mail.NewSMTP(c.SMTPURL, c.MailFrom)
	if err != nil {
		r.pass("not checked: see the settings")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, engineTimeout)
	defer cancel()
	if err := sender.Check(ctx); err != nil {
		r.fail("Check PARLEY_SMTP_URL with its user and password, and whether this machine reaches the server. Until then "+
			"nobody gets mails.", "%v", err)
	}
	r.pass("the mail server at %s", hostOf(c.SMTPURL))
}

// checkSingleSignOn checks that the provider that the settings name is one.
func (d *Doctor) checkSingleSignOn(ctx context.Context, r *report) {
	issuer := d.Config.OIDCIssuer
	if issuer == "" {
		r.pass("the server has no provider")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, engineTimeout)
	defer cancel()
	status, text, err := fetch(ctx, strings.TrimSuffix(issuer, "/")+"/.well-known/openid-configuration")
	var found struct {
		Issuer string `json:"issuer"`
	}
	const advice = "Check PARLEY_OIDC_ISSUER, and whether this machine reaches it. Until then nobody signs in there."
	switch {
	case err != nil:
		r.fail(advice, "the provider of single sign-on at %s does not answer: %v", hostOf(issuer), err)
	case status != http.StatusOK || json.Unmarshal(text, &found) != nil:
		r.fail(advice, "what is at %s is no provider of single sign-on: it answers with status %d", hostOf(issuer), status)
	case found.Issuer != issuer:
		r.fail("Set PARLEY_OIDC_ISSUER to the same text, if that is the right provider. Until then nobody signs in there.",
			"the provider of single sign-on at %s calls itself %q", hostOf(issuer), found.Issuer)
	}
	r.pass("the provider at %s", hostOf(issuer))
}

// checkTraces checks that the collector takes what the server sends. No trace is sent.
func (d *Doctor) checkTraces(ctx context.Context, r *report) {
	c := d.Config
	if c.OTLPEndpoint == "" {
		r.pass("none are sent")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, engineTimeout)
	defer cancel()
	if err := tracing.NewExporter(c.OTLPEndpoint, c.OTLPHeaders, c.Version, c.Logger).Check(ctx); err != nil {
		r.fail("Check PARLEY_OTLP_ENDPOINT and PARLEY_OTLP_HEADERS, and whether this machine reaches the collector. Until "+
			"then traces are lost; answers are not.", "the collector at %s takes no traces: %v", hostOf(c.OTLPEndpoint),
			withoutAddress(err))
	}
	r.pass("the collector at %s", hostOf(c.OTLPEndpoint))
}

// checkRedis checks that the Redis between the servers answers and takes the password.
func (d *Doctor) checkRedis(ctx context.Context, r *report) {
	address := d.Config.RedisURL
	if address == "" {
		r.pass("none is configured")
		return
	}
	engine, err := bus.NewRedis(address, "")
	if err != nil {
		r.pass("not checked: see the settings")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, engineTimeout)
	defer cancel()
	host := cmp.Or(hostOf(address), "its socket")
	if err := engine.Check(ctx); err != nil {
		r.fail("Check PARLEY_REDIS_URL with its password, and whether this machine reaches the server. Until then servers "+
			"learn of each other's changes late, and each counts limits for itself.",
			"Redis at %s does not answer: %v", host, withoutAddress(err))
	}
	r.pass("Redis at %s", host)
}
