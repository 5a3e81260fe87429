import type { Mutant } from './driver/mutant.ts'

/** Files as disks leave them, and databases of another build. */
export default [
  {
    file: 'src/store/schema-digest.ts',
    from: 'if (kept === digestOf(statements)) return',
    to: 'if (kept === undefined || kept === digestOf(statements)) return',
    promise: 'LOST-12',
    breaks: 'A database whose tables another unreleased build made is refused in words, and nothing in it changes.',
    killedBy: {
      'test/store/sqlite.test.ts':
        'refuses to start over a database with no digest of its tables, as builds before digests wrote it, in words',
    },
  },
  {
    file: 'src/store/sqlite/connection.ts',
    from: 'if (version > 0) refuseOtherBuild(file, digestIn(raw), steps.slice(0, version))',
    to: '',
    promise: 'LOST-12',
    breaks: 'A start over an SQLite file of another build is refused.',
    killedBy: {
      'test/store/sqlite.test.ts': 'refuses to start over a database with other tables, in words',
    },
  },
  {
    file: 'src/store/sqlite/sqlite-reader.ts',
    from: 'refuseOtherBuild(file, digestIn(connection.raw), MIGRATIONS)',
    to: '',
    promise: 'LOST-12',
    breaks: 'A command that reads an SQLite file of another build is refused.',
    killedBy: {
      'test/kit/cli/inbox.test.ts': 'neither reads nor changes a database of another unreleased build',
    },
  },
  {
    file: 'src/store/postgres/open.ts',
    from: 'refuseOtherBuild(found.database, meta.get(SCHEMA_DIGEST), statementsOf(steps.slice(0, version)))',
    to: '',
    promise: 'LOST-12',
    breaks: 'A start over a PostgreSQL database of another build is refused.',
    killedBy: {
      'test/store/postgres/contract.test.ts': 'refuses to start over a database with other tables, in words',
    },
  },
  {
    file: 'src/store/upkeep/prune.ts',
    from: ' && lastRetention === retention',
    to: '',
    promise: 'LOST-5',
    breaks: 'A start whose retention differs from that of the last pruning prunes at once.',
    killedBy: {
      'test/store/sqlite.test.ts': 'prunes at once if the retention of bytes is another one',
    },
  },
] satisfies Mutant[]
