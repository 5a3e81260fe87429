import { reasonOf, readError, causeOf } from '../../../base/errors.ts'
import { ApiError, createClient } from '../../../client/client.ts'
import { FAILURES_UNTIL_DISABLED, TIMESTAMP_TOLERANCE_SECONDS } from '../../../service/delivery.ts'
import { isPublicHost } from '../../../base/host.ts'
import { certificateFix } from '../support/posted-deliveries.ts'
import { environment } from '../support/io.ts'
import { bad, badInProd, doubt, type Finding, note, ok, type Setup } from './finding.ts'

const TIMEOUT_MS = 10_000
/** From these differences between the clocks, the finding is a doubt, or bad. Above 300 s deliveries are refused. */
const CLOCK = { doubtMs: 5_000, badMs: 120_000 }

/** Lists one template, and compares this machine's clock with the time of the answer. */
export async function service(setup: Setup): Promise<Finding[]> {
  const [baseUrl, accessToken] = [
    environment(setup, 'SWITCHHOOK_BASE_URL'),
    environment(setup, 'SWITCHHOOK_ACCESS_TOKEN'),
  ]
  if (baseUrl === undefined || accessToken === undefined)
    return [note('service', 'not checked: this needs a base address and an access token')]
  let answer: Response | undefined
  let answeredAt = 0
  const watched: typeof fetch = async (...request) => {
    answer = await fetch(...request)
    answeredAt = Date.now()
    return answer
  }
  const finding = await findingOf(async () => {
    const options = { baseUrl, accessToken, phoneNumberId: environment(setup, 'SWITCHHOOK_PHONE_NUMBER_ID') }
    const limits = { maxRetries: 0, timeout: TIMEOUT_MS }
    return createClient({ ...options, ...limits, fetch: watched }).templates.list({ limit: 1 })
  })
  if (!answer) return [finding]
  const emulated = answer.headers.has('x-emulator') && setup.prod
  const who = emulated
    ? [bad('service', 'an emulator answers there', "set SWITCHHOOK_BASE_URL to the service's address")]
    : [finding]
  return [...who, clock(answer.headers.get('date'), answeredAt)]
}

async function findingOf(ask: () => Promise<unknown>): Promise<Finding> {
  try {
    await ask()
    return ok('service', 'it accepts the token and lists templates')
  } catch (error) {
    // The message of a refusal says what to do.
    const isRefusal = error instanceof ApiError && error.code !== undefined
    return bad('service', reasonOf(error), isRefusal ? 'do what the message says' : UNKNOWN)
  }
}

const UNKNOWN = 'is SWITCHHOOK_BASE_URL right, and can this machine reach it?'

/** `date`: the answer's `Date` header, which has whole seconds. */
export function clock(date: string | null, answeredAt: number): Finding {
  const theirs = Date.parse(date ?? '')
  if (Number.isNaN(theirs)) return note('clock', 'not compared: the answer had no Date')
  const off = answeredAt - theirs
  const text = `this machine's clock is ${Math.round(Math.abs(off) / 1_000)} s ${off > 0 ? 'ahead of' : 'behind'} the service's`
  const fix = `synchronise the machine's clock (NTP): deliveries more than ${TIMESTAMP_TOLERANCE_SECONDS} s off are refused, and ${FAILURES_UNTIL_DISABLED} in a row disable the endpoint`
  if (Math.abs(off) >= CLOCK.badMs) return bad('clock', text, fix)
  if (Math.abs(off) >= CLOCK.doubtMs) return doubt('clock', text, fix)
  return ok('clock', "this machine's clock agrees with the service's")
}

export async function webhook(setup: Setup): Promise<Finding> {
  const id = 'webhook'
  if (setup.webhook === undefined)
    return setup.prod
      ? doubt(id, 'not checked', 'name the address that the service delivers to: --webhook')
      : note(id, 'not checked: --webhook names the address that the service delivers to')
  const url = URL.parse(setup.webhook)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    return bad(
      id,
      '--webhook is not an http or https address without credentials',
      'write the full address, with its path',
    )
  const answer = await probe(url)
  if (answer.state !== 'ok' || (url.protocol === 'https:' && isPublicHost(url.hostname))) return answer
  const says = `${answer.says}, but the address is not public https: the service refuses to register it`
  return badInProd(setup, id, says, 'register a public https address; the emulator accepts this one')
}

async function probe(url: URL): Promise<Finding> {
  const id = 'webhook'
  let status: number
  try {
    const headers = { 'content-type': 'application/json' }
    const unsigned = { method: 'POST', headers, body: '{"probe":"switchhook doctor"}' }
    const limits = { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) } as const
    const answer = await fetch(url, { ...unsigned, ...limits })
    status = answer.status
    await answer.body?.cancel()
  } catch (error) {
    const cause = causeOf(error) ?? error
    const { code } = readError(cause)
    const fix = certificateFix(code)
    if (fix !== undefined) return bad(id, `its certificate is not trusted (${code})`, fix)
    return bad(
      id,
      `nothing answers there (${code || reasonOf(cause)})`,
      'does the app run, and does the host name lead to it?',
    )
  }
  if (status === 401) return ok(id, 'it refuses an unsigned delivery with 401')
  const fix = MEANINGS[status] ?? MEANINGS[Math.floor(status / 100) * 100] ?? 'a receiver answers 401'
  return (status === 403 ? doubt : bad)(id, `it answers ${status} to an unsigned delivery`, fix)
}

const MEANINGS: Readonly<Record<number, string>> = {
  200: 'nothing verifies there: anybody can post messages. Is the bot mounted at this path?',
  300: 'a redirect: register the address that it leads to; the service does not follow redirects',
  400: 'a receiver answers 401; does something before the app answer, or read the body?',
  403: 'does something before the app (a firewall, a CSRF check) refuse it? It would refuse the service too',
  404: 'nothing is mounted at this path: is it the one of serve() or app.use()?',
  405: 'it does not accept POST: is the bot mounted at this path?',
  500: "check the app's log: was the body parsed before the bot read it, or can the database not be written?",
}
