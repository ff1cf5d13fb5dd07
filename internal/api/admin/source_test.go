package admin_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/server"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/synonym"
	"parley/internal/testkit"
)

// get decodes the response to a member's request, which must succeed.
func get[Out any](mt *memberTest, m parley.Member, route, body string) (out Out) {
	mt.t.Helper()
	status, text, _ := strings.Cut(mt.send(m, route, body), " ")
	if err := json.Unmarshal([]byte(text), &out); err != nil || status[0] != '2' {
		mt.t.Fatalf("%s: %s %s", route, status, text)
	}
	return out
}

func (mt *memberTest) exec(query string, args ...any) {
	mt.t.Helper()
	_, err := mt.DB.SQL().Exec(mt.t.Context(), query, args...)
	mt.must(err)
}

func (mt *memberTest) owner() parley.Member {
	return parley.Member{User: parley.UserID(parley.NewUUID()), Account: parley.AccountID(mt.Account),
		Role: parley.RoleOwner}
}

func TestMembersSeeWhatAnAgentReads(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		owner, text := mt.owner(), "# Sky\n\nThe sky is blue. "+strings.Repeat("é", 40_000)
		agent := mt.NewAgent(mt.t, mt.Key, text)
		path := "/agents/" + agent
		source := get[admin.Page[admin.Source]](mt, owner, "GET "+path+"/sources", "").Data[0]
		checkSourceText(mt, owner, path+"/sources/"+source.ID, text)
		found := get[admin.SearchTrialResult](mt, owner, "POST "+path+"/try-search", `{"query":"Is the sky blue?"}`)
		if len(found.Passages) == 0 || found.Passages[0].SourceID != source.ID || found.Passages[0].Score <= 0 ||
			!strings.Contains(found.Passages[0].Text, "The sky is blue.") || found.Method != "words" {
			mt.t.Errorf("%+v", found)
		}
		checkTraining(mt, owner, path, source.ID)
		checkSitePages(mt, owner, agent)
	})
}

// checkSourceText reads a text in parts, and from the middle of a character.
func checkSourceText(mt *memberTest, m parley.Member, path, want string) {
	mt.t.Helper()
	part := get[admin.SourceText](mt, m, "GET "+path+"/text", "")
	read := part.Text
	for part.Next != nil {
		query := fmt.Sprintf("/text?start=%d&version=%s", *part.Next, part.Version)
		part = get[admin.SourceText](mt, m, "GET "+path+query, "")
		read += part.Text
	}
	if read != want || part.Bytes != len(want) {
		mt.t.Errorf("the text has %d bytes, want %d", len(read), len(want))
	}
	middle := strings.Index(want, "é") + 1
	part = get[admin.SourceText](mt, m, "GET "+path+"/text?start="+strconv.Itoa(middle), "")
	if part.Start != middle+1 || !strings.HasPrefix(part.Text, "é") {
		mt.t.Errorf("from byte %d: %d %.10q", middle, part.Start, part.Text)
	}
	if got := mt.send(m, "GET "+path+"/text?version=x", ""); !strings.HasPrefix(got, "404 ") {
		mt.t.Errorf("an unknown version: %s", got)
	}
}

// checkTraining makes the training of a source fail and has it tried again.
func checkTraining(mt *memberTest, m parley.Member, path, source string) {
	mt.t.Helper()
	state := func() admin.Training {
		return get[admin.Page[admin.Training]](mt, m, "GET "+path+"/training", "").Data[0]
	}
	if got := state(); got.State != "done" || !got.Answers || got.Since != nil {
		mt.t.Errorf("of a trained source: %+v", got)
	}
	if got := get[admin.Source](mt, m, "POST "+path+"/sources/"+source+"/refetch", ""); got.Status != "trained" {
		mt.t.Errorf("reading a trained text again: %+v", got)
	}
	mt.exec(`delete from passages where source_id = ?`, source)
	mt.exec(`update sources set status = 'failed', failure = 'it broke', live_version = null where id = ?`, source)
	if got := state(); got.State != "failed" || got.Reason != "it broke" || got.Answers {
		mt.t.Errorf("of a failed source: %+v", got)
	}
	if got := get[admin.Source](mt, m, "POST "+path+"/sources/"+source+"/refetch", ""); got.Reason != "" {
		mt.t.Errorf("trying a failed source again: %+v", got)
	}
	mt.must(mt.Runner.WaitIdle(mt.t.Context()))
	if got := state(); got.State != "done" || !got.Answers {
		mt.t.Errorf("of a source that was tried again: %+v", got)
	}
}

// checkSitePages pages through the addresses of a website.
func checkSitePages(mt *memberTest, m parley.Member, agent string) {
	mt.t.Helper()
	id, ref := parley.NewUUID(), m.Account.AgentRef(parley.AgentID(agent))
	site := &parley.Source{ID: parley.SourceID(id), AccountID: ref.Account, AgentID: ref.Agent, Kind: parley.SourceLink,
		Name: "Site", URL: "https://shop.example", Status: parley.SourceTrained, CreatedAt: time.Now(),
		UpdatedAt: time.Now()}
	mt.must(mt.DB.Transact(mt.t.Context(), sqldb.Bulk, func(tx *store.DB) error {
		_, err := tx.CreateSource(mt.t.Context(), site)
		return err
	}))
	want := ""
	for i, state := range []string{"included", "failed", "", "excluded", "included"} {
		url := fmt.Sprintf("https://shop.example/%d", i)
		mt.exec(`insert into crawl_pages (id, account_id, agent_id, source_id, url, role, depth, hops, place, state, reason)
			values (?, ?, ?, ?, ?, 'page', 0, 0, ?, ?, ?)`, parley.NewUUID(), mt.Account, agent, id, url, i, state, "why "+state)
		if state == "" {
			state = "waiting"
		}
		want += url + " " + state + "\n"
	}
	path, got, cursor := "/agents/"+agent+"/sources/"+id+"/pages?limit=2", "", ""
	for pages := 1; ; pages++ {
		page := get[admin.Page[admin.SitePage]](mt, m, "GET "+path+"&cursor="+cursor, "")
		for _, p := range page.Data {
			got += p.URL + " " + p.State + "\n"
		}
		if page.Pagination.Total != 5 {
			mt.t.Errorf("%d pages in all", page.Pagination.Total)
		}
		if page.Pagination.Cursor == nil {
			if pages != 3 {
				mt.t.Errorf("%d pages of the list", pages)
			}
			break
		}
		cursor = *page.Pagination.Cursor
		if other := mt.send(m, "GET /agents/"+agent+"/training?cursor="+cursor, ""); !strings.HasPrefix(other, "400 ") {
			mt.t.Errorf("the cursor of another list: %s", other)
		}
	}
	if got != want {
		mt.t.Errorf("the pages are\n%swant\n%s", got, want)
	}
}

func TestMembersSeeWhyAnAgentAnsweredSo(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		owner := mt.owner()
		agent := mt.NewAgent(mt.t, mt.Key, "# Returns\n\nSend parcels back within thirty days.")
		var answer struct {
			Data struct {
				ID       string
				Metadata struct{ ConversationID string }
			}
		}
		ask := func(question, conversation string) {
			body := map[string]any{"message": question, "stream": false}
			if conversation != "" {
				body["conversationId"] = conversation
			}
			mt.Do(mt.t, "POST", "/agents/"+agent+"/chat", mt.Key, body).Decode(mt.t, http.StatusOK, &answer)
		}
		ask("When must parcels be sent back?", "")
		conversation := answer.Data.Metadata.ConversationID
		ask("Who painted the Mona Lisa in Florence?", conversation)
		path := "GET /conversations/" + conversation + "/explain"
		got := get[admin.Explanation](mt, owner, path, "")
		if len(got.Turns) != 2 || got.ConversationID != conversation {
			mt.t.Fatalf("%+v", got)
		}
		first, second := got.Turns[0], got.Turns[1]
		if !first.Passages[0].IsCited || first.Passages[0].Text == "" || !strings.Contains(first.Answer, "thirty days") {
			mt.t.Errorf("%+v", first)
		}
		if !second.Refused {
			mt.t.Errorf("%+v", second)
		}
		one := get[admin.Explanation](mt, owner, path+"?messageId="+answer.Data.ID, "")
		if len(one.Turns) != 1 || string(one.Turns[0].MessageID) != answer.Data.ID {
			mt.t.Errorf("of one answer: %+v", one)
		}
	})
}

func TestMembersSeeSourcesInFull(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		owner := mt.owner()
		agent := mt.NewAgent(mt.t, mt.Key, "# Sky\n\nThe sky is blue.")
		path := "/agents/" + agent
		var qna struct{ ID string }
		mt.Do(mt.t, "POST", path+"/sources", mt.Key, map[string]any{"type": "qna", "name": "Hours",
			"questions": []string{"When are you open?", "Opening hours?"}, "answer": "From nine to five."}).
			Decode(mt.t, http.StatusCreated, &qna)
		mt.must(mt.Runner.WaitIdle(mt.t.Context()))
		checkSourceRows(mt, owner, path, qna.ID)
		source := get[admin.SourceDetails](mt, owner, "GET "+path+"/sources/"+qna.ID, "")
		if len(source.Questions) != 2 || source.Answer != "From nine to five." || source.Progress != nil || !source.Answers {
			mt.t.Errorf("%+v", source)
		}
		versions := get[admin.SourceVersions](mt, owner, "GET "+path+"/sources/"+qna.ID+"/versions", "").Versions
		if len(versions) != 1 || versions[0].State != "answers" || versions[0].Bytes == 0 || versions[0].Version == "" {
			mt.t.Errorf("%+v", versions)
		}
		passages := get[admin.Page[admin.SourcePassage]](mt, owner, "GET "+path+"/sources/"+qna.ID+"/passages", "")
		if passages.Pagination.Total == 0 || !strings.Contains(passages.Data[0].Text, "From nine to five.") ||
			passages.Data[0].Number != 1 {
			mt.t.Errorf("%+v", passages)
		}
		checkKnowledgeUse(mt, owner, path, qna.ID)
	})
}

// checkSourceRows narrows the list by kind, state and name, and reads how far a source is that is being read.
func checkSourceRows(mt *memberTest, m parley.Member, path, qna string) {
	mt.t.Helper()
	list := func(query string) (names string) {
		for _, row := range get[admin.Page[admin.SourceRow]](mt, m, "GET "+path+"/sources"+query, "").Data {
			names += row.Name + " " + row.Status + ";"
		}
		return names
	}
	mt.exec(`update sources set status = 'updated' where id = ?`, qna)
	for query, want := range map[string]string{
		"":                                   "Hours updated;Text trained;",
		"?types=text":                        "Text trained;",
		"?types=text,qna&statuses=updated":   "Hours updated;",
		"?name=HOUR":                         "Hours updated;",
		"?name=HOUR&statuses=trained,failed": "",
	} {
		if got := list(query); got != want {
			mt.t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	row := get[admin.SourceDetails](mt, m, "GET "+path+"/sources/"+qna, "")
	if p := row.Progress; p == nil || p.Unit != "bytes" || p.Done == 0 || p.Done > p.Total {
		mt.t.Errorf("%+v", row.Progress)
	}
	mt.exec(`update sources set status = 'trained' where id = ?`, qna)
}

// checkKnowledgeUse asks what both sources answer, and counts the answers; a trial in the playground counts as none.
func checkKnowledgeUse(mt *memberTest, m parley.Member, path, qna string) {
	mt.t.Helper()
	questions := []string{"When are you open?", "What colour is the sky?", "Is the sky blue?", "When are you open?"}
	for _, question := range questions {
		mt.Do(mt.t, "POST", path+"/chat", mt.Key, map[string]any{"message": question, "stream": false})
	}
	mt.ask(m, strings.TrimPrefix(path, "/agents/"), `{"message":"When are you open?"}`)
	use := get[admin.KnowledgeUse](mt, m, "GET "+path+"/knowledge-use", "")
	if use.Answers != 4 || len(use.Sources) != 2 || use.Sources[0].SourceID != qna || use.Sources[0].Answers != 2 ||
		use.Size == 0 {
		mt.t.Errorf("%+v", use)
	}
}

func TestMembersTryPaths(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		owner, agent := mt.owner(), mt.NewAgent(mt.t, mt.Key)
		got := get[admin.PathTrialResult](mt, owner, "POST /agents/"+agent+"/try-paths", `{"url":"https://shop.example/",
			"linkType":"crawl","excludePaths":["^/cart"],"includeOnlyPaths":["^/help"],
			"addresses":["/help/a","/cart","https://shop.example/","https://other.example/help","mailto:a"]}`)
		want := "read leftOut startOnly otherSite noAddress"
		var verdicts []string
		for _, v := range got.Verdicts {
			verdicts = append(verdicts, string(v.Verdict))
		}
		if strings.Join(verdicts, " ") != want {
			mt.t.Errorf("%v, want %s", verdicts, want)
		}
		fault := mt.send(owner, "POST /agents/"+agent+"/try-paths",
			`{"url":"https://shop.example","linkType":"crawl","excludePaths":["("],"addresses":[]}`)
		if !strings.HasPrefix(fault, "400 ") || !strings.Contains(fault, `"excludePaths.0"`) {
			mt.t.Error(fault)
		}
	})
}

// TestManifestAsText holds that an agent is made of a manifest in YAML, and that faults name their lines.
func TestManifestAsText(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		owner, path := mt.owner(), "POST /accounts/"+mt.Account+"/manifest"
		send := func(text string) string {
			body, err := json.Marshal(admin.ApplyManifest{Documents: []json.RawMessage{}, Text: text})
			mt.must(err)
			return string(body)
		}
		result := get[admin.ManifestResult](mt, owner, path, send("agent:\n  key: help\nsettings:\n  name: Help\n"))
		if len(result.Agents) != 1 || result.Agents[0].Agent == "" {
			mt.t.Errorf("%+v", result)
		}
		for text, want := range map[string]string{
			"agent: [":     `"text`,
			"agent: {}\na": `"text`,
		} {
			if got := mt.send(owner, path, send(text)); !strings.HasPrefix(got, "400 ") || !strings.Contains(got, want) {
				mt.t.Errorf("%q: %s", text, got)
			}
		}
	})
}

// TestAPageOfSourcesIsAFewStatements holds that what a page of sources, a page of their training and the figures of
// agents ask of the database is the same for one and for fifty.
func TestAPageOfSourcesIsAFewStatements(t *testing.T) {
	var count atomic.Int64
	// Those of requests alone: the server's own work asks at times of its own.
	ofRequests := regexp.MustCompile(`from (sources|source_versions v|crawl_pages|insight_days|insight_questions)\s`)
	counting := testkit.WithConfig(func(c *server.Config) {
		c.OnStatement = func(query string) {
			if ofRequests.MatchString(query) {
				count.Add(1)
			}
		}
	})
	forEachMemberTest(t, func(mt *memberTest) {
		owner, agent := mt.owner(), mt.NewAgent(mt.t, mt.Key)
		measure := func(path string) int64 {
			before := count.Load()
			get[json.RawMessage](mt, owner, "GET "+path, "")
			return count.Load() - before
		}
		sources, training := "/agents/"+agent+"/sources?limit=100", "/agents/"+agent+"/training?limit=100"
		figures := "/agents/figures?agentIds=" + agent
		mt.addSources(agent, 2)
		one, oneTraining, oneAgent := measure(sources), measure(training), measure(figures)
		mt.addSources(agent, 48)
		if list := get[admin.Page[admin.SourceRow]](mt, owner, "GET "+sources, ""); len(list.Data) != 50 {
			mt.t.Fatalf("%d sources", len(list.Data))
		}
		for range 49 {
			figures += "," + mt.NewAgent(mt.t, mt.Key)
		}
		mt.exec(`insert into insight_questions (conversation_id, seq, account_id, agent_id, asked_at, text)
			select id, 1, account_id, id, ?, 'Why?'
			from agents
			where account_id = ?`, time.Now().UnixMilli(), mt.Account)
		if list := get[[]admin.AgentFigures](mt, owner, "GET "+figures, ""); len(list) != 50 ||
			list[0].Unanswered != 1 || len(list[0].Days) != 7 {
			mt.t.Fatalf("figures of %d agents", len(list))
		}
		many, manyTraining, manyAgents := measure(sources), measure(training), measure(figures)
		mt.t.Logf("statements: %d for a page of 50 sources, %d for their training, %d for the figures of 50 agents",
			many, manyTraining, manyAgents)
		if many != one || manyTraining != oneTraining || manyAgents != oneAgent || one == 0 {
			mt.t.Errorf("%d, %d, %d statements; of few %d, %d, %d", many, manyTraining, manyAgents, one, oneTraining,
				oneAgent)
		}
	}, counting)
}

// addSources adds websites and texts that are being read.
func (mt *memberTest) addSources(agent string, n int) {
	mt.t.Helper()
	for i := range n {
		src := &parley.Source{ID: parley.SourceID(parley.NewUUID()), AccountID: parley.AccountID(mt.Account),
			AgentID: parley.AgentID(agent), Kind: parley.SourceLink, Name: "Site", Status: parley.SourceUntrained,
			URL: fmt.Sprintf("https://shop.example/%d", i), CreatedAt: time.Now(), UpdatedAt: time.Now()}
		if i%2 == 1 {
			src.Kind, src.WantedVersion = parley.SourceText, parley.VersionID(parley.NewUUID())
		}
		mt.must(mt.DB.Transact(mt.t.Context(), sqldb.Bulk, func(tx *store.DB) error {
			_, err := tx.CreateSource(mt.t.Context(), src)
			return err
		}))
	}
}

// TestProgressOfSources holds what a list says of sources that are being read, and what an agent's day is.
func TestProgressOfSources(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		owner, agent := mt.owner(), mt.NewAgent(mt.t, mt.Key, "# Sky\n\nThe sky is blue.")
		path := "/agents/" + agent
		text := get[admin.Page[admin.SourceRow]](mt, owner, "GET "+path+"/sources", "").Data[0]
		mt.exec(`update sources set status = 'updated' where id = ?`, text.ID)
		checkSitePages(mt, owner, agent)
		mt.exec(`update sources set status = 'untrained' where name = 'Site'`)
		rows := get[admin.Page[admin.SourceRow]](mt, owner, "GET "+path+"/sources", "").Data
		var got []admin.SourceProgress
		for _, row := range rows {
			if row.Progress == nil {
				mt.t.Fatalf("%s is not being read", row.Name)
			}
			got = append(got, *row.Progress)
		}
		want := []admin.SourceProgress{{Unit: "pages", Done: 4, Total: 5},
			{Unit: "bytes", Done: text.Size, Total: text.Size}}
		if !slices.Equal(got, want) {
			mt.t.Errorf("%+v, want %+v", got, want)
		}
		checkAgentDay(mt, owner, agent, text.ID)
		checkDayOfTheCompany(mt, owner, mt.NewAgent(mt.t, mt.Key))
	})
}

func checkAgentDay(mt *memberTest, m parley.Member, agent, source string) {
	mt.t.Helper()
	day := func() admin.AgentDay { return get[admin.AgentDay](mt, m, "GET /agents/"+agent+"/today", "") }
	if got := day(); got.FirstText != nil || got.Waiting != 0 || len(got.Failed) != 0 {
		mt.t.Errorf("of a silent agent: %+v", got)
	}
	mt.exec(`update sources set status = 'failed', failure = 'it broke' where id = ?`, source)
	var answer struct {
		Data struct {
			Metadata struct{ ConversationID string }
		}
	}
	mt.Do(mt.t, "POST", "/agents/"+agent+"/chat", mt.Key, map[string]any{"message": "Hello?", "stream": false}).
		Decode(mt.t, http.StatusOK, &answer)
	mt.ask(m, agent, `{"message":"Hello?"}`)
	id := answer.Data.Metadata.ConversationID
	got := day()
	if got.FirstText == nil || *got.FirstText < 0 || got.Waiting != 0 || len(got.Failed) != 1 || got.FailedCount != 1 ||
		got.Failed[0].Reason != "it broke" {
		mt.t.Errorf("after an answer: %+v", got)
	}
	path := "GET /agents/" + agent + "/insights/first-text"
	if text := get[admin.FirstText](mt, m, path, ""); text.Answers != 1 || text.Millis == nil ||
		*text.Millis != *got.FirstText { // that of the playground is left out
		mt.t.Errorf("of the last days: %+v", text)
	}
	if text := get[admin.FirstText](mt, m, path+"?from=2026-01-01&to=2026-01-02", ""); text != (admin.FirstText{}) {
		mt.t.Errorf("of earlier days: %+v", text)
	}
	// The agent has the last word when it hands over: that nobody has answered since is what counts, as in the inbox.
	run(mt, admin.MoveConversation, admin.StateChange{ID: id, Step: "takeover"})
	if got, inbox := day(), inboxIDs(mt, m, "waiting"); got.Waiting != 1 || !slices.Equal(inbox, []string{id}) {
		mt.t.Errorf("%d wait at the agent, in the inbox %v", got.Waiting, inbox)
	}
}

// checkDayOfTheCompany has conversations begin around the midnight of a company where it is noon now.
func checkDayOfTheCompany(mt *memberTest, m parley.Member, agent string) {
	mt.t.Helper()
	now := time.Now().UTC()
	ahead := 12 - now.Hour()
	mt.exec(`update accounts set time_zone = ? where id = ?`, fmt.Sprintf("Etc/GMT%+d", -ahead), mt.Account)
	midnight := now.Truncate(time.Hour).Add(-12 * time.Hour)
	for i, at := range []time.Time{midnight.Add(-time.Millisecond), midnight, now} {
		mt.exec(`insert into conversation_insights (conversation_id, account_id, agent_id, channel, created_at, day, topic,
			topics, sentiment, escalated, has_voice, action_types, messages, answers, refused, up, down, outcome, asked_again,
			terms, made_at)
			values (?, ?, ?, 'API', ?, '', '', '[]', '', ?, 0, '[]', 4, 2, 0, 0, 0, 'resolved', ?, '', 0)`,
			parley.NewUUID(), mt.Account, agent, at.UnixMilli(), i%2, i/2)
	}
	want := store.InsightCounts{Conversations: 2, Answers: 4, Resolved: 1, Escalated: 1}
	if got := get[admin.AgentDay](mt, m, "GET /agents/"+agent+"/today", ""); got.InsightCounts != want {
		mt.t.Errorf("the day of the company: %+v, want %+v", got.InsightCounts, want)
	}
}

var shopTexts = []string{
	"# Payment\n\n## Pay an invoice\n\nYou can pay an invoice by card or by bank transfer within fourteen days.",
	"# Delivery\n\n## Track a parcel\n\nYou can track a parcel with the number in the confirmation mail.",
	"# Account\n\n## Close an account\n\nYou can close an account in the settings, under Security.",
	"# Hours\n\nThe shop in Hamburg is open from nine to six, from Monday to Saturday.",
}

func synonymTest(t *testing.T, f func(t *testing.T, srv *testkit.Server, agent string)) {
	run := func(t *testing.T, srv *testkit.Server) { f(t, srv, srv.NewAgent(t, srv.Key, shopTexts...)) }
	t.Run("sqlite", func(t *testing.T) { run(t, testkit.Open(t)) })
	t.Run("postgres", func(t *testing.T) { run(t, testkit.Open(t, testkit.WithPostgres())) })
}

// addOpenQuestions stores questions that were not answered, the last one newest.
func addOpenQuestions(t *testing.T, srv *testkit.Server, agent string, questions ...string) {
	t.Helper()
	in := &parley.Insight{ConversationID: parley.ConversationID(parley.NewTimedUUID()),
		AccountID: parley.AccountID(srv.Account), AgentID: parley.AgentID(agent)}
	for i, text := range questions {
		in.Questions = append(in.Questions, parley.OpenQuestion{Seq: int64(i + 1), Text: text,
			AskedAt: time.UnixMilli(1790000000000 + int64(i))})
	}
	if err := srv.DB.SaveOpenQuestions(t.Context(), in); err != nil {
		t.Fatal(err)
	}
}

func proposeSynonyms(t *testing.T, srv *testkit.Server, agent string) synonym.Proposals {
	t.Helper()
	out, err := admin.RunOn(t.Context(), srv.AdminService, admin.ProposeSynonyms, admin.AgentRef{ID: agent})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func isRefused(t *testing.T, srv *testkit.Server, agent, question string) bool {
	t.Helper()
	var reply struct {
		Data struct {
			Metadata struct{ Citations []struct{} }
		}
	}
	srv.Do(t, "POST", "/agents/"+agent+"/chat", srv.Key, map[string]any{"message": question}).Decode(t, http.StatusOK,
		&reply)
	return len(reply.Data.Metadata.Citations) == 0
}

// A word that no source holds is proposed beside the word of the sources that answers the questions. Once it is
// accepted they are answered, and it is not proposed again.
func TestSynonymsAreProposedAndAccepted(t *testing.T) {
	synonymTest(t, func(t *testing.T, srv *testkit.Server, agent string) {
		addOpenQuestions(t, srv, agent, "How can I pay a factura?", "Can I pay the factura later?",
			"how can I pay a Factura?",
			"How do I close my membership?", "Where do I close a membership?", "How do I close a door?",
			"Who painted the ceiling of the chapel?", "Zyx?", "", "Can I track a parcel?")
		got := proposeSynonyms(t, srv, agent)
		if len(got.Proposals) != 2 || got.Questions != 10 || got.Withheld ||
			!slices.Equal(got.Proposals[1].Words, []string{"membership", "account"}) {
			t.Fatalf("%+v", got)
		}
		first := got.Proposals[0]
		if !slices.Equal(first.Words, []string{"factura", "invoice"}) || first.Questions != 3 || len(first.Answers) == 0 {
			t.Fatalf("%+v", first)
		}
		for _, a := range first.Answers {
			if !strings.Contains(a.Answer, "pay an invoice by card") || a.Source != "Text" ||
				!strings.Contains(strings.ToLower(a.Question), "factura") {
				t.Errorf("%+v", a)
			}
		}
		if again := proposeSynonyms(t, srv, agent); fmt.Sprint(again) != fmt.Sprint(got) {
			t.Errorf("%+v, and then %+v", got, again)
		}
		if !isRefused(t, srv, agent, first.Answers[0].Question) {
			t.Fatal("answered without the synonyms")
		}
		in := admin.NewSynonyms{AgentID: agent, Words: first.Words}
		groups, err := admin.RunOn(t.Context(), srv.AdminService, admin.AcceptSynonyms, in)
		if err != nil || fmt.Sprint(groups.Groups) != "[[factura invoice]]" {
			t.Fatalf("%v %v", groups, err)
		}
		if isRefused(t, srv, agent, first.Answers[0].Question) {
			t.Error("not answered with the synonyms")
		}
		left := proposeSynonyms(t, srv, agent)
		if len(left.Proposals) != 1 || left.Proposals[0].Words[0] != "membership" {
			t.Errorf("%+v is left", left)
		}
	})
}

// A word that answered questions have as well is not what keeps others from an answer.
func TestWordsOfAnsweredQuestionsAreNotProposed(t *testing.T) {
	synonymTest(t, func(t *testing.T, srv *testkit.Server, agent string) {
		addOpenQuestions(t, srv, agent, "How can I pay a factura?", "Can I pay the factura later?")
		if got := proposeSynonyms(t, srv, agent); len(got.Proposals) != 1 {
			t.Fatalf("%+v", got)
		}
		for range 2 {
			if isRefused(t, srv, agent, "Please, factura: can I track a parcel with the number?") {
				t.Fatal("the other question is not answered")
			}
		}
		if got := proposeSynonyms(t, srv, agent); len(got.Proposals) != 0 {
			t.Errorf("%+v", got)
		}
	})
}

// Questions of an agent that masks personal data do not show up, those that were kept before neither.
func TestNoSynonymsAreProposedOfHiddenQuestions(t *testing.T) {
	synonymTest(t, func(t *testing.T, srv *testkit.Server, agent string) {
		addOpenQuestions(t, srv, agent, "How can I pay a factura?")
		ref := parley.AccountID(srv.Account).AgentRef(parley.AgentID(agent))
		if err := srv.DB.UpdateAgent(t.Context(), ref, func(a *parley.Agent) error {
			a.Redact = true
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if got := proposeSynonyms(t, srv, agent); !got.Withheld || got.Questions != 0 || len(got.Proposals) != 0 {
			t.Errorf("%+v", got)
		}
	})
}

// What the settings of an agent take for a group, accepting takes too.
func TestSynonymGroupsAreChecked(t *testing.T) {
	srv := testkit.Open(t)
	agent := srv.NewAgent(t, srv.Key)
	accept := func(group ...string) error {
		_, err := admin.RunOn(t.Context(), srv.AdminService, admin.AcceptSynonyms, admin.NewSynonyms{AgentID: agent,
			Words: group})
		return err
	}
	for _, group := range [][]string{nil, {"alone"}, {"alone", "Alone"}, {"bill", ""}, {"bill", strings.Repeat("x", 101)},
		strings.Fields("a b c d e f g h i j k")} {
		if err := accept(group...); !parley.IsCode(err, parley.CodeInvalidBody) {
			t.Errorf("%q: %v", group, err)
		}
	}
	for range 2 { // the same again changes nothing
		if err := accept("bill", "invoice"); err != nil {
			t.Fatal(err)
		}
	}
	out, err := admin.RunOn(t.Context(), srv.AdminService, admin.ExportAgent, admin.ManifestQuery{ID: agent})
	text, _ := json.Marshal(out)
	if err != nil || !strings.Contains(string(text), `bill`) {
		t.Errorf("%v %s", err, text)
	}
}

// The work has a bound, however many questions stay without an answer.
func TestProposalsOfManyQuestions(t *testing.T) {
	srv := testkit.Open(t)
	agent := srv.NewAgent(t, srv.Key, shopTexts...)
	var questions []string
	for i := range 300 {
		word := fmt.Sprintf("thing%c%c", 'a'+i%26, 'a'+i/26)
		questions = append(questions, "How can I pay a "+word+"?", "Can I pay the "+word+" later?")
	}
	addOpenQuestions(t, srv, agent, questions...)
	if got := proposeSynonyms(t, srv, agent); got.Questions != 500 || len(got.Proposals) == 0 || len(got.Proposals) > 20 {
		t.Errorf("%d questions, %d proposals", got.Questions, len(got.Proposals))
	}
}
