package eval_test

import (
	"encoding/json"
	"strings"
	"testing"

	"parley/internal/eval"
	"parley/internal/model"
	"parley/internal/model/quote"
)

// smallAgent is what a customer with a handful of pages has: tables, steps, codes and three languages.
var smallAgent = map[string]string{
	"Pricing": "# Pricing\n\nNimbus has three plans. All prices are per seat and month, without VAT.\n\n| Plan | " +
		"Monthly price | Billed yearly | Seats | Storage |\n|---|---|---|---|---|\n| Free | €0 | €0 | up to 3 | 1 GB |\n| " +
		"Pro | €29 | €24 | up to 50 | 100 GB |\n| Team | €59 | €49 | unlimited | 1 TB |\n\n## Discounts\n\nSchools get 40% " +
		"off every paid plan.\n",
	"Add-ons": "| Add-on | Price per month | Included in |\n|---|---|---|\n| Audit log | €12 | Team |\n| SSO | " +
		"€15 | Team |\n| Sandbox | €20 | |\n",
	"Import": "# Import your tickets\n\nYou need to be an administrator. The import takes about ten minutes for 10,000 " +
		"tickets.\n\n1. Open **Settings → Import**.\n2. Choose the old help desk.\n3. Paste the token.\n4. Click **Start " +
		"import**.\n\n# Reset your password\n\nTo reset your password, open the sign-in page, click **Forgot password?** " +
		"and enter your e-mail address. The link is valid for 30 minutes.\n",
	"Refunds": "# Refund policy\n\nYou can get your money back within 14 days of your first payment. Write to us " +
		"with your invoice number. " +
		"Refunds are paid to the original payment method within 5 to 7 working days.\n\n# Cancel a subscription\n\n" +
		"To cancel your subscription, go to **Settings → Billing**. Only the owner of the workspace can cancel.\n",
	"Errors": "# Error codes\n\n## ND-1001: Token expired\n\nCreate a new one under Settings → API.\n\n## ND-2007: " +
		"Attachment too large\n\nAn attachment may have 25 MB at most. Share a link in place of the file.\n",
	"Contact": "# Contact and opening hours\n\nOur support team is available Monday to Friday from 9:00 to 18:00. We " +
		"are closed on Sundays.\n\nPhone: +49 69 5550 1234. Dr. Weber founded the company. New customers should call ten " +
		"minutes early. We speak English and German.\n",
	"Vertrag": "# Kündigung\n\nDie Kündigungsfrist beträgt einen Monat.\n\nDer Mindestbestellwert für " +
		"Telefone beträgt 150 Euro.\n",
	"Facturación": "# Facturación\n\n## ¿Cuánto cuesta el plan Pro?\n\nEl plan Pro cuesta 29 euros al mes por usuario.\n",
}

// TestSmallAgents asks a small agent what customers ask: each answer must hold the one text and not the other. Empty is
// a refusal.
func TestSmallAgents(t *testing.T) {
	cases := []struct{ question, holds, missing string }{
		{"What does the Pro plan cost?", "Pro: Monthly price €29", "Team"},
		{"How much is Pro per month?", "€29", "Team"},
		{"How much is the Team plan if I pay yearly?", "€49", "Pro"},
		{"What's the difference between Pro and Team?", "| Team |", "| Free"},
		{"how many seats does the free plan have", "Free: Seats up to 3", "Pro"},
		{"How much storage do I get with Pro?", "Pro: Storage 100 GB", "Team"},
		{"What does SSO cost?", "SSO: Price per month €15", "Audit"},
		{"Is SSO included in the Team plan?", "SSO: Included in Team", "Audit"},
		{"Which plans do you have?", "| Team | €59", "Pro cuesta"},
		{"Which add-ons are there?", "| Sandbox |", "Pro"},
		{"price?", "| Team | €59", ""},
		{"¿Cuánto cuesta el plan Pro?", "29 euros", "Monthly"},
		{"¿Cuánto cuesta el plan Team?", "Team: Monthly price €59", "Pro cuesta"},
		{"How do I reset my password?",
			"To reset your password, open the sign-in page, click **Forgot password?** and enter", ""},
		{"What is your refund policy?", "You can get your money back", ""},
		{"How long does a refund take?", "5 to 7 working days", "import"},
		{"Who can cancel?", "Only the owner", "Settings"},
		{"What does ND-2007 mean?", "25 MB at most", "new one"},
		{"I get ND-1001, what should I do?", "Create a new one", "25 MB"},
		{"What is the maximum attachment size?", "25 MB", ""},
		{"When are you open?", "9:00 to 18:00", "Which one"},
		{"What is your phone number?", "+49 69 5550 1234", ""},
		{"Which languages do you speak?", "English and German", ""},
		{"Wie hoch ist der Mindestbestellwert?", "150 Euro", ""},
		{"What is ND-9999?", "", ""},
		{"How many customers do you have?", "", ""},
		{"How long has Dr. Smith worked here?", "", ""},
		{"How much does the Enterprise plan cost?", "", ""},
		{"What is your fax number?", "", ""},
		{"What does a pony cost?", "", ""},
		{"这里有多少匹马？", "", ""},
	}
	var set strings.Builder
	line := func(v any) {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		set.Write(append(text, '\n'))
	}
	for name, text := range smallAgent {
		line(map[string]string{"id": name, "title": name, "text": text})
	}
	for _, c := range cases {
		line(map[string]string{"id": c.question, "question": c.question})
	}
	report := runSet(t, eval.Runner{Backend: model.Backend{Model: quote.Model{}, Label: model.BuiltinName}}, set.String())
	answers := map[string]eval.Trial{}
	for _, s := range report.Sets {
		for _, q := range s.Trials {
			answers[q.Question] = q
		}
	}
	for _, c := range cases {
		a := answers[c.question]
		switch {
		case c.holds == "" && !a.Refused, c.holds != "" && a.Refused:
			t.Errorf("%q: refused %v with %.3f: %q", c.question, a.Refused, floatOrNaN(a.Score), a.Answer)
		case !strings.Contains(a.Answer, c.holds), c.missing != "" && strings.Contains(a.Answer, c.missing):
			t.Errorf("%q: %q", c.question, a.Answer)
		}
	}
}
