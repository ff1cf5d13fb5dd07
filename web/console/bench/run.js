// Takes one of the measures that "make bench" takes in a browser: its name is the first word, the job comes as JSON on the
// standard input, and the figures go to the standard output. bench/internal/web starts the server, and judges.
import { text } from "node:stream/consumers";
import { events } from "./events.js";
import { inbox } from "./inbox.js";
import { list } from "./list.js";
import { screens } from "./screens.js";
import { signIn } from "./sign-in.js";
import { sleep } from "./sleep.js";
import { stream } from "./stream.js";

const measures = { "sign-in": signIn, screens, events, sleep, stream, list, inbox };

const job = JSON.parse(await text(process.stdin));
console.log(JSON.stringify(await measures[process.argv[2]](job)));
