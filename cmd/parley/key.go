package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"parley/internal/api/admin"
)

type keyCreateCmd struct {
	Account string     `required:"" placeholder:"ID" help:"Account the key belongs to."`
	Name    string     `default:"API key" help:"What the key is for (${default})."`
	Scopes  scopesFlag `placeholder:"SCOPE,…" help:"@key-scopes"`
	Expires string     `placeholder:"WHEN" help:"@key-expires"`
}

func (c *keyCreateCmd) Run(p *process) error {
	in := admin.NewKey{AccountID: c.Account, Name: c.Name, Scopes: c.Scopes.list}
	if c.Expires != "" {
		at, err := parseExpiry(c.Expires, time.Now())
		if err != nil {
			return err
		}
		in.ExpiresAt = &at
	}
	return printAdminJSON(p, admin.CreateKey, in, "key")
}

// scopesFlag is a comma-separated list of scopes. An empty list is an error and never means all: in a script it is a
// variable that was not set.
type scopesFlag struct{ list []string }

// Decode parses the flag's value and adds it to the earlier ones.
func (s *scopesFlag) Decode(ctx *kong.DecodeContext) error {
	text, err := ctx.Scan.PopValue("scope,…")
	if err != nil {
		return err
	}
	for name := range strings.SplitSeq(text.String(), ",") {
		if name = strings.TrimSpace(name); name == "" {
			return fmt.Errorf("%q names no scope where one is due; leave the flag out for full access", text.String())
		}
		s.list = append(s.list, name)
	}
	return nil
}

// parseExpiry parses a time in the future: days, a Go duration, a date (its end, UTC) or an RFC 3339 time.
func parseExpiry(text string, now time.Time) (time.Time, error) {
	at, ok := parseTime(text, now)
	switch {
	case !ok:
		return at, newUsageError("--expires: %q is not a time such as 90d, 12h, 2027-01-31 or 2027-01-31T12:00:00Z", text)
	case !at.After(now):
		return at, newUsageError("--expires: %s is not in the future", text)
	}
	return at, nil
}

func parseTime(text string, now time.Time) (at time.Time, ok bool) {
	if n, days := strings.CutSuffix(text, "d"); days {
		count, err := strconv.ParseUint(n, 10, 16)
		return now.AddDate(0, 0, int(count)), err == nil
	}
	if d, err := time.ParseDuration(text); err == nil {
		return now.Add(d), true
	}
	if t, err := time.Parse(time.DateOnly, text); err == nil {
		return t.AddDate(0, 0, 1), true
	}
	t, err := time.Parse(time.RFC3339, text)
	return t, err == nil
}

type keyRevokeCmd struct {
	ID string `arg:"" name:"keyid" help:"Key to revoke, as \"parley key list\" shows it."`
}

func (c *keyRevokeCmd) Run(p *process) error {
	return printAdmin(p, admin.RevokeKey, admin.KeyRef{ID: c.ID}, func(out admin.RevokedKey) error {
		return p.printf("Revoked key %s.\n", out.ID)
	})
}

type keyListCmd struct {
	Account string `placeholder:"ID" help:"Only keys of this account."`
}

func (c *keyListCmd) Run(p *process) error {
	return printAdmin(p, admin.ListKeys, admin.AccountFilter{AccountID: c.Account}, p.printKeys)
}

func (p *process) printKeys(list []admin.Key) error {
	row := func(k admin.Key) []string {
		scopes := strings.Join(k.Scopes, ",")
		if k.Scopes == nil {
			scopes = "all"
		}
		lastUsed, created := formatDay(k.LastUsedAt), formatDay(&k.CreatedAt)
		return []string{k.ID, k.AccountID, k.Name, k.Hint + "…", scopes, k.State(time.Now()), lastUsed, created}
	}
	return printRows(p, "KEY\tACCOUNT\tNAME\tBEGINS\tSCOPES\tSTATE\tLAST USED\tCREATED", "No keys.", list, row)
}
