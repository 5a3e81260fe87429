import type { Mutant } from './driver/mutant.ts'

export default [
  {
    file: 'src/cli/payload/export.ts',
    from: ', ...rules.of(event) }',
    to: ' }',
    breaks: 'A fixture says where the app itself reads a fact.',
    killedBy: {
      'test/cli/payload-export.test.ts': 'says where the app itself reads a fact, by its mapping or its lock',
    },
  },
  {
    file: 'src/cli/support/pseudonyms.ts',
    from: "(mayBeData(name) ? replaceText(key, name, '') : name)",
    to: 'replaceDigits(key, name)',
    breaks: 'A customer’s name that is a member’s name gets into no fixture.',
    killedBy: { 'test/cli/payload-export.test.ts': 'lets nothing personal through, at whatever place of a body' },
  },
  {
    file: 'src/cli/payload/export.ts',
    from: "{ flag: 'wx', mode: OWNER_ONLY }",
    to: '{ mode: OWNER_ONLY }',
    breaks: 'A fixture that somebody has edited is not overwritten.',
    killedBy: { 'test/cli/payload-export.test.ts': 'gives a batch no places, leaves files that are there' },
  },
  {
    file: 'src/cli/dev/conversation.ts',
    from: "if (!text.startsWith('/')) return write(text)",
    to: "if (!text.startsWith('/') || !commands.has(text)) return write(text)",
    breaks: 'A command that there is not is sent to nobody.',
    killedBy: {
      'test/cli/dev-talk.test.ts': 'explains itself on /help, and sends neither that nor a command that there is not',
    },
  },
  {
    file: 'src/cli/dev/redelivery.ts',
    from: 'restarted.abort()',
    to: '',
    breaks: 'An app that crashes at each start is looked for once, not once more each time.',
    killedBy: { 'test/cli/dev-redelivery.test.ts': 'is looked after once, however often the app has been started' },
  },
  {
    file: 'src/cli/dev/watch.ts',
    from: 'roots.map((root) => resolve(root))',
    to: 'roots',
    breaks: 'A removed folder costs nothing.',
    killedBy: { 'test/cli/dev-watch.test.ts': 'is not looked for without a pause' },
  },
  {
    file: 'src/cli/support/pseudonyms.ts',
    from: '`${digits.slice(0, COUNTRY)}00${made.slice(COUNTRY + 2)}`',
    to: '`${digits.slice(0, COUNTRY)}${made.slice(COUNTRY)}`',
    breaks: 'A fixture that is played against a real account reaches nobody.',
    killedBy: { 'test/cli/inbox-export.test.ts': 'is the same wherever the same number stands' },
  },
  {
    file: 'src/cli/support/pseudonyms.ts',
    from: 'if (ULID.test(text)) return',
    to: 'if (false) return',
    breaks: 'An exported id keeps its form.',
    killedBy: { 'test/cli/inbox-export.test.ts': 'keeps what an id is' },
  },
  {
    file: 'src/cli/send/confirm.ts',
    from: 'if (!live)',
    to: 'if (false)',
    breaks: 'A send to a real phone needs --live.',
    killedBy: { 'test/cli/send.test.ts': 'is refused without --live' },
  },
  {
    file: 'src/cli/send/confirm.ts',
    from: 'if (isAllowed(io, to)) return',
    to: '',
    breaks: 'A send to a listed recipient goes out unattended.',
    killedBy: { 'test/cli/send.test.ts': 'goes out to a listed recipient' },
  },
  {
    file: 'src/cli/send/confirm.ts',
    from: 'listed.some((one)',
    to: 'true || listed.some((one)',
    breaks: 'A send to a real phone that is not listed is confirmed by a person.',
    killedBy: { 'test/cli/send.test.ts': 'is refused if the recipient is not listed' },
  },
  {
    file: 'src/cli/inbox/put-back.ts',
    from: 'a.seq - b.seq',
    to: 'b.seq - a.seq',
    breaks: 'What is put back comes in the order of arrival.',
    killedBy: { 'test/cli/inbox-retry-preview.test.ts': 'comes back in the order of arrival, however many there are' },
  },
  {
    file: 'src/cli/inbox/preview.ts',
    from: '...(reveal && { value })',
    to: 'value',
    breaks: 'A preview shows no value unless it is asked for.',
    killedBy: {
      'test/cli/inbox-retry-preview.test.ts': 'shows values to whoever asks for them, and all of it as JSON',
    },
  },
] satisfies Mutant[]
