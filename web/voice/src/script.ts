// The entry of the script build: the class itself is the global. Its livekit-client has no rooms but ours, and writes nothing.
import { LoggerNames } from "livekit-client";
import { silence } from "./log.js";

Object.values(LoggerNames).forEach(silence);

export { ServiceVoice as default } from "./voice.js";
