import type { Mutant } from './driver/mutant.ts'

export default [
  {
    file: 'src/lanes/lease.ts',
    from: 'const RENEW_EVERY_MS = 3_000',
    to: 'const RENEW_EVERY_MS = 11_000',
    breaks: 'A lease is renewed three times before it could expire.',
    killedBy: { 'test/lanes/lease.test.ts': 'are renewed for the held lanes, three times before one could expire' },
  },
  {
    file: 'src/lanes/lease.ts',
    from: 'if (!failing) o.log.warn',
    to: 'o.log.warn',
    breaks: 'A renewal that fails is logged once per outage.',
    killedBy: {
      'test/lanes/lease.test.ts': 'are renewed after a renewal that failed, and the log says so once per outage',
    },
  },
  {
    file: 'src/lanes/runner.ts',
    from: 'const TURNS_PER_CLAIM = 50',
    to: 'const TURNS_PER_CLAIM = 5_000',
    breaks: 'A long lane is released after fifty turns, so that others come first.',
    killedBy: {
      'test/lanes/runner.test.ts': 'are released after so many turns, so that a long one leaves room for others',
    },
  },
  {
    file: 'src/lanes/runner.ts',
    from: 'slots.free <= 0 || (behind && lacksRoom)',
    to: 'slots.free <= 0',
    breaks: 'What has just come begins behind what waits for room.',
    killedBy: {
      'test/lanes/runner.test.ts': 'begin what has just come behind what waits for room, until nothing waits any more',
    },
  },
  {
    file: 'src/lanes/runner.ts',
    from: 'if (polling) pollAgain = true',
    to: 'if (polling) return',
    breaks: 'No wake-up is lost that comes in the middle of a poll.',
    killedBy: { 'test/lanes/runner.test.ts': 'lose no wake-up that comes in the middle of a poll' },
  },
  {
    file: 'src/lanes/runner.ts',
    from: 'Math.min(POLL_EVERY_MS, Math.max(1, nextAt - o.clock.wall()))',
    to: 'Math.max(1, nextAt - o.clock.wall())',
    breaks: 'A clock that goes back delays no poll beyond a second.',
    killedBy: {
      'test/lanes/runner.test.ts':
        'cause no storm of polls: neither by a time that has passed, nor by a clock that goes back',
    },
  },
  {
    file: 'src/lanes/runner.ts',
    from: 'endLease()',
    to: '',
    breaks: 'A lease is no longer renewed when its work has ended.',
    killedBy: {
      'test/lanes/runner.test.ts':
        'keep the lease of work that began in a lane after it was lost, when the work that lost it ends',
    },
  },
  {
    file: 'src/lanes/runner.ts',
    from: 'if (numbers.length > 0 && (lacksRoom || looksLater || crowded.size > 0)) look()',
    to: '',
    breaks: 'Work that waits for room is claimed as soon as there is room.',
    killedBy: {
      'test/lanes/runner.test.ts': 'are released after so many turns, so that a long one leaves room for others',
    },
  },
  {
    file: 'src/lanes/runner.ts',
    from: 'lacksRoom ||= woken',
    to: 'lacksRoom = true',
    breaks: 'A poll that finds all slots taken knows of no work, and nothing that comes has to wait behind it.',
    killedBy: { 'test/lanes/runner.test.ts': 'though all slots were taken at a poll' },
  },
  {
    file: 'src/lanes/work-slots.ts',
    from: 'shared && slots >= SHARE * free',
    to: 'false',
    breaks: 'One number leaves slots free for the others.',
    killedBy: { 'test/lanes/work-slots.test.ts': 'leaves an eighth free for other numbers' },
  },
  {
    file: 'src/lanes/runner.ts',
    from: '(lacksRoom || looksLater || crowded.size > 0)',
    to: '(lacksRoom || looksLater)',
    breaks: 'A number that had its share is looked for as soon as it may have more.',
    killedBy: {
      'test/lanes/runner.test.ts':
        'leave slots to other numbers, and go on with a number as soon as it has a slot again',
    },
  },
  {
    file: 'src/lanes/runner.ts',
    from: 'if (!(await freshen(lease, o))) break',
    to: '',
    breaks: 'What a late answer has brought does not begin beside another process that has its lane.',
    killedBy: { 'test/lanes/runner.test.ts': 'do not begin what a late answer has brought' },
  },
] satisfies Mutant[]
