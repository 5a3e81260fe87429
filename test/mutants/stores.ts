import type { Mutant } from './driver/mutant.ts'

/** What the store keeps, and who may write it: fences, disk, pruning, both databases. */
export default [
  {
    file: 'src/stores/operations/reads/history.ts',
    from: "AND i.id >= ${itemId((yield* forgottenUpto(who, 'deliveries')) + 1, 0)}",
    to: '',
    breaks: 'Forgotten data is hidden before it is erased.',
    killedBy: { 'test/stores/sqlite.test.ts': 'shows nothing of a customer who was forgotten' },
  },
  {
    file: 'src/stores/operations/turns/item-turns.ts',
    from: 'ORDER BY CASE WHEN attempts > 0 THEN 0 ELSE 1 END, at, id LIMIT 1',
    to: 'ORDER BY at, id LIMIT 1',
    breaks: 'An item that has begun goes before older ones.',
    killedBy: {
      'test/stores/sqlite.test.ts':
        'lets no straggler before an item that has begun: in the back-off that blocks the lane, and after its process is gone',
    },
  },
  {
    file: 'src/stores/operations/lanes/lanes.ts',
    from: 'WHERE lanes.owner IS NULL`)\n  tx.wake',
    to: '`)\n  tx.wake',
    breaks: 'A wake-up does not take a lane from its holder.',
    killedBy: {
      'test/stores/sqlite.test.ts': 'takes a send that is recorded while its lane is held as the holder’s next one',
    },
  },
  {
    file: 'src/stores/operations/lanes/lanes.ts',
    from: 'owner = ${owner} AND token = ${token})`\n}',
    to: 'owner = ${owner})`\n}',
    breaks: 'A fence of an earlier lease is no longer valid.',
    killedBy: {
      'test/stores/sqlite.test.ts': 'takes a lane of its own again that it no longer holds, once the lease has expired', // words-ok: quotes a title
    },
  },
  {
    file: 'src/stores/operations/lanes/lanes.ts',
    from: 'greatest(coalesce(lanes.last_at, excluded.last_at), excluded.last_at)',
    to: 'excluded.last_at',
    breaks: 'The window only moves forward.',
    killedBy: { 'test/stores/sqlite.test.ts': 'moves a window forward only, per number and customer' },
  },
  {
    file: 'src/stores/operations/turns/item-turns.ts',
    from: 'if (!(yield* holdsLane(fence))) return false',
    to: '',
    breaks: 'A zombie keeps no result of `once`.',
    killedBy: { 'test/stores/sqlite.test.ts': 'lets a zombie keep no result of a once' },
  },
  {
    file: 'src/stores/operations/sends/open-send.ts',
    from: 'if (!lookedUp.held) return undefined',
    to: '',
    breaks: 'A zombie records no send.',
    killedBy: {
      'test/stores/sqlite.test.ts':
        'lets a zombie send nothing: its reply is not recorded, neither anew nor over a refused one', // words-ok: quotes a title
    },
  },
  {
    file: 'src/stores/operations/pruning/stages.ts',
    from: `o.state IN ('quarantined', 'conflict')
      OR `,
    to: '',
    breaks: 'Rows that wait for a person are never removed by age.',
    killedBy: { 'test/stores/sqlite.test.ts': 'keeps a delivery that is a conflict for a person to see, however old' },
  },
  {
    file: 'src/stores/operations/pruning/stages.ts',
    from: "settled_at < ${idsBefore} AND state <> 'unknown'",
    to: 'settled_at < ${idsBefore}',
    breaks: 'A send with an unknown outcome stays until a person decides.',
    killedBy: {
      'test/stores/sqlite.test.ts':
        'removes sends under the app’s own keys with the ids, unless their outcome is unknown',
    },
  },
  {
    file: 'src/stores/operations/steps.ts',
    from: "(SELECT coalesce(max(upto), 0) FROM forgotten WHERE what = 'sends')",
    to: '0',
    breaks: 'Messages after a customer was forgotten are not erased.',
    killedBy: {
      'test/stores/sqlite.test.ts':
        'keeps a later send, though the newest one before it is erased and another is still under way',
    },
  },
  {
    file: 'src/stores/operations/sends/settle-send.ts',
    from: 'WHERE id = ${send} AND ${stands(fence)}\n    RETURNING',
    to: 'WHERE id = ${send}\n    RETURNING',
    breaks: 'A process that lost its lane settles no send.',
    killedBy: {
      'test/stores/sqlite.test.ts':
        'is lost when its process no longer holds it, and a process that comes back late settles nothing',
    },
  },
  {
    file: 'src/stores/operations/sends/settle-send.ts',
    from: 'if (to.strays) yield* adoptStatuses(messageId, upstreamId)',
    to: '',
    breaks: 'A status that arrived before the answer belongs to its send.',
    killedBy: {
      'test/stores/sqlite.test.ts':
        'gives statuses that came before the answer to their send, by either id, once it is known',
    },
  },
  {
    file: 'src/stores/operations/items/bursts.ts',
    from: 'SET burst = ${burst}, cause = ${cause}, ready_at',
    to: 'SET burst = ${burst}, ready_at',
    breaks: 'A burst has its own cause, which identifies its replies.',
    killedBy: { 'test/stores/sqlite.test.ts': 'have the same members and the same cause in each attempt' },
  },
  {
    file: 'src/stores/sqlite/connection.ts',
    from: "raw.pragma('secure_delete = ON')",
    to: "raw.pragma('secure_delete = OFF')",
    breaks: 'Removed data is overwritten.',
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
    file: 'src/stores/sqlite/generation.ts',
    from: "isBehind(sql, known) ? 'noticed' : ",
    to: '',
    breaks: 'A restored backup holds its sends.',
    killedBy: {
      'test/stores/sqlite/restored.test.ts':
        'is noticed if the number beside it has risen since, and its open sends are held',
    },
  },
  {
    file: 'src/stores/sqlite/group-commit.ts',
    from: 'if (!operation.kept) operation.reject(notStored(error))',
    to: 'if (!operation.kept) operation.resolve(undefined)',
    breaks: 'A delivery that a failed commit lost is not acknowledged.',
    killedBy: { 'test/stores/sqlite/group-commit.test.ts': 'rejects every delivery of a commit that failed' },
  },
  {
    file: 'src/stores/sqlite/group-commit.ts',
    from: 'if (isBusy(error) || o.file.failed(error)) return batch',
    to: 'if (isBusy(error) || !o.file.failed(error)) return batch',
    breaks: 'On a full disk a delivery waits for room, and so does what must land.',
    killedBy: { 'test/stores/sqlite/group-commit.test.ts': 'has a delivery wait for room on a full disk' },
  },
  {
    file: 'src/stores/sqlite/open-file.ts',
    from: 'one?.ino === opened[at]?.ino && one?.dev',
    to: 'one?.dev',
    breaks: 'A database that was replaced while it was open stores nothing.',
    killedBy: {
      'test/stores/sqlite/recovery.test.ts':
        'is opened as the file that stands there, beside the process that has begun it',
    },
  },
  {
    file: 'src/stores/sqlite/open-file.ts',
    from: "if (found === 'log removed') wal.saveRemovedLog(opened.connection, file)",
    to: '',
    breaks: 'The contents of a removed log are not lost.',
    killedBy: {
      'test/stores/sqlite/recovery.test.ts': 'is started again at the next commit, loses nothing and says it once',
    },
  },
  {
    file: 'src/stores/sqlite/open-file.ts',
    from: "if (found === 'cut' || found === 'log replaced') holdSendsNextTime(file)",
    to: '',
    breaks: 'After a loss, sends that may have gone out are held.',
    killedBy: {
      'test/stores/sqlite/recovery.test.ts': 'continues from what is left, with its sends held, and says so',
    },
  },
  {
    file: 'src/stores/sqlite/open-file.ts',
    from: 'o.monotonic() - restartedAt >= RESTART_MS',
    to: 'true',
    breaks: 'A disk that fails does not keep the event loop busy with restarts.',
    killedBy: { 'test/stores/sqlite/recovery.test.ts': 'is started again at most once in five seconds' },
  },
  {
    file: 'src/stores/postgres/group-commit.ts',
    from: 'if (error instanceof UnknownOutcome) return await afterUnknown(operations, error)',
    to: 'if (error instanceof UnknownOutcome) return operations',
    breaks: 'A transaction whose commit was not answered is not run again if it was committed.',
    killedBy: { 'test/stores/postgres/broken-line.test.ts': 'in a commit that was not answered' },
  },
  {
    file: 'src/stores/postgres/transaction.ts',
    from: "WHEN 'off' THEN 'on'",
    to: "WHEN 'off' THEN 'off'",
    breaks: 'An acknowledged delivery is on disk.',
    killedBy: { 'test/stores/postgres/opening.test.ts': 'is on disk, though the database lets others wait for less' },
  },
  {
    file: 'src/stores/postgres/open.ts',
    from: 'known?.same === false',
    to: 'false',
    breaks: 'A database copied from another server sends nothing a second time.',
    killedBy: { 'test/stores/postgres/opening.test.ts': 'brought from another server holds its sends' },
  },
  {
    file: 'src/stores/postgres/app-transaction.ts',
    from: 'still?.transaction !== begun.transaction',
    to: 'false',
    breaks: 'A message is recorded with a transaction of the app or not at all.',
    killedBy: { 'test/stores/postgres/app-transaction.test.ts': 'a client without a transaction is refused' },
  },
  {
    file: 'src/stores/postgres/clock.ts',
    from: 'Math.floor(o.monotonic() + (ahead ?? 0))',
    to: 'Math.floor(o.machine())',
    breaks: 'A machine whose clock is wrong takes no lane of the others.',
    killedBy: {
      'test/stores/postgres/clock.test.ts':
        'begins with the time of the others, and leaves their lanes and their waits',
    },
  },
] satisfies Mutant[]
