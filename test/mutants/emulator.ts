import type { Mutant } from './driver/mutant.ts'

export default [
  {
    file: 'src/emulator/events/recorded.ts',
    from: "typeof valueAt(fixture, 'messageId') === 'number'",
    to: 'false',
    breaks: 'Where payloads have a number as a message’s id, the answer to a send has its digits.',
    killedBy: { 'test/emulator/recorded.test.ts': 'keep a number where the service has one as a message’s id' },
  },
  {
    file: 'src/emulator/events/recorded.ts',
    from: 'if (MUST_FIT.some((fact) => facts[fact] !== undefined && places[fact] === undefined)) return false',
    to: '',
    breaks: 'A recorded shape that has no room for what is said is not taken.',
    killedBy: {
      'test/emulator/recorded.test.ts': 'tell why a message failed, and none that has no room for it is taken',
    },
  },
  {
    file: 'src/emulator/events/recorded.ts',
    from: 'if (CONTENT.some((fact) => facts[fact] === undefined && places[fact] !== undefined)) return false',
    to: '',
    breaks: 'A message that arrives does not come in the recorded shape of a failure.',
    killedBy: { 'test/emulator/recorded.test.ts': 'of a failure are not taken for a message that arrives' },
  },
  {
    file: 'src/emulator/events/fill-fixture.ts',
    from: 'return id === undefined ? customer(value) : inFormOf(value, id)',
    to: 'return id === undefined ? value : inFormOf(value, id)',
    breaks: 'The recorded customer stands nowhere in another one’s message.',
    killedBy: {
      'test/emulator/recorded.test.ts': 'have the new customer, ids and times wherever the recorded ones stood',
    },
  },
  {
    file: 'src/emulator/events/like-time.ts',
    from: 'new Date(ms + offsetMs)',
    to: 'new Date(ms)',
    breaks: 'A time with an offset is the event’s own time.',
    killedBy: { 'test/emulator/like-time.test.ts': 'is 2026-05-01 11:00:00,500+03:00' },
  },
  {
    file: 'src/emulator/deliver/deliverer.ts',
    from: "task.do === 'attempt' && task.retries > 0",
    to: "task.do === 'attempt'",
    breaks: 'A first attempt that a fault delays is not made before its time by a retry of what failed.',
    killedBy: {
      'test/emulator/redelivery.test.ts': 'makes the next attempt of what has failed at once, and of nothing else',
    },
  },
  {
    file: 'src/emulator/control/guard.ts',
    from: 'if (origin !== undefined && ',
    to: 'if (false && origin !== undefined && ',
    breaks: 'A web page cannot use the control API.',
    killedBy: {
      'test/emulator/control.test.ts': 'answers loopback names with its own port alone, and no foreign origin',
    },
  },
  {
    file: 'src/emulator/control/guard.ts',
    from: 'if (!hosts.includes(host.toLowerCase()))',
    to: 'if (false)',
    breaks: 'A name that is rebound to this machine reaches nothing.',
    killedBy: {
      'test/emulator/control.test.ts': 'answers loopback names with its own port alone, and no foreign origin',
    },
  },
  {
    file: 'src/emulator/control/guard.ts',
    from: 'if (needsToken(request) && !carriesToken',
    to: 'if (!needsToken(request) && !carriesToken',
    breaks: 'Each change needs the control token.',
    killedBy: { 'test/emulator/control.test.ts': 'needs the run’s control token for every change' },
  },
  {
    file: 'src/emulator/control/guard.ts',
    from: "method !== 'GET' || !OPEN_READS.includes(path)",
    to: "method !== 'GET'",
    breaks: 'No other program of the machine reads a conversation.',
    killedBy: { 'test/emulator/reads.test.ts': 'tell no program of a conversation without the control token' },
  },
  {
    file: 'src/emulator/control/guard.ts',
    from: '!OPEN_READS.includes(path)',
    to: '!OPEN_READS.some((open) => path.startsWith(open))',
    breaks: 'What is open is named route by route, and opens no other.',
    killedBy: { 'test/emulator/reads.test.ts': 'leave open what tells of the emulator alone, and no other route' },
  },
  {
    file: 'src/emulator/deliver/attempts.ts',
    from: "assumptions.retriesSigned === 'as_first' ? delivery.firstSignedAt : clock.wall()",
    to: 'delivery.firstSignedAt',
    breaks: 'Each retry is signed anew with a fresh timestamp.',
    killedBy: {
      'test/emulator/deliveries.test.ts':
        'is retried after 1, 5 and 30 s, 2, 10 and 30 min, then hourly, under one id and fresh signatures',
    },
  },
  {
    file: 'src/emulator/deliver/attempts.ts',
    from: 'schedule.elapsed() - startedAt + wait > assumptions.retryForMs',
    to: 'false',
    breaks: 'Retries end after their time.',
    killedBy: { 'test/emulator/deliveries.test.ts': 'is given up 24 hours after its first attempt' },
  },
  {
    file: 'src/emulator/deliver/signed-request.ts',
    from: 'update(signedPrefix(timestamp)).update(body)',
    to: 'update(body)',
    breaks: 'The emulator signs timestamp and body, as the specification says.',
    killedBy: {
      'test/emulator/signature.test.ts': 'is what another implementation computes over the same bytes: empty-body',
    },
  },
  {
    file: 'src/emulator/deliver/subscriptions.ts',
    from: 'if (subscription.failures < FAILURES_UNTIL_DISABLED) return',
    to: 'if (subscription.failures <= FAILURES_UNTIL_DISABLED) return',
    breaks: 'The twentieth failure in a row disables a subscription.',
    killedBy: {
      'test/emulator/endpoints.test.ts': 'is disabled by 20 deliveries in a row whose retries ran out',
    },
  },
  {
    file: 'src/emulator/deliver/subscriptions.ts',
    from: "if (subscription.state === 'active') subscription.failures = 0",
    to: '',
    breaks: 'A success begins the count of failures anew.',
    killedBy: { 'test/emulator/deliveries.test.ts': 'counts only what failed in a row' },
  },
  {
    file: 'src/emulator/model/fill-template.ts',
    from: 'values.length !== wanted',
    to: 'values.length < wanted',
    breaks: 'A template takes exactly its parameters.',
    killedBy: {
      'test/emulator/template-sends.test.ts':
        'answers 400 with no code if the parameters do not match the approved shape',
    },
  },
  {
    file: 'src/emulator/model/key-record.ts',
    from: 'return JSON.stringify([number, key])',
    to: 'return key',
    breaks: 'Each number’s keys are apart.',
    killedBy: { 'test/emulator/account.test.ts': 'keeps window, templates and keys of two numbers apart' },
  },
  {
    file: 'src/emulator/model/key-record.ts',
    from: "(isSecret ? createHmac('sha256', secret.bytes) : createHash('sha256'))",
    to: "createHash('sha256')",
    breaks: 'A snapshot holds no plain hash of a code.',
    killedBy: {
      'test/emulator/one-time-codes.test.ts':
        'is withheld even if the type of the send was forgotten, so that it is sent as a text',
    },
  },
  {
    file: 'src/emulator/model/keys.ts',
    from: 'now() - known.settled.at >= REMEMBERED_MS',
    to: 'now() - known.settled.at > REMEMBERED_MS',
    breaks: 'A key is remembered for 24 hours.',
    killedBy: { 'test/emulator/idempotency.test.ts': 'is remembered for 24 hours, by the emulator’s clock' },
  },
  {
    file: 'src/emulator/model/keys.ts',
    from: "if (!fingerprints.isSame(known, body)) return 'reused'",
    to: '',
    breaks: 'Another body under a key is refused.',
    killedBy: { 'test/emulator/idempotency.test.ts': 'is refused with 422 under another body, settled or in flight' },
  },
  {
    file: 'src/emulator/model/progress.ts',
    from: "if (item && status !== 'sent') item.status = status",
    to: 'if (item) item.status = status',
    breaks: 'A late sent takes back no later status.',
    killedBy: { 'test/emulator/handsets.test.ts': 'goes through every status on the way, and never back' },
  },
  {
    file: 'src/emulator/service/approve.ts',
    from: 'age < WINDOW_MS || (age',
    to: 'age <= WINDOW_MS || (age',
    breaks: 'The window is closed at exactly 24 hours.',
    killedBy: {
      'test/emulator/window.test.ts': 'is open to the last millisecond of 24 hours, and closed at exactly 24:00:00.000',
    },
  },
  {
    file: 'src/emulator/service/approve.ts',
    from: 'template: false',
    to: 'template: true',
    breaks: 'A template is accepted outside the window.',
    killedBy: {
      'test/emulator/window.test.ts': 'takes a template before the window opened, while it is open and after it closed',
    },
  },
  {
    file: 'src/emulator/service/approve.ts',
    from: 'account.contacts.size >= contactLimit',
    to: 'account.contacts.size > contactLimit',
    breaks: 'The contact after the plan’s last is refused.',
    killedBy: {
      'test/emulator/account.test.ts':
        'answers 402 plan_limit_reached for a new customer beyond the limit, and serves the known',
    },
  },
  {
    file: 'src/emulator/service/approve.ts',
    from: '!account.contacts.has(to) && ',
    to: '',
    breaks: 'A plan at its limit still sends to known contacts.',
    killedBy: {
      'test/emulator/account.test.ts':
        'answers 402 plan_limit_reached for a new customer beyond the limit, and serves the known',
    },
  },
  {
    file: 'src/emulator/service/checks.ts',
    from: 'if (account.suspended) throw',
    to: 'if (false) throw',
    breaks: 'A suspended workspace sends nothing.',
    killedBy: { 'test/emulator/account.test.ts': 'answers 403 account_suspended while the workspace is suspended' },
  },
  {
    file: 'src/emulator/service/checks.ts',
    from: 'phone_number_ids: held.map((number) => number.id)',
    to: 'phone_number_ids: []',
    breaks: 'A token of several numbers is told which ones.',
    killedBy: {
      'test/emulator/account.test.ts': 'asks which number is meant if several hold the token, and lists them',
    },
  },
  {
    file: 'src/emulator/service/message.ts',
    from: 'template.code === undefined ? template.text : CODE_SENT',
    to: 'template.text',
    breaks: 'A recorded message never holds its code.',
    killedBy: {
      'test/emulator/one-time-codes.test.ts':
        'is taken as one body parameter, recorded as sent and redacted, with no referral',
    },
  },
  {
    file: 'src/emulator/service/one-time-code.ts',
    from: "parameterOf(button, 'button') !== code",
    to: 'false',
    breaks: 'The button’s code equals the body’s.',
    killedBy: {
      'test/emulator/one-time-codes.test.ts':
        'is copied into the copy-code button, which the sender may send with the same code alone',
    },
  },
  {
    file: 'src/emulator/service/send.ts',
    from: "headers: { [IDEMPOTENCY_REPLAYED]: 'true' }",
    to: 'headers: {}',
    breaks: 'A repeat under a key says that it is one.',
    killedBy: {
      'test/emulator/idempotency.test.ts': 'replays the original answer under a settled key and sends nothing again',
    },
  },
  {
    file: 'src/emulator/service/send.ts',
    from: `claim.release()
    throw error`,
    to: 'throw error',
    breaks: 'A send that failed forgets its key.',
    killedBy: {
      'test/emulator/idempotency.test.ts': 'is released by a send that fails: the next one is a real attempt',
    },
  },
  {
    file: 'src/emulator/service/send.ts',
    from: 'fault?.giveBack()',
    to: '',
    breaks: 'A fault that did not strike is kept for the next send.',
    killedBy: { 'test/emulator/send-faults.test.ts': 'keeps its charge if the send is refused or does not match' },
  },
  {
    file: 'src/emulator/service/send.ts',
    from: 'model.agent.pause(number, send.to)',
    to: '',
    breaks: 'A send pauses the service’s agent.',
    killedBy: {
      'test/emulator/agent.test.ts': 'is silenced by a send during its delay, and pauses for that customer alone',
    },
  },
  {
    file: 'src/emulator/deliver/attempts.ts',
    from: 'headers: { ...request.headers, [EMULATOR_FAULT]: fault.do }',
    to: 'headers: request.headers',
    breaks: 'A delivery that a fault spoils carries its name.',
    killedBy: { 'test/emulator/delivery-faults.test.ts': 'names the armed fault `tamper`' },
  },
  {
    file: 'src/emulator/deliver/delivery.ts',
    from: 'lost ?? request',
    to: 'request',
    breaks: 'An attempt whose answer a fault lost says so.',
    killedBy: { 'test/emulator/delivery-faults.test.ts': 'names the fault that lost its answer' },
  },
  {
    file: 'src/emulator/model/keys.ts',
    from: ' && !holdsCode)',
    to: ')',
    breaks: 'In the literal reading the key of a one-time code is known for 24 hours.',
    killedBy: {
      'test/emulator/idempotency.test.ts':
        'by the literal reading is known for 24 hours if a one-time code was sent, and else forgotten',
    },
  },
  {
    file: 'src/emulator/model/assumptions.ts',
    from: "failuresCounted: 'deliveries',",
    to: "failuresCounted: 'attempts',",
    breaks: 'By default an endpoint is disabled by deliveries whose retries ran out.',
    killedBy: { 'test/emulator/switching.test.ts': 'stands at the reading by the letter' },
  },
  {
    file: 'src/emulator/model/assumptions.ts',
    from: "unsynchronisedRefusal: '502',",
    to: "unsynchronisedRefusal: '400',",
    breaks: 'By default an unsynchronised template is refused with 502.',
    killedBy: {
      'test/emulator/fidelity.test.ts':
        'lets the upstream platform refuse an unsynchronised template, with 400 or with 502',
    },
  },
  {
    file: 'src/emulator/model/assumptions.ts',
    from: "description: 'token',",
    to: "description: 'open',",
    breaks: 'By default the description asks for a token.',
    killedBy: {
      'test/emulator/description.test.ts': 'asks for a token like every call, and is open to a browser if so switched',
    },
  },
  {
    file: 'src/emulator/service/approve.ts',
    from: "if (url.protocol !== 'https:')",
    to: "if (!link.startsWith('https://'))",
    breaks: 'An address of media is parsed, and not matched by its beginning.',
    killedBy: { 'test/emulator/media.test.ts': 'at a public address are sent, whatever their format' },
  },
  {
    file: 'src/emulator/service/message.ts',
    from: "readsMember(type, 'media_caption') && typeof caption",
    to: 'typeof caption',
    breaks: 'The caption of an audio is not on the phone either.',
    killedBy: { 'test/emulator/sending.test.ts': 'no caption for audio' },
  },
] satisfies Mutant[]
