// The page at /demo/widget/{agentId}: the chat as a page of any site has it, with fields for all that such a page can say
// to it, and a list of what it says to the page.
"use strict";

// Scripts may be added from these paths of this server alone: the loader, and what it loads.
const isOwnScript = ({ origin, pathname }) =>
  origin === location.origin && (pathname === "/embed.min.js" || pathname.startsWith("/__cb/"));

globalThis.trustedTypes?.createPolicy("default", {
  createScriptURL(address) {
    if (!isOwnScript(new URL(address, location.href))) throw new TypeError(`${address} is no script of the chat`);
    return address;
  },
});

const the = (id) => document.getElementById(id);
const call = (...args) => window.chatbase?.(...args);

const commands = ["open", "close", "toggle", "resetChat", "resetOptions", "logout", "destroy"];
const events = [
  "open", "close", "user-message", "assistant-message", "tool-call", "tool-result", "conversation-started", "handover", "unread", "error",
];

function note(type, data) {
  const line = document.createElement("li");
  line.textContent = data === undefined ? type : `${type} ${JSON.stringify(data, null, 1)}`;
  the("log").querySelector("ol").append(line);
  the("log").scrollTop = the("log").scrollHeight;
}

/** Calls a command with what a field holds as JSON. */
function withJSON(text, run) {
  try {
    run(JSON.parse(text));
  } catch (error) {
    note("This is no JSON", String(error));
  }
}

function identify(text) {
  const given = text.trim();
  if (given.startsWith("{")) withJSON(given, (user) => call("identify", user));
  else call("identify", { token: given });
  note("identify", { given: given.length > 60 ? `${given.slice(0, 60)}…` : given });
}

// A later call replaces all of the earlier, so everything that was registered is handed over each time.
const tools = {};
const forms = {};

function registerTool(name, text) {
  withJSON(text, (result) => {
    tools[name] = (args, user) => {
      note(`tool ${name}`, { args, user });
      return result;
    };
    call("registerTools", tools);
    note("registerTools", Object.keys(tools));
  });
}

function registerForm(name, text) {
  withJSON(text, (schema) => {
    forms[name] = (args, user) => {
      note(`form ${name}`, { args, user });
      return schema;
    };
    call("registerFormSchema", forms);
    note("registerFormSchema", Object.keys(forms));
  });
}

function onSubmit(id, run) {
  the(id).addEventListener("submit", (event) => {
    event.preventDefault();
    run();
  });
}

addEventListener("DOMContentLoaded", () => {
  for (const command of commands) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = command;
    button.addEventListener("click", () => call(command));
    the("buttons").append(button);
  }
  onSubmit("message", () => call("open", { message: the("text").value }));
  onSubmit("identity", () => identify(the("token").value));
  onSubmit("tool", () => registerTool(the("tool-name").value.trim(), the("tool-result").value));
  onSubmit("form", () => registerForm(the("form-name").value.trim(), the("form-schema").value));
  onSubmit("set-options", () => withJSON(the("given").value, (options) => call("setOptions", options)));
  for (const type of events) addEventListener(`chatbase:${type}`, ({ detail }) => note(type, detail.data));
});
