// The icons that every chat begins with.
import { icon } from "./icon";

export const SendIcon = icon(18, "m5 12 7-7 7 7", "M12 19V5");
export const StopIcon = icon(18, "M8 8h8v8H8z");
export const AgainIcon = icon(
  18,
  "M3 12a9 9 0 0 1 9-9 9.75 9.75 0 0 1 6.74 2.74L21 8",
  "M21 3v5h-5",
  "M21 12a9 9 0 0 1-9 9 9.75 9.75 0 0 1-6.74-2.74L3 16",
  "M8 16H3v5",
);
export const DownIcon = icon(18, "M12 5v14", "m19 12-7 7-7-7");
export const OpenIcon = icon(18, "m9 18 6-6-6-6");
export const AlertIcon = icon(18, "m21.73 18-8-14a2 2 0 0 0-3.48 0l-8 14A2 2 0 0 0 4 21h16a2 2 0 0 0 1.73-3", "M12 9v4", "M12 17h.01");
export const BusyIcon = icon(18, "M21 12a9 9 0 1 1-6.219-8.56");
export const EditIcon = icon(
  18,
  "M21.17 6.81a1 1 0 0 0-3.99-3.98L3.84 16.17a2 2 0 0 0-.5.83l-1.32 4.35a.5.5 0 0 0 .62.62l4.35-1.32a2 2 0 0 0 .83-.49z",
  "m15 5 4 4",
);
export const PersonIcon = icon(20, "M19 21v-2a4 4 0 0 0-4-4H9a4 4 0 0 0-4 4v2", "M12 3a4 4 0 1 0 0 8 4 4 0 0 0 0-8");
const dot = (x: number) => `M${x} 12m-1 0a1 1 0 1 0 2 0a1 1 0 1 0-2 0`;
export const MoreIcon = icon(20, dot(5), dot(12), dot(19));
export const CloseIcon = icon(20, "M18 6 6 18", "m6 6 12 12");
export const CheckIcon = icon(20, "M20 6 9 17l-5-5");
export const BackIcon = icon(20, "m12 19-7-7 7-7", "M19 12H5");
