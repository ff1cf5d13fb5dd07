package search

import (
	"slices"
	"strings"
)

// reader reads the parameters of a query and gathers what is wrong with them.
type reader struct{ details map[string]string }

func (r *reader) want(ok bool, name, text string) {
	if !ok && r.details[name] == "" {
		r.details[name] = text
	}
}

// list reads the items between the commas; allowed may be nil for any text.
func (r *reader) list(name, text string, allowed []string) []string {
	if text == "" {
		return nil
	}
	var list []string
	for item := range strings.SplitSeq(text, ",") {
		item = strings.TrimSpace(item)
		r.want(item != "", name, "must not have an empty item")
		r.want(item == "" || allowed == nil || slices.Contains(allowed, item), name, "must be one of: "+strings.Join(allowed, ", "))
		if item != "" && !slices.Contains(list, item) {
			list = append(list, item)
		}
	}
	r.want(len(list) <= mostItems, name, "must have at most 100 items")
	return list[:min(len(list), mostItems)]
}

// filter reads a list of which a conversation must have one.
func (r *reader) filter(p *plan, f facet, name, text string, allowed []string) {
	var group []string
	for _, item := range r.list(name, text, allowed) {
		group = append(group, tokenOf(f, item))
	}
	p.add(group)
}

func (r *reader) topics(p *plan, text string) {
	var group []string
	for _, item := range r.list("topic", text, nil) {
		group = append(group, topicToken(item))
	}
	p.add(group)
}

func (r *reader) flag(p *plan, f facet, name, text string, allowed ...string) {
	if text == "" {
		return
	}
	r.want(slices.Contains(allowed, text), name, "must be "+strings.Join(allowed, " or "))
	p.add([]string{tokenOf(f, text)})
}

// paired reads what ran and how it ended: the outcomes are those of what is named, or of anything where nothing is.
func (r *reader) paired(p *plan, name, text, outcomeName, outcomeText string, allowed []string, by [3]facet) {
	names, ends := r.list(name, text, nil), r.list(outcomeName, outcomeText, allowed)
	var group []string
	switch {
	case len(ends) == 0:
		for _, n := range names {
			group = append(group, tokenOf(by[0], n))
		}
	case len(names) == 0:
		for _, end := range ends {
			group = append(group, tokenOf(by[1], end))
		}
	default:
		for _, n := range names {
			for _, end := range ends {
				group = append(group, tokenOf(by[2], n, end))
			}
		}
	}
	p.add(group)
}

func (p *plan) add(group []string) {
	if len(group) > 0 {
		p.filters = append(p.filters, group)
	}
}
