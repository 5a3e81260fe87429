import { reasonOf } from '../../base/errors.ts'
import { ApiError, createClient } from '../../client/index.ts'
import { FAILURES_UNTIL_DISABLED, TIMESTAMP_TOLERANCE_SECONDS } from '../../contract/delivery.ts'
import { bad, doubt, type Finding, note, ok, type Setup, valueOf } from './finding.ts'

const TIMEOUT_MS = 10_000
/** Limits far below the tolerance beyond which deliveries are refused. */
const CLOCK = { doubtMs: 5_000, badMs: 120_000 }

/** Lists one template, which sends nothing, and compares the clock with the time in the answer. */
export async function service(setup: Setup): Promise<Finding[]> {
  const [baseUrl, accessToken] = [
    valueOf(setup, 'SWITCHHOOK_BASE_URL')?.trim(),
    valueOf(setup, 'SWITCHHOOK_ACCESS_TOKEN')?.trim(),
  ]
  if (baseUrl === undefined || accessToken === undefined)
    return [note('service', 'not asked: that needs a base address and an access token')]
  let heard: Response | undefined
  let heardAt = 0
  const listening: typeof fetch = async (...request) => {
    heard = await fetch(...request)
    heardAt = setup.now()
    return heard
  }
  const finding = await asked(async () => {
    const options = { baseUrl, accessToken, phoneNumberId: valueOf(setup, 'SWITCHHOOK_PHONE_NUMBER_ID')?.trim() }
    const limits = { maxRetries: 0, timeout: TIMEOUT_MS }
    return createClient({ ...options, ...limits, fetch: listening }).templates.list({ limit: 1 })
  })
  if (!heard) return [finding]
  const emulated = heard.headers.has('x-emulator') && setup.prod
  const who = emulated
    ? [bad('service', 'what answers there is an emulator', "set SWITCHHOOK_BASE_URL to the service's address")]
    : [finding]
  return [...who, clock(heard.headers.get('date'), heardAt)]
}

async function asked(ask: () => Promise<unknown>): Promise<Finding> {
  try {
    await ask()
    return ok('service', 'it takes the token, and lists templates')
  } catch (error) {
    const mend = error instanceof ApiError ? (MENDS[error.code ?? ''] ?? UNKNOWN) : UNKNOWN
    return bad('service', reasonOf(error), mend)
  }
}

const UNKNOWN = 'is SWITCHHOOK_BASE_URL right, and may this machine reach it?'

const MENDS: Readonly<Record<string, string>> = {
  not_authenticated: 'bring the token anew (Developer, Credentials): reconnecting the number made the old one invalid',
  plan_feature_locked: "the team's plan must grant API access: change it in the dashboard",
  account_suspended: 'the workspace is suspended: settle that with the service',
  ambiguous_number: 'the token has several numbers: set SWITCHHOOK_PHONE_NUMBER_ID to one of them',
  number_not_for_token: "SWITCHHOOK_PHONE_NUMBER_ID names a number that is not this token's: mend one of the two",
}

/** Compares this machine's clock with the answer's `Date`, which is in whole seconds. */
export function clock(date: string | null, heardAt: number): Finding {
  const theirs = Date.parse(date ?? '')
  if (Number.isNaN(theirs)) return note('clock', 'not compared: the answer had no Date')
  const off = heardAt - theirs
  const text = `this machine's clock is ${Math.round(Math.abs(off) / 1_000)} s ${off > 0 ? 'ahead of' : 'behind'} the service's`
  const mend = `let the machine keep its time (NTP): deliveries more than ${TIMESTAMP_TOLERANCE_SECONDS} s off are refused, and ${FAILURES_UNTIL_DISABLED} in a row disable the endpoint`
  if (Math.abs(off) >= CLOCK.badMs) return bad('clock', text, mend)
  if (Math.abs(off) >= CLOCK.doubtMs) return doubt('clock', text, mend)
  return ok('clock', "this machine's clock agrees with the service's")
}
