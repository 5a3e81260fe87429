import type { ApiErrorCode } from '../contract/index.ts'

const HINTS: Partial<Record<ApiErrorCode, string>> = {
  not_authenticated:
    'was the number reconnected, or is it a dashboard API key? Take the token from Developer, Credentials',
  plan_feature_locked: "the team's plan must grant API access",
  account_suspended: 'the workspace is suspended; nothing is sent until that is lifted',
  plan_limit_reached: 'this number is new to the workspace; sends to known ones go on',
  outside_messaging_window: 'send a template',
  idempotency_in_progress: 'repeat the identical request after a short pause',
  idempotency_key_reused:
    'another body was accepted or is in flight under this key; a different message needs a key of its own',
  template_not_found: "it is not on the number's account, or the upstream platform could not be asked",
  invalid_template: 'name and language must equal an approved template exactly; branch on `sendable` of the list',
}

interface Numbers {
  readonly phoneNumberIds: readonly string[]
  readonly phoneNumberId: string | undefined
}

/** What to do about a refusal; empty where the service's own words are all there is. */
export function hintOf(status: number, code: string | undefined, numbers: Numbers): string {
  if (code === 'ambiguous_number')
    return `set phoneNumberId to one of the token's numbers${numbers.phoneNumberIds.map((id) => ` ${id}`).join(',')}`
  if (code === 'number_not_for_token') return `phoneNumberId was ${numbers.phoneNumberId ?? 'not set'}`
  if (code !== undefined && Object.hasOwn(HINTS, code)) return HINTS[code as ApiErrorCode] as string
  if (status === 404) return 'this is not part of the API; does baseUrl point to the service?'
  if (status >= 300 && status < 400) return 'redirects are not followed; put the final address into baseUrl'
  return ''
}
