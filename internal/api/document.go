package api

import (
	"strings"

	"parley/internal/wire"
)

// Document gives the OpenAPI document of REST v2, as a server at baseURL serves it.
func Document(baseURL, filesURL string) ([]byte, error) {
	return document(newFace(Config{}), baseURL, filesURL)
}

func document(f *wire.Face, baseURL, filesURL string) ([]byte, error) {
	servers := []wire.Server{{URL: strings.TrimSuffix(baseURL, "/") + Base, Description: "This server"}}
	if filesURL != "" && filesURL != baseURL {
		servers = append(servers, wire.Server{URL: strings.TrimSuffix(filesURL, "/") + Base, Description: "File uploads"})
	}
	return f.OpenAPI(wire.About{
		Title:       "Parley",
		Description: "AI support agents that answer from their sources.",
		Version:     "2.0.0",
		Servers:     servers,
	})
}
