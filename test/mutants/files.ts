import type { Mutant } from './driver/mutant.ts'

const SQLITE = 'test/store/sqlite.test.ts'
const DAMAGE = 'test/store/sqlite/damage.test.ts'

/** Files as disks leave them, and databases of another build. */
export default [
  {
    file: 'src/store/schema-digest.ts',
    from: 'if (kept === digestOf(statements)) return',
    to: 'if (kept === undefined || kept === digestOf(statements)) return',
    promise: 'LOST-12',
    breaks: 'A database whose tables another unreleased build made is refused in words, and nothing in it changes.',
    killedBy: {
      [SQLITE]:
        'refuses to start over a database with no digest of its tables, as builds before digests wrote it, in words',
    },
  },
  {
    file: 'src/store/sqlite/connection.ts',
    from: 'if (version > 0) refuseOtherBuild(file, digestIn(raw), textsOf(steps.slice(0, version)))',
    to: '',
    promise: 'LOST-12',
    breaks: 'A start over an SQLite file of another build is refused.',
    killedBy: { [SQLITE]: 'refuses to start over a database with other tables, in words' },
  },
  {
    file: 'src/store/sqlite/sqlite-reader.ts',
    from: 'refuseOtherBuild(file, digestIn(connection.raw), textsOf(MIGRATIONS))',
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
    killedBy: { [SQLITE]: 'prunes at once if the retention of bytes is another one' },
  },
  {
    file: 'src/store/sqlite/group-commit.ts',
    from: '      o.file.check()\n',
    to: '',
    promise: 'GUARD-18',
    breaks: 'A send begins only into a file that is still there, as a delivery does.',
    killedBy: {
      'test/store/sqlite/recovery.test.ts': 'refuses deliveries, and begins no item and no send: it is moved away',
    },
  },
  {
    file: 'src/store/sqlite/open-file.ts',
    from: 'if (isOnDisk && wal.sizeOf(file) < CHECKED_AT_START) refuseDamage(connection.raw)',
    to: '',
    promise: 'GUARD-16',
    breaks: 'A start over a damaged file is refused with the page that says what to do.',
    killedBy: { [DAMAGE]: 'is refused at a start, and by a backup, in words: noise over a page of inbox' },
  },
  {
    file: 'src/store/sqlite/open-file.ts',
    from: 'if (failure && !isDamaged() && ',
    to: 'if (failure && ',
    promise: 'GUARD-16',
    breaks: 'A damaged file is not opened again.',
    killedBy: { [DAMAGE]: 'stores nothing more from the first sign on' },
  },
  {
    file: 'src/store/sqlite/open-file.ts',
    from: 'if (isDamage(error)) fail(error)',
    to: '',
    promise: 'GUARD-16',
    breaks: 'A read that finds damage ends storing.',
    killedBy: { [DAMAGE]: 'stores nothing more once a read has found damage' },
  },
  {
    file: 'src/store/sqlite/backup.ts',
    from: '    refuseDamage(raw)\n',
    to: '',
    promise: 'GUARD-16',
    breaks: 'A backup of a damaged database is refused.',
    killedBy: { [DAMAGE]: 'is refused at a start, and by a backup, in words: noise over a page of an index' },
  },
  {
    file: 'src/kit/cli/doctor/database-findings.ts',
    from: 'return await pagesFinding(id, file)',
    to: 'return ok(id, file)',
    promise: 'GUARD-16',
    breaks: 'doctor finds damage.',
    killedBy: { 'test/kit/cli/doctor.test.ts': 'finds damage of any page on a copy' },
  },
  {
    file: 'src/store/sqlite/open-file.ts',
    from: '      holdSendsNextTime(file)\n    }',
    to: '    }',
    promise: 'GUARD-16',
    breaks: 'After damage the next start holds its sends, since it may find less.',
    killedBy: { [DAMAGE]: 'holds its sends at the next start' },
  },
  {
    file: 'src/store/sqlite/connection.ts',
    from: "    raw.pragma('cell_size_check = ON')\n",
    to: '',
    promise: 'GUARD-16',
    breaks: 'Each page of a database is checked when it is read.',
    killedBy: { [DAMAGE]: 'is read with a check of each page’s cells' },
  },
  {
    file: 'src/store/sqlite/open-file.ts',
    from: 'watchLog(checkpointing(wal.checkpoint))',
    to: 'checkpointing(wal.checkpoint)',
    promise: 'GUARD-14',
    breaks: 'A log that grows because something reads an older state is an alarm with that reason.',
    killedBy: { 'test/store/sqlite/write-ahead-log.test.ts': 'because something reads an older state is an alarm' },
  },
  {
    file: 'src/store/sqlite/write-ahead-log.ts',
    from: 'checkpointed < log ? ',
    to: 'log > 0 ? ',
    promise: 'GUARD-14',
    breaks: 'A large commit that nothing keeps in the log is no alarm.',
    killedBy: {
      'test/store/sqlite/write-ahead-log.test.ts': 'with one large commit, which nothing reads, is no alarm',
    },
  },
  {
    file: 'src/features/metrics/metrics.ts',
    from: '({ database }) => database?.files?.logBytes',
    to: '() => undefined',
    promise: 'GUARD-14',
    breaks: 'The size of the write-ahead log is a gauge.',
    killedBy: { 'test/journeys/metrics.test.ts': 'read the bot’s state at each scrape' },
  },
  {
    file: 'src/store/sqlite/open-file.ts',
    from: 'isOnDisk && wal.hasLostCommits(connection, file)',
    to: 'false',
    promise: 'GUARD-16',
    breaks: 'Commits that a damaged log has lost are noticed at the next start.',
    killedBy: { [DAMAGE]: 'commits are lost: the start says so once' },
  },
  {
    file: 'src/store/sqlite/write-ahead-log.ts',
    from: 'return commits > 1 && ',
    to: 'return commits > 0 && ',
    promise: 'GUARD-16',
    breaks: 'The unfinished commit of a power cut is no loss.',
    killedBy: { [DAMAGE]: 'one commit at most was not finished, as after a power cut' },
  },
] satisfies Mutant[]
