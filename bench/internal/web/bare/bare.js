// The least that a page can do to show what the console shows: no library, no styles, no languages.
const query = new URLSearchParams(location.search);
const api = "/console/api";
const main = document.querySelector("main");
const headers = { Accept: "application/json", "Parley-Account": query.get("account") ?? "", "Parley-Console": "1" };
const screens = { signIn, list, answer, inbox };

screens[query.get("screen")]();

async function read(path) {
  return (await fetch(api + path, { headers })).json();
}

async function signIn() {
  await read("/v1/session");
  const form = document.createElement("form");
  for (const type of ["email", "password", "submit"]) form.append(Object.assign(document.createElement("input"), { type }));
  main.append(form);
}

/** A list of what the operator's API or REST v2 pages through; with `live` it is read again at each event. */
async function list() {
  const table = document.createElement("table");
  main.append(table);
  await show(table);
  if (query.has("live")) await follow(() => void show(table));
}

async function show(table) {
  const { data } = await read(query.get("path"));
  table.replaceChildren(...data.map(newRow));
}

function newRow({ name, status, type, size, updatedAt }) {
  const row = document.createElement("tr");
  for (const value of [name, status, type, size, updatedAt]) {
    const cell = document.createElement("td");
    cell.textContent = value ?? "";
    row.append(cell);
  }
  return row;
}

/** The inbox with a thread beside it; pages before are read when its beginning is near, and all stay. */
async function inbox() {
  const table = document.createElement("table");
  const area = Object.assign(document.createElement("div"), { id: "thread", tabIndex: 0 });
  area.style = "height: 600px; overflow: auto";
  main.append(area, table);
  const path = `/v1/accounts/${query.get("account")}/inbox?view=all&limit=50`;
  const fill = async () => table.replaceChildren(...(await read(path)).data.map((row) => newInboxRow(row, area)));
  await fill();
  if (query.has("live")) await follow(() => void fill());
}

function newInboxRow({ conversationId, userId, status, agentName, lastMessage, lastActivity }, area) {
  const row = newRow({ name: userId, status, type: agentName, size: lastMessage?.text, updatedAt: lastActivity });
  const button = Object.assign(document.createElement("button"), { textContent: userId });
  button.addEventListener("click", () => void showThread(conversationId, area));
  row.append(button);
  return row;
}

async function showThread(id, area) {
  let first = 0;
  let isReading = false;
  const more = async () => {
    isReading = true;
    const { entries, hasEarlier } = await read(`/v1/conversations/${id}/thread${first > 0 ? `?before=${first}` : ""}`);
    area.prepend(...entries.map(({ parts }) => Object.assign(document.createElement("p"), { textContent: parts.map(({ text }) => text).join("") })));
    first = entries[0]?.seq ?? 0;
    isReading = !hasEarlier;
  };
  area.replaceChildren();
  await more();
  area.scrollTop = area.scrollHeight;
  area.addEventListener("scroll", () => area.scrollTop < 600 && !isReading && void more());
}

async function follow(use) {
  const reply = await fetch(`${api}/v1/events`, { headers: { ...headers, Accept: "text/event-stream" } });
  for await (const lines of linesOf(reply.body)) if (lines.some((line) => /^event: (agent|source|message)$/.test(line))) use();
}

async function* linesOf(body) {
  let rest = "";
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop();
    yield lines;
  }
}

/** A field for a question, whose streamed answer is added to a text as it comes. */
function answer() {
  const area = document.createElement("textarea");
  area.setAttribute("aria-label", "Ask");
  const text = document.createTextNode("");
  main.append(area, text);
  area.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    void ask(area.value, text);
    area.value = "";
  });
}

async function ask(message, text) {
  const path = `${api}/v1/agents/${query.get("agent")}/playground`;
  const sent = { ...headers, Accept: "text/event-stream", "Content-Type": "application/json" };
  const reply = await fetch(path, { method: "POST", headers: sent, body: JSON.stringify({ message }) });
  for await (const lines of linesOf(reply.body)) {
    for (const line of lines) if (line.includes('"text-delta"')) text.appendData(JSON.parse(line.slice(6)).delta);
  }
}
