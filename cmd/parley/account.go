package main

import (
	"fmt"
	"strconv"

	"github.com/alecthomas/kong"

	"parley/internal/api/admin"
	"parley/internal/httpapi"
)

type accountCreateCmd struct {
	Name    string `required:"" help:"Name of the account, 1 to 100 characters."`
	Plan    string `placeholder:"NAME" predictor:"plan" help:"@account-plan"`
	Credits *int64 `placeholder:"N" help:"Message credits a month, in place of the plan's."`
	HIPAA   bool   `name:"hipaa" help:"Keep conversation text out of search."`
}

func (c *accountCreateCmd) Run(p *process) error {
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
}

func (c *accountUpdateCmd) Run(p *process) error {
	if c.Name == nil && c.Plan == nil && !c.Credits.Present && c.HIPAA == nil && c.ViewersSeePersonalData == nil &&
		c.TimeZone == nil && c.OnlySSO == nil && c.ExemptOwner == nil {
		return newUsageError("nothing to change: give --name, --plan, --credits, --hipaa, --viewers-see-personal-data, " +
			"--time-zone, --only-sso or --exempt-owner")
	}
	in := admin.AccountChange{ID: c.ID, Name: c.Name, Plan: c.Plan, Credits: c.Credits.Opt, HIPAA: c.HIPAA,
		ViewersSeePersonalData: c.ViewersSeePersonalData, TimeZone: c.TimeZone, OnlySSO: c.OnlySSO,
		ExemptOwner: c.ExemptOwner}
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
