package server

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"parley"
	"parley/internal/model"
	"parley/internal/modelserver"
)

// newModelServers returns the accounts' own servers of models. They are reached as everything is that others name.
func (b *builder) newModelServers() *modelserver.Service {
	return &modelserver.Service{
		DB: b.DB, Vault: b.vault, HTTP: b.Outbound.StreamClient(), Models: b.Models, Now: b.cfg.Now, Logger: b.cfg.Logger,
		Fixed: b.fixed, FixedNames: b.cfg.fixedModelNames(),
		NewEmbedder: b.queryEmbedder, NewReranker: b.queryReranker,
	}
}

// fixedChatServers lists the servers of wires, in their order.
func (c Config) fixedChatServers() (list []*modelserver.Fixed) {
	newServer := func(setting string, format parley.WireFormat, address, key string) *modelserver.Fixed {
		return &modelserver.Fixed{Kind: parley.ModelServerChat, Setting: setting, Format: format, URL: address,
			HasKey: key != "", Health: modelserver.NewHealth(c.Now)}
	}
	for _, w := range c.namedWires() {
		if w.isConfigured() {
			setting := "PARLEY_" + strings.ToUpper(w.Name) + "_KEY"
			if w.Key == "" {
				setting = "PARLEY_" + strings.ToUpper(w.Name) + "_URL"
			}
			list = append(list, newServer(setting, parley.WireFormat(w.Name), w.baseURL(), w.Key))
		}
	}
	if c.ModelURL != "" {
		list = append(list, newServer("PARLEY_MODEL_URL", parley.WireFormatOpenAI, c.ModelURL, c.ModelKey))
	}
	for _, name := range slices.Sorted(maps.Keys(c.ModelMap)) {
		if f := c.fixedServerOf(list, c.ModelMap[name]); f != nil {
			f.ModelNames = append(f.ModelNames, name)
		}
	}
	if f := c.fixedServerOf(list, c.ModelID); f != nil {
		f.Model = c.ModelID
		if _, isMapped := c.ModelMap[model.DefaultModel]; !isMapped {
			f.ModelNames = append([]string{model.DefaultModel}, f.ModelNames...)
		}
	}
	return list
}

// ChatServer is a server of models that the settings name.
type ChatServer struct {
	Setting  string // that names its address or its key
	Format   parley.WireFormat
	URL, Key string
}

// ChatServers lists the servers of models that the settings name.
func (m ModelConfig) ChatServers() (list []ChatServer) {
	for _, w := range m.namedWires() {
		if w.isConfigured() {
			list = append(list, ChatServer{w.keySetting(), parley.WireFormat(w.Name), w.baseURL(), w.Key})
		}
	}
	if m.ModelURL != "" {
		list = append(list, ChatServer{"--model-url (PARLEY_MODEL_URL)", parley.WireFormatOpenAI, m.ModelURL, m.ModelKey})
	}
	return list
}

// fixedServerOf returns which of the servers of the settings is asked for a model; nil if none is.
func (c Config) fixedServerOf(list []*modelserver.Fixed, id string) *modelserver.Fixed {
	if id == "" || id == model.BuiltinName {
		return nil
	}
	w := c.wireOf(id)
	for _, f := range list {
		isNamed := f.Setting != "PARLEY_MODEL_URL"
		if w == nil && !isNamed || w != nil && isNamed && string(f.Format) == w.Name {
			return f
		}
	}
	return nil
}

// fixedModelNames are the model names that the settings decide on, with the setting.
func (c Config) fixedModelNames() map[string]string {
	names := map[string]string{}
	if c.ModelOverride != nil {
		return names
	}
	for name := range c.ModelMap {
		names[name] = "PARLEY_MODEL_MAP"
	}
	if _, isMapped := names[model.DefaultModel]; c.ModelID != "" && !isMapped {
		names[model.DefaultModel] = "PARLEY_MODEL"
	}
	return names
}

// fixedServers lists what embeds by the settings, a server or a model in a folder, and the reranking server.
func (c Config) fixedServers() (list []*modelserver.Fixed) {
	if c.EmbedURL != "" {
		list = append(list, &modelserver.Fixed{Kind: parley.ModelServerEmbedding, Setting: "PARLEY_EMBED_URL",
			Format: parley.WireFormatOpenAI, URL: c.EmbedURL, HasKey: c.EmbedKey != "", Model: c.EmbedModel,
			Health: modelserver.NewHealth(c.Now)})
	}
	if c.EmbeddingModel != "" { // in this process: it has no address
		list = append(list, &modelserver.Fixed{Kind: parley.ModelServerEmbedding, Setting: "PARLEY_EMBEDDING_MODEL",
			Format: parley.WireFormatOpenAI, Model: filepath.Base(c.EmbeddingModel), Health: modelserver.NewHealth(c.Now)})
	}
	if c.RerankURL != "" {
		list = append(list, &modelserver.Fixed{Kind: parley.ModelServerReranking, Setting: "PARLEY_RERANK_URL",
			Format: parley.WireFormatCohere, URL: c.RerankURL, HasKey: c.RerankKey != "", Model: c.RerankModel,
			Health: modelserver.NewHealth(c.Now)})
	}
	return list
}

// fixedServer returns the one server of the settings that is not for chats.
func (b *builder) fixedServer(kind parley.ModelServerKind) *modelserver.Fixed {
	i := slices.IndexFunc(b.fixed, func(f *modelserver.Fixed) bool { return f.Kind == kind })
	return b.fixed[i] // the settings name it, or nobody asks
}
