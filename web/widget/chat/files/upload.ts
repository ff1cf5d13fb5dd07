// Sends a file with its progress, which fetch does not tell.
import { readError, type Api } from "../api";
import type { UploadedFile } from "../state";

/** Sends a file as the form field `file`. `onProgress` is called with the share that is on its way, from 0 to 1. */
export async function uploadFile(
  api: Api,
  file: File,
  onProgress: (share: number) => void,
  signal?: AbortSignal,
  fields: Record<string, string> = {},
): Promise<UploadedFile> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("file", file);
  return api.asVisitor(() => send(api, form, onProgress, signal));
}

function send(api: Api, form: FormData, onProgress: (share: number) => void, signal?: AbortSignal): Promise<UploadedFile> {
  return new Promise((resolve, reject) => {
    const call = new XMLHttpRequest();
    call.open("POST", api.address("/files"));
    call.setRequestHeader("Authorization", api.authorization);
    call.upload.onprogress = (event) => event.lengthComputable && onProgress(event.loaded / event.total);
    call.onerror = call.ontimeout = () => reject(new TypeError("no reply"));
    call.onabort = () => reject(new DOMException("aborted", "AbortError"));
    call.onload = () => {
      if (call.status < 300) resolve((JSON.parse(call.responseText) as { data: UploadedFile }).data);
      else reject(readError(call.status, call.responseText, call.getResponseHeader("Retry-After")));
    };
    signal?.addEventListener("abort", () => call.abort());
    call.send(form);
  });
}
