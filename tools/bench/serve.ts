/** The contender's side: serves its handler, and answers what the bench asks about its process. */
import { createServer, type RequestListener } from 'node:http'
import { Session } from 'node:inspector'
import type { AddressInfo } from 'node:net'

export type Question = { readonly ask: 'figures' | 'heap' | 'profile' | 'profiled' | 'end' }

export interface Figures {
  /** Deliveries that a receiver has handled. */
  readonly handled?: number
  /** Work that a service has still to do later. */
  readonly due?: number
  /** User and system, in microseconds. */
  readonly cpu: number
  /** Bytes of the heap; after a collection, if the question was for the heap. */
  readonly heap: number
  readonly counts?: Counts
  readonly profile?: object
}

/** Counts of the work that a database was asked to do, since its opening. */
export interface Counts {
  readonly statements: number
  readonly commits: number
  readonly rows: number
}

export interface Contending {
  readonly figures: () => Pick<Figures, 'handled' | 'due' | 'counts'>
  readonly stop?: () => Promise<void>
}

export function serve(listener: RequestListener, contending: Contending): void {
  const server = createServer(listener).listen(0, '127.0.0.1', () => {
    tell((server.address() as AddressInfo).port, contending)
  })
}

/** For a server that listens already. */
export function tell(port: number, { figures, stop }: Contending): void {
  process.send?.({ port })
  process.on('message', (question: Question) => void answer(question))
  // The bench has gone, however it went.
  process.on('disconnect', () => process.exit())

  async function answer({ ask }: Question): Promise<void> {
    if (ask === 'end') {
      await stop?.()
      process.exit()
    }
    // The second collection takes what the first one's finalizers let go.
    if (ask === 'heap') for (const _ of [1, 2]) globalThis.gc?.()
    const profile = ask === 'profile' || ask === 'profiled' ? await profiler(ask) : undefined
    const { user, system } = process.cpuUsage()
    const known: Figures = { ...figures(), cpu: user + system, heap: process.memoryUsage().heapUsed, ...profile }
    process.send?.(known)
  }
}

let session: Session | undefined

async function profiler(ask: 'profile' | 'profiled'): Promise<{ profile?: object }> {
  session ??= new Session()
  if (ask === 'profile') {
    session.connect()
    await post('Profiler.enable')
    await post('Profiler.setSamplingInterval', { interval: 200 })
    return post('Profiler.start')
  }
  return post('Profiler.stop')
}

function post(method: string, parameters = {}): Promise<object> {
  return new Promise((resolve, reject) => {
    session?.post(method, parameters, (error, result) => (error ? reject(error) : resolve(result ?? {})))
  })
}
