import { RoomEvent, Track, type RemoteTrack, type Room } from "livekit-client";
import { problem } from "./problem.js";
import { settled } from "./settled.js";

const gestures = ["pointerup", "keydown", "touchend"] as const;

/** Plays the agent's voice. Browsers may hold sound back until the customer has clicked or typed: then it starts with that. */
export function play(room: Room, complain: (error: Error) => void): void {
  const playing = new Map<RemoteTrack, HTMLMediaElement>();
  const begin = (track?: RemoteTrack) => {
    if (track?.kind !== Track.Kind.Audio || playing.has(track)) return;
    track.updateLoggerOptions({ loggerName: room.options.loggerName });
    const element = track.attach();
    element.hidden = true;
    document.body.append(element);
    playing.set(track, element);
  };
  const end = (track: RemoteTrack) => {
    track.detach();
    playing.get(track)?.remove();
    playing.delete(track);
  };
  const look = () => room.remoteParticipants.forEach((p) => p.trackPublications.forEach(({ track }) => begin(track as RemoteTrack | undefined)));
  room
    .on(RoomEvent.TrackSubscribed, begin)
    .on(RoomEvent.TrackUnsubscribed, end)
    .on(RoomEvent.Reconnected, () => void settled(room).then(look))
    .on(RoomEvent.Disconnected, () => [...playing.keys()].forEach(end));
  awaitGesture(room, complain);
}

/** Has the sound begin with the customer's next click or key where the browser does not let it begin before. */
function awaitGesture(room: Room, complain: (error: Error) => void): void {
  const start = () => void room.startAudio().catch(() => {}); // the room tells when it still may not
  const listen = (on: boolean) => {
    const change = on ? document.addEventListener : document.removeEventListener;
    for (const gesture of gestures) change.call(document, gesture, start, true);
  };
  room
    .on(RoomEvent.AudioPlaybackStatusChanged, () => {
      listen(!room.canPlaybackAudio);
      if (!room.canPlaybackAudio) complain(problem("PlaybackError", "The browser plays no sound before the page is clicked."));
    })
    .on(RoomEvent.Disconnected, () => listen(false));
}
