package cmdline

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// WriteManPage writes the manual page of a program in section 1, in the macros of man(7). version is what its footer
// says. Flags that have an environment variable are settings, which are described once; the flags of each command are
// the others.
func WriteManPage(w io.Writer, program *kong.Node, version string) error {
	m := &manPage{}
	m.line(".TH %s 1 \"\" %s \"User Commands\"", quoteRoff(strings.ToUpper(program.Name)), quoteRoff(version))
	m.section("NAME")
	m.text("%s - %s", program.Name, strings.TrimSuffix(program.Help, "."))
	m.section("SYNOPSIS")
	m.line(".B %s", escapeRoff(program.Name))
	m.line("\\fICOMMAND\\fR [\\fIARGUMENT\\fR ...] [\\fIFLAG\\fR ...]")
	m.section("DESCRIPTION")
	m.text("%s", program.Help)
	m.section("OPTIONS")
	m.text("Every command takes these flags, and those of the settings below where they matter to it.")
	m.flags(program)
	m.section("COMMANDS")
	for _, command := range program.Leaves(true) {
		m.command(command)
	}
	m.section("SETTINGS")
	m.text("Each setting is a flag or an environment variable, or a line of the file that --config names. " +
		"A flag wins over the environment, and the environment over the file.")
	m.settings(program)
	m.section("EXIT STATUS")
	m.text("0 on success, 1 on failure, and 2 where the command line is wrong.")
	_, err := io.WriteString(w, m.roff.String())
	return err
}

// CommandPath returns the words that name a command, the program's first.
func CommandPath(n *kong.Node) string {
	if n.Parent == nil {
		return n.Name
	}
	return CommandPath(n.Parent) + " " + n.Name
}

// manPage is a manual page that is being written.
type manPage struct{ roff strings.Builder }

func (m *manPage) line(format string, args ...any) { fmt.Fprintf(&m.roff, format+"\n", args...) }

func (m *manPage) section(title string) { m.line(".SH %s", quoteRoff(title)) }

// text writes a line of text.
func (m *manPage) text(format string, args ...any) {
	m.line("%s", escapeRoff(fmt.Sprintf(format, args...)))
}

func (m *manPage) command(n *kong.Node) {
	title := CommandPath(n)
	for _, arg := range n.Positional {
		title += " " + arg.Summary()
	}
	m.line(".SS %s", quoteRoff(title))
	m.text("%s", n.Help)
	for _, arg := range n.Positional {
		m.item(escapeRoff(arg.Summary()), arg.Help)
	}
	m.flags(n)
}

// flags writes the flags of a command that are no settings.
func (m *manPage) flags(n *kong.Node) {
	for _, flag := range n.Flags {
		if len(flag.Envs) == 0 && !flag.Hidden {
			m.item(flagTitle(flag), flag.Help)
		}
	}
}

// settings writes every setting of the program once.
func (m *manPage) settings(program *kong.Node) {
	for _, flag := range sortedSettings(program) {
		m.item(flagTitle(flag)+", "+escapeRoff(strings.Join(flag.Envs, ", ")), flag.Help)
	}
}

func (m *manPage) item(title, help string) {
	m.line(".TP\n%s", title)
	m.text("%s", help)
}

// flagTitle returns a flag with the short form and the value that it takes.
func flagTitle(f *kong.Flag) string {
	title := "\\fB" + escapeRoff("--"+f.Name) + "\\fR"
	if f.Short != 0 {
		title = "\\fB" + escapeRoff("-"+string(f.Short)) + "\\fR, " + title
	}
	if f.IsBool() || f.IsCounter() {
		return title
	}
	return title + "=\\fI" + escapeRoff(strings.Trim(f.FormatPlaceHolder(), `"`)) + "\\fR"
}

var roffEscaper = strings.NewReplacer(`\`, `\e`, `-`, `\-`, "\n", " ")

// escapeRoff writes a text so that nothing in it is a request.
func escapeRoff(text string) string {
	text = roffEscaper.Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		return `\&` + text
	}
	return text
}

// quoteRoff writes a text as one argument of a macro.
func quoteRoff(text string) string {
	return `"` + strings.ReplaceAll(roffEscaper.Replace(text), `"`, `\(dq`) + `"`
}
