// The icons of files, dictation and calls, which not every chat has.
import { icon } from "./icon";

export const RetryIcon = icon(20, "M3 12a9 9 0 1 0 9-9 9.75 9.75 0 0 0-6.74 2.74L3 8", "M3 3v5h5");
export const AttachIcon = icon(
  20,
  "m16 6-8.414 8.586a2 2 0 0 0 2.829 2.829l8.414-8.586a4 4 0 1 0-5.657-5.657l-8.379 8.551a6 6 0 1 0 8.485 8.485l8.379-8.551",
);
export const FileIcon = icon(20, "M15 2H6a2 2 0 0 0-2 2v16a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2V7Z", "M14 2v4a2 2 0 0 0 2 2h4");
export const MicrophoneIcon = icon(20, "M12 19v3", "M19 10v2a7 7 0 0 1-14 0v-2", "M12 2a3 3 0 0 0-3 3v7a3 3 0 0 0 6 0V5a3 3 0 0 0-3-3Z");
export const MicrophoneOffIcon = icon(
  20,
  "M12 19v3",
  "M15 9.34V5a3 3 0 0 0-5.68-1.33",
  "M16.95 16.95A7 7 0 0 1 5 12v-2",
  "M18.89 13.23A7 7 0 0 0 19 12v-2",
  "m2 2 20 20",
  "M9 9v3a3 3 0 0 0 5.12 2.12",
);
export const VoiceIcon = icon(20, "M2 10v3", "M6 6v11", "M10 3v18", "M14 8v7", "M18 5v13", "M22 10v3");
