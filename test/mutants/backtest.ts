import type { Mutant } from './driver/mutant.ts'

const PLAY = 'test/backtest/play.test.ts'
const COMPARE = 'test/backtest/compare.test.ts'

export default [
  {
    file: 'src/backtest/played-store.ts',
    from: 'if (recorded && accepted.seq !== undefined) results.came(accepted.seq, recorded)',
    to: '',
    breaks: 'An effect whose result is stored does not run again.',
    killedBy: { [PLAY]: 'does not run an effect again whose result is stored' },
  },
  {
    file: 'src/backtest/played-store.ts',
    from: "if (kind === 'message' && customer !== undefined) deps.hasWritten(number, customer)",
    to: "if (kind === 'status' && customer !== undefined) deps.hasWritten(number, customer)",
    breaks: 'The window of a customer who wrote is open in the world of the recording.',
    killedBy: { [PLAY]: 'answers each delivery at the time of then' },
  },
  {
    file: 'src/backtest/recorded-results.ts',
    from: 'return byId.get(id) ?? (alike.length === 1 ? alike[0] : undefined)',
    to: 'return byId.get(id)',
    breaks: 'An effect of a conversation does not run again if another route enters the conversation now.',
    killedBy: { [PLAY]: 'does not run an effect of a conversation again whose result is stored' },
  },
  {
    file: 'src/backtest/recorded-results.ts',
    from: 'if (!found.has(conversation.id)) found.set(conversation.id, recordedConversation(item, conversation))',
    to: 'found.set(conversation.id, recordedConversation(item, conversation))',
    breaks: 'A conversation keeps its recorded results while answers lead it on.',
    killedBy: { [PLAY]: 'does not run an effect of a conversation again whose result is stored' },
  },
  {
    file: 'src/conversations/script-run.ts',
    from: 'return recordedResult?.(name, this.#replay.journal().filter(isBefore).length)',
    to: 'return recordedResult?.(name, 0)',
    breaks: 'Of several effects of one name each has its own result.',
    killedBy: { [PLAY]: 'does not run an effect of a conversation again whose result is stored' },
  },
  {
    file: 'src/backtest/world.ts',
    from: 'turnLastsMs: 0,',
    to: '',
    breaks: 'No back-off lets the time pass over the next delivery.',
    killedBy: { [PLAY]: 'waits for a back-off no longer than until the next delivery of then' },
  },
  {
    file: 'src/backtest/difference.ts',
    from: 'const at = restNow.findIndex(({ to }) => to === before.to)',
    to: 'const at = restNow.length - 1',
    breaks: 'Messages to different customers are not one that has changed.',
    killedBy: { [COMPARE]: 'differ by all that a customer sees of a message' },
  },
  {
    file: 'src/backtest/compare.ts',
    from: 'if (!isSame(before[0], before[1]) || !isSame(after[0], after[1]))',
    to: 'if (!isSame(before[0], before[1]))',
    breaks: 'What the later version does not say twice alike is no difference.',
    killedBy: { [COMPARE]: 'are not compared at a delivery that one of them does not answer twice alike' },
  },
] satisfies Mutant[]
