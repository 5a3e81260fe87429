import type { Mutant } from './driver/mutant.ts'

export default [
  {
    file: 'src/stores/sqlite/connection.ts',
    from: "raw.pragma('secure_delete = ON')",
    to: "raw.pragma('secure_delete = OFF')",
    breaks: 'What is removed is overwritten.',
    killedBy: { 'test/stores/sqlite/gone.test.ts': 'is gone from the files: its bytes and facts after 7 days' },
  },
  {
    file: 'src/stores/sqlite/connection.ts',
    from: 'const OWNER_ONLY = 0o600',
    to: 'const OWNER_ONLY = 0o644',
    breaks: 'Nobody else on the machine reads the database.',
    killedBy: {
      'test/stores/sqlite/opening.test.ts':
        'makes the file, its -wal and its -shm for the owner alone, whatever the mask says',
    },
  },
  {
    file: 'src/stores/sqlite/connection.ts',
    from: 'if (foreign !== undefined) throw new Error(foreign)',
    to: '',
    breaks: 'Another application’s database is left as it is.',
    killedBy: {
      'test/stores/sqlite/opening.test.ts':
        'refuses another application’s database with tables of its own by name, and changes nothing of it',
    },
  },
  {
    file: 'src/stores/sqlite/generation.ts',
    from: 'inside < beside',
    to: 'inside <= beside',
    breaks: 'An ordinary start is no restored backup.',
    killedBy: { 'test/stores/sqlite/restored.test.ts': 'is not seen in a start as ever' },
  },
  {
    file: 'src/stores/sqlite/hold-all-sends.ts',
    from: 'tx.drive(isHolding())',
    to: 'false',
    breaks: 'All sends of a restored database are held, though a start ends half-way.',
    killedBy: {
      'test/stores/sqlite/restored.test.ts':
        'has all its sends held by the next start, if the process ends while it holds them',
    },
  },
  {
    file: 'src/stores/sqlite/hold-all-sends.ts',
    from: 'asked || noticed || ',
    to: 'asked || ',
    breaks: 'A backup that is put in place holds its sends.',
    killedBy: {
      'test/stores/sqlite/restored.test.ts':
        'is noticed if the number beside it has risen since, and its open sends are held',
    },
  },
  {
    file: 'src/stores/sqlite/group-commit.ts',
    from: '.sort((a, b) => (a.at ?? 0) - (b.at ?? 0))',
    to: '',
    breaks: 'Of deliveries that come together the oldest message goes first.',
    killedBy: { 'test/stores/sqlite.test.ts': 'oldest' },
  },
  {
    file: 'src/stores/sqlite/group-commit.ts',
    from: 'if (!kept.includes(operation)) operation.reject(notStored(error))',
    to: 'if (!kept.includes(operation)) operation.resolve(undefined)',
    breaks: 'What a failed commit lost is not acknowledged.',
    killedBy: { 'test/stores/sqlite/group-commit.test.ts': 'rejects every delivery of a commit that failed' },
  },
  {
    file: 'src/stores/sqlite/watched-files.ts',
    from: "if (database && database.size < size && !mayHaveShrunk(connection, database.size, size)) return 'cut'",
    to: '',
    breaks: 'A database that was cut while it is open takes no delivery.',
    killedBy: { 'test/stores/sqlite/watched-files.test.ts': 'takes no delivery any more if the database is cut' },
  },
  {
    file: 'src/stores/sqlite/watched-files.ts',
    from: 'found?.ino === opened?.ino && found?.dev',
    to: 'found?.dev',
    breaks: 'A database that was replaced while it is open takes no delivery.',
    killedBy: {
      'test/stores/sqlite/watched-files.test.ts':
        'takes none either if another process has begun a new file in its place',
    },
  },
  {
    file: 'src/stores/sqlite/watched-files.ts',
    from: "found === 'cut' ? lookOnce() : found",
    to: 'found',
    breaks: 'A log that another process truncates and writes meanwhile is not taken for one that was cut.',
    killedBy: { 'test/stores/sqlite/watched-files.test.ts': 'and writes, while its length is looked at' },
  },
  {
    file: 'src/stores/sqlite/write-ahead-log.ts',
    from: 'return pages * page < before && ',
    to: 'return false && ',
    breaks: 'A database that `VACUUM` made shorter is not taken for one that was cut.',
    killedBy: { 'test/stores/sqlite/watched-files.test.ts': 'after an operator has vacuumed the database' },
  },
  {
    file: 'src/stores/sqlite/write-ahead-log.ts',
    from: "if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined",
    to: '',
    breaks: 'A start survives that another process closes the database and removes its log.',
    killedBy: { 'test/stores/sqlite/write-ahead-log.test.ts': 'another process closes the database at that moment' },
  },
  {
    file: 'src/stores/sqlite/open-file.ts',
    from: ' || watched.isLogReplaced()',
    to: '',
    breaks: 'A log is not copied over what another process has stored beside it.',
    killedBy: {
      'test/stores/sqlite/watched-files.test.ts': 'is not copied over what another process has stored beside it',
    },
  },
  {
    file: 'src/stores/sqlite/open-file.ts',
    from: "if (codeOf(error) === 'SQLITE_FULL') emptyLog()",
    to: '',
    breaks: 'A log that has filled the disk is emptied, and the bot goes on in the room that it has.',
    killedBy: { 'test/stores/sqlite/group-commit.test.ts': 'empties its log into the database when the disk is full' },
  },
  {
    file: 'src/stores/sqlite/group-commit.ts',
    from: 'if (failure !== undefined && (busy || !closed)) rejectImpatient',
    to: 'if (busy) rejectImpatient',
    breaks: 'What stands behind operations that must land is refused in its time.',
    killedBy: { 'test/stores/sqlite/group-commit.test.ts': 'behind more than one commit of what must land' },
  },
  {
    file: 'src/stores/sqlite/index.ts',
    from: 'refuseBesideRemovedLog(file)',
    to: '',
    breaks: 'A start begins no log beside one that was removed, and that another process still writes.',
    killedBy: { 'test/stores/sqlite/opening.test.ts': 'begins no log beside one that was removed' },
  },
  {
    file: 'src/stores/sqlite/backup.ts',
    from: `raw.exec("UPDATE meta SET value = 0 WHERE name = 'inode'")`,
    to: '',
    breaks: 'A start over a backup knows that it was brought there, also where it was written over the file itself.',
    killedBy: { 'test/stores/sqlite/backup.test.ts': 'begins with its open sends held: over the file itself' },
  },
  {
    file: 'src/stores/sqlite/backup.ts',
    from: "if (fault !== 'ok')",
    to: 'if (false)',
    breaks: 'A backup that is damaged is none.',
    killedBy: { 'test/stores/sqlite/backup.test.ts': 'of a damaged database is none' },
  },
] satisfies Mutant[]
