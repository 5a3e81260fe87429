/** The platform on this machine: PostgreSQL, two receivers behind a balancer, two workers. */
import { freePort } from '../../../test/support/free-port.ts'
import { startPostgres } from '../../../test/support/own-postgres.ts'
import { openForward } from './forward.ts'
import type { Parts } from './platform.ts'
import { type Kept, type Role, startProcesses } from './processes.ts'

const HOST = '127.0.0.1'

export interface Local extends Omit<Parts, 'rate'>, AsyncDisposable {
  readonly processes: readonly Kept[]
}

/** @param ended is called for each process that ended unexpectedly, with its last line. */
export async function startLocal(ended: (name: string, said: string) => void): Promise<Local> {
  await using starting = new AsyncDisposableStack()
  const postgres = starting.use(await startPostgres())
  process.env['DATABASE_URL'] = postgres.url

  const [service, balancer] = [await freePort(), await freePort()]
  const receivers = [await keptOf('receiver', 1, service), await keptOf('receiver', 2, service)]
  const workers = [await keptOf('worker', 1, service), await keptOf('worker', 2, service)]
  const running = starting.use(startProcesses([...receivers, ...workers], ended))
  const choose = inTurns(receivers.map(({ environment }) => addressOf(environment['PORT'])))
  starting.adopt(await openForward({ host: HOST, port: balancer }, choose), (opened) => opened.close())

  const started = starting.move()
  return {
    service: { host: HOST, port: service },
    balancer: addressOf(balancer),
    processes: [...receivers, ...workers],
    kill: running.kill,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

async function keptOf(role: Role, count: number, service: number): Promise<Kept> {
  const [port, innerPort] = [await freePort(), await freePort()]
  return {
    role,
    name: `${role} ${count}`,
    url: addressOf(innerPort),
    environment: { PORT: `${port}`, INNER_PORT: `${innerPort}`, SWITCHHOOK_BASE_URL: addressOf(service) },
  }
}

/** All receivers, each time beginning with the next one. */
function inTurns(addresses: readonly string[]): () => string[] {
  let turn = 0
  return () => {
    turn++
    return addresses.map((_, at) => addresses[(turn + at) % addresses.length] as string)
  }
}

function addressOf(port: string | number | undefined): string {
  return `http://${HOST}:${port}`
}
