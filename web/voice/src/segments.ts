/**
 * Assembles the texts of segments. Servers send a segment in one of two ways: each state of it as a stream of its own that
 * holds the whole text, or one stream to which words are added. Both come in chunks, and several streams of one segment may be
 * open at a time; the one that began last counts.
 */
export class Segments {
  private readonly shown = new Map<string, { stream: number; text: string }>();
  private streams = 0;

  constructor(private readonly show: (segmentId: string, text: string) => void) {}

  /** Begins a stream of a segment. `add` adds its chunks, `end` ends it. */
  begin(segmentId: string): { add: (chunk: string) => void; end: () => void } {
    const stream = ++this.streams;
    let text = "";
    const replace = () => {
      const before = this.shown.get(segmentId);
      if (before && (before.stream > stream || before.text === text)) return;
      this.shown.set(segmentId, { stream, text });
      this.show(segmentId, text);
    };
    return {
      add: (chunk) => {
        text += chunk;
        // The beginning of what is shown already: the rest is still to come, and the text should not flicker.
        if (!this.shown.get(segmentId)?.text.startsWith(text)) replace();
      },
      end: replace,
    };
  }
}
