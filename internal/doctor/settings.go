package doctor

import (
	"cmp"
	"context"
	"net"
	"net/url"
	"slices"
	"strings"

	"parley/internal/httpapi"
)

// checkSettings checks what the server would refuse to start with.
func (d *Doctor) checkSettings(_ context.Context, r *report) {
	const advice = "Correct the setting; \"parley config\" shows its value and where it comes from."
	if err := d.Config.Check(); err != nil {
		for _, fault := range splitErrors(err) {
			r.fail(advice, "%v", fault)
		}
	}
	if d.Config.SecretKey == "" {
		r.warn("Set it to a random text, such as the output of \"openssl rand -hex 32\", and keep that in a safe place "+
			"apart from the backups.", "PARLEY_SECRET_KEY is not set: secrets of actions, webhooks and model servers "+
			"cannot be kept")
	}
	if d.Config.AllowAsyncCommit {
		r.warn("Remove PARLEY_ALLOW_ASYNC_COMMIT unless losing the last moments in a crash is acceptable.",
			"PARLEY_ALLOW_ASYNC_COMMIT is set: PostgreSQL may lose what was acknowledged")
	}
	r.pass("the settings are valid")
}

// splitErrors returns the errors that one was joined of.
func splitErrors(err error) (list []error) {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	for _, e := range joined.Unwrap() {
		list = append(list, splitErrors(e)...)
	}
	return list
}

// checkVariables finds variables that nothing reads, which are misspelled as a rule.
func (d *Doctor) checkVariables(_ context.Context, r *report) {
	for _, pair := range d.Environ {
		name, _, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, "PARLEY_") || slices.Contains(d.Settings, name) {
			continue
		}
		advice := "Remove it, or correct its name; \"parley config\" lists all settings."
		if similar := mostSimilar(name, d.Settings); similar != "" {
			advice = "Did you mean " + similar + "? \"parley config\" lists all settings."
		}
		r.warn(advice, "%s is set, and no setting has that name", name)
	}
	r.pass("every PARLEY_ variable is a setting")
}

// maxTypingErrors is how many letters a misspelled name may differ in.
const maxTypingErrors = 3

// mostSimilar returns the name that differs least from a misspelled one; empty if none is close.
func mostSimilar(name string, names []string) (similar string) {
	nearest := maxTypingErrors + 1
	for _, candidate := range names {
		if n := editDistance(name, candidate); n < nearest {
			similar, nearest = candidate, n
		}
	}
	return similar
}

// editDistance counts the letters to insert, delete or replace to make one word another.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

// checkAddress checks that browsers reach the server safely, and under the address that it says.
func (d *Doctor) checkAddress(_ context.Context, r *report) {
	c := d.Config
	if c.BaseURL == "" && !isLoopbackListener(c.Listen) {
		r.warn("Set PARLEY_BASE_URL to the address that browsers use, such as https://support.example.com.",
			"the server listens on %s for other machines, and PARLEY_BASE_URL is not set: links in mails and widgets "+
				"lead to the wrong place", c.Listen)
	}
	for name, address := range map[string]string{"PARLEY_BASE_URL": c.BaseURL, "PARLEY_CONSOLE_URL": c.ConsoleURL} {
		u, err := url.Parse(address)
		if address == "" || err != nil || u.Scheme != "http" || httpapi.IsLoopbackHost(u.Host) {
			continue
		}
		r.warn("Put a reverse proxy with TLS before Parley and name the https:// address.",
			"%s is not encrypted: %s; keys and passwords can be read on the way", name, u.Host)
	}
	r.pass("%s", cmp.Or(c.BaseURL, "http://"+c.Listen))
}

// isLoopbackListener reports whether only this machine reaches an address that is listened on.
func isLoopbackListener(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err != nil || host != "" && httpapi.IsLoopbackHost(host)
}
