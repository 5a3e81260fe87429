import type { Mutant } from './driver/mutant.ts'

export default [
  {
    file: 'src/maintenance/maintenance.ts',
    from: '|| pruneAt - clock.wall() > PRUNE_EVERY_MS',
    to: '',
    breaks: 'A clock that goes back does not put off pruning.',
    killedBy: { 'test/maintenance/maintenance.test.ts': 'does not wait for a time that a clock was set back from' },
  },
  {
    file: 'src/maintenance/maintenance.ts',
    from: 'whole ? Math.max(0, pruneAt - clock.wall()) : COMPACT_AGAIN_MS',
    to: 'Math.max(0, pruneAt - clock.wall())',
    breaks: 'A compaction that a reader prevented is tried again in a minute.',
    killedBy: {
      'test/maintenance/maintenance.test.ts':
        'tries each minute to cut a log that something reads, and prunes no more often for it',
    },
  },
  {
    file: 'src/maintenance/maintenance.ts',
    from: 'while (woken && !stopped)',
    to: 'while (false)',
    breaks: 'A customer who is forgotten during the maintenance is erased at once.',
    killedBy: {
      'test/maintenance/maintenance.test.ts':
        'erases once more for a customer who was forgotten while it erased, and erases nothing once it is stopped',
    },
  },
  {
    file: 'src/maintenance/maintenance.ts',
    from: 'if (stopped && unfinished) return',
    to: '',
    breaks: 'A stop does not wait for a long pruning.',
    killedBy: {
      'test/maintenance/maintenance.test.ts':
        'ends after the running transaction when it is stopped, and begins nothing more',
    },
  },
  {
    file: 'src/maintenance/maintenance.ts',
    from: 'if (idsMs >= toMs(IDS_AT_LEAST)) return',
    to: 'return',
    breaks: 'Ids are kept for as long as a replay could pass.',
    killedBy: { 'test/app/options.test.ts': 'are refused by name: retention' },
  },
  {
    file: 'src/maintenance/newer-schema.ts',
    from: '|| warned) return claimed',
    to: ') return claimed',
    breaks: 'A newer schema is told once.',
    killedBy: {
      'test/maintenance/newer-schema.test.ts': 'a newer schema is told of once, whoever meets it: claimItems',
    },
  },
  {
    file: 'src/maintenance/maintenance.ts',
    from: 'if (retention) begin()',
    to: 'begin()',
    breaks: 'A process that only receives maintains nothing unasked.',
    killedBy: { 'test/maintenance/maintenance.test.ts': 'without ages erases who is forgotten here' },
  },
] satisfies Mutant[]
