package html

import (
	"context"
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"parley/internal/ingest/extract/draft"
)

// Bounds of what is kept of the footer of a front page.
const (
	maxContactLines = 12
	maxContactBytes = 300 // of a line
	maxRowHeadBytes = 60
)

// frontContacts returns how a site may be reached, as the footer of its front page says it: telephone numbers, mail
// addresses, hours and the postal address, a paragraph each below the name of the host. The footers of other pages say
// the same once more, and are left out as ever. The document must be pruned of what is hidden.
func frontContacts(ctx context.Context, doc *html.Node, r pageRequest) (string, error) {
	at, err := url.Parse(r.address)
	if err != nil || at.Host == "" || !r.isFront {
		return "", nil //nolint:nilerr // it is no page of a site
	}
	var lines []string
	seen := map[string]bool{}
	for _, footer := range findElements(doc, isSiteFooter) {
		found, err := footerContacts(ctx, footer)
		if err != nil {
			return "", err
		}
		for _, line := range found {
			if !seen[line] && len(line) <= maxContactBytes && len(lines) < maxContactLines {
				seen[line] = true
				lines = append(lines, line)
			}
		}
	}
	if len(lines) == 0 {
		return "", nil
	}
	return "## " + at.Host + "\n\n" + strings.Join(lines, "\n\n"), nil
}

func isFrontPage(address string) bool {
	at, err := url.Parse(address)
	return err == nil && at.Host != "" && strings.Trim(at.Path, "/") == "" && at.RawQuery == ""
}

// isSiteFooter reports whether an element is the outermost footer that it belongs to.
func isSiteFooter(n *html.Node) bool {
	if !isFooter(n) {
		return false
	}
	for p := n.Parent; p != nil; p = p.Parent {
		if isFooter(p) {
			return false
		}
	}
	return true
}

func isFooter(n *html.Node) bool {
	return n.DataAtom == atom.Footer || strings.EqualFold(attrValue(n, "role"), "contentinfo") ||
		strings.Contains(strings.ToLower(attrValue(n, "class")+" "+attrValue(n, "id")), "site-footer")
}

// footerContacts returns the lines of a footer that say how to reach somebody.
func footerContacts(ctx context.Context, footer *html.Node) ([]string, error) {
	text, err := renderCopy(ctx, footer)
	if err != nil {
		return nil, err
	}
	lines := contactLines(text)
	for _, n := range findElements(footer, hasTag(atom.Address)) {
		text, err := renderCopy(ctx, n)
		if err != nil {
			return nil, err
		}
		if whole := joinLines(text); whole != "" {
			lines = append(lines, whole)
		}
	}
	return lines, nil
}

// renderCopy renders an element that stays as it is.
func renderCopy(ctx context.Context, n *html.Node) (string, error) {
	var source strings.Builder
	if err := html.Render(&source, n); err != nil {
		return "", err
	}
	return RenderMarkdown(ctx, Parse(source.String()))
}

// joinLines writes the lines of an address in one.
func joinLines(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = draft.CollapseSpaces(strings.Trim(line, " \n\\,")); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, ", ")
}

// contactLines returns the lines of a text that hold a number, an address or hours, each behind the heading or the
// label that is above it.
func contactLines(text string) (lines []string) {
	label := ""
	for line := range strings.Lines(text) {
		isHeading := strings.HasPrefix(strings.TrimSpace(line), "#")
		line = draft.CollapseSpaces(strings.Trim(strings.TrimSpace(line), "#*_- \\"))
		switch {
		case line == "":
		case !isHeading && isContact(line):
			if label != "" {
				line = strings.TrimRight(label, ": ") + ": " + line
			}
			lines, label = append(lines, line), ""
		case isHeading, strings.HasSuffix(line, ":") && len(line) <= maxRowHeadBytes:
			label = line
		default:
			label = ""
		}
	}
	return lines
}

var (
	// what has many digits and is no telephone number
	dateOrYears = regexp.MustCompile(`\b(?:19|20)\d\d\s?[-–—/]\s?(?:19|20)?\d\d\b|\b\d{4}-\d\d-\d\d\b|` +
		`\b\d{1,2}[./]\d{1,2}[./]\d{4}\b`)
	telephone   = regexp.MustCompile(`\+?\(?\d[\d\s().\-/]{5,24}\d`)
	mailAddress = regexp.MustCompile(`[\w.+-]{1,64}@[\w-]{1,63}\.\w`)
	hours       = regexp.MustCompile(`(?i)\b\d{1,2}(?:[:.h]\d\d)?\s?(?:[ap]\.?m\.?|uhr|h)?\s?` +
		`(?:[-–—~〜～]|to|bis|till|until|à|a|às|al|alle|до|tot|do|إلى|至|到|から)\s?` +
		`\d{1,2}(?:[:.h]\d\d|\s?(?:[ap]\.?m|uhr|h\b|時|点))`)
)

// isContact reports whether a line holds a telephone number, a mail address or hours.
func isContact(line string) bool {
	if len(line) > maxContactBytes {
		return false
	}
	if mailAddress.MatchString(line) || hours.MatchString(line) {
		return true
	}
	return countDigits(telephone.FindString(dateOrYears.ReplaceAllString(line, " "))) >= minTelephoneDigits
}

const minTelephoneDigits = 7

func countDigits(text string) (n int) {
	for _, r := range text {
		if unicode.IsDigit(r) {
			n++
		}
	}
	return n
}
