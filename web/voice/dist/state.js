const connections = {
    connecting: "connecting",
    connected: "connected",
    reconnecting: "reconnecting",
    signalReconnecting: "reconnecting",
};
/** LiveKit's word for the connection in ours; undefined for one that we tell ourselves. */
export function connectionState(livekit) {
    return connections[livekit];
}
const agents = {
    initializing: "initializing",
    idle: "listening",
    listening: "listening",
    thinking: "thinking",
    speaking: "speaking",
};
/** The agent's attribute in our words; undefined for what we have no word for. */
export function agentState(attribute) {
    return agents[attribute ?? ""];
}
