import { sharedMap } from '../../base/shared.ts'
import { type Duration, toMs } from '../../base/duration.ts'
import { optionsInvalid, reasonOf, SwitchhookError } from '../../base/errors.ts'
import { isSchema, type Out, type Schema, validateSync } from '../standard-schema.ts'
import type { Option } from '../../service/content.ts'
import { markTap, TAP_NAME, TAP_SIGNATURE_CHARACTERS } from '../../service/tap-id.ts'
import type { Message } from './context.ts'

/** One definition for an option and its route. Parameters are accepted only from the customer who got the option. */
export interface Tap<P> {
  /**
   * Makes an option for buttons or a list, or the payload of a template's button. Its id is signed when it is sent.
   * Pass the option itself: its id alone, or JSON of it, throws `content_invalid`.
   *
   * @throws SwitchhookError `content_invalid` if the parameters do not fit their schema, or the id is too long.
   */
  option(title: string, params: P, more?: { description?: string }): Option
  /** Exists only for types. */
  readonly params: P
}

export interface TapVerifier {
  /** Undefined for an id that this bot did not sign for this customer. `issuedAt` and `now` are service time. */
  verify(id: string): { readonly name: string; readonly params: unknown; readonly issuedAt: number } | undefined
  readonly now: number
}

/** The limit for a row of a list. A button's is higher. */
const LONGEST_ID = 200

interface Named {
  readonly name: string
  readonly match: (message: Message, taps: TapVerifier) => { params: unknown } | undefined
  readonly matchStale: (message: Message, taps: TapVerifier) => object | undefined
}

const named = sharedMap<object, Named>('taps')

/**
 * Defines an option with parameters.
 *
 *     const Order = tap('order', z.object({ id: z.string() }), { expires: '30d' })
 *     bot.tapped(Order, (ctx) => ctx.reply(`Order ${ctx.params.id}`))
 *     await ctx.reply(buttons('Your order', [Order.option('Track', { id: '7781' })]))
 *
 * @param name part of each id. A new name makes options stale that were sent before.
 * @param params the schema of the parameters, which are sent as JSON. It must accept its own output.
 * @throws SwitchhookError `options_invalid`
 */
// oxlint-disable-next-line typescript/no-explicit-any -- any library's schema
export function tap<S extends Schema<any, any>>(name: string, params: S, o: { expires?: Duration } = {}): Tap<Out<S>> {
  if (!TAP_NAME.test(name)) throw refuse('the name: expected up to 32 letters, digits, - and _')
  if (!isSchema(params)) throw refuse('the parameters: expected a schema such as z.object({ id: z.string() })')
  const expiresMs = o.expires === undefined ? Infinity : toMs(o.expires, 'tap: expires')
  if (expiresMs === 0) throw refuse("expires: expected a span above zero such as '30d'; without it no option expires")
  const definition = {
    option(title: string, given: unknown, more: { description?: string } = {}): Option {
      return markTap({ id: idOf(name, params, given), title, ...more })
    },
  }

  const isOurs = ({ tapped }: Message) => tapped?.id.startsWith(`~${name}.`) === true
  const read = (message: Message, taps: TapVerifier) => {
    const verified = isOurs(message) && message.tapped && taps.verify(message.tapped.id)
    if (!verified) return undefined
    const fits = validateSync(params, verified.params)
    const fresh = taps.now - verified.issuedAt <= expiresMs
    return 'value' in fits && fresh ? { params: fits.value } : 'stale'
  }
  named.set(definition, {
    name,
    match(message, taps) {
      const found = read(message, taps)
      return found === 'stale' ? undefined : found
    },
    // A forged id counts as an expired one.
    matchStale: (message, taps) => (isOurs(message) && (read(message, taps) ?? 'stale') === 'stale' ? {} : undefined),
  })
  return definition as unknown as Tap<Out<S>>
}

/** @throws SwitchhookError `options_invalid` if `tap()` did not make it. */
export function tapDefinition(tap: unknown): Named {
  const found = typeof tap === 'object' && tap !== null ? named.get(tap) : undefined
  if (found) return found
  throw optionsInvalid('tapped(): expected an id, a pattern, or the result of tap()')
}

function idOf(name: string, schema: Schema, given: unknown): string {
  const fits = validateSync(schema, given)
  if ('problem' in fits) throw invalid(name, `its parameters do not fit: ${fits.problem}`)
  const json = asJson(name, fits.value)
  const back = validateSync(schema, JSON.parse(json))
  if ('problem' in back || asJson(name, back.value) !== json)
    throw invalid(
      name,
      `its parameters change when they are stored as JSON: ${'problem' in back ? back.problem : json}`,
    )
  const id = `~${name}.${Buffer.from(json, 'utf8').toString('base64url')}`
  const length = id.length + TAP_SIGNATURE_CHARACTERS
  if (length > LONGEST_ID)
    throw invalid(
      name,
      `its id would have ${length} characters, at most ${LONGEST_ID}: put only an id into it, and look up the rest`,
    )
  return id
}

function asJson(name: string, value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch (error) {
    throw invalid(name, `its parameters cannot be written as JSON: ${reasonOf(error)}`)
  }
}

function invalid(name: string, why: string): SwitchhookError {
  return new SwitchhookError('content_invalid', `the option of tap('${name}'): ${why}`)
}

function refuse(why: string): SwitchhookError {
  return optionsInvalid(`tap(): ${why}`)
}
