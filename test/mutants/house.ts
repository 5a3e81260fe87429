import type { Mutant } from './driver/mutant.ts'

/** How the house is built: the tables of the payload's reader, and what the compiler names. */
export default [
  {
    file: 'src/bot/in/payload/collect.ts',
    from: 'const LAST_RESORT = 1_000_000',
    to: 'const LAST_RESORT = 0',
    breaks: 'A place of the last resort counts only if no other has the fact.',
    promise: 'HOUSE-5',
    killedBy: { 'test/bot/in/payload/tables.test.ts': 'is read by rank: a last resort counts only if no other place' },
  },
  {
    file: 'src/bot/in/payload/tables.ts',
    from: '.as(knownStatusOf)',
    to: '',
    breaks: 'At a place of the last resort only a known status counts.',
    promise: 'HOUSE-5',
    killedBy: { 'test/bot/in/payload/tables.test.ts': 'may have a place whose values have another form' },
  },
  {
    file: 'src/pages/emulator/phone/bubble.tsx',
    from: 'const SHOWN: Readonly<Record<InboundKind | SignalKind, string | undefined>> = {',
    to: 'const SHOWN: Readonly<Record<string, string | undefined>> = {',
    breaks: 'A new kind of a customer’s message does not compile until the phone shows it.',
    promise: 'HOUSE-6',
    killedBy: { 'test/service/new-kind.test.ts': 'wherever a customer’s message of its kind is shown or played' },
  },
  {
    file: 'src/emulator/service/message.ts',
    from: 'const SHOWN: Readonly<Record<MessageType, (send: Send) => ShownContent>> = {',
    to: 'const SHOWN: Readonly<Record<string, (send: Send) => ShownContent>> = {',
    breaks: 'A new type of send does not compile until the phone has its content.',
    promise: 'HOUSE-6',
    killedBy: { 'test/service/new-kind.test.ts': 'wherever a message of its type is shown, sent or played' },
  },
  {
    file: 'src/service/body-text.ts',
    from: "  interactive: ['interactive', 'body'],",
    to: '  interactive: [],',
    breaks: 'The text of a send is known of each type.',
    promise: 'HOUSE-6',
    killedBy: { 'test/service/body-text.test.ts': 'is where its type has it, and nowhere else' },
  },
] satisfies Mutant[]
