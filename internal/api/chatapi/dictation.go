package chatapi

import (
	"context"
)

// DictationRequest holds speech in its body, a WAV file.
type DictationRequest struct {
	AgentPath
	Locale string `query:"locale" max:"35" doc:"Language of the speaker, such as pt-BR."`
}

// DictatedText is what was said.
type DictatedText struct {
	Text string `json:"text"`
}

// dictate turns up to 30 seconds of speech into text, which the visitor may change before sending it.
func (s *server) dictate(ctx context.Context, c *call, in *DictationRequest) (*Data[DictatedText], error) {
	from := callerOf(c)
	if !s.isDictationShown(from.agent) {
		return nil, notOffered(nil, "This agent does not take dictation.")
	}
	if err := s.count(s.people.dictations, from); err != nil {
		return nil, err
	}
	file, err := c.ReadBody()
	if err != nil {
		return nil, err
	}
	settings, err := from.agent.VoiceSettings()
	if err != nil {
		return nil, err
	}
	text, err := s.Dictation.Transcribe(ctx, file, in.Locale, settings)
	if err != nil {
		return nil, err
	}
	return &Data[DictatedText]{DictatedText{text}}, nil
}
