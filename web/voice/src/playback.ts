import { RoomEvent, Track, type Room } from "livekit-client";
import { problem } from "./problem.js";

const gestures = ["pointerup", "keydown", "touchend"] as const;

/** Plays the agent's voice. Browsers may hold sound back until the customer has clicked or typed: then it starts with that. */
export function play(room: Room, complain: (error: Error) => void): void {
  const begin = () => void room.startAudio().catch(() => {}); // the room tells below when it may not
  const listen = (on: boolean) => {
    const change = on ? document.addEventListener : document.removeEventListener;
    for (const gesture of gestures) change.call(document, gesture, begin, true);
  };
  room
    .on(RoomEvent.TrackSubscribed, (track) => {
      if (track.kind !== Track.Kind.Audio) return;
      const element = track.attach();
      element.hidden = true;
      document.body.append(element);
    })
    .on(RoomEvent.TrackUnsubscribed, (track) => track.detach().forEach((element) => element.remove()))
    .on(RoomEvent.AudioPlaybackStatusChanged, () => {
      listen(!room.canPlaybackAudio);
      if (!room.canPlaybackAudio) complain(problem("PlaybackError", "The browser plays no sound before the page is clicked."));
    })
    .on(RoomEvent.Disconnected, () => listen(false));
}
