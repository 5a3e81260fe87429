/** Whether an answer is 2xx: to a delivery, that it was taken. Null is no answer. */
export function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status <= 299
}
