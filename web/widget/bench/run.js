// Takes one of the measures of the widget that "make bench" takes in a browser: its name is the first word, the job comes
// as JSON on the standard input, and the figures go to the standard output. bench/internal/web starts the server, and judges.
import { text } from "node:stream/consumers";
import { button } from "./button.js";
import { open } from "./open.js";
import { stream } from "./stream.js";

const measures = { button, open, stream };

const job = JSON.parse(await text(process.stdin));
console.log(JSON.stringify(await measures[process.argv[2]](job)));
