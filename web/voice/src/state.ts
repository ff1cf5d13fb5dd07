import type { AgentState, ConnectionState } from "./events.js";

const connections: Record<string, ConnectionState> = {
  connecting: "connecting",
  connected: "connected",
  reconnecting: "reconnecting",
  signalReconnecting: "reconnecting",
};

/** Translates LiveKit's state of the connection into ours; undefined for one that this library reports itself. */
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

/** Translates the agent's attribute into our state; undefined for an unknown one. */
export function agentState(attribute: string | undefined): AgentState | undefined {
  return agents[attribute ?? ""];
}
