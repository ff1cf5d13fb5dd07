type Callbacks<E> = { [K in keyof E]: Set<E[K]> };

/** Calls the callbacks of events. One that throws is reported to the page, and the others are called all the same. */
export class Emitter<E extends { [K in keyof E]: (...args: never[]) => void }> {
  private readonly callbacks: Partial<Callbacks<E>> = {};

  on<K extends keyof E>(event: K, callback: E[K]): () => void {
    (this.callbacks[event] ??= new Set()).add(callback);
    return () => this.off(event, callback);
  }

  off<K extends keyof E>(event: K, callback: E[K]): void {
    this.callbacks[event]?.delete(callback);
  }

  emit<K extends keyof E>(event: K, ...args: Parameters<E[K]>): void {
    for (const callback of [...(this.callbacks[event] ?? [])]) {
      try {
        callback(...args);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
