package actions

import (
	"regexp"
	"strings"
)

// fieldPath is a place in a JSON document: names joined by dots, each with [] where it holds a list; [] at the beginning
// stands for a list at the top.
var fieldPath = regexp.MustCompile(`^(\[\](\.|$))?([^.\[\]\s]+(\[\])*(\.[^.\[\]\s]+(\[\])*)*)?$`)

// picks is a tree of the fields to keep; a leaf keeps all below it.
type picks map[string]picks

func pickTree(paths []string) picks {
	root := picks{}
	for _, path := range paths {
		at := root
		for _, name := range strings.Split(strings.ReplaceAll(path, "[]", ".[]"), ".") {
			if name == "" {
				continue
			}
			next, there := at[name]
			if !there {
				next = picks{}
				at[name] = next
			}
			at = next
		}
		at["*"] = picks{}
	}
	return root
}

// keep gives the picked parts of a decoded document in their places, and whether there are any.
func (p picks) keep(value any) (any, bool) {
	if _, all := p["*"]; all {
		return value, true
	}
	switch v := value.(type) {
	case map[string]any:
		kept := map[string]any{}
		for name, below := range p {
			if part, there := v[name]; there {
				if part, found := below.keep(part); found {
					kept[name] = part
				}
			}
		}
		return kept, len(kept) > 0
	case []any:
		below, listed := p["[]"]
		if !listed {
			return nil, false
		}
		kept := []any{}
		for _, item := range v {
			if part, found := below.keep(item); found {
				kept = append(kept, part)
			}
		}
		return kept, true
	}
	return nil, false
}
