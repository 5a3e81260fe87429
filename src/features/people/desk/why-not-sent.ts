import type { RefusalCode } from '../../../admin/requests.ts'

/** Errors of this library and of the service, by what a person at the desk can do about them. */
const WHY: Readonly<Record<string, RefusalCode>> = {
  outside_window: 'window_closed',
  outside_messaging_window: 'window_closed',
  recipient_not_allowed: 'not_allowed',
  recipient_not_confirmed: 'not_allowed',
  content_invalid: 'not_fitting',
  validation_error: 'not_fitting',
  template_unsendable: 'no_template',
  template_not_found: 'no_template',
  invalid_template: 'no_template',
  no_access_token: 'number_stopped',
  number_unavailable: 'number_stopped',
  not_authenticated: 'number_stopped',
  number_not_for_token: 'number_stopped',
  ambiguous_number: 'number_stopped',
  account_suspended: 'number_stopped',
  plan_feature_locked: 'number_stopped',
  plan_limit_reached: 'number_stopped',
}

export function whyNotSent(code: string | undefined): RefusalCode {
  return WHY[code ?? ''] ?? 'not_accepted'
}
