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
	"parley/internal/actions"
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
		status, err := listModels(ctx, s.URL, newChatHeader(s))
		r.addServer("the model server at "+hostOf(s.URL), s.Setting, "Until then agents answer with an error.", status, err)
	}
	r.pass("%s", d.Config.DefaultModelName())
}

// addServer reports what is not in order with a server that was asked for its models; name says which it is, and loss
// what follows.
func (r *report) addServer(name, setting, loss string, status int, err error) {
	switch {
	case err != nil:
		r.fail("Check the address in "+setting+", and whether this machine reaches it. "+loss, "%s does not answer: %v", name,
			err)
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		r.fail("Check the key that belongs to "+setting+".", "%s refuses the key (status %d)", name, status)
	case status >= http.StatusInternalServerError:
		r.warn("Ask whoever runs it.", "%s answers with status %d", name, status)
	}
}

// anthropicVersion is the version of Anthropic's interface.
const anthropicVersion = "2023-06-01"

// newChatHeader returns the headers that a server of models wants.
func newChatHeader(s server.ChatServer) http.Header {
	h := http.Header{}
	if s.Format == parley.WireFormatAnthropic {
		h.Set("X-Api-Key", s.Key)
		h.Set("Anthropic-Version", anthropicVersion)
	} else {
		httpclient.SetBearerToken(h, s.Key)
	}
	return h
}

// listModels asks a server for the list of its models and returns the status of its answer. Not every server has one.
func listModels(ctx context.Context, address string, header http.Header) (status int, err error) {
	client := httpclient.Client{BaseURL: address}
	defer client.Close()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, client.Endpoint("/models"), nil)
	if err != nil {
		return 0, withoutAddress(err)
	}
	req.Header = header
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

// checkSpeech checks that the programs for speech that the settings name are installed, and that the servers can be
// reached and take the key. Nothing is spoken.
func (d *Doctor) checkSpeech(ctx context.Context, r *report) {
	engines, err := d.Config.Engines()
	if err != nil {
		r.fail("Correct PARLEY_TTS, PARLEY_STT or PARLEY_VOICE_MAP.", "%v", err)
		return
	}
	defer engines.Close()
	for _, lack := range engines.Warnings {
		r.warn("Install it, or choose another engine with PARLEY_TTS and PARLEY_STT.", "%s", lack)
	}
	d.checkSpeechServers(ctx, r)
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

func (d *Doctor) checkSpeechServers(ctx context.Context, r *report) {
	ctx, cancel := context.WithTimeout(ctx, engineTimeout)
	defer cancel()
	for _, s := range d.Config.SpeechServers() {
		header := http.Header{}
		if s.Header != "" {
			header.Set("Authorization", s.Header)
		}
		status, err := listModels(ctx, plainURL(s.URL), header)
		r.addServer("the speech server at "+hostOf(s.URL), s.Setting, "Until then voice sessions are without it.", status,
			err)
	}
}

// plainURL returns the address of HTTP beside one of WebSockets: ws:// or wss://.
func plainURL(address string) string {
	if rest, isWebSocket := strings.CutPrefix(address, "ws"); isWebSocket {
		return "http" + rest
	}
	return address
}

// checkWebSearch searches for one word with the search engine of the actions.
func (d *Doctor) checkWebSearch(ctx context.Context, r *report) {
	address := d.Config.SearchURL
	if address == "" {
		r.pass("none is configured: no action searches the web")
		return
	}
	engine, err := actions.NewWebSearch(address)
	if err != nil {
		r.pass("not checked: see the settings")
		return
	}
	defer engine.Close()
	ctx, cancel := context.WithTimeout(ctx, engineTimeout)
	defer cancel()
	if _, err := engine.Find(ctx, "parley", nil); err != nil {
		r.fail("Check PARLEY_SEARCH_URL, whether this machine reaches it, and that the engine answers in JSON. Until then "+
			"actions find nothing in the web.", "the search engine at %s does not answer as it should: %v", hostOf(address),
			withoutAddress(err))
	}
	r.pass("the search engine at %s", hostOf(address))
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
