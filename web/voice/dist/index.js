export { ServiceVoice } from "./voice.js";
