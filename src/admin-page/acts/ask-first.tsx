import type { ComponentChildren } from 'preact'
import type { Act, Done } from '../../admin/api.ts'
import { confirm } from '../../ui/components/dialog.tsx'
import { notice, toast } from '../../ui/components/messages.ts'
import { refreshAll } from '../state/live.ts'
import { mayAct } from '../state/visitor.ts'
import { post } from '../wire/ask.ts'

/** An act with its words: those that ask for it, and those that tell what came of it. */
export interface Question {
  readonly title: string
  readonly text: ComponentChildren
  readonly action: string
  /** The customer may get a message by it, or lose one. */
  readonly isGrave?: boolean
  readonly act: Act
  readonly done: (count: number) => string
}

/** Every act is asked for first: it reaches somebody's phone, or a queue that others wait for. */
export function askFirst({ title, text, action, isGrave, act, done }: Question): void {
  confirm({ title, text, action, tone: isGrave ? 'danger' : 'primary', run: () => void carryOut(act, done) })
}

export function ActButton({ label, ...question }: Question & { readonly label?: string }) {
  if (!mayAct.value) return null
  return (
    <button type="button" onClick={() => askFirst(question)}>
      {label ?? `${question.action}…`}
    </button>
  )
}

/** Does an act, says what came of it, and asks anew for what is shown. */
async function carryOut(act: Act, done: Question['done']): Promise<void> {
  try {
    const { count, untouched } = await post<Done>('api/act', act)
    toast.value = done(count)
    notice.value = untouched.map(({ what, why }) => `${what} was left alone: ${why}`).join('\n')
  } catch (error) {
    notice.value = error instanceof Error ? error.message : String(error)
  }
  refreshAll()
}
