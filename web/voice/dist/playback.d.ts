import { type Room } from "livekit-client";
/** Plays the agent's voice. Browsers may hold sound back until the customer has clicked or typed: then it starts with that. */
export declare function play(room: Room, complain: (error: Error) => void): void;
