package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"time"

	"parley"
	"parley/internal/httpclient"
	"parley/internal/ingest/extract/sandbox"
	"parley/internal/model/local"
	"parley/internal/retrieval"
	"parley/internal/server"
	"parley/internal/store"
)

// engineTimeout bounds how long a server of others may take to answer.
const engineTimeout = 15 * time.Second

// checkModels checks that the servers of models can be reached and take the key. No model is asked anything.
func (d *Doctor) checkModels(ctx context.Context, r *report) {
	ctx, cancel := context.WithTimeout(ctx, engineTimeout)
	defer cancel()
	for _, s := range d.Config.ChatServers() {
		host := hostOf(s.URL)
		status, err := listModels(ctx, s)
		switch {
		case err != nil:
			r.fail("Check the address in "+s.Setting+", and whether this machine reaches it. Until then agents answer "+
				"with an error.", "the model server at %s does not answer: %v", host, err)
		case status == http.StatusUnauthorized || status == http.StatusForbidden:
			r.fail("Check the key that belongs to "+s.Setting+".", "the model server at %s refuses the key (status %d)", host,
				status)
		case status >= http.StatusInternalServerError:
			r.warn("Ask whoever runs it.", "the model server at %s answers with status %d", host, status)
		}
	}
	r.pass("%s", d.Config.DefaultModelName())
}

// anthropicVersion is the version of Anthropic's interface.
const anthropicVersion = "2023-06-01"

// listModels asks a server for the list of its models and returns the status of its answer. Not every server has one.
func listModels(ctx context.Context, s server.ChatServer) (status int, err error) {
	client := httpclient.Client{BaseURL: s.URL, Key: s.Key}
	defer client.Close()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, client.Endpoint("/models"), nil)
	if err != nil {
		return 0, err
	}
	if s.Format == parley.WireFormatAnthropic {
		req.Header.Set("X-Api-Key", s.Key)
		req.Header.Set("Anthropic-Version", anthropicVersion)
	} else if s.Key != "" {
		req.Header.Set("Authorization", "Bearer "+s.Key)
	}
	res, err := client.HTTPClient().Do(req)
	if err != nil {
		return 0, withoutAddress(err)
	}
	return res.StatusCode, res.Body.Close()
}

// withoutAddress returns the cause of an error alone: an address may hold a key, and codes are for clients.
func withoutAddress(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*parley.Error](err); ok && e.Err != nil {
		return e.Err
	}
	return err
}

// hostOf returns the host of an address, which holds no secret.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "an address that is not one"
	}
	return u.Host
}

// checkEmbedding has one word embedded.
func (d *Doctor) checkEmbedding(ctx context.Context, r *report) {
	embedding, err := d.Config.OpenEmbedding()
	if err != nil {
		r.fail("Put the files of the model into the folder, or correct PARLEY_EMBEDDING_MODEL: the server does not start "+
			"with it.", "%v", err)
		return
	}
	if embedding == nil {
		r.pass("none is configured: passages are found by words")
		return
	}
	defer embedding.Close()
	if embedding.Model != nil {
		d.checkEmbeddingModel(ctx, r, embedding.Model)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, engineTimeout)
	defer cancel()
	if _, err := embedding.Questions.Embed(ctx, []string{"parley"}); err != nil {
		r.fail("Check PARLEY_EMBED_URL, PARLEY_EMBED_KEY and PARLEY_EMBED_MODEL. Until then passages are found by words "+
			"alone.", "the embedding server at %s does not embed: %v", hostOf(d.Config.EmbedURL), withoutAddress(err))
	}
	r.pass("%s", embedding.Questions.Name())
}

// checkEmbeddingModel has one text embedded in this process, and counts the passages that have their vectors.
func (d *Doctor) checkEmbeddingModel(ctx context.Context, r *report, m *local.Embedder) {
	if list, err := m.Questions().Embed(ctx, []string{"When are you open?"}); err != nil || list[0] == nil {
		r.fail("Take another model.", "the model %s has no vector for a question: %v", m.Name(), err)
		return
	}
	var counted retrieval.VectorCount
	d.read(ctx, &report{}, func(db *store.DB) (err error) { // other checks report what the database lacks
		counted, err = (&retrieval.Indexes{DB: db.SQL()}).CountVectors(ctx, m.Name())
		return err
	})
	text := fmt.Sprintf("%s, vectors of %d numbers, %d MB", m.Name(), m.Dimensions(), m.Bytes()>>20)
	if counted.Passages > 0 {
		text += fmt.Sprintf("; %d of %d passages have theirs", counted.Embedded, counted.Passages)
	}
	r.pass("%s", text)
}

// checkReranking has one passage ranked.
func (d *Doctor) checkReranking(ctx context.Context, r *report) {
	reranker := d.Config.Reranker()
	if reranker == nil {
		r.pass("none is configured")
		return
	}
	defer reranker.Close()
	ctx, cancel := context.WithTimeout(ctx, engineTimeout)
	defer cancel()
	if _, err := reranker.Rerank(ctx, "parley", []string{"parley"}); err != nil {
		r.fail("Check PARLEY_RERANK_URL, PARLEY_RERANK_KEY and PARLEY_RERANK_MODEL. Until then passages keep the order of "+
			"the search.", "the reranking server at %s does not rank: %v", hostOf(d.Config.RerankURL), withoutAddress(err))
	}
	r.pass("%s at %s", d.Config.RerankModel, hostOf(d.Config.RerankURL))
}

// checkSpeech checks that the programs for speech that the settings name are installed.
func (d *Doctor) checkSpeech(_ context.Context, r *report) {
	engines, err := d.Config.Engines()
	if err != nil {
		r.fail("Correct PARLEY_TTS, PARLEY_STT or PARLEY_VOICE_MAP.", "%v", err)
		return
	}
	defer engines.Close()
	for _, lack := range engines.Warnings {
		r.warn("Install it, or choose another engine with PARLEY_TTS and PARLEY_STT.", "%s", lack)
	}
	var parts []string
	if engines.Synthesizer != nil {
		parts = append(parts, "agents can speak")
	}
	if engines.Transcriber != nil {
		parts = append(parts, "agents understand speech")
	}
	if len(parts) == 0 {
		parts = []string{"voice sessions are in writing"}
	}
	r.pass("%s", strings.Join(parts, ", "))
}

// checkReaders checks that files of strangers can be read safely.
func (d *Doctor) checkReaders(_ context.Context, r *report) {
	calls, files := sandbox.System()
	const advice = "Use a kernel with seccomp and Landlock (Linux 5.13 or newer), and let the container have them."
	switch {
	case runtime.GOOS != "linux":
		r.warn("Run Parley on Linux where strangers may upload files.", "this system cannot fence the readers of files: %v",
			calls)
	case calls != nil && d.Config.Unfenced:
		r.warn(advice, "files are read without fences, as PARLEY_UNFENCED_READERS asks for: %v", calls)
	case calls != nil:
		r.fail(advice, "files and pages are not read: this system cannot fence their readers: %v", calls)
	case files != nil:
		r.warn(advice, "other programs do not read files: this system cannot keep them from the files of this machine: %v",
			files)
	}
	r.pass("fenced")
}
