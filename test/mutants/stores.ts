import type { Mutant } from './driver/mutant.ts'

const SQLITE = 'test/store/sqlite.test.ts'
const OPENING = 'test/store/sqlite/opening.test.ts'
const RESTORED = 'test/store/sqlite/restored.test.ts'
const RECOVERY = 'test/store/sqlite/recovery.test.ts'

/** What the store keeps, and who may write it: fences, disk, pruning, both databases. */
export default [
  {
    file: 'src/store/reads/history.ts',
    from: 'AND d.id > ${forgotten.items}',
    to: '',
    breaks: 'Forgotten data is hidden before it is erased.',
    killedBy: { [SQLITE]: 'shows nothing of a customer who was forgotten' },
  },
  {
    file: 'src/store/work/items.ts',
    from: 'found.attempts === 0 && ',
    to: '',
    breaks: 'An item that has begun goes before older ones.',
    killedBy: {
      [SQLITE]:
        'lets no straggler before an item that has begun: in the back-off that blocks the lane, and after its process is gone',
    },
  },
  {
    file: 'src/store/outbox/open.ts',
    from: "yield* markFollowed('sends', row.lane)",
    to: '',
    breaks: 'A send that is recorded while another one of its customer goes out is not left behind it.',
    killedBy: {
      [SQLITE]: 'takes a send that is recorded while another one of its lane runs as that process’s next one',
    },
  },
  {
    file: 'src/store/work/processes.ts',
    from: 'sql`item = ${item} AND owner = ${owner} AND run = ${run} AND ${notByIndex(',
    to: 'sql`item = ${item} AND owner = ${owner} AND run >= ${run} AND ${notByIndex(',
    breaks: 'A fence of an earlier run is no longer valid.',
    killedBy: {
      [SQLITE]: 'accepts no fence of an earlier run of the same item, although the same process runs it again',
    },
  },
  {
    file: 'src/store/customers.ts',
    from: 'Math.max(known.last_at ?? lastAt, lastAt)',
    to: 'lastAt',
    breaks: 'The window only moves forward.',
    killedBy: { [SQLITE]: 'moves a window forward only, per number and customer' },
  },
  {
    file: 'src/store/work/settle.ts',
    from: "if (state !== 'running' && state !== 'forgetting') return false",
    to: 'void state',
    breaks: 'A zombie keeps no result of `once`.',
    killedBy: { [SQLITE]: 'lets a zombie keep no result of a once' },
  },
  {
    file: 'src/store/outbox/open.ts',
    from: 'if (fence && !(yield* mayRecord(fence, send))) return undefined',
    to: 'void mayRecord',
    breaks: 'A zombie records no send.',
    killedBy: {
      [SQLITE]: 'lets a zombie send nothing: its reply is not recorded, neither as a new one nor over a refused one',
    },
  },
  {
    file: 'src/store/upkeep/prune.ts',
    from: "if (mark === 'quarantined' || mark === 'conflict') return false",
    to: '',
    breaks: 'Rows that wait for a person are never removed by age.',
    killedBy: { [SQLITE]: 'keeps a delivery that is a conflict for a person to see, however old' },
  },
  {
    file: 'src/store/upkeep/prune.ts',
    from: "settled_at < ${before} AND state <> 'unknown'",
    to: 'settled_at < ${before}',
    breaks: 'A send with an unknown outcome stays until a person decides.',
    killedBy: { [SQLITE]: 'removes sends under the app’s own keys with the ids, unless their outcome is unknown' },
  },
  {
    file: 'src/store/statements/sql.ts',
    from: "coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'last_send'), 0)",
    to: '0',
    breaks: 'Messages after a customer was forgotten are not erased.',
    killedBy: {
      [SQLITE]: 'keeps a later send, though the newest one before it is erased and another is still under way',
    },
  },
  {
    file: 'src/store/outbox/settle.ts',
    from: `\${columnsOf(settlement, now)}
    WHERE id = \${send} AND owner = \${fence.owner} AND run = \${fence.run} AND place = 1`,
    to: '${columnsOf(settlement, now)} WHERE id = ${send}',
    breaks: 'A process whose send was freed settles nothing.',
    killedBy: { [SQLITE]: 'is lost when its process is gone, and a process that comes back late settles nothing' },
  },
  {
    file: 'src/store/outbox/settle.ts',
    from: 'if (areStrays) yield* adoptStatuses(left.number, messageId, upstreamId)',
    to: '',
    breaks: 'A status that arrived before the answer belongs to its send.',
    killedBy: { [SQLITE]: 'gives statuses that came before the answer to their send, by either id, once it is known' },
  },
  {
    file: 'src/store/work/bursts.ts',
    from: 'SET burst = ${burst}, cause = ${cause} WHERE',
    to: 'SET burst = ${burst} WHERE',
    breaks: 'A burst has its own cause, which identifies its replies.',
    killedBy: { [SQLITE]: 'have the same members and the same cause in each attempt' },
  },
  {
    file: 'src/store/sqlite/connection.ts',
    from: "raw.pragma('secure_delete = ON')",
    to: "raw.pragma('secure_delete = OFF')",
    breaks: 'Removed data is overwritten.',
    killedBy: { 'test/store/sqlite/gone.test.ts': 'is gone from the files: its bytes and facts after 7 days' },
  },
  {
    file: 'src/store/sqlite/connection.ts',
    from: 'const OWNER_ONLY = 0o600',
    to: 'const OWNER_ONLY = 0o644',
    breaks: 'Nobody else on the machine reads the database.',
    killedBy: { [OPENING]: 'makes the file, its -wal and its -shm for the owner alone, whatever the mask says' },
  },
  {
    file: 'src/store/sqlite/generation.ts',
    from: "isBehind(sql, known) ? 'noticed' : ",
    to: '',
    breaks: 'A restored backup holds its sends.',
    killedBy: { [RESTORED]: 'is noticed if the number beside it has risen since, and its open sends are held' },
  },
  {
    file: 'src/store/sqlite/group-commit.ts',
    from: 'if (!operation.kept) operation.reject(notStored(error))',
    to: 'if (!operation.kept) operation.resolve(undefined)',
    breaks: 'A delivery that a failed commit lost is not acknowledged.',
    killedBy: { 'test/store/sqlite/group-commit.test.ts': 'rejects every delivery of a commit that failed' },
  },
  {
    file: 'src/store/sqlite/group-commit.ts',
    from: 'if (isBusy(error) || o.file.failed(error)) return batch',
    to: 'if (isBusy(error) || !o.file.failed(error)) return batch',
    breaks: 'On a full disk a delivery waits for room, and so does what must land.',
    killedBy: { 'test/store/sqlite/group-commit.test.ts': 'has a delivery wait for room on a full disk' },
  },
  {
    file: 'src/store/sqlite/open-file.ts',
    from: 'one?.ino === opened[at]?.ino && one?.dev',
    to: 'one?.dev',
    breaks: 'A database that was replaced while it was open stores nothing.',
    killedBy: { [RECOVERY]: 'is opened as the file that stands there, beside the process that has begun it' },
  },
  {
    file: 'src/store/sqlite/open-file.ts',
    from: "if (found === 'log removed') wal.saveRemovedLog(opened.connection, file)",
    to: '',
    breaks: 'The contents of a removed log are not lost.',
    killedBy: { [RECOVERY]: 'is started again at the next commit, loses nothing and says it once' },
  },
  {
    file: 'src/store/sqlite/open-file.ts',
    from: "if (found === 'cut' || found === 'log replaced') holdSendsNextTime(file)",
    to: '',
    breaks: 'After a loss, sends that may have gone out are held.',
    killedBy: { [RECOVERY]: 'continues from what is left, with its sends held, and says so' },
  },
  {
    file: 'src/store/sqlite/open-file.ts',
    from: 'o.monotonic() - restartedAt >= RESTART_MS',
    to: 'true',
    breaks: 'A disk that fails does not keep the event loop busy with restarts.',
    killedBy: { [RECOVERY]: 'is started again at most once in five seconds' },
  },
  {
    file: 'src/store/postgres/group-commit.ts',
    from: 'if (error instanceof UnknownOutcome) return await afterUnknown(operations, error)',
    to: 'if (error instanceof UnknownOutcome) return operations',
    breaks: 'A transaction whose commit was not answered is not run again if it was committed.',
    killedBy: { 'test/store/postgres/broken-line.test.ts': 'in a commit that was not answered' },
  },
  {
    file: 'src/store/postgres/transaction.ts',
    from: "WHEN 'off' THEN 'on'",
    to: "WHEN 'off' THEN 'off'",
    breaks: 'An acknowledged delivery is on disk.',
    killedBy: { 'test/store/postgres/opening.test.ts': 'is on disk, though the database lets others wait for less' },
  },
  {
    file: 'src/store/postgres/open.ts',
    from: 'known !== undefined && known !== cluster',
    to: 'false',
    breaks: 'A database copied from another server sends nothing a second time.',
    killedBy: { 'test/store/postgres/opening.test.ts': 'brought from another server holds its sends' },
  },
  {
    file: 'src/store/postgres/postgres-store.ts',
    from: 'still?.transaction !== begun.transaction',
    to: 'false',
    breaks: 'A message is recorded with a transaction of the app or not at all.',
    killedBy: { 'test/store/postgres/app-transaction.test.ts': 'a client without a transaction is refused' },
  },
  {
    file: 'src/store/work/processes.ts',
    from: 'if (ahead > 0) yield* moveBack',
    to: 'if (ahead < 0) yield* moveBack',
    breaks: 'What a process put off whose clock was ahead begins at its time.',
    killedBy: { [SQLITE]: 'begins at its time what a process put off whose clock was two hours ahead' },
  },
  {
    file: 'src/store/postgres/postgres-store.ts',
    from: 'Math.floor(o.monotonic() + (ahead ?? 0))',
    to: 'Date.now()',
    breaks: 'A machine whose clock is wrong takes no lane of the others.',
    killedBy: { 'test/store/postgres/clock.test.ts': 'is followed where it goes, as that of another server' },
  },
] satisfies Mutant[]
