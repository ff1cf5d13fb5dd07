/**
 * Puts the texts of segments together. Servers send a segment in one of two ways: each state of it as a stream of its own that
 * holds the whole text, or one stream to which words are added. Both come in chunks, and several streams of one segment may be
 * open at a time; the one that began last is right.
 */
export declare class Segments {
    private readonly show;
    private readonly shown;
    private streams;
    constructor(show: (segmentId: string, text: string) => void);
    /** Takes a stream of a segment. `add` is given its chunks, `end` tells that there are no more. */
    begin(segmentId: string): {
        add: (chunk: string) => void;
        end: () => void;
    };
}
