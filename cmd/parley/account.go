package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"parley/internal/access"
	"parley/internal/api/admin"
	"parley/internal/httpapi"
)

type accountCreateCmd struct {
	Name    string `required:"" help:"Name of the account, 1 to 100 characters."`
	Plan    string `placeholder:"NAME" predictor:"plan" help:"@account-plan"`
	Credits *int64 `placeholder:"N" help:"Message credits a month, in place of the plan's."`
	HIPAA   bool   `name:"hipaa" help:"Keep conversation text out of search."`
}

// Run checks the account before there is a data directory: one that is refused leaves nothing behind.
func (c *accountCreateCmd) Run(p *process) error {
	if _, err := os.Stat(p.commandLine.Data); errors.Is(err, fs.ErrNotExist) {
		plans, err := access.LoadPlans(p.commandLine.Plans)
		if err != nil {
			return err
		}
		if err := admin.NewAccount(*c).Check(plans); err != nil {
			return err
		}
	}
	return printAdminJSON(p, admin.CreateAccount, admin.NewAccount(*c), "key")
}

type accountUpdateCmd struct {
	ID      string      `arg:"" help:"Account to change."`
	Name    *string     `placeholder:"NAME" help:"New name, 1 to 100 characters."`
	Plan    *string     `placeholder:"NAME" predictor:"plan" help:"New plan."`
	Credits creditsFlag `placeholder:"N" help:"@account-credits"`
	HIPAA   *bool       `name:"hipaa" help:"Keep conversation text out of search; --hipaa=false ends that."`

	ViewersSeePersonalData *bool `help:"Show viewers who customers are; --viewers-see-personal-data=false ends that."`

	TimeZone *string `placeholder:"ZONE" help:"IANA time zone, such as Europe/Berlin; empty for UTC."`

	OnlySSO     *bool   `name:"only-sso" help:"Members enter it by single sign-on alone; --only-sso=false ends that."`
	ExemptOwner *string `placeholder:"USER" help:"Id of the owner who needs no single sign-on."`

	AdminsNeedPasskey *bool `help:"Owners and admins enter it with a passkey; --admins-need-passkey=false ends that."`
	NoPasswords       *bool `help:"Members enter it without passwords; --no-passwords=false ends that."`
}

func (c *accountUpdateCmd) Run(p *process) error {
	if c.Name == nil && c.Plan == nil && !c.Credits.Present && c.HIPAA == nil && c.ViewersSeePersonalData == nil &&
		c.TimeZone == nil && c.OnlySSO == nil && c.ExemptOwner == nil && c.AdminsNeedPasskey == nil &&
		c.NoPasswords == nil {
		return newUsageError("nothing to change: give --name, --plan, --credits, --hipaa, --viewers-see-personal-data, " +
			"--time-zone, --only-sso, --exempt-owner, --admins-need-passkey or --no-passwords")
	}
	in := admin.AccountChange{ID: c.ID, Name: c.Name, Plan: c.Plan, Credits: c.Credits.Opt, HIPAA: c.HIPAA,
		ViewersSeePersonalData: c.ViewersSeePersonalData, TimeZone: c.TimeZone, OnlySSO: c.OnlySSO,
		ExemptOwner: c.ExemptOwner, AdminsNeedPasskey: c.AdminsNeedPasskey, NoPasswords: c.NoPasswords}
	return printAdmin(p, admin.UpdateAccount, in, asList(p.printAccounts))
}

// creditsFlag is a number of credits, or the word plan, which is null.
type creditsFlag struct{ httpapi.Opt[int64] }

// Decode parses the flag's value.
func (f *creditsFlag) Decode(ctx *kong.DecodeContext) error {
	return decodeOptNumber(ctx, "credits", "plan", &f.Opt)
}

// decodeOptNumber parses a whole number, or the word that stands for null.
func decodeOptNumber[T int | int64](ctx *kong.DecodeContext, name, null string, into *httpapi.Opt[T]) error {
	token, err := ctx.Scan.PopValue(name)
	if err != nil {
		return err
	}
	text := token.String()
	if text == null {
		*into = httpapi.Opt[T]{Present: true, Null: true}
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return fmt.Errorf("%q is neither a whole number nor %q", text, null)
	}
	*into = httpapi.Some(T(n))
	return nil
}

type accountListCmd struct{}

func (accountListCmd) Run(p *process) error {
	return printAdmin(p, admin.ListAccounts, admin.NoInput{}, p.printAccounts)
}

func (p *process) printAccounts(list []admin.Account) error {
	row := func(a admin.Account) []string {
		plan, credits := a.Plan, "unlimited"
		if a.PlanUnknown {
			plan, credits = a.Plan+" (plan unknown)", "-"
		}
		if a.Credits != nil {
			credits = strconv.FormatFloat(*a.Credits, 'f', -1, 64)
		}
		used := strconv.FormatFloat(a.CreditsUsed, 'f', -1, 64)
		return []string{a.ID, a.Name, plan, credits, used, yesNo(a.HIPAA), formatDay(&a.CreatedAt)}
	}
	return printRows(p, "ACCOUNT\tNAME\tPLAN\tCREDITS A MONTH\tUSED\tHIPAA\tCREATED", "No accounts.", list, row)
}

type accountDomainsCmd struct {
	ID      string `arg:"" help:"Account whose domains they are."`
	Confirm string `placeholder:"DOMAIN" xor:"change" help:"Say that this domain is the account's, without a TXT record."`
	Remove  string `placeholder:"DOMAIN" xor:"change" help:"Take this domain from the account."`
}

func (c *accountDomainsCmd) Run(p *process) error {
	switch {
	case c.Confirm != "":
		ref := admin.SignInDomainRef{AccountID: c.ID, Domain: c.Confirm}
		return printAdmin(p, admin.ConfirmSignInDomain, ref, p.printDomains)
	case c.Remove != "":
		ref := admin.SignInDomainRef{AccountID: c.ID, Domain: c.Remove}
		return printAdmin(p, admin.RemoveSignInDomain, ref, p.printDomains)
	}
	return printAdmin(p, admin.GetSingleSignOn, admin.SingleSignOnRef{AccountID: c.ID}, p.printDomains)
}

func (p *process) printDomains(s admin.SingleSignOn) error {
	row := func(d admin.SignInDomain) []string {
		by := "record"
		switch {
		case d.ProvedAt == nil:
			by = "nothing yet"
		case d.ByOperator:
			by = "operator"
		}
		return []string{d.Domain, formatDay(d.ProvedAt), by}
	}
	return printRows(p, "DOMAIN\tPROVED\tBY", "No domains.", s.Domains, row)
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

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
