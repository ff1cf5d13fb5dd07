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
	Plan    string `placeholder:"NAME" predictor:"plan" help:"Plan: free, hobby, standard, pro, enterprise, unlimited or one of your own; unlimited when left out."`
	Credits *int64 `placeholder:"N" help:"Message credits a month, in place of the plan's."`
	HIPAA   bool   `name:"hipaa" help:"Keep conversation text out of search."`
}

func (c *accountCreateCmd) Run(p *process) error {
	out, err := runAdmin(p, admin.CreateAccount, admin.NewAccount{
		Name:    c.Name,
		Plan:    c.Plan,
		Credits: c.Credits,
		HIPAA:   c.HIPAA,
	})
	if err != nil {
		return err
	}
	p.warnShownOnce("key")
	return p.printJSON(out)
}

// warnShownOnce warns a person at a terminal. Programs that read the output get no warning.
func (p *process) warnShownOnce(what string) {
	if isTerminal(p.stderr) && !p.commandLine.JSON {
		fmt.Fprintln(p.stderr, "Keep the "+what+": it is shown only this once.")
	}
}

type accountUpdateCmd struct {
	ID      string      `arg:"" help:"Account to change."`
	Plan    *string     `placeholder:"NAME" predictor:"plan" help:"New plan."`
	Credits creditsFlag `placeholder:"N" help:"Message credits a month, in place of the plan's; \"plan\" goes back to the plan's."`
	HIPAA   *bool       `name:"hipaa" help:"Keep conversation text out of search; --hipaa=false ends that."`
}

func (c *accountUpdateCmd) Run(p *process) error {
	if c.Plan == nil && !c.Credits.Present && c.HIPAA == nil {
		return newUsageError("nothing to change: give --plan, --credits or --hipaa")
	}
	in := admin.AccountChange{ID: c.ID, Plan: c.Plan, Credits: c.Credits.Opt, HIPAA: c.HIPAA}
	out, err := runAdmin(p, admin.UpdateAccount, in)
	if err != nil {
		return err
	}
	if p.commandLine.JSON {
		return p.printJSON(out)
	}
	return p.printAccounts([]admin.Account{out})
}

// creditsFlag is a number of credits, or the word plan, which is null.
type creditsFlag struct{ httpapi.Opt[int64] }

// Decode parses the flag's value.
func (f *creditsFlag) Decode(ctx *kong.DecodeContext) error {
	text, err := ctx.Scan.PopValue("credits")
	if err != nil {
		return err
	}
	if text.String() == "plan" {
		f.Opt = httpapi.Opt[int64]{Present: true, Null: true}
		return nil
	}
	n, err := strconv.ParseInt(text.String(), 10, 64)
	if err != nil {
		return fmt.Errorf("%q is neither a whole number nor \"plan\"", text.String())
	}
	f.Opt = httpapi.Some(n)
	return nil
}

type accountListCmd struct{}

func (accountListCmd) Run(p *process) error {
	list, err := runAdmin(p, admin.ListAccounts, admin.NoInput{})
	if err != nil {
		return err
	}
	if p.commandLine.JSON {
		return p.printJSON(list)
	}
	return p.printAccounts(list)
}

func (p *process) printAccounts(list []admin.Account) error {
	var rows [][]string
	for _, a := range list {
		plan, credits := a.Plan, "unlimited"
		if a.PlanUnknown {
			plan, credits = a.Plan+" (plan unknown)", "-"
		}
		if a.Credits != nil {
			credits = strconv.FormatFloat(*a.Credits, 'f', -1, 64)
		}
		used := strconv.FormatFloat(a.CreditsUsed, 'f', -1, 64)
		rows = append(rows, []string{a.ID, a.Name, plan, credits, used, yesNo(a.HIPAA), formatDay(&a.CreatedAt)})
	}
	return p.printTable("ACCOUNT\tNAME\tPLAN\tCREDITS A MONTH\tUSED\tHIPAA\tCREATED", "No accounts.", rows)
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
