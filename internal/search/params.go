package search

import (
	"slices"
	"strings"
)

// paramReader reads the parameters of a query and gathers what is wrong with them.
type paramReader struct{ details map[string]string }

func (r *paramReader) require(ok bool, name, text string) {
	if !ok && r.details[name] == "" {
		r.details[name] = text
	}
}

// list reads the items between the commas; allowed may be nil for any text.
func (r *paramReader) list(name, text string, allowed []string) []string {
	if text == "" {
		return nil
	}
	var list []string
	for item := range strings.SplitSeq(text, ",") {
		item = strings.TrimSpace(item)
		r.require(item != "", name, "must not have an empty item")
		r.require(item == "" || allowed == nil || slices.Contains(allowed, item), name,
			"must be one of: "+strings.Join(allowed, ", "))
		if item != "" && !slices.Contains(list, item) {
			list = append(list, item)
		}
	}
	r.require(len(list) <= maxFilterItems, name, "must have at most 100 items")
	return list[:min(len(list), maxFilterItems)]
}

// filter reads a list of which a conversation must have one.
func (r *paramReader) filter(p *queryPlan, f facet, name, text string, allowed []string) {
	var group []string
	for _, item := range r.list(name, text, allowed) {
		group = append(group, facetToken(f, item))
	}
	p.add(group)
}

func (r *paramReader) topicFilter(p *queryPlan, text string) {
	var group []string
	for _, item := range r.list("topic", text, nil) {
		group = append(group, topicToken(item))
	}
	p.add(group)
}

func (r *paramReader) boolFilter(p *queryPlan, f facet, name, text string, allowed ...string) {
	if text == "" {
		return
	}
	r.require(slices.Contains(allowed, text), name, "must be "+strings.Join(allowed, " or "))
	p.add([]string{facetToken(f, text)})
}

// outcomeFilter reads what ran and how it ended: the outcomes are those of what is named, or of anything where nothing
// is.
func (r *paramReader) outcomeFilter(p *queryPlan, name, text, outcomeName, outcomeText string, allowed []string,
	by [3]facet) {
	names, ends := r.list(name, text, nil), r.list(outcomeName, outcomeText, allowed)
	var group []string
	switch {
	case len(ends) == 0:
		for _, n := range names {
			group = append(group, facetToken(by[0], n))
		}
	case len(names) == 0:
		for _, end := range ends {
			group = append(group, facetToken(by[1], end))
		}
	default:
		for _, n := range names {
			for _, end := range ends {
				group = append(group, facetToken(by[2], n, end))
			}
		}
	}
	p.add(group)
}

func (p *queryPlan) add(group []string) {
	if len(group) > 0 {
		p.filters = append(p.filters, group)
	}
}
