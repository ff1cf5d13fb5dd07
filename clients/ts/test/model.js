// A model server of OpenAI's wire format that does what the user's message says:
//
//   "hello"            echoes it                    "[slow]"   words until it is hung up on, one each 50 ms
//   "[refuse]"         fails before the first word  "[break]"  fails after some words
//   "[late]"           says nothing until it is hung up on
//   "[slow once]" and so on at the first time, "[slow twice]" at the first two, and an echo from then on
//   "[pieces] [\"a\"]"  says the pieces of a JSON list, one after the other
//   "[tool] Rome"      calls the tool it is offered with {"city": "Rome"}; after the result it says what that was
import { once } from "node:events";
import { createServer } from "node:http";

export async function startModel() {
  const requests = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const asked = JSON.parse(body);
    const seen = { asked, cut: false };
    requests.push(seen);
    response.on("close", () => (seen.cut = !response.writableFinished));
    const heard = messageOf(asked);
    const before = requests.filter((r) => r !== seen && messageOf(r.asked) === heard).length;
    await answer(asked, response, before).catch(() => response.destroy());
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${server.address().port}/v1`, requests, stop };
}

const messageOf = ({ messages }) => messages.findLast((m) => m.role === "user").content;

async function answer({ messages, tools }, response, before) {
  const last = messages.at(-1);
  const message = messageOf({ messages });
  const told = (word) => [word, before < 1 && `${word} once`, before < 2 && `${word} twice`].some((what) => what && message.includes(`[${what}]`));
  if (told("refuse")) {
    response.writeHead(400, { "content-type": "application/json" }).end('{"error":{"message":"no"}}');
    return;
  }
  if (told("late")) {
    if (!response.destroyed) await once(response, "close");
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (choice) => response.write(`data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", choices: [{ index: 0, ...choice }] })}\n\n`);
  const say = (content) => send({ delta: { role: "assistant", content } });
  const sent = () => new Promise((resolve) => response.write("", resolve));
  let reason = "stop";
  if (last.role === "tool") {
    say("The tool says ");
    say(last.content);
  } else if (message.includes("[tool]") && tools?.length) {
    call(send, tools[0].function.name, message.split("[tool] ")[1].split("\n")[0]);
    reason = "tool_calls";
  } else if (message.startsWith("[pieces] ")) {
    for (const piece of JSON.parse(message.slice("[pieces] ".length))) say(piece);
  } else if (told("slow")) {
    await speakOn(say, response);
    return;
  } else {
    say("You said: ");
    say(message);
    if (told("break")) {
      await sent();
      response.destroy();
      return;
    }
  }
  send({ delta: {}, finish_reason: reason });
  response.end("data: [DONE]\n\n");
}

function call(send, name, city) {
  const id = `call_${Math.random().toString(36).slice(2)}`;
  send({ delta: { role: "assistant", tool_calls: [{ index: 0, id, type: "function", function: { name, arguments: "" } }] } });
  const input = JSON.stringify({ city });
  for (const piece of [input.slice(0, 5), input.slice(5)]) send({ delta: { tool_calls: [{ index: 0, function: { arguments: piece } }] } });
}

async function speakOn(say, response) {
  for (let i = 1; !response.destroyed; i++) {
    say(`word${i} `);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
