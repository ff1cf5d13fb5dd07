/** Calls back who asked for it. A callback that throws is reported to the page and keeps nobody else from being called. */
export class Emitter {
    callbacks = {};
    on(event, callback) {
        (this.callbacks[event] ??= new Set()).add(callback);
        return () => this.off(event, callback);
    }
    off(event, callback) {
        this.callbacks[event]?.delete(callback);
    }
    emit(event, ...args) {
        for (const callback of [...(this.callbacks[event] ?? [])]) {
            try {
                callback(...args);
            }
            catch (error) {
                queueMicrotask(() => {
                    throw error;
                });
            }
        }
    }
}
