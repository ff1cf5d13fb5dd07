// The names that the agent and this library share beside LiveKit's own conventions; internal/voice/rtc/transport.go has the same.
export const topicText = "lk.chat";
export const topicTranscript = "lk.transcription";
export const topicBye = "parley.bye";
export const topicFault = "parley.error";
export const attributeState = "lk.agent.state";
export const attributeReason = "session.end_reason";
export const attributeSegment = "lk.segment_id";

// Why a session ended, if the server does not say.
export const clientLeft = "client_left";
export const serverStopped = "server_stopped";
