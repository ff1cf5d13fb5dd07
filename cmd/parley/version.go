package main

import (
	"runtime"
	"runtime/debug"

	"parley/internal/voice/sfu"
)

const version = "0.1.0"

type versionCmd struct{}

type versionInfo struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Go      string `json:"go"`
	Media   bool   `json:"mediaServer"` // false when built with the tag novoice
}

func (versionCmd) Run(p *process) error {
	v := versionInfo{Version: version, Commit: buildCommit(), Go: runtime.Version(), Media: sfu.Available}
	if p.commandLine.JSON {
		return p.printJSON(v)
	}
	line := "parley " + v.Version
	if v.Commit != "" {
		line += " (" + v.Commit + ")"
	}
	if !v.Media {
		line += ", without a media server,"
	}
	return p.printf("%s %s\n", line, v.Go)
}

// buildCommit returns the commit that the program was built from, with "+" when the tree had changes; empty if it is
// not known.
func buildCommit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	var revision, mark string
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			mark = "+"
		}
	}
	if revision == "" {
		return ""
	}
	return revision + mark
}
