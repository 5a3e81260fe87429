/** A closed loop over keep-alive connections: each sends its next request when its last one is answered. */
import { connect } from 'node:net'

export interface Load {
  /** Answers by status. */
  readonly answers: ReadonlyMap<number, number>
  readonly seconds: number
}

export const CONNECTIONS = 64

/** Ends with the last request, or with the first answers after so many seconds. */
export async function fire(
  port: number,
  requests: Iterable<Buffer>,
  seconds = Number.POSITIVE_INFINITY,
): Promise<Load> {
  const answers = new Map<number, number>()
  const queue = requests[Symbol.iterator]()
  const began = performance.now()
  await Promise.all(Array.from({ length: CONNECTIONS }, () => drive()))
  return { answers, seconds: (performance.now() - began) / 1000 }

  function drive(): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1')
      let pending = ''
      const send = () => {
        const request = performance.now() - began < seconds * 1000 ? queue.next().value : undefined
        if (request) socket.write(request)
        else {
          socket.destroy()
          resolve()
        }
      }
      socket.setNoDelay(true).setEncoding('latin1').on('connect', send).on('error', reject)
      socket.on('close', () => reject(new Error('a contender closed a connection')))
      socket.on('data', (chunk: string) => {
        pending += chunk
        const length = lengthOf(pending)
        if (length === undefined || pending.length < length) return
        const status = Number(pending.slice(9, 12))
        answers.set(status, (answers.get(status) ?? 0) + 1)
        pending = ''
        send()
      })
    })
  }
}

/** The length of a whole answer, once its head is there. */
function lengthOf(answer: string): number | undefined {
  const head = answer.indexOf('\r\n\r\n')
  if (head < 0) return undefined
  // Some answer without a body, and some in chunks of which the last one is empty.
  if (!/transfer-encoding: chunked/i.test(answer.slice(0, head)))
    return head + 4 + Number(/content-length: (\d+)/i.exec(answer)?.[1] ?? 0)
  const last = answer.indexOf('\r\n0\r\n\r\n', head)
  return last < 0 ? undefined : last + 7
}
