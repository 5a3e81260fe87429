/** Scripts of conversations: their runs over a journal, their questions, and what answers them. No store and no clock. */
export { answerTo } from './answer.ts'
export { type Question, UNASKED } from './question.ts'
export { checkRepeats } from './repeat.ts'
export type { Halt } from './replay.ts'
export { type ScriptEffects, ScriptRun } from './script-run.ts'
