import type { Mutant } from './driver/mutant.ts'

const RUN = 'test/conversations/script-run.test.ts'
const ANSWER = 'test/conversations/answer.test.ts'

export default [
  {
    file: 'src/conversations/replay.ts',
    from: 'if (this.#effect()) return read(packResult(kind, make()))',
    to: '',
    breaks: 'A script may read the time within a once.',
    killedBy: {
      [RUN]: 'reads the time and the session within a once, which is no step: its later runs do not come by there',
    },
  },
  {
    file: 'src/conversations/replay.ts',
    from: 'known.kind === asked.kind && known.name === asked.name',
    to: 'true',
    breaks: 'A changed script does not go on over the journal of another.',
    killedBy: { [RUN]: 'is noticed by a sleep in the place of the question, before it does anything' },
  },
  {
    file: 'src/conversations/replay.ts',
    from: '.find((step) => step >= this.#next)',
    to: '.find(() => false)',
    breaks: 'A script that lost its last steps is a changed one.',
    killedBy: { [RUN]: 'is noticed by fewer steps, before it does anything' },
  },
  {
    file: 'src/conversations/replay.ts',
    from: 'if (!known) await this.#keepReads()',
    to: '',
    breaks: 'What a script has read is on disk before it acts on it.',
    killedBy: { [RUN]: 'reads the time and the session as it first read them, which are kept before the next effect' },
  },
  {
    file: 'src/conversations/replay.ts',
    from: '        this.fail(error)\n        return await never()',
    to: '        this.fail(error)\n        throw error',
    breaks: 'A script does not see an effect fail.',
    killedBy: { [RUN]: 'does not see an effect fail: the run does, and the next one begins the effect anew' },
  },
  {
    file: 'src/conversations/replay.ts',
    from: '    this.#tail = ended\n',
    to: '',
    breaks: 'Steps happen in the order of their calls.',
    killedBy: { [RUN]: 'does its steps in the order of their calls, also those that it does not await' },
  },
  {
    file: 'src/conversations/script-run.ts',
    from: 'unpackResult(result) === version ? undefined',
    to: 'true ? undefined',
    breaks: 'A new version of a conversation that another one goes through is noticed.',
    killedBy: { [RUN]: 'is noticed by the version of a conversation that it goes through' },
  },
  {
    file: 'src/conversations/script-run.ts',
    from: 'keep && this.#replay.isBeyondJournal()',
    to: 'keep',
    breaks: 'A script that is led back writes no log line again.',
    killedBy: { [RUN]: 'writes no log line again while it is led back to where it was' },
  },
  {
    file: 'src/conversations/repeat.ts',
    from: ' && one?.said === other?.said',
    to: '',
    breaks: 'In development a text that is another one at each run is told of.',
    killedBy: { [RUN]: 'is refused by the first step that differs: a text' },
  },
  {
    file: 'src/conversations/answer.ts',
    from: "if (tapped && chosen === undefined) return { as: 'elsewhere' }",
    to: '',
    breaks: 'A tap on an option of an older question is no answer.',
    killedBy: { [ANSWER]: 'is an option of an older question' },
  },
  {
    file: 'src/conversations/answer.ts',
    from: 'const kept = isJson(value) ? { value } : { text }',
    to: 'const kept = { value }',
    breaks: 'An answer that JSON would change is kept as its text.',
    killedBy: { [ANSWER]: 'is an output that JSON changes, kept as its text' },
  },
  {
    file: 'src/conversations/answer.ts',
    from: 'found.slice(0, max)',
    to: 'found',
    breaks: 'An answer has no more media than were asked for.',
    killedBy: { [ANSWER]: 'is no more pictures than asked for' },
  },
  {
    file: 'src/conversations/script-run.ts',
    from: '      this.#effects.check()\n',
    to: '',
    breaks: 'An attempt that is over begins no effect beside the one that runs by then.',
    killedBy: { [RUN]: 'begins no effect for an attempt that is over' },
  },
] satisfies Mutant[]
