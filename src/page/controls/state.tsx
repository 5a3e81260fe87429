import { confirm } from '../../ui/components/dialog.tsx'
import { runAction, toast } from '../../ui/components/messages.ts'
import { change } from '../wire/control.ts'

/** Resets the whole state of the emulated service. */
export function StateSection() {
  return (
    <button type="button" class="danger wide" onClick={confirmReset}>
      Reset everything
    </button>
  )
}

function confirmReset(): void {
  confirm({
    title: 'Reset everything?',
    text: 'This deletes all conversations, templates, keys, faults and deliveries, and resets the clock.',
    action: 'Reset',
    run: () =>
      runAction(async () => {
        await change('POST', 'reset')
        toast.value = 'The emulator was reset.'
      }),
  })
}
