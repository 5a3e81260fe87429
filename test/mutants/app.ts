import type { Mutant } from './driver/mutant.ts'

export default [
  {
    file: 'src/app/lifecycle.ts',
    from: "const DRAIN: Duration = '8s'",
    to: "const DRAIN: Duration = '10s'",
    breaks: 'A stop is over before a container is killed.',
    killedBy: { 'test/adapters/serve.test.ts': 'lets handlers end for 8 s' },
  },
  {
    file: 'src/app/compose.ts',
    from: 'receiver.beginStop()',
    to: '',
    breaks: 'During a stop answers close their connections, so that the service goes to another process.',
    killedBy: { 'test/app/lifecycle.test.ts': 'asks for a new connection with each answer' },
  },
  {
    file: 'src/app/compose.ts',
    from: 'await onDrained?.()',
    to: '',
    breaks: 'A server goes on listening until the handlers have drained.',
    killedBy: {
      'test/adapters/serve.test.ts':
        'close stops listening, closes the store and removes the signal handlers; a second call waits for the first',
    },
  },
  {
    file: 'src/app/compose.ts',
    from: "answersGuessed: settings.replies === 'guessed'",
    to: 'answersGuessed: true',
    breaks: 'In production nobody is answered whose place in the payload is a guess.',
    killedBy: {
      'test/journeys/recipients.test.ts':
        'is nobody if only a guess says who wrote, and guesses are not answered: the delivery is kept, and nothing is sent',
    },
  },
  {
    file: 'src/app/lifecycle.ts',
    from: 'running?.ready() === true && !stopping',
    to: 'running?.ready() === true',
    breaks: 'A bot that stops is not ready.',
    killedBy: { 'test/app/lifecycle.test.ts': 'ends readiness at once' },
  },
  {
    file: 'src/app/lifecycle.ts',
    from: 'lastTurn.then(step)',
    to: 'step()',
    breaks: 'A start waits until the stop before it has closed the store.',
    killedBy: { 'test/app/lifecycle.test.ts': 'ends readiness at once' },
  },
  {
    file: 'src/app/lifecycle.ts',
    from: `await store.close()
      throw error`,
    to: 'throw error',
    breaks: 'A start that failed closes the database.',
    killedBy: { 'test/app/lifecycle.test.ts': 'leaves nothing running: no lease, no maintenance, no polling' },
  },
  {
    file: 'src/app/numbers.ts',
    from: 'if (missing.length > 0)',
    to: 'if (missing.length > 9)',
    breaks: 'A bot without a signing secret does not start.',
    killedBy: { 'test/app/options.test.ts': 'names all that is missing at once' },
  },
  {
    file: 'src/app/compose.ts',
    from: 'settings.local ? () => {} : reports.deliveries.newShape',
    to: 'reports.deliveries.newShape',
    breaks: 'Shapes of the emulator, which vary on purpose, are not told.',
    killedBy: {
      'test/journeys/observed-payloads.test.ts': 'of the emulator, whose shapes vary on purpose, nothing is told',
    },
  },
  {
    file: 'src/app/lifecycle.ts',
    from: 'await checkProtocol(settings.baseUrl)',
    to: 'void checkProtocol',
    breaks: 'A start says that a base address on this machine has the wrong protocol.',
    killedBy: { 'test/app/lifecycle.test.ts': 'says that a base address on this machine has the wrong protocol' },
  },
  {
    file: 'src/app/options.ts',
    from: "setting: (given = 'hold') => given",
    to: "setting: (given = 'dispatch') => given",
    breaks: 'Identical signed bytes under another id are held, unless the app chooses otherwise.',
    killedBy: { 'test/receive/identity.test.ts': 'runs once, however the delivery is repeated' },
  },
  {
    file: 'src/app/compose.ts',
    from: "const begins = role !== 'receive'",
    to: 'const begins = true',
    breaks: 'A process that only receives begins no work.',
    killedBy: { 'test/journeys/roles.test.ts': 'stores and answers, and leaves what it stored to a worker' },
  },
  {
    file: 'src/app/compose.ts',
    from: "if (begins || work === 'erasure')",
    to: 'if (begins)',
    breaks: 'A process that only receives erases whom it was asked to forget.',
    killedBy: { 'test/app/roles.test.ts': 'erases by itself whom it was asked to forget' },
  },
  {
    file: 'src/app/compose.ts',
    from: "role === 'work'",
    to: 'false',
    breaks: 'A process that only works answers no delivery.',
    killedBy: { 'test/app/roles.test.ts': 'answers a delivery with 503' },
  },
  {
    file: 'src/app/start-options.ts',
    from: "environment: variable('SWITCHHOOK_ROLE') as Variable<Role>,",
    to: '',
    breaks: 'The environment gives the role that the start does not.',
    killedBy: { 'test/app/roles.test.ts': 'as the log says' },
  },
  {
    file: 'src/app/number-source.ts',
    from: 'return number?.client === refused ? undefined : number?.client',
    to: 'return undefined',
    breaks: 'A token that was changed a moment ago refuses no send.',
    killedBy: { 'test/app/number-source.test.ts': 'refuses no send: the same bytes go out once more with the new one' },
  },
  {
    file: 'src/app/number-source.ts',
    from: 'client: isSame ? before.client : clientOf(number, deps)',
    to: 'client: clientOf(number, deps)',
    breaks: 'A send whose token is refused goes out once more with another token alone.',
    killedBy: {
      'test/app/number-source.test.ts': 'and that nobody has put down yet stops the number’s queue after one refusal',
    },
  },
  {
    file: 'src/app/number-source.ts',
    from: 'cache.lastKnown(name) && (await',
    to: '(await',
    breaks: 'A number that was removed costs one question a minute, whatever waits for it.',
    killedBy: { 'test/app/number-source.test.ts': 'is not asked for by the looks at the tokens of stopped numbers' },
  },
  {
    file: 'src/app/number-source.ts',
    from: 'error.crowded ? new TooManyNames(error.message) : new',
    to: 'new',
    breaks: 'Names that somebody makes up raise no alarm.',
    killedBy: { 'test/app/number-source.test.ts': 'raise no alarm, however many they are' },
  },
] satisfies Mutant[]
