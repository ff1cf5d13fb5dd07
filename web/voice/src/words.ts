// What the agent and this library agree on beside LiveKit's own conventions; internal/voice/rtc/transport.go has the same words.
export const topicText = "lk.chat";
export const topicTranscript = "lk.transcription";
export const topicBye = "parley.bye";
export const topicFault = "parley.error";
export const attributeState = "lk.agent.state";
export const attributeReason = "session.end_reason";
export const attributeSegment = "lk.segment_id";

// Why a session ended, where the server does not say it.
export const clientLeft = "client_left";
export const serverStopped = "server_stopped";
