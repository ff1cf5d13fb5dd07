// The operations of the server that its stand-in in tests knows.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isOperation, lacksOf } from "./operations.js";

test("what the documents of the server have can be asked, and nothing else", () => {
  for (const [method, path, want] of [
    ["GET", "/v1/session", true],
    ["POST", "/v1/session", true],
    ["PUT", "/v1/session", false],
    ["GET", "/v1/events", true],
    ["PUT", "/v2/agents/one/sources/two", true],
    ["PATCH", "/v2/agents/one/sources/two", false],
    ["PUT", "/v2/agents/one/sources/two/three", false],
    ["GET", "/v1/agents/one%2Ftwo/today", true],
    ["GET", "/v1/accounts//inbox/counts", true],
    ["GET", "/v2/agents/", false],
    ["GET", "/v1/nothing", false],
  ]) {
    assert.equal(isOperation(method, path), want, `${method} ${path}`);
  }
});

test("a body has what the documents say that it needs", () => {
  const statuses = "/v1/agents/one/statuses";
  assert.deepEqual(lacksOf("POST", statuses, { category: "new", default: false, label: "Packing" }), []);
  assert.deepEqual(lacksOf("POST", statuses, { category: "new", label: "Packing" }), ["default"]);
  const hours = [{ days: ["mon"], from: "09:00", to: "17:00" }];
  assert.deepEqual(lacksOf("PATCH", "/v1/agents/one/teams/two", { default: false, hours }), ["hours.0.zone"]);
  assert.deepEqual(lacksOf("POST", "/v2/agents/one/sources", { type: "text", name: "Parcels", content: "On Monday." }), []);
  assert.deepEqual(lacksOf("POST", "/v2/agents/one/sources", { type: "link", url: "https://shop.example" }), ["linkType"]);
  assert.deepEqual(lacksOf("GET", "/v1/events", undefined), []);
});
