/** Sends as bytes, each with its own key, made before the clock runs. */
export const CUSTOMERS = 1_000

export function customer(index: number): string {
  return String(255712000000 + (index % CUSTOMERS))
}

let made = 0

export function prepareSends(count: number, token: string): Buffer[] {
  return Array.from({ length: count }, (_, index) => {
    const body = JSON.stringify({ to: customer(index), text: 'Habari, bei ya viatu ni ngapi? '.repeat(20) })
    const head = [
      'POST /api/v2/messages HTTP/1.1',
      'Host: 127.0.0.1',
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `Idempotency-Key: send-${made++}`,
    ]
    return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
  })
}
