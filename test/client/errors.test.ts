import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { SwitchhookError } from '../../src/base/errors.ts'
import { ApiError } from '../../src/client/client.ts'
import { clientOn, rejection, says } from './stub.ts'

const send = { body: '{}', idempotencyKey: 'k' }

async function refusal(status: number, body: unknown, options = {}): Promise<ApiError> {
  const { client } = clientOn([says(status, body)], options)
  const error = await rejection(client.attempt(send))
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toBeInstanceOf(SwitchhookError)
  return error as ApiError
}

it.each([
  [409, 'outside_messaging_window', false, 'not_sent'],
  [409, 'idempotency_in_progress', true, 'unknown'],
  [401, undefined, false, 'not_sent'],
  [400, '__proto__', false, 'not_sent'],
  [502, 'brand_new_code', true, 'unknown'],
  [402, 'plan_feature_locked', false, 'not_sent'],
  [403, 'account_suspended', false, 'not_sent'],
])(
  'a refusal %i %s states whether to retry and the outcome, by the contract’s table [C ERR-01 ERR-03 IDEM-05 AUTH-04 AUTH-06]',
  async (status, code, retryable, outcome) => {
    const error = await refusal(status, { ...(code && { code }), message: 'in plain words, no send_failed' })
    expect(error).toMatchObject({ status, code, retryable, outcome })
    expect(error.message).toContain(
      `POST /messages was refused: ${code ? `${status} ${code}` : status}: in plain words`,
    )
  },
)

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
    for (const body of ['x'.repeat(100_000), { code: 'internal_error', message: 'x'.repeat(100_000) }])
      expect((await refusal(500, body)).message.length).toBeLessThan(700)
  })
})

it('the numbers that share a token are listed, and a number of another token is named [C AUTH-05]', async () => {
  const shared = await refusal(400, { code: 'ambiguous_number', message: 'm', phone_number_ids: ['pn_1', 2] })
  expect(shared.phoneNumberIds).toEqual(['pn_1', '2'])
  expect(shared.message).toContain("set phoneNumberId to one of the token's numbers pn_1, 2")
  const error = await refusal(403, { code: 'number_not_for_token', message: 'no' }, { phoneNumberId: 'pn_9' })
  expect(error.message).toContain('phoneNumberId was pn_9')
})

it('an error shows status, code, message and outcome, as JSON and to an inspector [C ERR-01]', async () => {
  const error = await refusal(409, { code: 'outside_messaging_window', message: 'closed' })
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    name: 'ApiError',
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
