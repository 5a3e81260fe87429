import type { Mutant } from './driver/mutant.ts'

export default [
  {
    file: 'src/report/deliveries.ts',
    from: 'if (outcomes.length === 0) blocking.came(items)',
    to: '',
    breaks: 'Whoever writes behind a message that fails is told at once what they wait for.',
    killedBy: { 'test/journeys/sends.test.ts': 'is said to wait as it comes' },
  },
  {
    file: 'src/report/blocking.ts',
    from: 'if (!one.isSaid) say',
    to: 'say',
    breaks: 'That messages wait behind one that fails is said once for the lane.',
    killedBy: { 'test/journeys/sends.test.ts': 'is said to wait, once for the lane' },
  },
  {
    file: 'src/report/receiving.ts',
    from: 'if (signed) failures.failed()',
    to: 'failures.failed()',
    breaks: 'A forger cannot raise the alarm of failures in a row.',
    killedBy: {
      'test/receive/failures.test.ts':
        'is raised by a body that could not be read, and not by one without a signature: too_large',
    },
  },
  {
    file: 'src/report/failures-in-a-row.ts',
    from: `everRight = true
      inARow = 0`,
    to: 'everRight = true',
    breaks: 'The count of failures in a row begins anew with each acknowledgement.',
    killedBy: { 'test/receive/failures.test.ts': 'begins anew with each acknowledgement' },
  },
  {
    file: 'src/report/failures-in-a-row.ts',
    from: 'const WARN_AT = [5, 10, 15]',
    to: 'const WARN_AT = [15, 18]',
    breaks: 'The alarm comes well before the endpoint is disabled.',
    killedBy: {
      'test/receive/failures.test.ts': 'warns at 5, 10 and 15 deliveries in a row that were not acknowledged',
    },
  },
  {
    file: 'src/report/failures-in-a-row.ts',
    from: "reason !== 'mismatch' || everRight ||",
    to: "reason !== 'mismatch' ||",
    breaks: 'A wrong secret is suspected only if no signature was right yet.',
    killedBy: { 'test/receive/failures.test.ts': 'is never raised by a forger' },
  },
  {
    file: 'src/report/deliveries.ts',
    from: '[...earlier.map((one) => one.deliveryId), deliveryId]',
    to: '[deliveryId]',
    breaks: 'Whoever counts deliveries hears of each one of a burst.',
    killedBy: { 'test/journeys/bursts.test.ts': 'with the deliveries of all its messages' },
  },
  {
    file: 'src/report/deliveries.ts',
    from: 'gained: gained.slice(0, PATHS_NAMED), lost',
    to: 'gained: [], lost',
    breaks: 'A changed shape is told with the paths that changed.',
    killedBy: {
      'test/journeys/observed-payloads.test.ts':
        'a new and a changed shape are told once, with the paths and where to look',
    },
  },
  {
    file: 'src/report/receiving.ts',
    from: 'failures.refused(reason, fault)',
    to: 'failures.refused(reason, undefined)',
    breaks: 'An armed fault makes nobody suspect the secret.',
    killedBy: { 'test/receive/explain.test.ts': 'names the fault that was armed in the emulator' },
  },
  {
    file: 'src/report/receiving.ts',
    from: "throttled('warn', acceptance, SUSPECTED_REPLAY, about)",
    to: 'log.debug(about, SUSPECTED_REPLAY)',
    breaks: 'The log tells of a delivery that is held as a suspected replay.',
    killedBy: {
      'test/receive/identity.test.ts':
        'a captured delivery with another delivery id is acknowledged, kept and never dispatched',
    },
  },
  {
    file: 'src/report/receiving.ts',
    from: 'If it is genuine, `switchhook inbox retry ID` has it handled;',
    to: '',
    breaks: 'The log says how a held delivery is let go.',
    killedBy: {
      'test/receive/identity.test.ts':
        'a captured delivery with another delivery id is acknowledged, kept and never dispatched',
    },
  },
  {
    file: 'src/report/receiving.ts',
    from: "the option identicalDeliveries: 'dispatch' has all such handled",
    to: '',
    breaks: 'The log says how no equal delivery is held any more.',
    killedBy: {
      'test/receive/identity.test.ts':
        'a captured delivery with another delivery id is acknowledged, kept and never dispatched',
    },
  },
  {
    file: 'src/report/index.ts',
    from: 'if (!Object.hasOwn(EVENTS, event))',
    to: 'if (false)',
    breaks: 'A start warns of a handler of an event that is not known.',
    killedBy: { 'test/app/options.test.ts': 'is legal, and a start warns of it' },
  },
  {
    file: 'src/report/sends.ts',
    from: 'via: attempt?.via ?? row.via,\n    ...(attempt',
    to: 'via: row.via,\n    ...(attempt',
    breaks: 'Of an attempt that fell back, a hook hears by which body it went out.',
    killedBy: { 'test/journeys/observed-work.test.ts': 'is the template, ready to go out' },
  },
] satisfies Mutant[]
