import { resumeAnswer } from './actors/agent.ts'
import { resumeProgress } from './model/progress.ts'
import type { State } from './state.ts'
import type { Task } from './model/schedule.ts'

/** Does what was due later, each in its room. */
export function performTask(state: State, task: Task): void {
  if (task.do === 'progress') resumeProgress(state, task)
  else if (task.do === 'answer') resumeAnswer(state, task)
  else state.deliverer.resume(task)
}
