// Pages that are loaded when they are needed, and loaded again where that failed.
import { use, type ComponentType } from "react";
import { loadTexts, type Loaders } from "../texts";

/** The program of a page has not arrived: the server did not answer, or has another version with other files. */
export class LoadError extends Error {
  override name = "LoadError";
}

const failed = new Set<() => void>();
let isRepeated = false; // failed loads were begun again, and nothing has arrived since
let hasFailed = false; // since the console was loaded

/**
 * A page that is loaded when it is first shown, together with its texts, which the build adds (texts.js). A load that
 * fails is thrown until forgetFailedLoads is called.
 */
export function lazyPage<P extends object>(
  load: () => Promise<{ default: ComponentType<P> }>,
  texts?: Loaders,
): ComponentType<P> {
  let loading: Promise<ComponentType<P>> | undefined;
  const begin = async () => {
    try {
      if (hasFailed) await loadMissingSheets();
      const [{ default: page }] = await Promise.all([load(), texts && loadTexts(texts)]);
      isRepeated = false;
      return page;
    } catch (cause) {
      hasFailed = true;
      failed.add(() => (loading = undefined));
      throw new LoadError("a page was not loaded", { cause });
    }
  };
  return function LazyPage(props: P) {
    const Page = use((loading ??= begin()));
    return <Page {...props} />;
  };
}

/** Has pages that were not loaded be loaded anew when they are shown the next time. */
export function forgetFailedLoads(): void {
  failed.forEach((forget) => forget());
  failed.clear();
}

/**
 * Makes ready for another try: loads what failed anew, or the whole page where the server has another version by now.
 * Browsers that keep a failed import load the whole page at the second try, once the server answers.
 */
export async function prepareRetry(reload: () => void): Promise<void> {
  const build = await compareBuild();
  if (build === "other" || (build === "same" && isRepeated)) return reload();
  isRepeated = true;
  forgetFailedLoads();
}

/** Reports whether the server has the version of this page: "none" without an answer. */
export async function compareBuild(): Promise<"same" | "other" | "none"> {
  try {
    const reply = await fetch("/console/", { cache: "no-store", credentials: "same-origin" });
    if (!reply.ok) return "none";
    const text = await reply.text();
    const scripts = [...document.querySelectorAll("head script[src]")].map((script) => script.getAttribute("src")!);
    return scripts.every((name) => text.includes(`"${name}"`)) ? "same" : "other";
  } catch {
    return "none";
  }
}

// A style sheet that failed would pass for one that is there when its page is loaded again.
const missing = new Set<string>(); // addresses
const dropSheet = ({ target }: Event) => {
  if (!(target instanceof HTMLLinkElement) || target.rel !== "stylesheet") return;
  target.remove();
  missing.add(target.href);
};
document.addEventListener("error", dropSheet, true);

/**
 * Loads the style sheets that have not arrived, also those that are on their way and fail. The bundler's own loader asks
 * once for each, and shows a page without it afterwards.
 */
async function loadMissingSheets(): Promise<void> {
  const links = document.querySelectorAll<HTMLLinkElement>("link[rel=stylesheet]");
  await Promise.all([...links].filter(({ sheet }) => sheet === null).map(settle));
  await Promise.all([...missing].map(loadSheet));
  if (missing.size > 0) throw new Error(`style sheets are missing: ${[...missing].join(", ")}`);
}

/** Adds a style sheet, and waits until it has arrived or failed: then it is missing again. */
async function loadSheet(address: string): Promise<void> {
  missing.delete(address);
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: address });
  document.head.append(link);
  await settle(link);
}

const settle = (link: HTMLLinkElement) =>
  new Promise<Event>((done) => ["load", "error"].forEach((kind) => link.addEventListener(kind, done)));
