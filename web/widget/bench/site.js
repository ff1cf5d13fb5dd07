// A page of another site, without the widget and with it.
import { callAPI } from "../../console/bench/page.js";
import { snippet } from "../test/pages.js";
import { startHostSite } from "../test/server.js";

/** Where the widget comes from: to a browser 127.0.0.1 is another site than localhost, where its page is. */
export const widgetOrigin = (job) => job.origin.replace("localhost", "127.0.0.1");

export const chatURL = (job, agent) => `${widgetOrigin(job)}/chatbot-iframe/${agent}`;

/** Lets everybody ask an agent. */
export const publish = (job, agent) => callAPI(job, "PUT", `/agents/${agent}`, { visibility: "public" });

/**
 * Serves the page: `pages.floor` and `pages.widget` are its addresses. `near` is that of the page with the widget on the
 * server's own site: there the browser slows the network of the chat frame down with that of its page, while a frame of
 * another site has a process and a network of its own.
 */
export async function startPages(job) {
  const agent = job.agents.small;
  await publish(job, agent);
  const rows = Array.from({ length: 40 }, (_, i) => `<p>Row ${i + 1} of what there is to buy.</p>`).join("");
  const site = await startHostSite({ "/floor": rows, "/widget": rows + snippet(widgetOrigin(job), agent) });
  const origin = site.at("localhost");
  const pages = { floor: `${origin}/floor`, widget: `${origin}/widget` };
  return { pages, near: `${site.at("127.0.0.1")}/widget`, stop: site.stop };
}
