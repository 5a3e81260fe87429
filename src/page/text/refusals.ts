interface Explanation {
  readonly rule: string
  readonly text: string
}

/** The rule behind each refusal code, and the way around it. */
const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
  outside_messaging_window: {
    rule: 'GEN-04',
    text: 'Free-form messages go out within 24 hours of the customer’s last message; after that, templates alone.',
  },
  invalid_template: {
    rule: 'SEND-11, SEND-15',
    text: 'The template must exist in this very language, and be in a state that is sent.',
  },
  template_not_found: { rule: 'SEND-14', text: 'The number’s account has no template of this name.' },
  validation_error: { rule: 'SEND-23', text: 'The body does not have the form that its type asks for.' },
  invalid_one_time_code: { rule: 'OTP-05', text: 'A one-time code follows strict rules, and goes by its template.' },
  idempotency_key_reused: { rule: 'IDEM-04', text: 'One key stands for one body: another message needs another key.' },
  not_authenticated: { rule: 'AUTH-01', text: 'The access token is missing, unknown, or was replaced by a new one.' },
  plan_feature_locked: { rule: 'AUTH-04', text: 'The plan of the account lacks the API.' },
  plan_limit_reached: { rule: 'SEND-20', text: 'This customer would be one contact more than the plan allows.' },
  ambiguous_number: { rule: 'AUTH-05', text: 'Several numbers hold this token: the call must name one.' },
  number_not_for_token: { rule: 'AUTH-05', text: 'The token does not belong to the number that was named.' },
  account_suspended: { rule: 'AUTH-06', text: 'The account is suspended.' },
  rate_limited: { rule: 'SEND-22', text: 'The platform limits the number for a while; it does not say for how long.' },
  send_failed: {
    rule: 'SEND-21',
    text: 'The chat platform refused the message; its reason stands in the words above.',
  },
}

/** Explains a refusal by its code; undefined for a code without an entry. */
export function explainRefusal(code: string | null): Explanation | undefined {
  return code === null ? undefined : EXPLANATIONS[code]
}
