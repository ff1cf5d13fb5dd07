// Package cmdline is what a command line has beside its parser: completion scripts for shells, a manual page, and a
// file of settings.
package cmdline

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// WriteCompletion writes a completion script for bash, zsh or fish. Flags that are marked as plans are completed with
// the installation's plans.
func WriteCompletion(w io.Writer, shell string, root *kong.Node, plans []string) error {
	write, isKnown := map[string]func(io.Writer, []commandNode) error{"bash": writeBash, "zsh": writeZsh,
		"fish": writeFish}[shell]
	if !isKnown {
		return fmt.Errorf("no completion script is known for the shell %q", shell)
	}
	return write(w, commandNodes(root, "", plans))
}

// commandNode is a position in the command line with the words that may follow it.
type commandNode struct {
	path     string // "account create"; empty at the root
	commands []completion
	flags    []completion // including those of the parent commands
	args     []string
}

type completion struct {
	name, help string
	values     []string // the values of a flag, where they are a short list
}

// commandNodes lists the positions below n. Flags that are marked as plans are completed with the installation's plans.
func commandNodes(n *kong.Node, path string, plans []string) []commandNode {
	b := commandNode{path: path}
	for _, group := range n.AllFlags(true) {
		for _, f := range group {
			values := flagValues(f.Value)
			if f.Tag.Get("predictor") == "plan" {
				values = plans
			}
			b.flags = append(b.flags, completion{"--" + f.Name, f.Help, values})
		}
	}
	for _, arg := range n.Positional {
		b.args = append(b.args, flagValues(arg)...)
	}
	var deeper []commandNode
	for _, child := range n.Children {
		if child.Hidden {
			continue
		}
		b.commands = append(b.commands, completion{name: child.Name, help: child.Help})
		deeper = append(deeper, commandNodes(child, strings.TrimSpace(path+" "+child.Name), plans)...)
	}
	return append([]commandNode{b}, deeper...)
}

func flagValues(v *kong.Value) []string {
	if v.Enum == "" {
		return nil
	}
	return v.EnumSlice()
}

func (n commandNode) childNames() string {
	var names []string
	for _, w := range slices.Concat(n.commands, n.flags) {
		names = append(names, w.name)
	}
	return strings.Join(append(names, n.args...), " ")
}

// writeBash writes a script that finds the command by adding each word that leads to another command. All other words
// are flags or values.
func writeBash(w io.Writer, list []commandNode) error {
	var paths []string
	for _, b := range list {
		paths = append(paths, b.path)
	}
	fmt.Fprintf(w, bashHead, strings.Join(paths, "|"))
	for _, b := range list {
		fmt.Fprintf(w, "    %q) words=%q ;;\n", b.path, b.childNames())
	}
	fmt.Fprint(w, bashValues)
	for _, b := range list {
		for _, f := range b.flags {
			if len(f.values) > 0 {
				fmt.Fprintf(w, "    %q) words=%q ;;\n", b.path+" "+f.name, strings.Join(f.values, " "))
			}
		}
	}
	_, err := fmt.Fprint(w, bashTail)
	return err
}

const bashHead = `# bash completion for parley
_parley() {
  local path="" w words="" paths="|%s|"
  for w in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$paths" in *"|${path:+$path }$w|"*) path="${path:+$path }$w" ;; esac
  done
  case "$path" in
`

const bashValues = `  esac
  case "$path ${COMP_WORDS[COMP_CWORD-1]}" in
`

const bashTail = `  esac
  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _parley parley
`

func writeZsh(w io.Writer, list []commandNode) error {
	fmt.Fprint(w, "#compdef parley\nautoload -U +X bashcompinit && bashcompinit\n")
	return writeBash(w, list)
}

func writeFish(w io.Writer, list []commandNode) error {
	out := &bytes.Buffer{}
	out.WriteString(fishHead)
	for _, b := range list {
		for _, c := range b.commands {
			fmt.Fprintf(out, "complete -c parley -f -n '__parley_at \"%s\"' -a %s -d %s\n", b.path, c.name, quoteFish(c.help))
		}
		for _, a := range b.args {
			fmt.Fprintf(out, "complete -c parley -f -n '__parley_at \"%s\"' -a %s\n", b.path, a)
		}
		for _, f := range b.flags {
			values := ""
			if len(f.values) > 0 {
				values = " -x -a " + quoteFish(strings.Join(f.values, " "))
			}
			fmt.Fprintf(out, "complete -c parley -n '__parley_at \"%s\"' -l %s%s -d %s\n", b.path,
				strings.TrimPrefix(f.name, "--"), values, quoteFish(f.help))
		}
	}
	_, err := out.WriteTo(w)
	return err
}

const fishHead = `# fish completion for parley
function __parley_at
  set -l words (string match -v -- '-*' (commandline -opc)[2..])
  test "$words" = "$argv[1]"
end
`

func quoteFish(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}
