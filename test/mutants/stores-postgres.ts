import type { Mutant } from './driver/mutant.ts'

export default [
  {
    file: 'src/stores/postgres/group-commit.ts',
    from: 'if (error instanceof UnknownOutcome) return await afterUnknown(operations, error)',
    to: 'if (error instanceof UnknownOutcome) return operations',
    breaks: 'A transaction whose commit was not answered is not run again if it was committed.',
    killedBy: { 'test/stores/postgres/broken-line.test.ts': 'in a commit that was not answered' },
  },
  {
    file: 'src/stores/postgres/group-commit.ts',
    from: 'if (committed === false)',
    to: 'if (committed === false) return settle(operations, lost.done)\n      if (committed === false)',
    breaks: 'A transaction that was not committed is not taken for one that was.',
    killedBy: { 'test/stores/postgres/broken-line.test.ts': 'before a commit came through' },
  },
  {
    file: 'src/stores/postgres/group-commit.ts',
    from: '(closed ? failure === undefined : kept) || until > now',
    to: '(closed ? failure === undefined : true) || until > now',
    breaks: 'A delivery is refused in time while the database does not answer.',
    killedBy: { 'test/stores/postgres/lock.test.ts': 'refused in time while another process keeps the lock' },
  },
  {
    file: 'src/stores/postgres/transaction.ts',
    from: "set_config('idle_in_transaction_session_timeout', '${IDLE_MS}', true)",
    to: "set_config('idle_in_transaction_session_timeout', '0', true)",
    breaks: 'A process that stands still does not keep the others from writing for ever.',
    killedBy: { 'test/stores/postgres/lock.test.ts': 'stands still within a transaction' },
  },
  {
    file: 'src/stores/postgres/transaction.ts',
    from: "WHEN 'off' THEN 'on'",
    to: "WHEN 'off' THEN 'off'",
    breaks: 'What is acknowledged is on disk.',
    killedBy: { 'test/stores/postgres/opening.test.ts': 'is on disk, though the database lets others wait for less' },
  },
  {
    file: 'src/stores/postgres/transaction.ts',
    from: '${SETTINGS}; SELECT ${ONE_WRITER}`',
    to: '${SETTINGS}`',
    breaks: 'One process writes at a time.',
    killedBy: { 'test/stores/postgres/lock.test.ts': 'lose nothing, and give no number twice' },
  },
  {
    file: 'src/stores/postgres/open.ts',
    from: 'known?.same === false',
    to: 'false',
    breaks: 'A database that was brought from another server sends nothing a second time.',
    killedBy: { 'test/stores/postgres/opening.test.ts': 'brought from another server holds its sends' },
  },
  {
    file: 'src/stores/postgres/session.ts',
    from: "value.replaceAll('\\0', '\\uFFFD')",
    to: 'value',
    breaks: 'A text with U+0000 is stored.',
    killedBy: { 'test/stores/postgres/opening.test.ts': 'U+0000 in a text becomes U+FFFD' },
  },
  {
    file: 'src/stores/postgres/faults.ts',
    from: 'if (state !== undefined) return `',
    to: 'if (state !== undefined) return `${(cause as Error).message} ',
    breaks: 'No error shows what the server says, which may hold values.',
    killedBy: { 'test/stores/postgres/opening.test.ts': 'no password is shown' },
  },
] satisfies Mutant[]
