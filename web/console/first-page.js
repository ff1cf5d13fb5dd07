// What the first page needs is one script and one style sheet, and who is signed in is asked while they are loaded:
// over a slow network each further file costs as much as many kilobytes.

const early = "src/early.ts";

/** A plugin of Vite that has early.ts run before the program. */
export function loadEarly() {
  return {
    name: "load-early",
    transformIndexHtml: {
      order: "post",
      handler(html, { bundle, chunk }) {
        if (bundle && !chunk?.facadeModuleId?.endsWith("/console/index.html")) return;
        const built = bundle && Object.values(bundle).find((one) => one.facadeModuleId?.endsWith(early));
        const src = `/console/${built ? built.fileName : early}`;
        return [{ tag: "script", attrs: { type: "module", src }, injectTo: "head-prepend" }];
      },
    },
  };
}

/**
 * The modules of the first page: what a build without this group has it load. What it imports is not the same: of a
 * library whose index imports all of it, each page uses other parts.
 */
export async function findFirstPage(build, config) {
  const { output } = await build({ ...config, build: { ...config.build, write: false, reportCompressedSize: false } });
  const chunks = new Map(output.filter(({ type }) => type === "chunk").map((chunk) => [chunk.fileName, chunk]));
  const names = new Set();
  const add = (name) => {
    if (names.has(name)) return;
    names.add(name);
    chunks.get(name)?.imports.forEach(add);
  };
  add([...chunks.values()].find(({ facadeModuleId }) => facadeModuleId?.endsWith("/console/index.html")).fileName);
  const modules = new Set([...names].flatMap((name) => chunks.get(name)?.moduleIds ?? []));
  return [{ name: "index", test: (id) => modules.has(id) }];
}
