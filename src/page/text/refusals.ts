interface RuleInWords {
  readonly rule: string
  readonly words: string
}

/** What stands behind each refusal, and what leads around it. */
const RULES: Readonly<Record<string, RuleInWords>> = {
  outside_messaging_window: {
    rule: 'GEN-04',
    words: 'Free-form messages go out within 24 hours of the customer’s last message; after that, templates alone.',
  },
  invalid_template: {
    rule: 'SEND-11, SEND-15',
    words: 'The template must exist in this very language, and be in a state that is sent.',
  },
  template_not_found: { rule: 'SEND-14', words: 'The number’s account has no template of this name.' },
  validation_error: { rule: 'SEND-23', words: 'The body does not have the form that its type asks for.' },
  invalid_one_time_code: { rule: 'OTP-05', words: 'A one-time code follows strict rules, and goes by its template.' },
  idempotency_key_reused: { rule: 'IDEM-04', words: 'One key stands for one body: another message needs another key.' },
  not_authenticated: { rule: 'AUTH-01', words: 'The access token is missing, unknown, or was replaced by a new one.' },
  plan_feature_locked: { rule: 'AUTH-04', words: 'The plan of the account lacks the API.' },
  plan_limit_reached: { rule: 'SEND-20', words: 'This customer would be one contact more than the plan allows.' },
  ambiguous_number: { rule: 'AUTH-05', words: 'Several numbers hold this token: the call must name one.' },
  number_not_for_token: { rule: 'AUTH-05', words: 'The token does not belong to the number that was named.' },
  account_suspended: { rule: 'AUTH-06', words: 'The account is suspended.' },
  rate_limited: { rule: 'SEND-22', words: 'The platform limits the number for a while; it does not say for how long.' },
  send_failed: {
    rule: 'SEND-21',
    words: 'The chat platform refused the message; its reason stands in the words above.',
  },
}

export function ruleInWords(code: string | null): RuleInWords | undefined {
  return code === null ? undefined : RULES[code]
}
