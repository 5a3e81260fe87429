import type { Mutant } from './driver/mutant.ts'

export default [
  {
    file: 'src/contract/delivery.ts',
    from: '/^sha256=([0-9a-fA-F]{64})$/',
    to: '/^sha256=([0-9a-fA-F]{62,64})$/',
    breaks: 'A signature has 64 digits.',
    killedBy: { 'test/receive/signature.test.ts': 'is refused with 62 digits' },
  },
  {
    file: 'src/contract/delivery.ts',
    from: 'ULID_FORM.test(id) ? id.toUpperCase() : id',
    to: 'id.toUpperCase()',
    breaks: 'Ids that are no ULIDs differ if their case differs.',
    killedBy: { 'test/receive/identity.test.ts': 'ids that are no ULIDs differ if their case differs' },
  },
  {
    file: 'src/contract/errors.ts',
    from: 'plan_limit_reached: { status: 402, ...no }',
    to: "plan_limit_reached: { status: 402, ...no, stops: 'queue' }",
    breaks: 'A contact beyond the plan ends one send and does not stop the number.',
    killedBy: { 'test/outbox/outcome.test.ts': 'ends only that one send at 402 plan_limit_reached' },
  },
  {
    file: 'src/contract/errors.ts',
    from: "idempotency_in_progress: { status: 409, retry: 'pause', outcome: 'unknown' }",
    to: "idempotency_in_progress: { status: 409, retry: 'no', outcome: 'not_sent' }",
    breaks: 'A send that is in progress elsewhere is waited for.',
    killedBy: {
      'test/outbox/outcome.test.ts': 'waits at 409 idempotency_in_progress and repeats: somebody is sending it',
    },
  },
  {
    file: 'src/contract/errors.ts',
    from: 'if (status >= 500) return { ...API_ERRORS.internal_error, status }',
    to: '',
    breaks: 'Any 5xx leaves the outcome unknown.',
    killedBy: {
      'test/outbox/outcome.test.ts':
        'takes a time-out, a reset and a 5xx as unknown: the same send is repeated, never a new one',
    },
  },
  {
    file: 'src/contract/send.ts',
    from: "isAddress('http:', 'https:')",
    to: '(text) => /^https?:\\/\\//.test(text)',
    breaks: 'The address of a link button is parsed; a good beginning is not enough.',
    killedBy: { 'test/emulator/limits.test.ts': 'an address must be one that can be parsed' },
  },
  {
    file: 'src/contract/send.ts',
    from: "media_url: z.string().refine(isAddress('https:')",
    to: "media_url: z.string().refine((text) => text.startsWith('https://')",
    breaks: 'The address of media is parsed; a good beginning is not enough.',
    killedBy: { 'test/emulator/limits.test.ts': 'an address must be one that can be parsed' },
  },
  {
    file: 'src/contract/send.ts',
    from: "readsMember(send.type, 'media_caption') ? (send.media_caption ?? '') : ''",
    to: "send.media_caption ?? ''",
    breaks: 'The caption of an audio is ignored, however long it is.',
    killedBy: { 'test/emulator/limits.test.ts': 'do not hold for the caption of an audio, which is ignored' },
  },
] satisfies Mutant[]
