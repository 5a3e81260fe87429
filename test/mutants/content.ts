import type { Mutant } from './driver/mutant.ts'

export default [
  {
    file: 'src/content/one-time-code.ts',
    from: 'wireWith(named, CODE_WITHHELD)',
    to: 'wireWith(named, code)',
    breaks: 'Nothing prints a one-time code.',
    killedBy: { 'test/content/one-time-code.test.ts': 'is [code withheld], whatever prints it' },
  },
  {
    file: 'src/content/one-time-code.ts',
    from: "[/ {4}/, 'holds four spaces in a row'],",
    to: '',
    breaks: 'A code with four spaces in a row is refused.',
    killedBy: { 'test/content/one-time-code.test.ts': 'has not four spaces in a row' },
  },
  {
    file: 'src/content/recipient.ts',
    from: 'if (/\\(\\s*0\\s*\\)/.test(to))',
    to: 'if (false)',
    breaks: 'A number with (0) is refused, since it would be another one.',
    killedBy: {
      'test/content/recipient.test.ts':
        'refuses the (0) of a national form, which would make it somebody else’s number',
    },
  },
  {
    file: 'src/content/recipient.ts',
    from: "if (digits.startsWith('0'))",
    to: 'if (false)',
    breaks: 'A number that begins with 0 is refused.',
    killedBy: { 'test/content/recipient.test.ts': 'refuses a national number without repeating it' },
  },
  {
    file: 'src/content/recipient.ts',
    from: '|| digits.length > LONGEST_NUMBER)',
    to: '|| digits.length > 20)',
    breaks: 'A customer has at most 15 digits.',
    killedBy: {
      'test/content/recipient.test.ts':
        'a send goes to 6 to 20 digits, and a bot to no more than the 15 of a phone number',
    },
  },
  {
    file: 'src/content/validation.ts',
    from: 'return count > max ?',
    to: 'return count >= max ?',
    breaks: 'A text of exactly 4096 characters is sent.',
    killedBy: {
      'test/content/text-and-media.test.ts': 'has at most 4096 characters, counted in code points and never cut',
    },
  },
  {
    file: 'src/content/validation.ts',
    from: 'outsideLimit(place, codePoints(value), limit',
    to: 'outsideLimit(place, value.length, limit',
    breaks: 'Lengths are counted in code points.',
    killedBy: {
      'test/content/text-and-media.test.ts': 'has at most 4096 characters, counted in code points and never cut',
    },
  },
  {
    file: 'src/content/validation.ts',
    from: 'if (!isPublicHost(url.hostname))',
    to: 'if (false)',
    breaks: 'Media in a private network are refused before anything is sent.',
    killedBy: {
      'test/content/text-and-media.test.ts': 'refuses an address that is not public https: IPv6-mapped private',
    },
  },
  {
    file: 'src/content/validation.ts',
    from: `...repeats(ids),
  ]
}

function sectionProblems`,
    to: `]
}

function sectionProblems`,
    breaks: 'Two buttons with one id are refused.',
    killedBy: { 'test/content/interactive.test.ts': 'refuse repeated ids, and say which' },
  },
  {
    file: 'src/content/validation.ts',
    from: 'ids.length > max',
    to: 'ids.length > max + 1',
    breaks: 'A list has ten rows in total at most.',
    killedBy: { 'test/content/interactive.test.ts': 'has 1 to 10 rows in total, not per section' },
  },
  {
    file: 'src/content/wire.ts',
    from: 'if (code === undefined && isCode(content))',
    to: 'if (false)',
    breaks: 'A copy of a one-time code never sends the words that stand for it.',
    killedBy: { 'test/content/one-time-code.test.ts': 'a copy that lost it cannot be sent as if it were whole' },
  },
] satisfies Mutant[]
