package doctor_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/doctor"
	"parley/internal/testkit/mailserver"
)

// closedAddress is an address where nothing listens.
const closedAddress = "127.0.0.1:1"

// networkFaults are those of certificates, of addresses and of servers of others.
var networkFaults = []plantedFault{
	{"a text in place of a certificate", func(in *installation) {
		in.Config.TLSCert, in.Config.TLSKey = in.writeFile("cert.pem", "a text"), in.writeFile("key.pem", "a text")
	}, "certificate", doctor.Fault, "cannot be used"},
	{"the key of another certificate", func(in *installation) {
		in.Config.TLSCert, _ = in.writeCertificate("own", 90*24*time.Hour)
		_, in.Config.TLSKey = in.writeCertificate("other", 90*24*time.Hour)
	}, "certificate", doctor.Fault, "does not match"},
	{"a certificate that has ended", func(in *installation) { in.useCertificate(-time.Minute) },
		"certificate", doctor.Fault, "has ended at"},
	{"a certificate that ends today", func(in *installation) { in.useCertificate(23 * time.Hour) },
		"certificate", doctor.Fault, "ends within a day"},
	{"a certificate that ends soon", func(in *installation) { in.useCertificate(10 * 24 * time.Hour) },
		"certificate", doctor.Warning, "ends soon"},
	{"a key that everybody reads", func(in *installation) {
		in.useCertificate(90 * 24 * time.Hour)
		in.Must(os.Chmod(in.Config.TLSKey, 0o644))
	}, "certificate", doctor.Warning, "chmod o-rwx"},
	{"a certificate for another name", func(in *installation) {
		in.useCertificate(90 * 24 * time.Hour)
		in.Config.BaseURL = "https://other.example.com"
	}, "certificate", doctor.Warning, "is not one for other.example.com"},
	{"an ACME server that is down", func(in *installation) {
		in.Config.ACMEDomains, in.Config.ACMEDirectory = []string{"agents.example.com"}, "https://"+closedAddress+"/dir"
	}, "certificate", doctor.Fault, "the ACME server at 127.0.0.1:1"},
	{"a certificate that was never issued", func(in *installation) { in.useACME() },
		"certificate", doctor.Warning, "no certificate has been issued for agents.example.com yet"},
	{"an issued certificate that was not renewed", func(in *installation) {
		in.useACME()
		in.issue("agents.example.com", time.Hour)
	}, "certificate", doctor.Fault, "has not been renewed"},
	{"a name that no certificate is asked for", func(in *installation) {
		in.useACME()
		in.Config.BaseURL = "https://other.example.com"
	}, "certificate", doctor.Warning, "no certificate is asked for other.example.com"},
	{"a server that speaks and is down", func(in *installation) {
		in.Config.TTS, in.Config.TTSURL = "openai", "http://"+closedAddress
	}, "speech", doctor.Fault, "the speech server at 127.0.0.1:1 does not answer"},
	{"a server that understands and is down", func(in *installation) {
		in.Config.STT, in.Config.STTURL = "deepgram", "ws://"+closedAddress
	}, "speech", doctor.Fault, "PARLEY_STT_URL"},
	{"a speech server that refuses the key", func(in *installation) {
		in.Config.TTS, in.Config.TTSURL, in.Config.TTSKey = "auto", in.refuse(), "k"
	}, "speech", doctor.Fault, "refuses the key (status 401)"},
	{"a search engine that is down", func(in *installation) { in.Config.SearchURL = "http://" + closedAddress },
		"web search", doctor.Fault, "the search engine at 127.0.0.1:1"},
	{"a port of metrics in use", func(in *installation) { in.Config.MetricsListen = in.listen() },
		"server", doctor.Fault, "PARLEY_METRICS_LISTEN"},
	{"a port of files in use", func(in *installation) { in.Config.FilesListen = in.listen() },
		"server", doctor.Fault, "PARLEY_FILES_LISTEN"},
	{"a port for two", func(in *installation) {
		in.Config.FilesListen, in.Config.MetricsListen = closedAddress, closedAddress
	}, "server", doctor.Fault, "PARLEY_FILES_LISTEN and PARLEY_METRICS_LISTEN are both"},
	{"a folder of backups that cannot be made", func(in *installation) {
		in.Config.BackupTo, in.Config.BackupEvery, in.Config.BackupKeep = "/proc/nope", 24*time.Hour, 7
	}, "backups", doctor.Fault, "no backup can be written to /proc/nope"},
	{"a LiveKit that is down", func(in *installation) { in.Config.LiveKitURL = "ws://" + closedAddress },
		"media server", doctor.Fault, "does not answer"},
	{"a mail server that is down", func(in *installation) {
		in.Config.SMTPURL, in.Config.MailFrom = "smtp://"+closedAddress, "parley@example.com"
	}, "mail", doctor.Fault, "the mail server 127.0.0.1"},
	{"a provider that is down", func(in *installation) { in.Config.OIDCIssuer = "http://" + closedAddress },
		"single sign-on", doctor.Fault, "does not answer"},
	{"a provider that is none", func(in *installation) { in.Config.OIDCIssuer = in.refuse() },
		"single sign-on", doctor.Fault, "answers with status 401"},
	{"a collector that is down", func(in *installation) { in.Config.OTLPEndpoint = "http://" + closedAddress },
		"traces", doctor.Fault, "takes no traces"},
	{"a collector that refuses the key", func(in *installation) { in.Config.OTLPEndpoint = in.refuse() },
		"traces", doctor.Fault, "the collector answered 401"},
	{"a Redis that is down", func(in *installation) { in.Config.RedisURL = "redis://" + closedAddress },
		"redis", doctor.Fault, "does not answer"},
}

// writeFile writes a file beside the data folder and returns its path.
func (in *installation) writeFile(name, text string) string {
	path := filepath.Join(filepath.Dir(in.dir), name)
	in.Must(os.WriteFile(path, []byte(text), 0o600))
	return path
}

// writeCertificate writes a certificate that ends after a time, and its key.
func (in *installation) writeCertificate(name string, left time.Duration) (certFile, keyFile string) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	in.Must(err)
	now := in.clock.Now()
	form := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"example.com"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(left)}
	cert, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	in.Must(err)
	sealed, err := x509.MarshalPKCS8PrivateKey(key)
	in.Must(err)
	block := func(kind string, content []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content}))
	}
	return in.writeFile(name+".pem", block("CERTIFICATE", cert)),
		in.writeFile(name+"-key.pem", block("PRIVATE KEY", sealed))
}

func (in *installation) useCertificate(left time.Duration) {
	in.Config.TLSCert, in.Config.TLSKey = in.writeCertificate("own", left)
}

// useACME has certificates issued by a server that answers.
func (in *installation) useACME() {
	web := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	in.Cleanup(web.Close)
	in.Config.ACMEDomains, in.Config.ACMEDirectory = []string{"agents.example.com"}, web.URL
}

// issue puts a certificate where those of an ACME server are kept.
func (in *installation) issue(domain string, left time.Duration) {
	certFile, keyFile := in.writeCertificate("issued", left)
	cert, err := os.ReadFile(certFile)
	in.Must(err)
	key, err := os.ReadFile(keyFile)
	in.Must(err)
	folder := filepath.Join(in.dir, "acme")
	in.Must(os.Mkdir(folder, 0o700))
	in.Must(os.WriteFile(filepath.Join(folder, domain), append(key, cert...), 0o600))
}

// listen listens on an address and returns it.
func (in *installation) listen() string {
	listener, err := (&net.ListenConfig{}).Listen(in.Context(), "tcp", "127.0.0.1:0")
	in.Must(err)
	in.Cleanup(func() { _ = listener.Close() })
	return listener.Addr().String()
}

// What answers as it should is no fault.
func TestServersOfOthersAreReached(t *testing.T) {
	in := newInstallation(t, "")
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]string{"issuer": "http://" + r.Host})
	}))
	t.Cleanup(web.Close)
	mails := mailserver.Start(t, mailserver.Options{})
	in.Config.OIDCIssuer, in.Config.OTLPEndpoint = web.URL, web.URL
	in.Config.LiveKitURL = "ws" + strings.TrimPrefix(web.URL, "http")
	in.Config.SMTPURL, in.Config.MailFrom = "smtp://"+mails.Addr, "parley@example.com"
	for _, name := range []string{"media server", "mail", "single sign-on", "traces"} {
		in.expect(name, doctor.OK, "127.0.0.1")
	}
	if got := mails.Mails(); len(got) > 0 {
		t.Errorf("%d mails were sent", len(got))
	}
	in.Config.TTS, in.Config.TTSURL, in.Config.SearchURL = "openai", web.URL, web.URL
	in.expect("speech", doctor.OK, "agents can speak")
	in.expect("web search", doctor.OK, "127.0.0.1")
	in.useCertificate(90 * 24 * time.Hour)
	in.Config.BaseURL = "https://example.com"
	in.expect("certificate", doctor.OK, "until")
	in.Config.TLSCert, in.Config.TLSKey, in.Config.BaseURL = "", "", "https://agents.example.com"
	in.useACME()
	in.issue("agents.example.com", 90*24*time.Hour)
	in.expect("certificate", doctor.OK, "agents.example.com until")
}
