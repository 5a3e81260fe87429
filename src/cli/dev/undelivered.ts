import type { Emulator } from '../../emulator/index.ts'
import { isSuccess } from '../success.ts'

type Delivery = Awaited<ReturnType<Emulator['deliveries']['list']>>[number]
type Attempt = Delivery['attempts'][number]

/** As long as a timer can be. */
const FOREVER_MS = 2 ** 31 - 1

/** Says of each delivery whose first attempt failed that it did, once; the retries go on in silence. */
export function tellUndelivered(emulator: Emulator, tell: (line: string) => void): Disposable {
  const told = new Set<string>()
  let over = false
  const listen = async () => {
    while (!over) {
      const delivery = await emulator.deliveries.wait((one) => !told.has(one.id) && failed(one), FOREVER_MS)
      told.add(delivery.id)
      if (!over) tell(undelivered(delivery.attempts[0] as Attempt))
    }
  }
  // A wait is also given up when the emulator is closed or reset: then there is another to listen to, or none.
  const goOn = (): void => void listen().catch(() => (over ? undefined : goOn()))
  goOn()
  return {
    [Symbol.dispose]() {
      over = true
    },
  }
}

function failed({ attempts: [first] }: Delivery): boolean {
  return first !== undefined && !isSuccess(first.status)
}

export function undelivered({ status, error, request: { url } }: Attempt): string {
  return `  x not delivered: ${whyNot(url, status, error)}`
}

/** Why a delivery was not taken, and what may mend that. */
export function whyNot(url: string, status: number | null, error: Attempt['error']): string {
  return status === null ? withoutAnswer(url, error) : withStatus(url, status)
}

function withoutAnswer(url: string, error: Attempt['error']): string {
  if (error === 'connection_refused') return `ECONNREFUSED ${url}; does the app listen there? --webhook names another`
  if (error === 'timeout') return `no answer in time from ${url}`
  if (error === 'answer_lost') return `the answer of ${url} was lost, as a fault demands`
  const maybe = url.startsWith('https:') ? '; is its certificate one that Node trusts?' : ''
  return `the connection to ${url} failed${maybe}`
}

function withStatus(url: string, status: number): string {
  if (status === 404) return `404 from ${url}; is that its path? --webhook names another`
  if (status === 401) return `401 from ${url}; does the app read SWITCHHOOK_SIGNING_SECRET of its environment?`
  return `${status} from ${url}; the app's own lines may say why`
}
