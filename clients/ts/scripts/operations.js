// Writes src/operations.ts: the method and the path of each operation in the OpenAPI document.
import { readFileSync, writeFileSync } from "node:fs";

const [from, to] = process.argv.slice(2);
const doc = JSON.parse(readFileSync(from, "utf8"));
const lines = [];
for (const [path, item] of Object.entries(doc.paths)) {
  for (const [method, op] of Object.entries(item)) {
    lines.push(`  ${op.operationId}: { method: "${method.toUpperCase()}", path: "${path}" },`);
  }
}
writeFileSync(to, `// Made from the OpenAPI document by \`npm run generate\`; do not edit.\n\nexport const routes = {\n${lines.sort().join("\n")}\n} as const;\n`);
