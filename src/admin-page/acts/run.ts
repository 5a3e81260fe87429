import type { Act, Done } from '../../admin/api.ts'
import { notice, toast } from '../../ui/components/messages.ts'
import { refreshAll } from '../state/live.ts'
import { AskError, post } from '../wire/ask.ts'

/** Does an act, says what came of it, and asks anew for what is shown. */
export async function act(asked: Act, done: (count: number) => string): Promise<void> {
  try {
    const { count, untouched } = await post<Done>('api/act', asked)
    toast.value = done(count)
    notice.value = untouched.map(({ what, why }) => `${what} was left alone: ${why}`).join('\n')
  } catch (error) {
    notice.value = error instanceof AskError ? error.message : String(error)
  }
  refreshAll()
}
