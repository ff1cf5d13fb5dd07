package helpdesk

import (
	"strings"
	"testing"
)

// A saved reply with a placeholder that nothing fills in is refused: customers would read it.
func TestUnknownPlaceholdersAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"Hello":                   "",
		"Hello {{customer.name}}": "",
		"Hello {{ customer.name | there }}, {{x}":     "without a placeholder",
		"{{agent.name}} and {{member.name|the team}}": "",
		"{{customer.name|}}":                          "",
		"a } and { are no placeholders":               "",
		"Hello {{customer.email}}":                    "unknown placeholder {{customer.email}}",
		"Hello {{}}":                                  "unknown placeholder {{}}",
		"Hello {{Customer.Name}}":                     "unknown placeholder",
		"Hello {{customer.name":                       "without a placeholder",
		"{{{customer.name}}}":                         "",
		"{{customer.name|{{agent.name}}}}":            "without a placeholder",
	} {
		if got := checkPlaceholders(text); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
