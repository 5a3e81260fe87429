import { reasonOf } from '../../base/errors.ts'
import { isLoopback } from '../../base/host.ts'
import { apiAddress } from '../../client/options.ts'
import { DEFAULT_HEADER_PREFIX, HEADER_PREFIX_FORM } from '../../contract/delivery.ts'
import { RECIPIENT_FORM } from '../../contract/endpoints.ts'
import { NotUpToDate } from '../../stores/port/reader.ts'

/** The result of one check. It never contains a secret. */
export interface Finding {
  readonly id: string
  /** `bad`: the app will not start, or loses or leaks something. `doubt`: perhaps intended. `note`: good to know. */
  readonly state: 'ok' | 'doubt' | 'bad' | 'note'
  readonly says: string
  readonly mend?: string
}

export interface Setup {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly prod: boolean
  readonly webhook: string | undefined
  readonly port: number
  readonly now: () => number
}

export const ok = (id: string, says: string): Finding => ({ id, state: 'ok', says })
export const note = (id: string, says: string): Finding => ({ id, state: 'note', says })
export const doubt = (id: string, says: string, mend: string): Finding => ({ id, state: 'doubt', says, mend })
export const bad = (id: string, says: string, mend: string): Finding => ({ id, state: 'bad', says, mend })

/** A finding that may be intended on a developer's machine but is wrong in production. */
export function badInProd({ prod }: Setup, id: string, says: string, mend: string): Finding {
  return (prod ? bad : doubt)(id, says, mend)
}

/** A database that cannot be opened; one that was written by an older release is mended by the next start. */
export function cannotOpen(id: string, error: unknown): Finding {
  const mendsItself = error instanceof Error && error.cause instanceof NotUpToDate
  return (mendsItself ? doubt : bad)(id, reasonOf(error), 'see what is said there')
}

/** A variable's exact value; an empty one counts as absent. */
export function valueOf({ environment }: Setup, name: string): string | undefined {
  const value = environment[name]
  return value === undefined || value.trim() === '' ? undefined : value
}

const SECRETS = 'SWITCHHOOK_SIGNING_SECRET'
const TOKEN = 'SWITCHHOOK_ACCESS_TOKEN'
const BASE_URL = 'SWITCHHOOK_BASE_URL'
const SHORTEST_SECRET_CHARACTERS = 16
/** The new secret, and the old one until the service no longer signs with it. */
const LIVE_AT_ONCE = 2

export function node(version: string, napi: string | undefined): Finding {
  if (Number(napi) >= 10) return ok('node', `Node ${version}`)
  return bad('node', `Node ${version} is too old`, 'take Node >= 22.14: the database crashes below it')
}

/** Checks that the signing secrets are set, clean, and no more than can be live. */
export function signingSecret(setup: Setup): Finding {
  const value = valueOf(setup, SECRETS)
  const id = 'signing-secret'
  if (value === undefined)
    return bad(
      id,
      `${SECRETS} is not set`,
      'copy it from the dashboard (Developer, Events); the app does not start without, unless it has the option numbers',
    )
  const secrets = value.split(',').map((one) => one.trim())
  const slip = secrets.map(slipOf).find((one) => one !== undefined)
  if (slip !== undefined)
    return bad(id, `${SECRETS}: ${slip}`, 'copy the secret as it stands in the dashboard, without anything around it')
  if (secrets.includes('') || value.trim() !== value)
    return doubt(
      id,
      `${SECRETS} has white space or a comma too many`,
      'this library leaves it out; another reader of the variable may not',
    )
  if (new Set(secrets).size < secrets.length)
    return doubt(id, `${SECRETS} holds the same secret twice`, 'leave one of them out')
  if (secrets.some((one) => one.length < SHORTEST_SECRET_CHARACTERS))
    return badInProd(
      setup,
      id,
      `${SECRETS} holds one of fewer than ${SHORTEST_SECRET_CHARACTERS} characters`,
      'is it whole? The service makes longer ones',
    )
  if (secrets.length > LIVE_AT_ONCE)
    return doubt(
      id,
      `${SECRETS} holds ${secrets.length} live secrets`,
      'take out those of former registrations: each of them lets deliveries in',
    )
  return ok(id, secrets.length === 1 ? 'one signing secret' : `${secrets.length} live signing secrets`)
}

export function accessToken(setup: Setup): Finding {
  const value = valueOf(setup, TOKEN)
  const id = 'access-token'
  if (value === undefined)
    return badInProd(
      setup,
      id,
      `${TOKEN} is not set: the app receives, and cannot send`,
      'copy it from the dashboard (Developer, Credentials)',
    )
  const token = value.trim()
  const slip = /^bearer\s/i.test(token) ? 'it begins with "Bearer"' : slipOf(token)
  if (slip !== undefined) return bad(id, `${TOKEN}: ${slip}`, 'copy the token alone, without anything around it')
  if (token !== value)
    return doubt(
      id,
      `${TOKEN} has white space around it`,
      'this library leaves it out; another reader of the variable may not',
    )
  return ok(id, 'an access token')
}

/** Characters that people copy along with a value by mistake. */
function slipOf(value: string): string | undefined {
  if (/^["'`]|["'`]$/.test(value)) return 'there are quotes around it'
  return /[^\x21-\x7e]/.test(value) ? 'there is white space in it, or a letter beyond ASCII' : undefined
}

export function baseUrl(setup: Setup): Finding {
  const value = valueOf(setup, BASE_URL)
  const id = 'base-url'
  if (value === undefined)
    return (valueOf(setup, TOKEN) === undefined && !setup.prod ? doubt : bad)(
      id,
      `${BASE_URL} is not set: the app cannot send`,
      "set the service's address, or an emulator's",
    )
  try {
    const address = new URL(apiAddress(value.trim()))
    if (!isLoopback(address.href)) return ok(id, `the service at ${address.origin}`)
    return setup.prod
      ? bad(id, `${BASE_URL} is this machine: no send reaches a phone`, "set the service's address")
      : ok(id, `an emulator at ${address.origin}`)
  } catch (error) {
    return bad(id, reasonOf(error), `mend ${BASE_URL}, for instance https://service.example`)
  }
}

/** Checks the allowed recipients: outside production the app sends to nobody else, since there is no sandbox. */
export function recipients(setup: Setup): Finding {
  const id = 'recipients'
  const allowed = valueOf(setup, 'SWITCHHOOK_ALLOWED_RECIPIENTS')
    ?.split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
  const inProduction = setup.environment['NODE_ENV'] === 'production'
  if (allowed?.some((one) => !RECIPIENT_FORM.test(one)))
    return bad(
      id,
      'SWITCHHOOK_ALLOWED_RECIPIENTS holds what is no phone number',
      'write 6 to 20 digits each, without +, separated by commas',
    )
  if (setup.prod && !inProduction)
    return bad(
      id,
      'NODE_ENV is not production',
      'set NODE_ENV=production: else the app sends to allowed recipients alone',
    )
  if (allowed && inProduction)
    return doubt(
      id,
      `in production, and sends to ${allowed.length} allowed recipients alone`,
      'unset SWITCHHOOK_ALLOWED_RECIPIENTS where everybody is meant',
    )
  if (allowed) return ok(id, `sends to ${allowed.length} allowed recipients alone`)
  if (inProduction) return ok(id, 'production: sends to everybody')
  const base = valueOf(setup, BASE_URL)
  if (base === undefined || isLoopback(base) || valueOf(setup, TOKEN) === undefined)
    return ok(id, 'no send can reach a phone')
  return bad(
    id,
    'the service is not this machine, and nobody says who may be sent to: the app does not start',
    'name your own phone in SWITCHHOOK_ALLOWED_RECIPIENTS, or set NODE_ENV=production',
  )
}

/** Checks the part of the work that a start takes by the environment. */
export function role(setup: Setup): Finding {
  const id = 'role'
  const value = valueOf(setup, 'SWITCHHOOK_ROLE')?.trim() ?? 'both'
  if (!Object.hasOwn(ROLES, value))
    return bad(id, 'SWITCHHOOK_ROLE is no role: the app does not start', "set 'receive', 'work' or 'both', or unset it")
  return ok(id, ROLES[value as keyof typeof ROLES])
}

const ROLES = {
  both: 'both: answers deliveries, handles and sends',
  receive: 'receive: answers deliveries; other processes over this database handle and send',
  work: 'work: handles and sends; other processes over this database answer deliveries',
}

export function headerPrefix(setup: Setup): Finding {
  const id = 'header-prefix'
  const value = valueOf(setup, 'SWITCHHOOK_HEADER_PREFIX')?.trim()
  if (value === undefined) {
    const base = valueOf(setup, BASE_URL)
    if (base === undefined || isLoopback(base)) return ok(id, `${DEFAULT_HEADER_PREFIX}, as the emulator has it`)
    return doubt(
      id,
      `SWITCHHOOK_HEADER_PREFIX is not set, so ${DEFAULT_HEADER_PREFIX} is expected`,
      "is that the service's real name? Look at a delivery's headers",
    )
  }
  if (HEADER_PREFIX_FORM.test(value)) return ok(id, value)
  return bad(id, 'SWITCHHOOK_HEADER_PREFIX is no prefix of headers', "write it with its dash, such as 'X-Service-'")
}
