import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { SwitchhookError } from '../../src/base/errors.ts'
import * as api from '../../src/client/client.ts'
import { clientOn, rejection, says } from './stub.ts'

const send = { body: '{}', idempotencyKey: 'k' }

async function refusal(status: number, body: unknown, options = {}): Promise<api.ApiError> {
  const { client } = clientOn([says(status, body)], options)
  const error = await rejection(client.attempt(send))
  expect(error).toBeInstanceOf(api.ApiError)
  expect(error).toBeInstanceOf(SwitchhookError)
  return error as api.ApiError
}

/** The specification's table of errors, and what its notes on retries and idempotency say of each. */
const TABLE = [
  [400, 'invalid_template', api.InvalidTemplateError, false, 'not_sent'],
  [400, 'ambiguous_number', api.AmbiguousNumberError, false, 'not_sent'],
  [401, 'not_authenticated', api.NotAuthenticatedError, false, 'not_sent'],
  [402, 'plan_feature_locked', api.PlanFeatureLockedError, false, 'not_sent'],
  [402, 'plan_limit_reached', api.PlanLimitReachedError, false, 'not_sent'],
  [403, 'number_not_for_token', api.NumberNotForTokenError, false, 'not_sent'],
  [403, 'account_suspended', api.AccountSuspendedError, false, 'not_sent'],
  [409, 'outside_messaging_window', api.OutsideMessagingWindowError, false, 'not_sent'],
  [409, 'idempotency_in_progress', api.IdempotencyInProgressError, true, 'unknown'],
  [422, 'idempotency_key_reused', api.IdempotencyKeyReusedError, false, 'not_sent'],
  [422, 'invalid_one_time_code', api.InvalidOneTimeCodeError, false, 'not_sent'],
  [422, 'template_not_found', api.TemplateNotFoundError, false, 'not_sent'],
  [422, 'validation_error', api.ValidationError, false, 'not_sent'],
  [429, 'rate_limited', api.RateLimitedError, true, 'not_sent'],
  [502, 'send_failed', api.SendFailedError, true, 'not_sent'],
  [500, 'internal_error', api.InternalError, true, 'unknown'],
  [503, 'internal_error', api.InternalError, true, 'unknown'],
] as const

describe.each(TABLE)('%i %s', (status, code, Type, retryable, outcome) => {
  it('has its own class, and states whether to retry and the outcome of the message [C ERR-01, C ERR-03, C IDEM-05]', async () => {
    const error = await refusal(status, { code, message: 'in plain words' })
    expect(error).toBeInstanceOf(Type)
    expect(error).toMatchObject({ status, code, retryable, outcome, name: Type.name })
    expect(error.message).toContain(`POST /messages was refused: ${status} ${code}: in plain words`)
  })

  it('is chosen by its code, whatever the message [C ERR-01]', async () => {
    const error = await refusal(status, { code, message: 'outside_messaging_window send_failed' })
    expect(error).toBeInstanceOf(Type)
  })
})

describe('refusals without a known code', () => {
  it.each([
    [400, api.ApiError, false, 'not_sent'],
    [401, api.NotAuthenticatedError, false, 'not_sent'],
    [404, api.NotFoundError, false, 'not_sent'],
    [409, api.ApiError, false, 'not_sent'],
    [413, api.ApiError, false, 'not_sent'],
    [429, api.RateLimitedError, true, 'not_sent'],
    [500, api.InternalError, true, 'unknown'],
    [502, api.InternalError, true, 'unknown'],
    [504, api.InternalError, true, 'unknown'],
  ] as const)(
    '%i is chosen by its status, and keeps its own code [C ERR-01, C ERR-02]',
    async (status, Type, retryable, outcome) => {
      for (const code of [undefined, 'brand_new_code']) {
        const error = await refusal(status, { ...(code && { code }), message: 'words' })
        expect(error).toBeInstanceOf(Type)
        expect(error).toMatchObject({ status, code, retryable, outcome })
      }
    },
  )

  it('ignore codes that are members of every object [C ERR-01]', async () => {
    for (const code of ['constructor', '__proto__', 'toString'])
      expect(await refusal(400, { code, message: 'm' })).toMatchObject({ code, retryable: false, outcome: 'not_sent' })
  })
})

it('an error keeps a code that contains the letters of a short token [C ERR-01]', async () => {
  const error = await refusal(401, { code: 'not_authenticated', message: 'no' }, { accessToken: 'auth' })
  expect(error.code).toBe('not_authenticated')
})

describe('every form of refusal', () => {
  it('reads a detail array as a validation error [C ERR-02, C SEND-23]', async () => {
    const detail = [
      {
        loc: ['body', 'interactive', 'buttons', 0, 'title'],
        msg: 'String should have at most 20 characters',
        type: 'x',
      },
      { loc: ['body', 'to'], msg: 'Field required', type: 'missing' },
    ]
    const error = await refusal(422, { detail })
    expect(error).toBeInstanceOf(api.ValidationError)
    expect(error).toMatchObject({ code: 'validation_error', status: 422, outcome: 'not_sent' })
    expect(error.detail).toEqual([
      'body.interactive.buttons[0].title: String should have at most 20 characters',
      'body.to: Field required',
    ])
    expect(error.message).toContain(error.detail.join('; '))
  })

  it('drops the input, context and address of a detail, which may contain the whole body [C ERR-02]', async () => {
    const detail = [
      { loc: ['body'], msg: 'wrong', type: 't', input: 'code 4711', ctx: { error: '4711' }, url: 'u4711' },
    ]
    const error = await refusal(422, { detail })
    expect(inspect(error, { depth: 9 }) + JSON.stringify(error) + error.stack).not.toContain('4711')
  })

  it.each([
    ['detail as a text', 422, { detail: 'Not this way' }, undefined],
    [
      'detail as an object',
      409,
      { detail: { code: 'outside_messaging_window', message: 'Not this way' } },
      'outside_messaging_window',
    ],
    [
      'error as an object',
      409,
      { error: { code: 'outside_messaging_window', message: 'Not this way' } },
      'outside_messaging_window',
    ],
    ['error as a text', 400, { error: 'Not this way' }, undefined],
    [
      'flat and detail at once',
      422,
      { code: 'template_not_found', message: 'Not this way', detail: [] },
      'template_not_found',
    ],
    ['a text that is no JSON', 502, 'Not this way', undefined],
    ['a code that is no text', 400, { code: 12, message: 'Not this way' }, undefined],
  ] as const)('%s [C ERR-02]', async (_, status, body, code) => {
    const error = await refusal(status, body)
    expect(error).toMatchObject({ status, code })
    expect(error.message).toContain('Not this way')
  })

  it.each([
    ['an empty body', '', 'with an empty body'],
    ['a page of a proxy', '<!doctype html><h1>Bad Gateway</h1>', 'with a page instead of JSON'],
    ['null', 'null', '502'],
    ['a number', '42', '502'],
    ['an array', '[1]', '502'],
    ['odd details', '{"detail":[null,1,"x",{"loc":7},{"loc":[{"toString":1,"valueOf":1},null,0],"msg":5}]}', '502'],
  ])('%s [C ERR-02]', async (_, body, told) => {
    const error = await refusal(502, body)
    expect(error).toMatchObject({ status: 502, code: undefined, outcome: 'unknown', retryable: true })
    expect(error.message).toContain(told)
  })

  it('is one line without control characters, whatever the answer, because logs and terminals show it [C ERR-02]', async () => {
    const said = 'not now\n2026-11-20 INFO send accepted\u001b[2J\r\n\u0085'
    for (const body of [
      { message: said },
      { code: `x${said}`, message: said },
      { detail: [{ loc: ['body', 'x\ny'], msg: said }] },
      said,
    ]) {
      const error = await refusal(422, body)
      expect([error.message, ...error.detail].join('')).not.toMatch(/\p{Cc}/u)
      expect(error.message).toContain('not now 2026-11-20 INFO send accepted')
    }
  })

  it('shows only the beginning of a long text [C ERR-02]', async () => {
    expect((await refusal(500, 'x'.repeat(100_000))).message.length).toBeLessThan(700)
    expect((await refusal(500, { code: 'internal_error', message: 'x'.repeat(100_000) })).message.length).toBeLessThan(
      700,
    )
  })
})

describe('the advice of a refusal', () => {
  it.each([
    [422, 'template_not_found', /not on the number's account, or the upstream platform did not answer/],
    [400, 'invalid_template', /name and language must equal an approved template exactly/],
    [404, undefined, /not part of the API/],
    [404, 'not_found', /not part of the API/],
  ])('%i %s: the likely cause [C ERR-01]', async (status, code, hint) => {
    const error = await refusal(status, { ...(code && { code }), message: 'm' })
    expect(error.message).toMatch(hint)
    expect(error).toMatchObject({ retryable: false, outcome: 'not_sent' })
  })
})

describe('numbers', () => {
  it('an ambiguous number lists the numbers of the token [C AUTH-05]', async () => {
    const body = { code: 'ambiguous_number', message: 'which?', phone_number_ids: ['pn_1', 106540352242922] }
    const error = await refusal(400, body)
    expect(error.phoneNumberIds).toEqual(['pn_1', '106540352242922'])
    expect(error.message).toContain("set phoneNumberId to one of the token's numbers pn_1, 106540352242922")
    expect(error.rule.stops).toBe('named')
  })

  it('a number of another token is named [C AUTH-05]', async () => {
    const error = await refusal(403, { code: 'number_not_for_token', message: 'no' }, { phoneNumberId: 'pn_9' })
    expect(error.message).toContain('phoneNumberId was pn_9')
  })
})

describe('the sends that a refusal stops', () => {
  it.each([
    [401, 'not_authenticated', 'queue'],
    [402, 'plan_feature_locked', 'queue'],
    [403, 'account_suspended', 'queue'],
    [400, 'ambiguous_number', 'named'],
    [403, 'number_not_for_token', 'named'],
    [402, 'plan_limit_reached', undefined],
    [409, 'outside_messaging_window', undefined],
  ])('%i %s: %s [C ERR-05]', async (status, code, stops) => {
    expect((await refusal(status, { code, message: 'm' })).rule.stops).toBe(stops)
  })

  it.each([
    ['C AUTH-04', 402, 'plan_feature_locked', api.PlanFeatureLockedError],
    ['C AUTH-06', 403, 'account_suspended', api.AccountSuspendedError],
  ])('%s %i %s can occur in every call', async (_, status, code, Type) => {
    const { client } = clientOn([says(status, { code, message: 'm' })])
    for (const call of [client.attempt(send), client.templates.list()]) {
      const error = await rejection(call)
      expect(error).toBeInstanceOf(Type)
      expect(error).toMatchObject({ outcome: 'not_sent', retryable: false })
    }
  })
})

describe('an error that is printed', () => {
  it('shows status, code, message and outcome, as JSON and to an inspector [C ERR-01]', async () => {
    const error = await refusal(409, { code: 'outside_messaging_window', message: 'closed' })
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: 'OutsideMessagingWindowError',
      status: 409,
      code: 'outside_messaging_window',
      message: 'POST /messages was refused: 409 outside_messaging_window: closed (send a template)',
      outcome: 'not_sent',
      retryable: false,
      attempts: 1,
      idempotencyKeyHash: '8254c329a92850f6',
    })
    const shown = inspect(error)
    for (const part of ['409', "'outside_messaging_window'", 'closed', "'not_sent'"]) expect(shown).toContain(part)
  })

  it('explains the likely cause of a 401, because missing and unknown tokens look alike [C AUTH-01]', async () => {
    const error = await refusal(401, { code: 'not_authenticated', message: 'Not authenticated' })
    expect(error.message).toMatch(/reconnected.*dashboard API key/)
    expect(error.rule.stops).toBe('queue')
  })
})
