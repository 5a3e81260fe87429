/** A closed loop over keep-alive connections: each sends its next request when its last one is answered. */
import { connect, type Socket } from 'node:net'

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

/** So many requests a second, however slowly they are answered. The milliseconds of each, from when it was due. */
export async function pace(port: number, requests: readonly Buffer[], rate: number): Promise<readonly number[]> {
  const times: number[] = []
  const idle = new Set<Socket>()
  const began = performance.now()
  let answered = 0
  await new Promise<void>((resolve, reject) => {
    let sent = 0
    const timer = setInterval(() => {
      for (; sent < requests.length && dueAt(sent) <= performance.now(); sent++) send(sent)
    }, 1)

    function send(nth: number): void {
      const [socket = open()] = idle
      idle.delete(socket)
      let pending = ''
      socket.on('data', (chunk: string) => {
        pending += chunk
        const length = lengthOf(pending)
        if (length === undefined || pending.length < length) return
        if (!pending.startsWith('HTTP/1.1 200')) return reject(new Error(pending.slice(0, 200)))
        times.push(performance.now() - dueAt(nth))
        socket.removeAllListeners('data')
        idle.add(socket)
        if (++answered < requests.length) return
        clearInterval(timer)
        resolve()
      })
      socket.write(requests[nth] ?? '')
    }

    function open(): Socket {
      const socket = connect(port, '127.0.0.1').setNoDelay(true).setEncoding('latin1')
      // The server closes those that are idle for long.
      return socket.on('error', reject).on('close', () => idle.delete(socket))
    }
  })
  for (const socket of idle) socket.destroy()
  return times

  function dueAt(nth: number): number {
    return began + (nth / rate) * 1000
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
