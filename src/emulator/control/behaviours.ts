import type { Assumptions } from '../model/assumptions.ts'

/** One behaviour of the emulator, and whether it is the service's own. */
export interface Behaviour {
  readonly id: string
  /** `spec`: as specified. `assumed`: the specification does not show it. `emulator`: the emulator's own. */
  readonly label: 'spec' | 'assumed' | 'emulator'
  /** The rule of the specification that the behaviour follows. */
  readonly rule: string
  readonly behaviour: string
  readonly switch?: keyof Assumptions
}

/** The rule that a behaviour follows, and the behaviour in words. */
type Source = readonly [rule: string, behaviour: string]

const SPEC: Readonly<Record<string, Source>> = {
  endpoints: ['GEN-08', 'Two endpoints and their description under /api/v2; 404 for all else.'],
  scope: ['GEN-03', 'All is scoped to the one number that the token belongs to.'],
  window: ['GEN-04', 'Free-form sends within 24 hours of the last inbound message; else 409 outside_messaging_window.'],
  template_any_time: ['GEN-05', 'Templates are taken inside and outside the window.'],
  recipient: ['SEND-01', 'Recipients of 6 to 20 digits, without a plus.'],
  types: ['SEND-02', 'Seven types, text by default; 422 for any other.'],
  own_fields: ['SEND-04', 'Each type reads its own fields alone.'],
  interactive_limits: ['SEND-06', 'At most 3 buttons, 10 rows in total, no repeated option ids; 422.'],
  languages: ['SEND-11', 'No fallback of languages: 400 invalid_template names those that exist.'],
  parameters: ['SEND-13', 'Parameters that do not fit the approved shape: 400 without a code.'],
  template_not_found: ['SEND-14', 'An unknown template is 422 template_not_found.'],
  flagged_and_locked: ['SEND-15', 'FLAGGED and LOCKED are sent; REJECTED, PAUSED, DISABLED and ARCHIVED are 400.'],
  message: ['SEND-26', 'The answer has all fields of the table, direction OUTBOUND, source HUMAN.'],
  contact_limit: ['SEND-20', 'A new contact beyond the limit of the plan is 402 plan_limit_reached.'],
  no_hints: ['SEND-22', 'No Retry-After, no X-RateLimit-*, no request id, no retryable flag.'],
  media: ['SEND-21', 'A media address that nobody can fetch is 502 send_failed, with the reason in prose.'],
  one_time_codes: ['OTP-05', 'Every breach of a rule of one-time codes is 422 invalid_one_time_code.'],
  code_copied: ['OTP-02', 'The code is copied into the copy-code button; one that is sent must equal it.'],
  code_withheld: ['OTP-06', 'The code is never recorded: Verification code sent, [code withheld].'],
  in_flight: ['IDEM-02', 'A key in flight is 409 idempotency_in_progress.'],
  replay: ['IDEM-03', 'A settled key with the same body replays the answer with Idempotency-Replayed: true.'],
  key_reused: ['IDEM-04', 'A key with another body is 422 idempotency_key_reused.'],
  key_released: ['IDEM-05', 'A send that fails releases its key.'],
  list: ['TPL-01', 'Templates newest first, 25 to a page, at most 100.'],
  sendable: ['TPL-04', 'sendable follows the rule of the send path.'],
  unsynchronised: ['TPL-05', 'A template that is not synchronised yet is reported as sendable.'],
  creation: ['TPL-07', 'Templates for one-time codes are made by the rules of the dashboard.'],
  not_authenticated: ['AUTH-01', 'Missing, unknown and old tokens and dashboard keys get the very same 401.'],
  rotation: ['AUTH-02', 'A new token ends the old one at once.'],
  plan: ['AUTH-04', 'A plan without the API is 402 plan_feature_locked on every call.'],
  several_numbers: ['AUTH-05', 'A token that several numbers hold needs X-Phone-Number-Id.'],
  suspension: ['AUTH-06', 'A suspended workspace is 403 account_suspended.'],
  signature: ['SIG-01', 'Deliveries are signed over timestamp and raw body.'],
  disabled: ['DEL-08', 'An endpoint is disabled after 20 failed deliveries in a row; registering it again mends that.'],
  endpoints_only_public: ['DEL-09', 'http, loopback, link-local and private endpoints are refused, if so switched.'],
  exclusive_override: ['DEL-10', 'Under the callback override registering a subscription is refused.'],
  retention: ['DEL-13', 'Delivery attempts are kept for 7 days and events for 30.'],
  agent_paused: ['GEN-06', 'A send pauses the AI agent until the takeover window elapses or the customer types BOT.'],
  progress: ['SEND-24', 'An accepted send is followed by message.sent and message.status events.'],
}

const ASSUMED: Readonly<Partial<Record<keyof Assumptions, Source>>> = {
  validation: ['SEND-23', 'The form of a validation failure: flat, or an array of details.'],
  keysRememberedFor: ['IDEM-06', 'How long a settled key is remembered: two statements are not reconciled.'],
  bodiesCompared: ['IDEM-04', 'What counts as another body under one key.'],
  windowAtExactly24h: ['GEN-04', 'Whether the window is still open at exactly 24:00:00.000.'],
  minimumButtons: ['SEND-07', 'How many buttons there are at least.'],
  statusCase: ['SEND-17', 'The case of status: the material shows both.'],
  pendingTemplate: ['SEND-15', 'Whether a template in review is sent.'],
  unknownTemplateState: ['SEND-15', 'Whether a template in a state that nobody has heard of is sent.'],
  unsynchronisedRefusal: ['TPL-05', "How the upstream platform's refusal of an unsynchronised template arrives."],
  checkedFirst: ['SEND-20', 'Which reason is answered where the plan is full and the window closed.'],
  description: ['GEN-11', 'Whether the description and its page need a token.'],
  contentType: ['GEN-16', 'Whether a send whose Content-Type is missing or not JSON is refused.'],
  emptyHeaders: ['GEN-16', 'Whether an empty Idempotency-Key or X-Phone-Number-Id counts as absent.'],
  redirects: ['GEN-16', 'Whether a delivery that the app answers with 3xx has failed; it is never followed.'],
  upstreamMs: ['IDEM-02', 'How long the upstream platform takes; a key is in flight meanwhile.'],
  statusAfterMs: ['SEND-24', 'When statuses follow an accepted send.'],
  payloadShape: ['EVT-02', 'Payload fields are not shown: recorded shapes where given, else made-up ones take turns.'],
  declaredEvents: ['EVT-01', 'Whether the declared events are published: five of seven are not confirmed.'],
  playedStatus: ['SEND-24', 'Whether an event says that a voice note was played.'],
  statusesOf: ['SEND-24', "Whether the agent's and people's messages have statuses too."],
  botMatching: ['GEN-06', 'Which texts count as typing BOT.'],
  retriesSigned: ['DEL-08', 'Whether a retry is signed anew, or goes stale with the first timestamp.'],
  failuresCounted: ['DEL-08', 'What counts as a failed delivery: an attempt, or one whose retries have run out.'],
  attemptTimeoutMs: ['DEL-08', 'How long one attempt of a delivery waits for an answer.'],
  retryAfterMs: ['DEL-08', 'When a failed delivery is tried again.'],
  retryForMs: ['DEL-08', 'For how long it is tried again.'],
  attemptsAtOnce: ['DEL-08', 'How many attempts run at the same time for one subscription.'],
}

/** The emulator's own freedom on this machine, switched all the same. */
const OWN_SWITCHED: Readonly<Partial<Record<keyof Assumptions, Source>>> = {
  privateMedia: ['SEND-05', 'Media are judged by their address alone, never fetched.'],
  localEndpoints: [
    'DEL-09',
    'Endpoints on this machine are taken, since an app is developed there; judged by address, never looked up.',
  ],
}

/** Tools that the service has no word for, and choices that are not worth a switch. */
const OWN: Readonly<Record<string, Source>> = {
  agent: ['GEN-06', 'A stub of the AI agent, off until it is switched on; a takeover window of 30 minutes unless set.'],
  callback_override: [
    'DEL-10',
    'Under the callback override nothing is heard, published or captured; the raw feed itself is not emulated.',
  ],
  handsets: [
    'SEND-24',
    'Handsets that are offline, tell nothing of reading, or block; messages are read only when told to be.',
  ],
  codes_in_memory: ['OTP-06', "One-time codes live in memory, on the handset's side alone."],
  faults: ['GEN-12', 'Faults that are armed, and recipients to whom the same always happens.'],
  clock: ['GEN-12', 'A clock that jumps; X-Emulator-Clock-Offset says how far.'],
  says_so: ['GEN-12', 'X-Emulator in every answer and delivery; no send leaves the machine.'],
  token_shared: ['AUTH-02', 'Numbers that share a token get the same new one when it is rotated.'],
  order_of_checks: ['GEN-12', 'Where several errors apply at once, the first in the order of /_emulator/explain.'],
  body_limit: ['GEN-12', 'Bodies over 1 MiB are 413 too_large.'],
  other_errors: [
    'SEND-23',
    'Errors that no table shows (404, 405, what is no HTTP) have a code and a message of the same form.',
  ],
  lengths: ['SEND-03', 'Lengths are counted in code points, since it is not shown what a character is.'],
  unread_fields: [
    'SEND-04',
    'A field that the type does not read has no effect, and is checked for its form all the same.',
  ],
  blank_bodies: [
    'SEND-06',
    'The body, titles and ids of an interactive message may be blank; only a text must not be.',
  ],
  filenames: [
    'SEND-12',
    'Only a document has a filename: beside a picture, video or audio it is taken, and has no effect.',
  ],
  button_index: [
    'SEND-12',
    'The index of a button is read as a number: "01" is the second one. For a one-time code it must be "0".',
  ],
  code_domain: ['OTP-04', 'A code reads as a domain where a letter or digit, a dot and two letters follow each other.'],
  code_emoji: [
    'OTP-04',
    "An emoji is an extended pictograph of Unicode, a flag's letter, a keycap, or a sign with the selector of emoji.",
  ],
  list_query: [
    'TPL-03',
    '400 without a code: a member that is given twice, a sendable, limit or cursor that cannot be read. 422: a limit out of bounds, a cursor that points to no template.',
  ],
  approved_at: ['TPL-08', 'approved_at is null until a template is first approved, and stays as it was then.'],
  media_form: [
    'SEND-05',
    'A media address that is not https is 422 validation_error, and not left to the chat platform.',
  ],
  contacts: ['SEND-20', 'Everybody who wrote or was sent to counts as a contact of the workspace.'],
  old_options: ['EVT-01', 'Buttons, rows and quick replies can be tapped as often as one likes, also the old ones.'],
}

/** Each behaviour with its label and its source; every assumption with its switch. */
export const BEHAVIOURS: readonly Behaviour[] = [
  ...behaviours(SPEC, 'spec'),
  ...switched(ASSUMED, 'assumed'),
  ...switched(OWN_SWITCHED, 'emulator'),
  ...behaviours(OWN, 'emulator'),
]

function behaviours(sources: Readonly<Record<string, Source>>, label: Behaviour['label']): Behaviour[] {
  return Object.entries(sources).map(([id, [rule, behaviour]]) => ({ id, label, rule, behaviour }))
}

function switched(sources: Readonly<Record<string, Source>>, label: Behaviour['label']): Behaviour[] {
  return behaviours(sources, label).map((one) => ({ ...one, switch: one.id as keyof Assumptions }))
}
