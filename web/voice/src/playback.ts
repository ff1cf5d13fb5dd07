import { RoomEvent, Track, type RemoteTrack, type Room } from "livekit-client";
import { problem } from "./problem.js";
import { settled } from "./settled.js";

const gestures = ["pointerup", "keydown", "touchend"] as const;

/** Plays the agent's voice. Browsers may block sound until the customer has clicked or typed: then it starts at that moment. */
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

/** Starts the sound at the customer's next click or key if the browser does not allow it before. */
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
