// The entry of the script build: the class itself is the global. Its livekit-client is used by nobody else and logs nothing.
import { LoggerNames } from "livekit-client";
import { silence } from "./log.js";

Object.values(LoggerNames).forEach(silence);

export { ServiceVoice as default } from "./voice.js";
