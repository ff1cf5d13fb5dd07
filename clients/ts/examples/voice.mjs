// Opens a voice session, as a backend does for a page, and prints what the page passes to ServiceVoice's connect.
//
//   PARLEY_API_KEY=… node examples/voice.mjs
import { Parley } from "parley-client";

const parley = new Parley({ baseURL: process.env.PARLEY_BASE_URL ?? "http://127.0.0.1:8080", apiKey: process.env.PARLEY_API_KEY });

const { id: agentId } = await parley.agents.create({ name: "Shop" });
await parley.agents.update(agentId, { voiceSettings: { initialMessage: "Hello, how can I help?" } });

const { data } = await parley.voice.createSession(agentId, { userId: "customer-8421", timezone: "Europe/Berlin" });
console.log(JSON.stringify(data, null, 2));
await parley.agents.delete(agentId); // and with it the session
