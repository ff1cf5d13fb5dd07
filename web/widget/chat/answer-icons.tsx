// The icons of answers.
import { icon } from "./icon";

export const CopyIcon = icon(
  18,
  "M10 8h10a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H10a2 2 0 0 1-2-2V10a2 2 0 0 1 2-2Z",
  "M4 16a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2h10a2 2 0 0 1 2 2",
);
export const LikeIcon = icon(
  18,
  "M7 10v12",
  "M15 5.88 14 10h5.83a2 2 0 0 1 1.92 2.56l-2.33 8A2 2 0 0 1 17.5 22H4a2 2 0 0 1-2-2v-8a2 2 0 0 1 2-2h2.76a2 2 0" +
    " 0 0 1.79-1.11L12 2a3.13 3.13 0 0 1 3 3.88Z",
);
export const DislikeIcon = icon(
  18,
  "M17 14V2",
  "M9 18.12 10 14H4.17a2 2 0 0 1-1.92-2.56l2.33-8A2 2 0 0 1 6.5 2H20a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2h-2.76a2 2 0 0" +
    " 0-1.79 1.11L12 22a3.13 3.13 0 0 1-3-3.88Z",
);
