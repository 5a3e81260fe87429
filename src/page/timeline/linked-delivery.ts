import { effect } from '@preact/signals'
import { notice } from '../../ui/components/messages.ts'
import { isLoaded } from '../state/follow.ts'
import { linkedDelivery } from '../state/view.ts'
import { openRow, reveal, rows } from './list-state.ts'

// The address, or an action, names a delivery to be shown. Its row may come later than its name.

/** After this time a row that has not come is not expected any more, and the reader is told. */
const LATE_MS = 5_000

effect(() => {
  const delivery = linkedDelivery.value
  const row = delivery === '' ? undefined : rows.value.findLast((one) => one.delivery === delivery)
  if (row === undefined) return
  linkedDelivery.value = ''
  openRow(row)
  reveal(row)
})

effect(() => {
  const delivery = linkedDelivery.value
  if (delivery === '' || !isLoaded.value) return undefined
  const timer = setTimeout(() => {
    notice.value = `The delivery ${delivery} is not kept: it is of another run, or older than the latest 20,000 happenings.`
  }, LATE_MS)
  return () => clearTimeout(timer)
})
