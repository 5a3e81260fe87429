import type { Mutant } from './driver/mutant.ts'

export default [
  {
    file: 'src/cli/inbox/pseudonyms.ts',
    from: '`${digits.slice(0, COUNTRY)}00${made.slice(COUNTRY + 2)}`',
    to: '`${digits.slice(0, COUNTRY)}${made.slice(COUNTRY)}`',
    breaks: 'A fixture that is played against a real account reaches nobody.',
    killedBy: { 'test/cli/inbox-export.test.ts': 'is the same wherever the same number stands' },
  },
  {
    file: 'src/cli/inbox/pseudonyms.ts',
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
] satisfies Mutant[]
