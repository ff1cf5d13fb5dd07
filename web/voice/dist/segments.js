/**
 * Puts the texts of segments together. Servers send a segment in one of two ways: each state of it as a stream of its own that
 * holds the whole text, or one stream to which words are added. Both come in chunks, and several streams of one segment may be
 * open at a time; the one that began last is right.
 */
export class Segments {
    show;
    shown = new Map();
    streams = 0;
    constructor(show) {
        this.show = show;
    }
    /** Takes a stream of a segment. `add` is given its chunks, `end` tells that there are no more. */
    begin(segmentId) {
        const stream = ++this.streams;
        let text = "";
        const replace = () => {
            const before = this.shown.get(segmentId);
            if (before && (before.stream > stream || before.text === text))
                return;
            this.shown.set(segmentId, { stream, text });
            this.show(segmentId, text);
        };
        return {
            add: (chunk) => {
                text += chunk;
                // The beginning of what stands there already: the rest is still on its way, and nothing needs to flicker.
                if (!this.shown.get(segmentId)?.text.startsWith(text))
                    replace();
            },
            end: replace,
        };
    }
}
