package contact

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"parley"
	"parley/internal/httpapi"
	"parley/internal/sqldb"
	"parley/internal/store"
)

const (
	maxAttributes = 100  // of an agent, archived ones too
	maxTextChars  = 1000 // characters of a text
)

// AddAttribute adds an attribute to an agent's contacts. Fails with AGENT_NOT_FOUND, or with VALIDATION_INVALID_BODY
// where one of its name exists or there are too many.
func (s *Service) AddAttribute(ctx context.Context, a parley.Attribute) (*parley.Attribute, error) {
	a.CreatedAt = s.Now()
	a.UpdatedAt = a.CreatedAt
	err := s.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if err := tx.LockAgent(ctx, a.AgentRef()); err != nil {
			return err
		}
		list, err := tx.Attributes(ctx, a.AgentRef())
		if err != nil {
			return err
		}
		if _, exists := attributesByName(list)[a.Name]; exists {
			return parley.Invalid("name", "is the name of another attribute")
		}
		if len(list) >= maxAttributes {
			return parley.Invalid("name",
				fmt.Sprintf("would be one too many: there are at most %d attributes, archived ones too", maxAttributes))
		}
		return tx.SaveAttribute(ctx, &a)
	})
	return &a, err
}

// AttributeChange describes the change of an attribute; nil fields stay.
type AttributeChange struct {
	Label       *string
	Description *string
	Archived    *bool
	Type        parley.AttributeType // empty, or the one it has
}

// ChangeAttribute changes an attribute. Fails with AGENT_NOT_FOUND or NOT_FOUND, or with VALIDATION_INVALID_BODY where
// it has another type.
func (s *Service) ChangeAttribute(ctx context.Context, ref parley.AgentRef, name string,
	c AttributeChange) (a *parley.Attribute, err error) {
	now := s.Now()
	err = s.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) (err error) {
		if err = tx.LockAgent(ctx, ref); err != nil {
			return err
		}
		if a, err = tx.LockAttribute(ctx, ref, name); err != nil {
			return err
		}
		if c.Type != "" && c.Type != a.Type {
			return parley.Invalid("type", "cannot be changed")
		}
		c.apply(a, now)
		return tx.SaveAttribute(ctx, a)
	})
	return a, err
}

func (c AttributeChange) apply(a *parley.Attribute, now time.Time) {
	if c.Label != nil {
		a.Label = *c.Label
	}
	if c.Description != nil {
		a.Description = *c.Description
	}
	if c.Archived != nil && *c.Archived != (a.ArchivedAt != nil) {
		a.ArchivedAt = nil
		if *c.Archived {
			a.ArchivedAt = &now
		}
	}
	a.UpdatedAt = now
}

func attributesByName(list []parley.Attribute) map[string]parley.Attribute {
	types := make(map[string]parley.Attribute, len(list))
	for _, a := range list {
		types[a.Name] = a
	}
	return types
}

// mergeAttributes returns the attributes of a contact, an object, and what is wrong with the new ones, by name.
func mergeAttributes(known json.RawMessage, change map[string]json.RawMessage,
	types map[string]parley.Attribute) (json.RawMessage, map[string]string) {
	if len(change) == 0 {
		return known, nil
	}
	all := map[string]json.RawMessage{}
	if known != nil {
		_ = json.Unmarshal(known, &all) // it is an object of ours
	}
	faults := map[string]string{}
	for name, value := range change {
		a, ok := types[name]
		switch {
		case !ok:
		case a.ArchivedAt != nil:
			faults[name] = "is archived"
		case string(value) == "null":
			delete(all, name)
		default:
			normalized, fault := normalizeValue(a.Type, value)
			if fault != "" {
				faults[name] = fault
				continue
			}
			all[name] = normalized
		}
	}
	merged, err := json.Marshal(all)
	if err != nil {
		return known, map[string]string{"": "cannot be stored"}
	}
	return merged, faults
}

// normalizeValue returns a value as it is stored, or what is wrong with it.
func normalizeValue(kind parley.AttributeType, value json.RawMessage) (normalized json.RawMessage, fault string) {
	switch kind {
	case parley.AttributeBoolean:
		if text := string(value); text != "true" && text != "false" {
			return nil, "must be true or false"
		}
		return value, ""
	case parley.AttributeNumber:
		if n, err := strconv.ParseFloat(string(value), 64); err != nil || math.IsInf(n, 0) {
			return nil, "must be a number"
		}
		return value, ""
	default:
		return normalizeText(kind, value)
	}
}

func normalizeText(kind parley.AttributeType, value json.RawMessage) (normalized json.RawMessage, fault string) {
	var text string
	if json.Unmarshal(value, &text) != nil {
		text = "\x00" // no text holds it
	}
	_, _, moment := httpapi.ParseTime(text)
	switch {
	case kind == parley.AttributeDate && !moment:
		return nil, httpapi.InvalidTimeMessage
	case text == "\x00":
		return nil, "must be a string"
	case utf8.RuneCountInString(text) > maxTextChars:
		return nil, fmt.Sprintf("must have at most %d characters", maxTextChars)
	}
	normalized, err := json.Marshal(parley.StorableText(text))
	if err != nil {
		return nil, "must be a string"
	}
	return normalized, ""
}
