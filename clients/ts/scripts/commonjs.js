// Says that the files of dist/cjs are CommonJS, whatever the package says of the others.
import { writeFileSync } from "node:fs";

writeFileSync(new URL("../dist/cjs/package.json", import.meta.url), '{ "type": "commonjs" }\n');
