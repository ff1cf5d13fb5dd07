// Makes an agent that has read a text, asks it a question and prints the answer while it is being written.
//
//   PARLEY_API_KEY=… node examples/chat.mjs "When does the shop close on Saturdays?"
import { Parley } from "parley-client";

const parley = new Parley({ baseURL: process.env.PARLEY_BASE_URL ?? "http://127.0.0.1:8080", apiKey: process.env.PARLEY_API_KEY });
const question = process.argv[2] ?? "When does the shop close on Saturdays?";

const { id: agentId } = await parley.agents.create({ name: "Shop" });
const source = await parley.sources.create(agentId, {
  type: "text",
  name: "Opening hours",
  content: "The shop is open from nine to five on weekdays. On Saturdays the shop closes at noon.",
});
while ((await parley.sources.get(agentId, source.id)).status === "untrained") await new Promise((resolve) => setTimeout(resolve, 50));

const stream = await parley.chat.stream(agentId, { message: question });
for await (const delta of stream.deltas()) process.stdout.write(delta);

const { metadata } = await stream.final();
console.log(`\n\nfrom ${metadata.citations.map((citation) => citation.name).join(", ")}; credits: ${metadata.usage.credits}`);
await parley.agents.delete(agentId);
