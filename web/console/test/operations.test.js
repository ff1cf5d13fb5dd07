// The operations of the server that its stand-in in tests knows.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isOperation } from "./operations.js";

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
