/** Calls back who asked for it. A callback that throws is reported to the page and keeps nobody else from being called. */
export declare class Emitter<E extends {
    [K in keyof E]: (...args: never[]) => void;
}> {
    private readonly callbacks;
    on<K extends keyof E>(event: K, callback: E[K]): () => void;
    off<K extends keyof E>(event: K, callback: E[K]): void;
    emit<K extends keyof E>(event: K, ...args: Parameters<E[K]>): void;
}
