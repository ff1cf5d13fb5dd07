export { ServiceVoice, type ServiceVoiceOptions } from "./voice.js";
export type { AgentState, ConnectionState, Speaker, Transcript, VoiceEvents } from "./events.js";
export type { VoiceSession } from "./session.js";
