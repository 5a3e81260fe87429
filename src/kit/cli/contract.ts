import type { Command } from 'commander'
import { reasonOf, SwitchhookError } from '../../base/errors.ts'
import { apiAddress } from '../../client/client-options.ts'
import { API_PREFIX, ENDPOINTS } from '../../service/endpoints.ts'
import { description } from '../../emulator/service/openapi.ts'
import { BASE_URL_OPTION, example, type ServiceFlags, TOKEN_OPTION } from './support/arguments.ts'
import { EXIT, OutOfReach } from './support/exit.ts'
import { environment, type Io } from './support/io.ts'
import { type OutputFlags, printList } from './support/output.ts'

export function addCommand(command: Command, io: Io): void {
  command
    .command('diff')
    .description('print how a live openapi.json differs from the built-in contract; exits with 1 if it does')
    .option(...BASE_URL_OPTION)
    .option(...TOKEN_OPTION)
    .option('--json', 'one object a line on stdout: {"kind":"changed","place":"POST /messages body text",…}')
    .addHelpText('after', example('switchhook contract diff --base-url https://service.example'))
    .action((flags) => diff(io, flags))
}

async function diff(io: Io, flags: ServiceFlags & OutputFlags): Promise<void> {
  const found = differences(factsOf(description()), factsOf(await fetchDescription(io, flags)))
  await printList(io, flags, found, ['kind', 'place', 'what', 'builtIn', 'live'])
  if (!flags.json) io.err(found.length > 0 ? 'The live description prevails.' : 'No difference.')
  io.exitCode = found.length > 0 ? EXIT.failed : EXIT.done
}

async function fetchDescription(io: Io, flags: ServiceFlags): Promise<Json> {
  const baseUrl = flags.baseUrl ?? environment(io, 'SWITCHHOOK_BASE_URL')
  if (baseUrl === undefined) throw new SwitchhookError('environment_missing', 'set SWITCHHOOK_BASE_URL')
  const address = apiAddress(baseUrl) + ENDPOINTS.description.path
  const headers = { Authorization: `Bearer ${flags.token ?? environment(io, 'SWITCHHOOK_ACCESS_TOKEN') ?? ''}` }
  const limits = { redirect: 'manual', signal: AbortSignal.timeout(30_000) } as const
  const answer = await fetch(address, { headers, ...limits }).catch((error) => {
    throw new OutOfReach(`nothing answers at ${address} (${reasonOf(error.cause ?? error)})`, error)
  })
  const json = (await answer.json().catch(() => undefined)) as Json
  if (answer.ok && typeof json?.openapi === 'string' && typeof json.paths === 'object') return json
  throw new Error(`${address} answered ${answer.status} without OpenAPI 3: check it and SWITCHHOOK_ACCESS_TOKEN`)
}

// oxlint-disable-next-line typescript/no-explicit-any -- another service's description may have any form
type Json = any

/** What a description states, by place. For example, the place `POST /messages body text` has `maxLength: 4096`. */
type Facts = Map<string, Record<string, string>>

const SCHEMA_FACTS = ['type', 'enum', 'required', 'default', 'minLength', 'maxLength', 'minimum', 'maximum', 'minItems']
/** Headers that the client adds to each request, and the paths of the two endpoints that serve the description. */
const UNCOMPARED = ['authorization', 'content-type', 'accept', ENDPOINTS.description.path, ENDPOINTS.docs.path]

export function factsOf(document: Json): Facts {
  const facts: Facts = new Map()
  const resolve = (part: Json, hops = 0): Json => {
    if (typeof part?.$ref !== 'string' || hops === 20) return part ?? {}
    const found = part.$ref.split('/').reduce((at: Json, step: string) => (step === '#' ? at : at?.[step]), document)
    return resolve(found, hops + 1)
  }
  const add = (place: string, what?: string, values: unknown[] = []) => {
    const known = facts.get(place) ?? {}
    facts.set(place, known)
    // A parameter of a query or a header cannot be null, so ignore `null` among its types.
    const texts = values.map(String).filter((text) => text !== 'null' || !/ (?:query|header) /.test(place))
    if (what && texts.length > 0)
      known[what] = [...new Set([...(known[what]?.split(', ') ?? []), ...texts])].sort().join(', ')
  }
  /** Adds the parts of a union at one place, so that `nullable`, `anyOf` and a list of types give the same result. */
  const addSchema = (place: string, given: Json, above: readonly Json[] = []) => {
    const schema = resolve(given)
    add(place)
    if (above.includes(schema)) return
    const inside = [...above, schema]
    for (const what of SCHEMA_FACTS) add(place, what, [schema[what] ?? []].flat())
    if (schema.nullable) add(place, 'type', ['null'])
    for (const [name, member] of Object.entries(schema.properties ?? {})) addSchema(`${place} ${name}`, member, inside)
    if (schema.items) addSchema(`${place} []`, schema.items, inside)
    for (const union of ['allOf', 'anyOf', 'oneOf'])
      for (const part of schema[union] ?? []) addSchema(place, part, inside)
  }
  const addBody = (place: string, part: Json) => {
    for (const { schema } of Object.values<Json>(resolve(part).content ?? {})) addSchema(`${place} body`, schema)
  }
  for (const [path, methods] of Object.entries<Json>(document.paths))
    for (const [method, { parameters = [], requestBody, responses }] of Object.entries<Json>(methods)) {
      // A description has the API's prefix either in each path, or in its server's address.
      const short = path.replace(API_PREFIX, '')
      const place = `${method.toUpperCase()} ${short}`
      if (!responses || UNCOMPARED.includes(short)) continue
      add(place)
      for (const { in: where, name, schema, required = false } of parameters.map((one: Json) => resolve(one))) {
        if (UNCOMPARED.includes(name.toLowerCase())) continue
        addSchema(`${place} ${where} ${name.toLowerCase()}`, schema)
        add(`${place} ${where} ${name.toLowerCase()}`, 'required', [required])
      }
      addBody(place, requestBody)
      for (const status of Object.keys(responses)) add(`${place} ${status}`)
      addBody(`${place} 200`, responses[200])
    }
  return facts
}

/** A place that is only in one description is one difference, without `what`. Places inside it are not listed. */
export function differences(builtIn: Facts, live: Facts) {
  const found: Partial<Record<'kind' | 'place' | 'what' | 'builtIn' | 'live', string | undefined>>[] = []
  for (const place of new Set([...builtIn.keys(), ...live.keys()])) {
    const [ours, theirs] = [builtIn.get(place), live.get(place)]
    const isInside = found.some((one) => one.what === undefined && `${place} `.startsWith(`${one.place} `))
    // A live description need not list the status of every error.
    if (isInside || (!theirs && / [45]\d\d$/.test(place))) continue
    if (!ours || !theirs) found.push({ kind: ours ? 'missing' : 'new', place })
    // The built-in contract has no type where it accepts any value. A type in the live one is then no difference.
    else
      for (const what of SCHEMA_FACTS)
        if (ours[what] !== theirs[what] && !(what === 'type' && ours[what] === undefined))
          found.push({ kind: 'changed', place, what, builtIn: ours[what], live: theirs[what] })
  }
  return found
}
