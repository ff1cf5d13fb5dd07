import type { AgentState, ConnectionState } from "./events.js";

const connections: Record<string, ConnectionState> = {
  connecting: "connecting",
  connected: "connected",
  reconnecting: "reconnecting",
  signalReconnecting: "reconnecting",
};

/** LiveKit's word for the connection in ours; undefined for one that we tell ourselves. */
export function connectionState(livekit: string): ConnectionState | undefined {
  return connections[livekit];
}

const agents: Record<string, AgentState> = {
  initializing: "initializing",
  idle: "listening",
  listening: "listening",
  thinking: "thinking",
  speaking: "speaking",
};

/** The agent's attribute in our words; undefined for what we have no word for. */
export function agentState(attribute: string | undefined): AgentState | undefined {
  return agents[attribute ?? ""];
}
