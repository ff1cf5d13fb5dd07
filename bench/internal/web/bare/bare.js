// The least that a page can do to show what the console shows: no library, no styles, no languages.
const query = new URLSearchParams(location.search);
const api = "/console/api";
const main = document.querySelector("main");
const headers = { Accept: "application/json", "Parley-Account": query.get("account") ?? "", "Parley-Console": "1" };
const screens = { signIn, list, answer };

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

async function follow(use) {
  const reply = await fetch(`${api}/v1/events`, { headers: { ...headers, Accept: "text/event-stream" } });
  for await (const lines of linesOf(reply.body)) if (lines.some((line) => /^event: (agent|source)$/.test(line))) use();
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
