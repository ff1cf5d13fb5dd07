package actions

import (
	"regexp"
	"strings"
)

// fieldPathPattern is a place in a JSON document: names joined by dots, each with [] where it holds a list; [] at the beginning
// stands for a list at the top.
var fieldPathPattern = regexp.MustCompile(`^(\[\](\.|$))?([^.\[\]\s]+(\[\])*(\.[^.\[\]\s]+(\[\])*)*)?$`)

// fieldTree is a tree of the fields to keep; a leaf keeps all below it.
type fieldTree map[string]fieldTree

func newFieldTree(paths []string) fieldTree {
	root := fieldTree{}
	for _, path := range paths {
		at := root
		for _, name := range strings.Split(strings.ReplaceAll(path, "[]", ".[]"), ".") {
			if name == "" {
				continue
			}
			next, there := at[name]
			if !there {
				next = fieldTree{}
				at[name] = next
			}
			at = next
		}
		at["*"] = fieldTree{}
	}
	return root
}

// pick returns the picked parts of a decoded document in their places, and whether there are any.
func (p fieldTree) pick(value any) (any, bool) {
	if _, all := p["*"]; all {
		return value, true
	}
	switch v := value.(type) {
	case map[string]any:
		kept := map[string]any{}
		for name, below := range p {
			if part, there := v[name]; there {
				if part, found := below.pick(part); found {
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
			if part, found := below.pick(item); found {
				kept = append(kept, part)
			}
		}
		return kept, true
	}
	return nil, false
}
