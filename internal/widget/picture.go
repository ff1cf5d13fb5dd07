package widget

import (
	"bytes"
	"net/http"
	"strings"
	"time"

	"parley"
	"parley/internal/agents"
)

// servePicture writes a picture of an agent, whose path has the agent, the kind and the file. Everybody who knows the
// path may see it, also of a private agent. It was uploaded, so the headers keep browsers from taking it for anything
// but an image.
func (p *Pages) servePicture(w http.ResponseWriter, r *http.Request, path string) {
	h := w.Header()
	allowEverySite(h)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-cache")
	id, rest, _ := strings.Cut(path, "/")
	kind, file, _ := strings.Cut(rest, "/")
	blob, data, err := p.FindPicture(r.Context(), parley.AgentID(id), agents.Picture(kind))
	switch {
	case err != nil && !parley.IsCode(err, parley.CodeAgentNotFound):
		http.Error(w, "The picture could not be read.", http.StatusServiceUnavailable)
		return
	case err != nil || blob.ID != file:
		http.Error(w, "There is no such picture.", http.StatusNotFound)
		return
	}
	h.Set("Content-Type", blob.MediaType)
	h.Set("Cache-Control", immutableCaching)
	h.Set("ETag", `"`+blob.Hash+`"`)
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}
