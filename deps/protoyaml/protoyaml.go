// Package protoyaml is in place of buf.build/go/protoyaml, by which LiveKit reads and writes messages in its settings.
// That one brings along the checking of messages by expressions, with a parser of its own, which LiveKit does not use:
// 40 packages, and 4 MB of the program.
package protoyaml

import (
	"encoding/json"

	"go.yaml.in/yaml/v3"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// Unmarshal reads a message of YAML, by the names of its fields in JSON or in its definition.
func Unmarshal(text []byte, message proto.Message) error {
	var value any
	if err := yaml.Unmarshal(text, &value); err != nil {
		return err
	}
	asJSON, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return protojson.Unmarshal(asJSON, message)
}

// MarshalOptions are how messages are written.
type MarshalOptions struct {
	UseProtoNames bool // fields have the names of the definition, not those of JSON
}

// Marshal writes a message as YAML.
func (o MarshalOptions) Marshal(message proto.Message) ([]byte, error) {
	asJSON, err := protojson.MarshalOptions{UseProtoNames: o.UseProtoNames}.Marshal(message)
	if err != nil {
		return nil, err
	}
	var value any
	if err := json.Unmarshal(asJSON, &value); err != nil {
		return nil, err
	}
	return yaml.Marshal(value)
}
