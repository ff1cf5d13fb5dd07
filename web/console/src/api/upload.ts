// Sending a file. fetch does not tell how far it is, so this is XMLHttpRequest.
import { APIError, base, newAPIError, pageHeaders, sendAsPerson } from "./client";

/** Sends a file below /console/api as a form. `onProgress` gets the share that is sent, 0 to 1. */
export const upload = <T>(path: string, file: File, onProgress: (share: number) => void, signal?: AbortSignal): Promise<T> =>
  sendAsPerson(path, () => send<T>(path, file, onProgress, signal), signal);

function send<T>(path: string, file: File, onProgress: (share: number) => void, signal?: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const call = new XMLHttpRequest();
    signal?.addEventListener("abort", () => call.abort());
    call.onabort = () => reject(new APIError(0, "NO_ANSWER", "", null));
    call.open("POST", base + path);
    for (const [name, value] of Object.entries({ ...pageHeaders(), Accept: "application/json" })) call.setRequestHeader(name, value);
    call.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    call.onerror = () => reject(new APIError(0, "NO_ANSWER", "", null));
    call.onload = () => {
      if (call.status >= 200 && call.status < 300) return resolve(JSON.parse(call.responseText) as T);
      reject(newAPIError(call.status, call.responseText, (name) => call.getResponseHeader(name)));
    };
    const form = new FormData();
    form.set("file", file, file.name);
    call.send(form);
  });
}
