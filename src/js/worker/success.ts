// Whether a response has what was asked for.

/** Whether a status means success with a whole body: 204 and 205 mean no body, and 206 only a part of one. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300 && !(status >= 204 && status <= 206);
}
