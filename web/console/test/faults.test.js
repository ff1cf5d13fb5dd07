// What the server says is wrong with a field, in every language: the sentences are read out of the server's source.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { runnerImport } from "vite";

const root = join(import.meta.dirname, "../../..");
const locales = ["en", "de", "fr", "es", "pt-BR", "ja", "ar"];
const catalogs = Object.fromEntries(
  locales.map((locale) => [locale, JSON.parse(readFileSync(join(import.meta.dirname, `../src/locales/${locale}.json`), "utf8"))]),
);

// Where faults of what the console's forms send come from.
const places = [
  ["access"],
  ["actions", "edit", "secret", "validate", "validate_kinds", "procedure", "jump"],
  ["agents"],
  ["httpapi", "bind", "rules", "multipart"],
  ["api/v2", "agent", "source", "source_kind", "settings_codec", "widget_settings"],
  ["api/admin", "agent_settings", "embedding", "improve", "playground"],
  ["api/looks"],
  ["helpdesk", "saved_reply", "saved_view"],
  ["ingest"],
  ["ingest/crawl", "site", "url"],
  ["modelserver", "check", "service", "trial"],
  ["webhook", "webhook"],
];
const sources = places.flatMap(([folder, ...names]) =>
  readdirSync(join(root, "internal", folder))
    .filter((file) => file.endsWith(".go") && !file.endsWith("_test.go"))
    .filter((file) => names.length === 0 || names.includes(file.replace(".go", "")))
    .map((file) => join("internal", folder, file)),
);

/** What a test puts where the server fills in, by the words before it. */
const filled = { "must be from ": "7 to 9", "must have at least ": "7 bytes" };

/** The sentences about a field in a source, each with an example in the place of what is filled in. */
function readSentences(file) {
  const source = readFileSync(join(root, file), "utf8").replace(/^\s*\/\/.*$/gm, "");
  const found = source.matchAll(/"((?:must|is|cannot|needs|has too many|has as many|took too long) [^"\\]*|took too long)"(\s*\+)?/g);
  const sentences = [...found].map(([, text, isJoined]) => {
    const example = text.replaceAll("%d", "7").replaceAll("%s", "1 character").replaceAll("%q", "x");
    return isJoined ? example + (filled[example] ?? "7") : example;
  });
  return sentences.filter((text) => text !== "must be "); // a part of other sentences
}

/** Why a file is refused by its first bytes. */
function readRefusals() {
  const source = ["sniff", "draft/document"].map((name) => readFileSync(join(root, `internal/ingest/extract/${name}.go`), "utf8")).join("");
  const found = [...source.matchAll(/NewError\("(the file is [^"]*)"/g)].map(([, text]) => text);
  const formats = [...source.matchAll(/"(an? [^"]*)"\}/g)].map(([, text]) => `the file is ${text}; choose another`);
  assert.ok(found.length >= 5 && formats.length >= 15);
  return [...found, ...formats].map((text) => `is refused: ${text.replace(/%\w/g, "7")}`);
}

/** Why a refusal needs no text of its own: its status has one, or no page of the console shows it. */
const withoutText = {
  AUTH_MISSING_API_KEY: "of programs",
  AUTH_INVALID_API_KEY: "of programs",
  AUTH_EXPIRED_API_KEY: "of programs",
  AUTH_SIGN_IN_REQUIRED: "leads to the sign-in",
  AUTH_USER_CHANGED: "another page takes the place",
  AUTH_SINGLE_SIGN_ON_REQUIRED: "leads to the provider",
  AUTH_ORIGIN_NOT_ALLOWED: "names what the operator has to set",
  AUTH_VISITOR_REQUIRED: "of the widget",
  AUTH_IDENTITY_REFUSED: "of the widget",
  AUTH_DOMAIN_NOT_ALLOWED: "of the widget",
  AUTH_ADDRESS_BLOCKED: "of the widget",
  CONVERSATION_USER_MISMATCH: "of the widget",
  VOICE_NOT_AVAILABLE: "of the widget",
  INSUFFICIENT_CREDITS: "of the widget",
  AGENT_CREDITS_LIMIT_REACHED: "of the widget",
  API_RESTRICTED_PLAN: "of programs",
  SUBSCRIPTION_API_RESTRICTED_PLAN: "of programs",
  CONVERSATION_SEARCH_UNAVAILABLE: "the inbox has one",
  CONVERSATION_CLAIMED: "the inbox says who has it",
  METHOD_NOT_ALLOWED: "no page sends it",
  VALIDATION_INVALID_JSON: "no page sends it",
  VALIDATION_INVALID_CURSOR: "no page sends it",
  VALIDATION_CURSOR_QUERY_MISMATCH: "no page sends it",
  CHAT_RETRY_NO_USER_MESSAGE: "no page sends it",
  RESOURCE_MESSAGE_NOT_ASSISTANT: "no page sends it",
  IDEMPOTENCY_KEY_REUSED: "no page sends it",
  PAIRING_PENDING: "no page: a command line asks",
  PAIRING_SLOW_DOWN: "no page: a command line asks",
  PAIRING_DENIED: "no page: a command line asks",
  PAIRING_EXPIRED: "no page: a command line asks",
  AUTH_INVALID_SIGNATURE: "no page signs",
  CHANNEL_OFF: "no page sends messages of messengers",
};
const statusesWithText = ["NotFound", "TooManyRequests", "InternalServerError"];

/** The codes of refusals, each with the name of its status, out of the server's one table of them. */
function readCodes() {
  const source = readFileSync(join(root, "code.go"), "utf8");
  const names = new Map([...source.matchAll(/^\t(Code\w+)\s+Code = "([A-Z_]+)"/gm)].map(([, name, code]) => [name, code]));
  const table = source.slice(source.indexOf("var messages = "), source.indexOf("\n}", source.indexOf("var messages = ")));
  return table.split(/^\thttp\.Status/m).slice(1).flatMap((part) => {
    const status = /^\w+/.exec(part)[0];
    return [...part.matchAll(/^\t\t(Code\w+):/gm)].map(([, name]) => ({ status, code: names.get(name) }));
  });
}

test("every refusal that a page can show has a text in the person's language", () => {
  const states = readFileSync(join(import.meta.dirname, "../src/components/states.tsx"), "utf8");
  const keys = new Map([...states.matchAll(/"error\.([A-Z_]+)": "([\w.]+)"/g)].map(([, code, key]) => [code, key]));
  const codes = readCodes();
  assert.ok(codes.length > 70 && codes.every(({ code }) => code), `${codes.length} codes`);
  for (const { status, code } of codes) {
    const isSaid = keys.has(code) || statusesWithText.includes(status) || code in withoutText;
    assert.ok(isSaid, `${code}: no text`);
  }
  for (const key of keys.values()) for (const locale of locales) assert.ok(catalogs[locale][key], `${key} in ${locale}`);
  const known = codes.map(({ code }) => code);
  assert.deepEqual(Object.keys(withoutText).filter((code) => !known.includes(code)), []);
});

describe("faults", () => {
  let faults, i18n;
  before(async () => {
    const load = async (file) => (await runnerImport(join(import.meta.dirname, file), { configFile: false })).module;
    [faults, i18n] = await Promise.all([load("../src/faults.ts"), load("../../shared/i18n/index.ts")]);
  });
  const explain = (said, locale = "en") =>
    faults.findFaultText(said, (key, params) => i18n.format(catalogs[locale][key], locale, params), locale);

  test("every sentence of the server has a text in every language", () => {
    const sentences = [...new Set([...sources.flatMap(readSentences), ...readRefusals()])];
    assert.ok(sentences.length > 90, `${sentences.length} sentences`);
    for (const said of sentences) {
      for (const locale of locales) {
        const text = explain(said, locale);
        assert.ok(text, `${said}: no text`);
        assert.doesNotMatch(text, /[{}]|NaN|undefined/, `${said}: ${text}`);
      }
    }
  });

  test("what the server says of numbers, sizes and lists is in the text", () => {
    for (const [said, locale, text] of [
      ["must have at least 50 bytes", "en", "This is too small: it needs at least 50 bytes."],
      ["must have at least 50 bytes", "de", "Das ist zu klein: Nötig sind mindestens 50 Byte."],
      ["must have at most 20 MB", "fr", "C’est trop grand : 20 Mo au plus sont possibles."],
      ["must have 12 to 128 characters", "ja", "12文字から128文字で入力してください。"],
      ["must have at most 1048576 characters", "en", "At most 1,048,576 characters fit here."],
      ["must be from 0 to 1", "es", "Elija un número de 0 a 1."],
      ["must be one of: private, public", "en", "Choose one of these: private or public."],
      ["is refused: the file is a picture; Parley reads PDF", "pt-BR", catalogs["pt-BR"]["fault.fileKind"]],
      ["is refused: the file is an old Excel workbook (XLS); save it as XLSX", "en", catalogs.en["fault.fileOld"].replace("{format}", "XLSX")],
      ["must be square: it is 8 pixels wide and 9 high", "ar", "اختر صورة مربعة. عرض هذه الصورة 8 بكسل وارتفاعها 9 بكسل."],
      ['"auto" is answered by "Main model" already', "en", "auto is answered by Main model already. Take the tick away here or there."],
      ['"auto" is set by the operator of this server with PARLEY_MODEL_URL', "en", "The operator of the server has set auto with PARLEY_MODEL_URL."],
      ['"mine" is not a model that agents can have', "en", catalogs.en["fault.model"]],
      ["the account has one already: change that, or remove it first", "de", catalogs.de["fault.oneAlready"]],
      ["the operator of this server has set one with PARLEY_EMBED_URL", "en", catalogs.en["fault.oneAlready"]],
      ["an account may have at most 20 servers", "en", "At most 20 entries fit here."],
      ["must be 0, or from 2000 to 10000000", "en", "Leave this empty, or choose a number from 2,000 to 10,000,000."],
      ["must be an http or https address without user name, password, query and fragment", "fr", catalogs.fr["fault.serverAddress"]],
      ["must be an IANA time zone, such as Europe/Berlin, or empty for UTC", "es", catalogs.es["fault.zone"]],
      ["must be at most 100 of an account", "en", "At most 100 entries fit here."],
      ["is new here", "en", undefined],
    ]) {
      assert.equal(explain(said, locale)?.replace(/\s/g, " "), text);
    }
    assert.equal(faults.explainFault("is new here", (key) => key, "en"), "fault.other");
  });

  test("sizes have the unit of the language, in the right form", async () => {
    const { formatSize } = (await runnerImport(join(import.meta.dirname, "../src/sizes.ts"), { configFile: false })).module;
    const sizes = [0, 1, 61, 8_100_000];
    const shown = (locale) => sizes.map((bytes) => formatSize(bytes, locale).replace(/\s/g, " "));
    assert.deepEqual(shown("en"), ["0 bytes", "1 byte", "61 bytes", "8.1 MB"]);
    assert.deepEqual(shown("de"), ["0 Byte", "1 Byte", "61 Byte", "8,1 MB"]);
    assert.deepEqual(shown("fr"), ["0 octet", "1 octet", "61 octets", "8,1 Mo"]);
    for (const locale of locales) assert.notEqual(shown(locale)[2], "61 byte", locale);
  });
});
