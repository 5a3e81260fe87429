import { describe, expect, it } from 'vitest'
import { API_ERRORS, API_PREFIX, ENDPOINTS, ruleOf } from 'switchhook/contract'

/** The table of errors as the specification has it: status, code, whether to try again. */
const SPECIFIED: [number, string, string][] = [
  [400, 'invalid_template', 'no'],
  [400, 'ambiguous_number', 'no'],
  [401, 'not_authenticated', 'no'],
  [402, 'plan_feature_locked', 'no'],
  [402, 'plan_limit_reached', 'no'],
  [403, 'number_not_for_token', 'no'],
  [403, 'account_suspended', 'no'],
  [409, 'outside_messaging_window', 'no'],
  [409, 'idempotency_in_progress', 'pause'],
  [422, 'idempotency_key_reused', 'no'],
  [422, 'invalid_one_time_code', 'no'],
  [422, 'template_not_found', 'no'],
  [422, 'validation_error', 'no'],
  [429, 'rate_limited', 'backoff'],
  [500, 'internal_error', 'backoff'],
  [502, 'send_failed', 'cautious'],
]

describe('the table of errors', () => {
  it('has the codes of the specification, judged by the code whatever the status [C ERR-01 ERR-03]', () => {
    const table = Object.entries(API_ERRORS).map(([code, { status, retry }]) => `${status} ${code} ${retry}`)
    expect(table.sort()).toEqual(SPECIFIED.map((row) => row.join(' ')).sort())
    for (const [status, code, retry] of SPECIFIED) expect(ruleOf(418, code)).toMatchObject({ status, retry })
  })

  it.each<[number, string, string]>([
    [400, 'no', 'not_sent'],
    [404, 'no', 'not_sent'],
    [422, 'no', 'not_sent'],
    [429, 'backoff', 'not_sent'],
    [500, 'backoff', 'unknown'],
    [502, 'backoff', 'unknown'],
    [503, 'backoff', 'unknown'],
    [599, 'backoff', 'unknown'],
  ])('%i without a known code is judged by its status: %s, %s [C ERR-01 ERR-03]', (status, retry, outcome) => {
    for (const code of [undefined, 'brand_new', 'constructor', '__proto__', 'toString', ''])
      expect(ruleOf(status, code)).toMatchObject({ status, retry, outcome })
  })

  it('only a message that may have reached the phone is unknown [C IDEM-05]', () => {
    const unknown = Object.entries(API_ERRORS).filter(([, { outcome }]) => outcome === 'unknown')
    expect(unknown.map(([code]) => code).sort()).toEqual(['idempotency_in_progress', 'internal_error'])
  })

  it('three codes stop a whole queue, two the sends that name a number [C ERR-05]', () => {
    const stopping = (what: string) =>
      Object.entries(API_ERRORS)
        .filter(([, rule]) => 'stops' in rule && rule.stops === what)
        .map(([code]) => code)
    expect(stopping('queue').sort()).toEqual(['account_suspended', 'not_authenticated', 'plan_feature_locked'])
    expect(stopping('named').sort()).toEqual(['ambiguous_number', 'number_not_for_token'])
  })
})

it('the endpoints are two and the description, all under /api/v2 [C GEN-01 GEN-11 GEN-14]', () => {
  expect(API_PREFIX).toBe('/api/v2')
  expect(Object.values(ENDPOINTS).map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /messages',
    'GET /templates',
    'GET /openapi.json',
    'GET /docs',
  ])
})
