// The entry of the script build: the class itself is the global.
export { ServiceVoice as default } from "./voice.js";
