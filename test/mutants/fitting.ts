import type { Mutant } from './driver/mutant.ts'

/** How it fits into the apps that people have. */
export default [
  {
    file: 'src/bot/work/json-value.ts',
    from: "return `a ${name === '' ? 'class' : name}`",
    to: 'return undefined',
    breaks: 'A value that JSON would change is refused with its path, in a session and as a result of once.',
    promise: 'FIT-4',
    killedBy: {
      'test/journeys/handler-life.test.ts': 'is refused with its path: as a result of once, and in a session',
    },
  },
  {
    file: 'src/store/sqlite/connection.ts',
    from: 'if (isWithoutNativePart(error))',
    to: "if (file === '' && isWithoutNativePart(error))",
    breaks: 'A missing or foreign native part is named with the platform and the fix.',
    promise: 'FIT-6',
    killedBy: { 'test/store/sqlite/native-part.test.ts': 'is named, with the platform and the fix' },
  },
  {
    file: 'src/kit/cli/init.ts',
    from: '`cd ${shellWord(path)}`',
    to: '`cd ${path}`',
    breaks: 'The next steps of init work for a folder with a blank in its name.',
    promise: 'FIT-9',
    killedBy: { 'test/kit/cli/init.test.ts': 'prints the way to a folder as one word of the shell' },
  },
  {
    file: 'src/kit/cli/support/advice.ts',
    from: 'if (database === undefined) return text',
    to: 'if (database !== null) return text',
    breaks: 'Advised commands name the database that was typed.',
    promise: 'FIT-9',
    killedBy: { 'test/kit/cli/inbox-ls.test.ts': 'repeats the database that was typed' },
  },
  {
    file: 'src/bot/routes/table.ts',
    from: 'if (kind !== undefined && contentOf(kind) === undefined)',
    to: 'if (false)',
    breaks: 'received() refuses a kind that no message has.',
    promise: 'FIT-9',
    killedBy: { 'test/bot/routes/received.test.ts': 'is refused, because no message of that name' },
  },
  {
    file: 'src/store/reads/deliveries.ts',
    from: 'AS state, w.attempts,',
    to: 'AS state, coalesce(w.attempts, 0) AS attempts,',
    breaks: 'A handled message does not show 0 attempts.',
    promise: 'FIT-9',
    killedBy: { 'test/kit/cli/inbox-ls.test.ts': 'shows the attempts of open items' },
  },
  {
    file: 'src/bot/work/failure.ts',
    from: "return Object.defineProperty(shown, 'constructor', { value: undefined })",
    to: 'return shown',
    breaks: 'A logged error has the type of the error that was thrown.',
    promise: 'FIT-9',
    killedBy: { 'test/bot/work/failure.test.ts': 'under its own name' },
  },
  {
    file: 'src/bot/compose.ts',
    from: 'if (store.isNew && !settings.local) logFirstNotices',
    to: 'logFirstNotices',
    breaks: 'What the service may do is logged at the first start with it, not at each start.',
    promise: 'FIT-9',
    killedBy: { 'test/bot/options.test.ts': 'those that it only declares are in one line at the first start' },
  },
  {
    file: 'src/kit/cli/support/signals.ts',
    from: 'if (!isUnderNpm || process.ppid === parent) return',
    to: 'if (isUnderNpm || process.ppid === parent) return',
    breaks: 'A signal to npm leaves neither the emulator nor the app behind.',
    promise: 'FIT-9',
    killedBy: { 'test/kit/cli/dev.test.ts': 'when npm has passed a signal to its own shell alone' },
  },
] satisfies Mutant[]
