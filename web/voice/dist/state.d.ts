import type { AgentState, ConnectionState } from "./events.js";
/** LiveKit's word for the connection in ours; undefined for one that we tell ourselves. */
export declare function connectionState(livekit: string): ConnectionState | undefined;
/** The agent's attribute in our words; undefined for what we have no word for. */
export declare function agentState(attribute: string | undefined): AgentState | undefined;
